//! An estimator as the options of a learner name it.

use super::conditional_mean::ConditionalMean;
use super::gp::Gp;
use super::noise_variance::NoiseVariance;
use super::relevance::ChoosesColumns;
use crate::error::Result;
use crate::regress::additive::Smoother;
use crate::run::Seed;
use crate::smooth::SmoothSpec;

/// An estimator that smooths less than is best for the mean.
pub enum Undersmoothed {
    /// An additive model.
    Additive(SmoothSpec, Smoother),
    /// Another one.
    Mean(Box<dyn ConditionalMean>),
}

/// A set of options that stands for an estimator, and what the estimator can do beyond predicting. The defaults are those of
/// an estimator of which nothing is known but its predictions.
pub trait Estimator: Sync {
    /// Whether every option is in its range.
    ///
    /// # Errors
    /// [`Error::InvalidOption`](crate::Error::InvalidOption) for the first that is not.
    fn check(&self) -> Result<()>;

    /// The estimator; `seed` is for those that draw at random.
    fn conditional_mean(&self, seed: Seed) -> Box<dyn ConditionalMean + '_>;

    /// The bases and the smoothing, where residual variances come from the Gram matrix alone.
    fn additive(&self) -> Option<(SmoothSpec, Smoother)> {
        None
    }

    /// Whether a column of few values gets a coefficient for each of them.
    fn has_levels(&self) -> bool {
        false
    }

    /// The estimator, where it has a noise variance of its own that needs the rows.
    fn noise_estimator(&self, _seed: Seed) -> Option<Box<dyn NoiseVariance>> {
        None
    }

    /// Whether it has a noise variance of its own.
    fn has_noise_variance(&self) -> bool {
        self.noise_estimator(Seed(0)).is_some()
    }

    /// The same estimator for `n` rows with less bias than is best for the mean, where it has smoothing to take back.
    fn undersmoothed(&self, _n: usize) -> Option<Undersmoothed> {
        None
    }

    /// The Gaussian process that it is.
    fn process(&self) -> Option<Gp> {
        None
    }

    /// How it chooses columns while it fits, where it does.
    fn own_choice(&self) -> Option<&dyn ChoosesColumns> {
        None
    }

    /// Whether it predicts some rows from others while it is tuned: a copy of a row then tells what should be unknown.
    fn predicts_rows_from_others(&self) -> bool {
        true
    }
}
