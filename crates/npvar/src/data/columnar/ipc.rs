//! Arrow IPC files (Feather version 2), read block by block.

use std::fs::File;
use std::io::BufReader;

use arrow_ipc::reader::FileReader;

use super::damaged::{caught, check_blocks, unreadable};
use super::numbers::numbers;
use super::selection::{ColumnSelection, Size};
use super::words::{Cells, MOST_VALUES, cells_of_arrow, written};
use crate::data::ReadOptions;
use crate::data::filler::{Emit, RowCounts, Wanted};
use crate::data::intake::IntakeEntry;
use crate::data::paths::open_file;
use crate::error::Result;

/// An Arrow IPC file whose schema has been read.
#[derive(Debug)]
pub(in crate::data) struct IpcFile {
    selection: ColumnSelection,
}

impl IpcFile {
    /// Reads the schema.
    ///
    /// # Errors
    /// When the file cannot be read, or the chosen columns are not there or not numeric.
    pub(in crate::data) fn open(path: &str, options: &ReadOptions) -> Result<IpcFile> {
        let schema = reader(path, None)?.schema();
        let bytes = std::fs::metadata(path).map_or(0, |metadata| metadata.len());
        let size = if bytes <= (MOST_VALUES as u64) << 3 { Size::Held } else { Size::Large };
        Ok(IpcFile { selection: ColumnSelection::new(&schema, path, options, size)? })
    }

    /// The file as a text, where it has columns of text.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub(in crate::data) fn as_text(&self) -> Result<Option<Vec<u8>>> {
        let ColumnSelection { wanted, in_file, in_batch, words, .. } = &self.selection;
        if words.is_empty() {
            return Ok(None);
        }
        let path = &wanted.source_name;
        let mut positions: Vec<usize> =
            in_file.iter().copied().chain(words.iter().map(|words| words.position)).collect();
        positions.sort_unstable();
        let place = |position: usize| positions.partition_point(|&other| other < position);
        let mut batches = reader(path, Some(positions.clone()))?;
        let mut columns: Vec<Vec<f64>> = vec![Vec::new(); in_batch.len()];
        let mut cells: Vec<Cells> = vec![Vec::new(); words.len()];
        let mut next = || -> Result<bool> {
            let Some(batch) = batches.next().transpose().map_err(|error| unreadable(path, &error))? else {
                return Ok(false);
            };
            for (column, &j) in columns.iter_mut().zip(in_batch) {
                let values = numbers(batch.column(place(in_file[j]))).map_err(|error| unreadable(path, &error))?;
                column.extend_from_slice(values.values());
            }
            for (cells, words) in cells.iter_mut().zip(words) {
                cells.extend(cells_of_arrow(batch.column(place(words.position))));
            }
            Ok(true)
        };
        while caught(path, &mut next)? {}
        Ok(Some(written(&self.selection, &columns, &cells)))
    }

    /// What was left out.
    pub(in crate::data) fn entries(&self) -> &[IntakeEntry] {
        &self.selection.entries
    }

    pub(in crate::data) fn wanted(&self) -> &Wanted {
        &self.selection.wanted
    }

    /// Reads the rows.
    ///
    /// # Errors
    /// When the file cannot be read, or a value is infinite, or missing where that is not allowed.
    pub(in crate::data) fn decode(&self, emit: &mut Emit<'_>) -> Result<RowCounts> {
        let batches = reader(&self.wanted().source_name, Some(self.selection.in_file.clone()))?;
        self.selection.decode(batches, emit)
    }
}

fn reader(path: &str, columns: Option<Vec<usize>>) -> Result<FileReader<BufReader<File>>> {
    let file = open_file(path)?;
    check_blocks(path, &file)?;
    caught(path, || FileReader::try_new_buffered(file, columns).map_err(|error| unreadable(path, &error)))
}
