//! Rows of any origin, gathered into blocks of the fixed size.

use std::ops::ControlFlow;

use super::{BLOCK_ROWS, Block, GapUse};
use crate::error::{Error, Result};

/// What is read from a file: which columns, under which names, and what to do where values are missing.
#[derive(Debug, Clone)]
pub(super) struct Wanted {
    /// The file as the user named it.
    pub(super) source_name: String,
    /// The names of the chosen columns.
    pub(super) names: Vec<String>,
    /// What becomes of rows that lack a value.
    pub(super) lacking: Lacking,
    /// How missing cells are used where they are kept.
    pub(super) gaps: GapUse,
}

impl Wanted {
    /// How missing cells are used, where rows that lack some are kept.
    pub(super) fn gap_use(&self) -> Option<GapUse> {
        (self.lacking == Lacking::Kept).then_some(self.gaps)
    }
}

/// What becomes of a row that lacks a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lacking {
    /// There must be none.
    Refused,
    /// It is left out.
    Dropped,
    /// It is kept, with NaN in place of the value, until the cells are filled.
    Kept,
}

/// A block that owns its values.
#[derive(Debug)]
pub(super) struct OwnedBlock {
    first_row: usize,
    columns: Vec<Vec<f64>>,
}

impl OwnedBlock {
    pub(super) fn view(&self) -> Block<'_> {
        Block { first_row: self.first_row, columns: self.columns.iter().map(Vec::as_slice).collect() }
    }
}

/// How many rows a complete reading came upon.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct RowCounts {
    pub(super) kept: usize,
    pub(super) dropped: usize,
}

impl RowCounts {
    /// The counts, of which at least one row was kept.
    ///
    /// # Errors
    /// When none was.
    pub(super) fn some(self, source_name: &str) -> Result<RowCounts> {
        let path = source_name.to_owned();
        match self {
            RowCounts { kept: 0, dropped: 0 } => Err(Error::NoRows { source_name: path }),
            RowCounts { kept: 0, dropped } => {
                Err(Error::Format { path, problem: format!("all {dropped} rows have missing values") })
            }
            counts => Ok(counts),
        }
    }
}

/// Takes full blocks; answers [`ControlFlow::Break`] when it wants no more.
pub(super) type Emit<'a> = dyn FnMut(OwnedBlock) -> ControlFlow<()> + 'a;

/// Checks rows and gathers those kept into blocks, whatever portions they arrive in. NaN stands for a missing value.
pub(super) struct Filler<'a> {
    wanted: &'a Wanted,
    emit: &'a mut Emit<'a>,
    columns: Vec<Vec<f64>>,
    /// Rows in `columns`.
    filled: usize,
    /// Rows in blocks that have been emitted.
    emitted: usize,
    dropped: usize,
}

impl<'a> Filler<'a> {
    pub(super) fn new(wanted: &'a Wanted, emit: &'a mut Emit<'a>) -> Self {
        Filler { wanted, emit, columns: vec![Vec::new(); wanted.names.len()], filled: 0, emitted: 0, dropped: 0 }
    }

    /// The 1-based number, among all data rows of the file, of the next row to come.
    pub(super) fn next_row(&self) -> usize {
        self.emitted + self.filled + self.dropped + 1
    }

    /// Takes one row.
    ///
    /// # Errors
    /// When a value is infinite, or missing where that is not allowed.
    pub(super) fn row(&mut self, row: &[f64]) -> Result<ControlFlow<()>> {
        if row.iter().any(|value| !value.is_finite()) && self.refuse(row)? {
            return Ok(ControlFlow::Continue(()));
        }
        for (column, &value) in self.columns.iter_mut().zip(row) {
            column.push(value);
        }
        self.filled += 1;
        Ok(if self.filled == BLOCK_ROWS { self.flush() } else { ControlFlow::Continue(()) })
    }

    /// Emits the last block and counts the rows.
    pub(super) fn finish(mut self) -> RowCounts {
        if self.filled > 0 {
            let _ = self.flush(); // nothing follows that could be broken off
        }
        RowCounts { kept: self.emitted, dropped: self.dropped }
    }

    /// What becomes of a row with values that are not finite: dropped, or an error.
    fn refuse(&mut self, row: &[f64]) -> Result<bool> {
        let lacks = row.iter().filter(|value| value.is_nan()).count();
        // A row that has nothing says nothing.
        if lacks > 0 && self.wanted.lacking == Lacking::Dropped
            || lacks == row.len() && self.wanted.lacking == Lacking::Kept
        {
            self.dropped += 1;
            return Ok(true);
        }
        let is_wrong = |value: &f64| value.is_infinite() || value.is_nan() && self.wanted.lacking != Lacking::Kept;
        let Some(j) = row.iter().position(is_wrong) else { return Ok(false) };
        let (source_name, column) = (self.wanted.source_name.clone(), self.wanted.names[j].clone());
        Err(match row[j].is_nan() {
            true => Error::Missing { source_name, row: self.next_row(), column },
            false => Error::NotFinite { source_name, row: self.next_row(), column },
        })
    }

    fn flush(&mut self) -> ControlFlow<()> {
        let next = self.columns.iter().map(|column| Vec::with_capacity(column.len())).collect();
        let columns = std::mem::replace(&mut self.columns, next);
        let block = OwnedBlock { first_row: self.emitted, columns };
        self.emitted += self.filled;
        self.filled = 0;
        (self.emit)(block)
    }
}

