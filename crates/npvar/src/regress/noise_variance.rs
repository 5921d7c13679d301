//! Estimators that know how noisy the response is.

use faer::MatRef;

use super::ConditionalMean;
use crate::error::Result;
use crate::run::Run;

/// An estimator with an estimate of its own of the residual variance `E var(y | z)`, besides its predictions.
///
/// ```
/// use npvar::regress::{Knn, NoiseVariance};
/// let z = faer::Mat::from_fn(200, 1, |i, _| i as f64);
/// let y: Vec<f64> = (0..200).map(|i| f64::from(i) + if i % 2 == 0 { 0.5 } else { -0.5 }).collect();
/// let variance = Knn::default().noise_variance(z.as_ref(), &y)?;
/// assert!((0.1..0.5).contains(&variance));
/// # Ok::<(), npvar::Error>(())
/// ```
pub trait NoiseVariance: ConditionalMean {
    /// The estimated residual variance of `y` given the columns of `z`.
    ///
    /// # Errors
    /// When the sample is too small for the estimator, or cannot be used by it at all.
    fn noise_variance(&self, z: MatRef<'_, f64>, y: &[f64]) -> Result<f64>;

    /// The same as part of a run that can be stopped: an estimator that takes long asks in the middle too.
    ///
    /// # Errors
    /// As [`NoiseVariance::noise_variance`], or when the run is cancelled.
    fn noise_variance_during(&self, z: MatRef<'_, f64>, y: &[f64], run: &Run<'_>) -> Result<f64> {
        run.check()?;
        self.noise_variance(z, y)
    }
}
