//! The final table: every cell once, in the order of the study, whatever happened on the way.

use std::collections::HashMap;
use std::path::Path;

use crate::cell::{Cell, SampleSpec};
use crate::error::{Error, Result};
use crate::log::{header, line};
use crate::row::Row;
use crate::study::Study;

/// The cells of a study, found by what a row says.
pub(crate) struct Places(HashMap<String, Cell>);

impl Places {
    pub(crate) fn new(study: &Study) -> Places {
        let key = |cell: Cell| key(&study.samples[cell.sample], &study.learners[cell.learner].label);
        Places(study.cells().into_iter().map(|cell| (key(cell), cell)).collect())
    }

    /// The cell a row is about; nothing when it is none of the study's.
    pub(crate) fn of(&self, row: &Row) -> Option<Cell> {
        self.0.get(&cell_name(row)).copied()
    }
}

fn key(sample: &SampleSpec, label: &str) -> String {
    format!("{sample} {label}")
}

/// A cell in words, from its row.
pub(crate) fn cell_name(row: &Row) -> String {
    let Row { setting, nodes, samples, noise_variance, p, seed, .. } = *row;
    key(&SampleSpec { setting, nodes, samples, noise_variance, p, seed }, &row.learner)
}

/// Rows in the order of the study; of several about one cell the last counts.
pub(crate) fn arranged(study: &Study, rows: Vec<Row>) -> Vec<Row> {
    let places = Places::new(study);
    let mut found: HashMap<Cell, Row> = HashMap::new();
    for row in rows {
        if let Some(cell) = places.of(&row) {
            found.insert(cell, row);
        }
    }
    let mut cells: Vec<(Cell, Row)> = found.into_iter().collect();
    cells.sort_by_key(|&(cell, _)| cell);
    cells.into_iter().map(|(_, row)| row).collect()
}

/// Writes a file so that it is there complete or not at all.
pub(crate) fn write_whole(path: &Path, content: &[u8]) -> Result<()> {
    npvar::data::write_whole(path, content).map_err(Error::io(path))
}

/// Rows as text with a header.
pub(crate) fn text(rows: &[Row]) -> String {
    header() + &rows.iter().map(line).collect::<String>()
}