/// Rows that arrive as columns.
#[cfg(any(feature = "parquet", test))]
impl Filler<'_> {
    /// Takes consecutive rows given as columns of equal length.
    ///
    /// # Errors
    /// When a value is infinite, or missing where that is not allowed.
    pub(super) fn rows(&mut self, columns: &[&[f64]]) -> Result<ControlFlow<()>> {
        if columns.iter().all(|column| all_finite(column)) {
            return Ok(self.finite_rows(columns));
        }
        let mut row = vec![0.0; columns.len()];
        for i in 0..columns[0].len() {
            for (value, column) in row.iter_mut().zip(columns) {
                *value = column[i];
            }
            if self.row(&row)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn finite_rows(&mut self, columns: &[&[f64]]) -> ControlFlow<()> {
        let n = columns[0].len();
        let mut taken = 0;
        while taken < n {
            let take = (BLOCK_ROWS - self.filled).min(n - taken);
            for (column, values) in self.columns.iter_mut().zip(columns) {
                column.extend_from_slice(&values[taken..taken + take]);
            }
            self.filled += take;
            taken += take;
            if self.filled == BLOCK_ROWS {
                self.flush()?;
            }
        }
        ControlFlow::Continue(())
    }
}

#[cfg(any(feature = "parquet", test))]
fn all_finite(values: &[f64]) -> bool {
    !values.iter().fold(false, |any, value| any | !value.is_finite()) // no early exit, so that it vectorises
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(lacking: Lacking) -> Wanted {
        Wanted { source_name: "t".into(), names: vec!["a".into(), "b".into()], lacking, gaps: GapUse::Imputed }
    }

    fn fill(lacking: Lacking, portions: &[Vec<f64>]) -> (Result<RowCounts>, Vec<(usize, Vec<f64>)>) {
        let wanted = wanted(lacking);
        let mut blocks = Vec::new();
        let mut emit = |block: OwnedBlock| {
            blocks.push((block.first_row, block.columns[1].clone()));
            ControlFlow::Continue(())
        };
        let mut filler = Filler::new(&wanted, &mut emit);
        let counts = portions
            .iter()
            .try_for_each(|portion| filler.rows(&[&vec![1.0; portion.len()], portion]).map(drop))
            .and_then(|()| filler.finish().some("t"));
        (counts, blocks)
    }

    #[test]
    fn blocks_do_not_depend_on_the_portions() {
        let values: Vec<f64> = (0..2 * BLOCK_ROWS + 7).map(|i| i as f64).collect();
        let whole = fill(Lacking::Refused, std::slice::from_ref(&values));
        assert_eq!(whole.1.iter().map(|(first, _)| *first).collect::<Vec<_>>(), [0, BLOCK_ROWS, 2 * BLOCK_ROWS]);
        for size in [1, 1000, BLOCK_ROWS - 1, BLOCK_ROWS, BLOCK_ROWS + 1] {
            let portions: Vec<Vec<f64>> = values.chunks(size).map(<[f64]>::to_vec).collect();
            let (counts, blocks) = fill(Lacking::Refused, &portions);
            assert_eq!(counts.unwrap(), RowCounts { kept: values.len(), dropped: 0 });
            assert_eq!(blocks, whole.1);
        }
    }

    #[test]
    fn dropped_rows_leave_no_gap() {
        let (counts, blocks) = fill(Lacking::Dropped, &[vec![1.0, f64::NAN, 3.0], vec![f64::NAN, 5.0]]);
        assert_eq!(counts.unwrap(), RowCounts { kept: 3, dropped: 2 });
        assert_eq!(blocks, [(0, vec![1.0, 3.0, 5.0])]);
    }

    #[test]
    fn a_kept_row_has_gaps_but_not_only_gaps() {
        let wanted = wanted(Lacking::Kept);
        let mut blocks = Vec::new();
        let mut emit = |block: OwnedBlock| {
            blocks.push(block.columns);
            ControlFlow::Continue(())
        };
        let mut filler = Filler::new(&wanted, &mut emit);
        let _ = filler.rows(&[&[1.0, f64::NAN, f64::NAN], &[f64::NAN, f64::NAN, 2.0]]).unwrap();
        assert_eq!(filler.finish(), RowCounts { kept: 2, dropped: 1 });
        assert_eq!((blocks[0][0][0], blocks[0][1][1]), (1.0, 2.0));
        assert!(blocks[0][0][1].is_nan() && blocks[0][1][0].is_nan());
    }

    #[test]
    fn errors_name_the_row_of_the_file() {
        let message = |lacking, values: &[f64]| fill(lacking, &[vec![1.0], values.to_vec()]).0.unwrap_err().to_string();
        assert_eq!(
            message(Lacking::Refused, &[1.0, f64::NAN]),
            "t, row 3, column `b`: the value is missing (drop such rows with `--missing drop`)"
        );
        assert_eq!(
            message(Lacking::Dropped, &[f64::NAN, 1.0, f64::INFINITY]),
            "t, row 4, column `b`: the value is not finite"
        );
    }

    #[test]
    fn a_table_without_rows_is_an_error() {
        assert_eq!(fill(Lacking::Refused, &[]).0.unwrap_err().to_string(), "t has no data rows");
        let (counts, _) = fill(Lacking::Dropped, &[vec![f64::NAN; 3]]);
        assert_eq!(counts.unwrap_err().to_string(), "t: all 3 rows have missing values");
    }
}
