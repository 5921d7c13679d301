//! Estimators of the conditional mean `f(Z) = E[Y | Z]` (Condition 3 of the paper). They have never heard of graphs.

mod additive_fit;
mod along_term;
mod gam;
mod lars;
mod linear;
mod residuals;
mod smooth_regression;
mod smoothing;
mod smoothing_search;

pub use additive_fit::{AdditiveFit, TermSummary};
pub use gam::{FittedGam, Gam};
pub use lars::{CrossProducts, Knot, lasso_bic, lasso_path};
pub use linear::Linear;
pub use residuals::{AdditiveResiduals, Regressed, Residuals};
pub(crate) use smooth_regression::SmoothRegression;
pub(crate) use smoothing::smooth_fit;
pub use smoothing::{Smoothing, SmoothingSearch};
pub(crate) use smoothing_search::Smoothed;

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
