//! The one question an estimator answers, and what its answer can be asked.

use faer::MatRef;

use crate::error::Result;
use crate::run::Run;

/// Rows that are predicted between two questions whether to go on.
const PREDICTED_AT_ONCE: usize = 64;

/// A way to estimate a conditional mean.
pub trait ConditionalMean: Sync {
    /// Estimates `E[y | z]` from the rows of `z` and the entries of `y`.
    ///
    /// # Errors
    /// When the sample is too small for the estimator, or cannot be used by it at all.
    fn fit(&self, z: MatRef<'_, f64>, y: &[f64]) -> Result<Box<dyn FittedMean>>;

    /// The same as part of a run that can be stopped: an estimator that takes long asks in the middle too.
    ///
    /// # Errors
    /// As [`ConditionalMean::fit`], or when the run is cancelled.
    fn fit_during(&self, z: MatRef<'_, f64>, y: &[f64], run: &Run<'_>) -> Result<Box<dyn FittedMean>> {
        run.check()?;
        self.fit(z, y)
    }
}

/// An estimated conditional mean.
pub trait FittedMean {
    /// The estimate at every row of `z`.
    fn predict(&self, z: MatRef<'_, f64>) -> Vec<f64>;

    /// The same as part of a run that can be stopped.
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`].
    fn predict_during(&self, z: MatRef<'_, f64>, run: &Run<'_>) -> Result<Vec<f64>> {
        run.check()?;
        Ok(self.predict(z))
    }

    /// Effective degrees of freedom, the intercept included; nothing where the estimator is no linear smoother.
    fn edf(&self) -> Option<f64> {
        None
    }

    /// The regression without one of its columns, keeping what was tuned (bandwidths, a penalty); `z` and `y` are the rows
    /// it was fitted on, without that column. Nothing where nothing was tuned, or where tuning is cheap: fit anew.
    fn without(
        &self,
        _column: usize,
        _z: MatRef<'_, f64>,
        _y: &[f64],
        _run: &Run<'_>,
    ) -> Option<Result<Box<dyn FittedMean>>> {
        None
    }
}

/// Predictions for an estimator to whom every row is a question of its own, with a look at the stop flag between some.
pub(super) fn predict_by_rows(fitted: &dyn FittedMean, z: MatRef<'_, f64>, run: &Run<'_>) -> Result<Vec<f64>> {
    let mut all = Vec::with_capacity(z.nrows());
    for start in (0..z.nrows()).step_by(PREDICTED_AT_ONCE) {
        run.check()?;
        all.extend(fitted.predict(z.subrows(start, PREDICTED_AT_ONCE.min(z.nrows() - start))));
    }
    Ok(all)
}

impl<T: ConditionalMean + ?Sized> ConditionalMean for &T {
    fn fit(&self, z: MatRef<'_, f64>, y: &[f64]) -> Result<Box<dyn FittedMean>> {
        (**self).fit(z, y)
    }

    fn fit_during(&self, z: MatRef<'_, f64>, y: &[f64], run: &Run<'_>) -> Result<Box<dyn FittedMean>> {
        (**self).fit_during(z, y, run)
    }
}
