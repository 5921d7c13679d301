//! What a table holds, before anything is learned from it: its columns, their ranges, its first rows.

use std::ops::ControlFlow;

use npvar::Error;
use npvar::data::{ColumnChoice, FEW_VALUES, Header, IntakeEntry, Missing, ReadOptions, RowBlocks, Source, open};
use serde::Serialize;

use super::Limits;
use super::uploads::Upload;

/// Rows shown.
const SHOWN_ROWS: usize = 6;
/// Distinct values counted at most.
const COUNTED_VALUES: usize = 100;

#[derive(Debug, Serialize)]
pub(super) struct Preview {
    /// Rows without missing values.
    rows: usize,
    /// Rows left out because values were missing.
    dropped: usize,
    columns: Vec<Column>,
    /// Columns that cannot be used, and why.
    left_out: Vec<LeftOut>,
    /// What else was done to read the table as numbers.
    intake: Vec<IntakeEntry>,
    diagnostics: Vec<npvar::Diagnostic>,
}

#[derive(Debug, Serialize)]
struct Column {
    name: String,
    min: f64,
    max: f64,
    mean: f64,
    standard_deviation: f64,
    /// Distinct values, up to a hundred.
    distinct: usize,
    first: Vec<f64>,
}

#[derive(Debug, Serialize)]
struct LeftOut {
    name: String,
    why: String,
}

/// How a table is read: as the client said.
pub(super) fn read_options(header: bool, columns: ColumnChoice, missing: Missing) -> ReadOptions {
    let header = if header { Header::Detect } else { Header::No };
    ReadOptions { header, missing, columns, ..ReadOptions::default() }
}

/// Reads the whole table once; columns that cannot be used are left out.
pub(super) fn preview(table: &Upload, header: bool, limits: Limits) -> Result<Preview, String> {
    let path = table.path.to_string_lossy();
    let options = read_options(header, ColumnChoice::All, Missing::Auto);
    let read = || -> npvar::Result<Preview> {
        let source = open(&path, &options)?;
        check_size(&source, limits)?;
        let columns = columns(&source, limits)?;
        let mut diagnostics = source.diagnostics();
        let variances: Vec<f64> = columns.iter().map(|column| column.standard_deviation.powi(2)).collect();
        let categories = source.categories();
        let counts = |node: usize| columns[node].distinct > FEW_VALUES && !categories.contains(&node);
        diagnostics.extend(npvar::judge::units(source.names(), &variances, counts));
        let dropped = diagnostics
            .iter()
            .find_map(|diagnostic| diagnostic.message.strip_prefix("dropped ")?.split(' ').next()?.parse().ok());
        let (left_out, intake): (Vec<&IntakeEntry>, Vec<&IntakeEntry>) =
            source.intake().iter().partition(|entry| entry.column.is_some() && entry.did == "left out");
        Ok(Preview {
            rows: source.row_count().unwrap_or(0),
            dropped: dropped.unwrap_or(0),
            columns,
            left_out: left_out_columns(&left_out),
            intake: intake.into_iter().cloned().collect(),
            diagnostics,
        })
    };
    read().map_err(|error| table.shown(&error))
}

fn left_out_columns(entries: &[&IntakeEntry]) -> Vec<LeftOut> {
    let left_out = |entry: &&IntakeEntry| Some(LeftOut { name: entry.column.clone()?, why: entry.why.clone() });
    entries.iter().filter_map(left_out).collect()
}

/// Refuses a table that says it is too large, before any of it is read.
pub(super) fn check_size(source: &Source, limits: Limits) -> npvar::Result<()> {
    let columns = source.names().len();
    let values = source.stated_rows().map_or(0, |rows| rows.saturating_mul(columns));
    if columns > limits.columns || values > limits.values { Err(too_large(limits)) } else { Ok(()) }
}

fn too_large(limits: Limits) -> Error {
    let problem = format!(
        "the table is too large for the page ({} columns or {} million values at most); `npvar learn` reads it",
        limits.columns,
        limits.values / 1_000_000
    );
    Error::Format { path: "the table".to_owned(), problem }
}

#[derive(Clone)]
struct Sums {
    min: f64,
    max: f64,
    mean: f64,
    squares: f64,
    distinct: Vec<f64>,
    first: Vec<f64>,
}

fn columns(source: &dyn RowBlocks, limits: Limits) -> npvar::Result<Vec<Column>> {
    let empty = Sums {
        min: f64::INFINITY,
        max: f64::NEG_INFINITY,
        mean: 0.0,
        squares: 0.0,
        distinct: Vec::new(),
        first: Vec::new(),
    };
    let mut sums = vec![empty; source.names().len()];
    let mut rows = 0_usize;
    source.visit_blocks(&mut |block| {
        let before = rows;
        rows += block.rows();
        if rows.saturating_mul(sums.len()) > limits.values {
            return Err(too_large(limits));
        }
        for (sum, values) in sums.iter_mut().zip(&block.columns) {
            sum.add(values, before);
        }
        Ok(ControlFlow::Continue(()))
    })?;
    if rows == 0 {
        return Err(Error::NoRows { source_name: "the table".to_owned() });
    }
    let column = |(name, sum): (&String, Sums)| Column {
        name: name.clone(),
        min: sum.min,
        max: sum.max,
        mean: sum.mean,
        standard_deviation: (sum.squares / (rows.max(2) - 1) as f64).sqrt(),
        distinct: sum.distinct.len(),
        first: sum.first,
    };
    Ok(source.names().iter().zip(sums).map(column).collect())
}

impl Sums {
    /// Welford's update; `before` rows were seen.
    fn add(&mut self, values: &[f64], before: usize) {
        for (i, &value) in values.iter().enumerate() {
            self.min = self.min.min(value);
            self.max = self.max.max(value);
            let step = value - self.mean;
            self.mean += step / (before + i + 1) as f64;
            self.squares += step * (value - self.mean);
            if self.first.len() < SHOWN_ROWS {
                self.first.push(value);
            }
            if self.distinct.len() < COUNTED_VALUES
                && let Err(place) = self.distinct.binary_search_by(|known| known.total_cmp(&value))
            {
                self.distinct.insert(place, value);
            }
        }
    }
}
