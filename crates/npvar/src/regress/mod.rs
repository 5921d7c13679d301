//! Estimators of the conditional mean `f(Z) = E[Y | Z]` (Condition 3 of the paper). They have never heard of graphs.

mod additive_fit;
mod gam;
pub mod gp;
mod linear;
mod smoothing;

pub use additive_fit::{AdditiveFit, TermSummary};
pub use gam::{FittedGam, Gam};
pub use linear::Linear;
pub use smoothing::Smoothing;
pub(crate) use smoothing::smooth_fit;

use faer::MatRef;

use crate::error::Result;

/// A way to estimate a conditional mean.
pub trait ConditionalMean: Sync {
    /// Estimates `E[y | z]` from the rows of `z` and the entries of `y`.
    ///
    /// # Errors
    /// When the sample is too small for the estimator, or cannot be used by it at all.
    fn fit(&self, z: MatRef<'_, f64>, y: &[f64]) -> Result<Box<dyn FittedMean>>;
}

/// An estimated conditional mean.
pub trait FittedMean {
    /// The estimate at every row of `z`.
    fn predict(&self, z: MatRef<'_, f64>) -> Vec<f64>;
}
