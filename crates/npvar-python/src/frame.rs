//! A table whose columns stay where Python holds them.

use std::ops::{ControlFlow, Range};

use npvar::data::{BLOCK_ROWS, Block, Missing, ReadOptions, RowBlocks};
use npvar::{Diagnostic, Error, Result};
use rayon::prelude::*;

use crate::columns::{Column, not_a_number};

/// What the table is called in messages.
const SOURCE_NAME: &str = "the table";

/// Columns in place, all values of the kept rows finite.
pub(crate) struct Frame<'a> {
    names: Vec<String>,
    columns: Vec<Column<'a>>,
    rows: usize,
    /// The rows without missing values, where some are dropped.
    kept: Option<Vec<usize>>,
}

impl<'a> Frame<'a> {
    /// Chooses columns and looks at every value once.
    ///
    /// # Errors
    /// When columns are asked for that are not there or fewer than two remain, lengths differ, there are no rows, or a value
    /// is infinite, or missing where that is not allowed.
    pub(crate) fn new(names: &[String], columns: Vec<Column<'a>>, options: &ReadOptions) -> Result<Self> {
        let positions = options.columns.positions(names, SOURCE_NAME)?;
        let mut columns: Vec<Option<Column<'a>>> = columns.into_iter().map(Some).collect();
        let columns: Vec<Column<'a>> = positions.iter().filter_map(|&j| columns[j].take()).collect();
        let names: Vec<String> = positions.iter().map(|&j| names[j].clone()).collect();
        let rows = columns.first().map_or(0, Column::len);
        for (name, column) in names.iter().zip(&columns) {
            if column.len() != rows {
                return Err(Error::UnequalLengths { column: name.clone(), got: column.len(), expected: rows });
            }
        }
        if let Some((name, (row, word))) =
            names.iter().zip(&columns).find_map(|(name, c)| Some((name, c.first_word()?)))
        {
            return Err(not_a_number(name, row, word));
        }
        if rows == 0 {
            return Err(Error::NoRows { source_name: SOURCE_NAME.to_owned() });
        }
        let mut frame = Frame { names, columns, rows, kept: None };
        if let Missing::DropColumns | Missing::Impute | Missing::Pairwise = options.missing {
            let problem = format!("`{}` is not for rows that stay where they are", options.missing.name());
            return Err(Error::Options { option: "`missing`".to_owned(), problem });
        }
        frame.look_for_missing(options.missing)?;
        Ok(frame)
    }

    /// How much memory a copy would take.
    pub(crate) fn bytes(&self) -> usize {
        self.rows * self.columns.len() * size_of::<f64>()
    }

    /// That rows were dropped.
    pub(crate) fn diagnostics(&self) -> Vec<Diagnostic> {
        let dropped = self.kept.as_ref().map(|kept| {
            let message = format!("dropped {} of {} rows with missing values", self.rows - kept.len(), self.rows);
            Diagnostic::warning("rows-dropped", message)
        });
        dropped.into_iter().collect()
    }

    fn look_for_missing(&mut self, missing: Missing) -> Result<()> {
        let mut dropped: Vec<usize> = Vec::new();
        let mut buffers = vec![Vec::new(); self.columns.len()];
        for first in (0..self.rows).step_by(BLOCK_ROWS) {
            let rows = first..self.rows.min(first + BLOCK_ROWS);
            let block = self.block(rows.clone(), &mut buffers)?;
            if block.par_iter().all(|column| all_finite(column)) {
                continue;
            }
            for row in 0..rows.len() {
                let has_missing = block.iter().any(|column| column[row].is_nan());
                if has_missing && missing != Missing::Error {
                    dropped.push(first + row);
                    continue;
                }
                if let Some(j) = block.iter().position(|column| !column[row].is_finite()) {
                    let (source_name, column) = (SOURCE_NAME.to_owned(), self.names[j].clone());
                    let row_number = first + row + 1;
                    return Err(match block[j][row].is_nan() {
                        true => Error::Missing { source_name, row: row_number, column },
                        false => Error::NotFinite { source_name, row: row_number, column },
                    });
                }
            }
        }
        if dropped.len() == self.rows {
            let problem = format!("all {} rows have missing values", self.rows);
            return Err(Error::Format { path: SOURCE_NAME.to_owned(), problem });
        }
        if !dropped.is_empty() {
            let mut dropped = dropped.into_iter().peekable();
            self.kept = Some((0..self.rows).filter(|&row| dropped.next_if_eq(&row).is_none()).collect());
        }
        Ok(())
    }

    /// The values of all columns at consecutive rows: in place, or else gathered in `buffers`.
    fn block<'b>(&'b self, rows: Range<usize>, buffers: &'b mut [Vec<f64>]) -> Result<Vec<&'b [f64]>> {
        let gathered =
            self.columns.par_iter().zip(buffers.par_iter_mut()).map(|(column, buffer)| -> Result<&'b [f64]> {
                if let Some(values) = column.slice(rows.clone()) {
                    return Ok(values);
                }
                buffer.clear();
                column.gather(rows.clone(), buffer)?;
                Ok(&buffer[..])
            });
        gathered.collect()
    }
}

fn all_finite(values: &[f64]) -> bool {
    values.iter().fold(true, |finite, value| finite & value.is_finite())
}

impl RowBlocks for Frame<'_> {
    fn names(&self) -> &[String] {
        &self.names
    }

    fn row_count(&self) -> Option<usize> {
        Some(self.kept.as_ref().map_or(self.rows, Vec::len))
    }

    fn visit_blocks(&self, visit: &mut dyn FnMut(&Block<'_>) -> Result<ControlFlow<()>>) -> Result<()> {
        let mut buffers = vec![Vec::new(); self.columns.len()];
        let total = self.kept.as_ref().map_or(self.rows, Vec::len);
        for first_row in (0..total).step_by(BLOCK_ROWS) {
            let end = total.min(first_row + BLOCK_ROWS);
            let flow = match &self.kept {
                None => visit(&Block { first_row, columns: self.block(first_row..end, &mut buffers)? })?,
                Some(kept) => {
                    let kept = &kept[first_row..end];
                    let from = kept[0];
                    let wide = self.block(from..kept[kept.len() - 1] + 1, &mut buffers)?;
                    let columns: Vec<Vec<f64>> =
                        wide.iter().map(|column| kept.iter().map(|&row| column[row - from]).collect()).collect();
                    visit(&Block { first_row, columns: columns.iter().map(Vec::as_slice).collect() })?
                }
            };
            if flow.is_break() {
                break;
            }
        }
        Ok(())
    }
}
