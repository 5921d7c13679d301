//! What a test of independence answers.

use crate::error::Result;

/// A test of independence between columns of one sample (or an oracle that knows).
pub trait IndependenceTest: Sync {
    /// `d`, the number of columns.
    fn nodes(&self) -> usize;

    /// The p-value of "`x` and `y` are independent given the columns in `given`": a number from 0 to 1, never NaN, the same to
    /// the bit when `x` and `y` are swapped. `given` is sorted and contains neither.
    ///
    /// # Errors
    /// When the sample cannot answer. Searches look at the stop flag between tests; a slow test may be part of a run itself and
    /// then end with [`Error::Cancelled`](crate::Error::Cancelled).
    fn p_value(&self, x: usize, y: usize, given: &[usize]) -> Result<f64>;

    /// The largest `given` the sample can answer for; no limit unless the test says so.
    fn largest_given(&self) -> usize {
        usize::MAX
    }
}
