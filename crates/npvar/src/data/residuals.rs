//! What some columns of a table leave of another.

use crate::error::Result;
use crate::run::Run;

/// `X_target − f̂(X_given)` at every row.
pub trait Residuals: Sync {
    /// The residuals; given nothing, the column itself.
    ///
    /// # Errors
    /// What the estimator came upon, or cancelling.
    fn residuals(&self, target: usize, given: &[usize], run: &Run<'_>) -> Result<Vec<f64>>;
}
