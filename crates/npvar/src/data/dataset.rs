//! A table in memory.

use std::ops::ControlFlow;

use faer::Mat;
use serde::{Deserialize, Serialize};

use super::gaps::{GapUse, Gaps};
use super::impute::impute;
use super::levels::Levels;
use super::{BLOCK_ROWS, Block, RowBlocks};
use crate::error::{Error, Result};
use crate::run::{Event, Run, Seed};

/// What kind of values a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ColumnKind {
    /// More than [`FEW_VALUES`](crate::data::FEW_VALUES) distinct values.
    Continuous,
    /// Three to [`FEW_VALUES`](crate::data::FEW_VALUES) distinct values, or codes of words.
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
    /// Which columns are codes of three or more words.
    categories: Vec<usize>,
    /// The cells that were missing, in place of which a value was drawn.
    gaps: Option<Gaps>,
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
        Ok(Dataset { names, columns, kinds, categories: Vec::new(), gaps: None })
    }

    /// A whole table in memory, for learners that look at the rows more than once.
    ///
    /// # Errors
    /// What reading came upon, or that the run was cancelled.
    pub fn of(rows: &dyn RowBlocks, run: &Run<'_>) -> Result<Self> {
        let mut columns = vec![Vec::new(); rows.names().len()];
        let mut done = 0;
        rows.for_each_block(&mut |block| {
            for (column, values) in columns.iter_mut().zip(&block.columns) {
                column.extend_from_slice(values);
            }
            done += block.rows();
            run.report(&Event::Rows { done, total: rows.row_count() })
        })?;
        let data = Dataset::new(rows.names().to_vec(), columns)?.with_categories(rows.categories());
        Ok(Dataset { gaps: rows.gaps().cloned(), ..data })
    }

    /// A table some of whose cells are missing (NaN), every column of which has a value; the cells are imputed by this seed.
    ///
    /// # Errors
    /// As [`Dataset::new`].
    pub(super) fn with_gaps(
        names: Vec<String>,
        mut columns: Vec<Vec<f64>>,
        categories: Vec<usize>,
        gap_use: GapUse,
        seed: Seed,
    ) -> Result<Self> {
        let gaps = Gaps::of(&columns, gap_use);
        if let Some(gaps) = &gaps {
            impute(&mut columns, gaps, &categories, seed);
        }
        Ok(Dataset { gaps, ..Dataset::new(names, columns)?.with_categories(categories) })
    }

    /// The same table with other draws for the cells that were missing.
    ///
    /// # Errors
    /// When a column of these rows has no value at all.
    pub(crate) fn imputed_anew(&self, seed: Seed) -> Result<Self> {
        let Some(gaps) = &self.gaps else { return Ok(self.clone()) };
        if let Some(node) = (0..self.d()).find(|&node| gaps.of_column(node).iter().all(|&missing| missing)) {
            let problem = format!("no row drawn has a value of `{}`", self.names[node]);
            return Err(Error::Format { path: "the resampled table".to_owned(), problem });
        }
        let mut columns = self.columns.clone();
        impute(&mut columns, gaps, &self.categories, seed);
        let data = Dataset::new(self.names.clone(), columns)?.with_categories(self.categories.clone());
        Ok(Dataset { gaps: self.gaps.clone(), ..data })
    }

    /// Some columns at some rows, in this order.
    ///
    /// # Errors
    /// When there are fewer than two columns or no rows.
    pub(crate) fn part(&self, nodes: &[usize], rows: &[usize]) -> Result<Dataset> {
        let names = nodes.iter().map(|&node| self.names[node].clone()).collect();
        let column = |&node: &usize| rows.iter().map(|&row| self.columns[node][row]).collect();
        Dataset::new(names, nodes.iter().map(column).collect())
    }

    /// The same table, with these columns as codes of words.
    pub(crate) fn with_categories(mut self, categories: Vec<usize>) -> Self {
        for &node in &categories {
            if self.kinds[node] == ColumnKind::Continuous {
                self.kinds[node] = ColumnKind::FewValued;
            }
        }
        Dataset { categories, ..self }
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

    /// Some columns side by side, `n` by their number.
    pub(crate) fn matrix(&self, nodes: &[usize]) -> Mat<f64> {
        Mat::from_fn(self.n(), nodes.len(), |i, j| self.columns[nodes[j]][i])
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
        let data = Dataset::new(self.names.clone(), columns)?.with_categories(self.categories.clone());
        Ok(Dataset { gaps: self.gaps.as_ref().map(|gaps| gaps.rows(rows)), ..data })
    }
}

