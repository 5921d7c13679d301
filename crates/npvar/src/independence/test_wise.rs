//! Any test of independence where cells are missing: every test looks at the rows that are complete in its own columns
//! (test-wise deletion; Tu, Zhang, Ackermann, Mohan, Kjellström & Zhang 2019 for its use in PC).
//!
//! Its p-values are those of the test on a smaller sample, so they know how many rows stand behind them. A set for which too
//! few rows are complete separates nothing: p = 0.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::independence_test::IndependenceTest;
use crate::data::{Dataset, Gaps};
use crate::error::{Error, Result};

/// A test needs this many complete rows beyond those that its conditioning set takes up.
const FEWEST_ROWS: usize = 10;

/// The p-value of "the first column and the second are independent given the others" in a complete table.
type Answer<'a> = dyn Fn(&Dataset) -> Result<f64> + Sync + 'a;

/// A test on the rows that are complete in its columns.
///
/// ```
/// use npvar::data::{ReadOptions, Missing, RowBlocks, read};
/// use npvar::independence::{IndependenceTest, TestWise};
/// let file = tempfile::NamedTempFile::with_suffix(".csv").unwrap();
/// let rows: String = (0..40).map(|i| format!("{i}.5,{},{}\n", if i < 20 { "NA".into() } else { i.to_string() }, i % 3)).collect();
/// std::fs::write(file.path(), format!("a,b,c\n{rows}")).unwrap();
/// let options = ReadOptions { missing: Missing::Pairwise, ..ReadOptions::default() };
/// let data = read(file.path().to_str().unwrap(), &options)?.data;
/// let rows_seen = |part: &npvar::data::Dataset| Ok(1.0 / part.n() as f64);
/// let test = TestWise::new(&data, data.gaps().unwrap(), &rows_seen);
/// assert_eq!((test.p_value(0, 2, &[])?, test.p_value(0, 1, &[2])?), (1.0 / 40.0, 1.0 / 20.0));
/// # Ok::<(), npvar::Error>(())
/// ```
pub struct TestWise<'a> {
    data: &'a Dataset,
    gaps: &'a Gaps,
    answer: &'a Answer<'a>,
    refused: AtomicUsize,
}

impl<'a> TestWise<'a> {
    /// Tests by this answer.
    pub fn new(data: &'a Dataset, gaps: &'a Gaps, answer: &'a Answer<'a>) -> Self {
        TestWise { data, gaps, answer, refused: AtomicUsize::new(0) }
    }

    /// How many tests had too few complete rows.
    pub fn refused(&self) -> usize {
        self.refused.load(Ordering::Relaxed)
    }
}

impl IndependenceTest for TestWise<'_> {
    fn nodes(&self) -> usize {
        self.data.d()
    }

    fn p_value(&self, x: usize, y: usize, given: &[usize]) -> Result<f64> {
        let nodes: Vec<usize> = [x.min(y), x.max(y)].into_iter().chain(given.iter().copied()).collect();
        let rows = self.gaps.complete(&nodes);
        let answer = match rows.len() < FEWEST_ROWS + given.len() {
            true => None,
            false => match (self.answer)(&self.data.part(&nodes, &rows)?) {
                // RCoT needs more rows than others.
                Err(Error::TooFewSamples { .. }) => None,
                answer => Some(answer?),
            },
        };
        Ok(answer.unwrap_or_else(|| {
            self.refused.fetch_add(1, Ordering::Relaxed);
            0.0
        }))
    }

    fn largest_given(&self) -> usize {
        self.data.n().saturating_sub(FEWEST_ROWS)
    }
}
