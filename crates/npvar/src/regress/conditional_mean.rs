//! The one question an estimator answers, and what its answer can be asked.

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

impl<T: ConditionalMean + ?Sized> ConditionalMean for &T {
    fn fit(&self, z: MatRef<'_, f64>, y: &[f64]) -> Result<Box<dyn FittedMean>> {
        (**self).fit(z, y)
    }
}