impl RowBlocks for Dataset {
    fn names(&self) -> &[String] {
        &self.names
    }

    fn row_count(&self) -> Option<usize> {
        Some(self.n())
    }

    fn categories(&self) -> Vec<usize> {
        self.categories.clone()
    }

    fn gaps(&self) -> Option<&Gaps> {
        self.gaps.as_ref()
    }

    fn visit_blocks(&self, visit: &mut dyn FnMut(&Block<'_>) -> Result<ControlFlow<()>>) -> Result<()> {
        for first_row in (0..self.n()).step_by(BLOCK_ROWS) {
            let rows = first_row..(first_row + BLOCK_ROWS).min(self.n());
            let columns = self.columns.iter().map(|column| &column[rows.clone()]).collect();
            if visit(&Block { first_row, columns })?.is_break() {
                break;
            }
        }
        Ok(())
    }
}

fn kind_of(column: &[f64]) -> ColumnKind {
    let mut levels = Levels::default();
    levels.add(column);
    match levels.few().map(|values| values.len()) {
        None => ColumnKind::Continuous,
        Some(1) => ColumnKind::Constant,
        Some(2) => ColumnKind::Binary,
        Some(_) => ColumnKind::FewValued,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(d: usize) -> Vec<String> {
        (0..d).map(|j| format!("X{}", j + 1)).collect()
    }

    #[test]
    fn kinds_count_distinct_values() {
        let columns: Vec<Vec<f64>> =
            [1, 2, 3, 9, 10].iter().map(|&distinct| (0..20).map(|i| f64::from(i % distinct)).collect()).collect();
        let data = Dataset::new(names(5), columns).unwrap();
        let kinds: Vec<ColumnKind> = (0..5).map(|node| data.kind(node)).collect();
        use ColumnKind::*;
        assert_eq!(kinds, [Constant, Binary, FewValued, FewValued, Continuous]);
    }

    #[test]
    fn blocks_have_the_fixed_size_and_cover_every_row_once() {
        let n = 2 * BLOCK_ROWS + 5;
        let column: Vec<f64> = (0..n).map(|i| i as f64).collect();
        let data = Dataset::new(names(2), vec![column.clone(), column.clone()]).unwrap();
        let (mut sizes, mut seen) = (Vec::new(), Vec::new());
        data.for_each_block(&mut |block| {
            assert_eq!(block.first_row, seen.len());
            sizes.push(block.rows());
            seen.extend_from_slice(block.columns[1]);
            Ok(())
        })
        .unwrap();
        assert_eq!(sizes, [BLOCK_ROWS, BLOCK_ROWS, 5]);
        assert_eq!(seen, column);
    }

    #[test]
    fn a_visitor_may_stop_early() {
        let data = Dataset::new(names(2), vec![vec![1.0; 3 * BLOCK_ROWS]; 2]).unwrap();
        let mut blocks = 0;
        data.visit_blocks(&mut |_| {
            blocks += 1;
            Ok(ControlFlow::Break(()))
        })
        .unwrap();
        assert_eq!(blocks, 1);
    }

    #[test]
    fn what_is_not_a_table_is_refused() {
        let message = |names: &[&str], columns: Vec<Vec<f64>>| {
            Dataset::new(names.iter().map(|&name| name.to_owned()).collect(), columns).unwrap_err().to_string()
        };
        assert_eq!(message(&["a"], vec![vec![1.0]]), "a graph needs at least two columns, the table has 1");
        assert_eq!(message(&["a", "b"], vec![vec![], vec![]]), "the table has no data rows");
        assert_eq!(message(&["a", "b"], vec![vec![1.0], vec![]]), "column `b` has 0 values, expected 1");
        assert_eq!(
            message(&["a", "a"], vec![vec![1.0], vec![1.0]]),
            "the column name `a` appears more than once (columns 1 and 2)"
        );
        assert_eq!(
            message(&["a", "b"], vec![vec![1.0, 2.0], vec![1.0, f64::NAN]]),
            "the table, row 2, column `b`: the value is not finite"
        );
    }
}
