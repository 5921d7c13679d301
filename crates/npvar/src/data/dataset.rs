//! A table in memory.

use serde::{Deserialize, Serialize};

use super::{Block, RowBlocks};
use crate::error::{Error, Result};

/// A column with at most this many distinct values is few-valued: as many levels as a P-spline of dimension 10 has
/// coefficients after its constraint, so the saturated basis is never the larger one.
pub const FEW_VALUES: usize = 9;

/// What kind of values a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ColumnKind {
    /// More than [`FEW_VALUES`] distinct values.
    Continuous,
    /// Three to [`FEW_VALUES`] distinct values.
    FewValued,
    /// Two distinct values.
    Binary,
    /// One value.
    Constant,
}

/// A table of finite numbers: at least two columns with distinct names, at least one row.
#[derive(Debug, Clone, PartialEq)]
pub struct Dataset {
    names: Vec<String>,
    columns: Vec<Vec<f64>>,
    kinds: Vec<ColumnKind>,
}

impl Dataset {
    /// Takes columns of equal length.
    ///
    /// ```
    /// use npvar::data::Dataset;
    /// let data = Dataset::new(vec!["a".into(), "b".into()], vec![vec![0.1, 0.2], vec![1.0, 0.0]])?;
    /// assert_eq!((data.n(), data.d()), (2, 2));
    /// # Ok::<(), npvar::Error>(())
    /// ```
    ///
    /// # Errors
    /// When there are fewer than two columns or no rows, names repeat, lengths differ, or a value is not finite.
    pub fn new(names: Vec<String>, columns: Vec<Vec<f64>>) -> Result<Self> {
        let source_name = || "the table".to_owned();
        if columns.len() < 2 || names.len() != columns.len() {
            return Err(Error::TooFewColumns { source_name: source_name(), columns: columns.len().min(names.len()) });
        }
        let n = columns[0].len();
        if n == 0 {
            return Err(Error::NoRows { source_name: source_name() });
        }
        for (j, (name, column)) in names.iter().zip(&columns).enumerate() {
            if let Some(first) = names[..j].iter().position(|earlier| earlier == name) {
                return Err(Error::DuplicateName { name: name.clone(), first: first + 1, second: j + 1 });
            }
            if column.len() != n {
                return Err(Error::UnequalLengths { column: name.clone(), got: column.len(), expected: n });
            }
            if let Some(row) = column.iter().position(|value| !value.is_finite()) {
                return Err(Error::NotFinite { source_name: source_name(), row: row + 1, column: name.clone() });
            }
        }
        let kinds = columns.iter().map(|column| kind_of(column)).collect();
        Ok(Dataset { names, columns, kinds })
    }

    /// `n`, the number of samples.
    pub fn n(&self) -> usize {
        self.columns[0].len()
    }

    /// `d`, the number of nodes.
    pub fn d(&self) -> usize {
        self.columns.len()
    }

    /// The column names.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// One column.
    pub fn column(&self, node: usize) -> &[f64] {
        &self.columns[node]
    }

    /// What kind of values the column holds.
    pub fn kind(&self, node: usize) -> ColumnKind {
        self.kinds[node]
    }

    /// The rows with these 0-based indices, in this order. Names stay; kinds are those of the rows kept.
    ///
    /// # Errors
    /// [`Error::NoRows`] when `rows` is empty.
    pub fn rows(&self, rows: &[usize]) -> Result<Dataset> {
        let columns = self.columns.iter().map(|column| rows.iter().map(|&row| column[row]).collect()).collect();
        Dataset::new(self.names.clone(), columns)
    }
}

impl RowBlocks for Dataset {
    fn names(&self) -> &[String] {
        &self.names
    }

    fn row_count(&self) -> Option<usize> {
        Some(self.n())
    }

    fn for_each_block(&self, visit: &mut dyn FnMut(&Block<'_>) -> Result<()>) -> Result<()> {
        visit(&Block { first_row: 0, columns: self.columns.iter().map(Vec::as_slice).collect() })
    }
}

fn kind_of(column: &[f64]) -> ColumnKind {
    let mut levels: Vec<f64> = Vec::with_capacity(FEW_VALUES + 1);
    for &value in column {
        if !levels.contains(&value) {
            levels.push(value);
            if levels.len() > FEW_VALUES {
                return ColumnKind::Continuous;
            }
        }
    }
    match levels.len() {
        1 => ColumnKind::Constant,
        2 => ColumnKind::Binary,
        _ => ColumnKind::FewValued,
    }
}
