//! Estimators of the conditional mean `f(Z) = E[Y | Z]` (Condition 3 of the paper). They have never heard of graphs.

mod additive_fit;
mod along_term;
mod bandwidths;
mod empirical_likelihood;
mod forest;
mod gam;
pub mod gp;
mod grid;
mod kernel;
mod knn;
mod lars;
mod linear;
mod local_fit;
mod mlp;
mod nearest;
mod network;
mod noise_variance;
mod range;
mod relevance;
mod residuals;
mod rodeo;
mod smooth_regression;
mod smoothing;
mod smoothing_search;
mod tree;
mod undersmooth;
mod unit_scale;

pub use additive_fit::{AdditiveFit, TermSummary};
pub use forest::{FittedForest, Forest};
pub use gam::{FittedGam, Gam};
pub use grid::{FittedGrid, Grid};
pub use kernel::{FittedKernel, Kernel};
pub use knn::{FittedKnn, Knn};
pub use lars::{CrossProducts, Knot, lasso_bic, lasso_path};
pub use linear::Linear;
pub use local_fit::Degree;
pub use mlp::{FittedMlp, Mlp};
pub use noise_variance::NoiseVariance;
pub use relevance::{Relevance, SelectsVariables};
pub use residuals::{AdditiveResiduals, Regressed, Residuals};
pub use rodeo::{BandwidthScope, FittedRodeo, Rodeo};
pub(crate) use smooth_regression::SmoothRegression;
pub use smoothing::{Smoothing, SmoothingSearch};
pub(crate) use smoothing::{smooth_fit, smooth_fit_from};
pub(crate) use smoothing_search::Smoothed;
pub use undersmooth::Undersmooth;

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

    /// Effective degrees of freedom, the intercept included; nothing where the estimator is no linear smoother.
    fn edf(&self) -> Option<f64> {
        None
    }

    /// The regression without one of its columns, keeping what was tuned (bandwidths, a penalty); `z` and `y` are the rows
    /// it was fitted on, without that column. Nothing where nothing was tuned, or where tuning is cheap: fit anew.
    fn without(&self, _column: usize, _z: MatRef<'_, f64>, _y: &[f64]) -> Option<Result<Box<dyn FittedMean>>> {
        None
    }
}
