//! The options of the Gaussian-process estimator.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::fit::Effort;
use super::process::Gp;
use crate::error::{Result, within};
use crate::regress::conditional_mean::ConditionalMean;
use crate::regress::estimator::Estimator;
use crate::regress::noise_variance::NoiseVariance;
use crate::run::Seed;

/// Gaussian-process regression: an additive and a joint part, hyper-parameters by marginal likelihood.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct GpConfig {
    /// Iterations of the search for a regression's hyper-parameters at most.
    pub iterations: usize,
    /// Nats that a unit of inverse squared length costs in the joint part (columns have variance 1); 0 for no prior. Parents
    /// are selected without it.
    pub length_rate: f64,
    /// Regressions are exact up to this many rows; beyond it they go through inducing points.
    pub exact_rows: usize,
    /// Inducing points, where regressions are not exact.
    pub inducing_points: usize,
}

impl Default for GpConfig {
    /// 25 iterations reach the marginal likelihood to about one nat; more made no order better. An exact regression of
    /// 2000 rows takes some ten seconds.
    fn default() -> Self {
        let Gp { effort, exact_rows, inducing_points } = Gp::default();
        GpConfig { iterations: effort.iterations, length_rate: effort.length_rate, exact_rows, inducing_points }
    }
}

impl GpConfig {
    /// The estimator.
    pub fn gp(&self) -> Gp {
        let effort = Effort { iterations: self.iterations, length_rate: self.length_rate, ..Gp::default().effort };
        Gp { effort, exact_rows: self.exact_rows, inducing_points: self.inducing_points }
    }
}

impl Estimator for GpConfig {
    fn check(&self) -> Result<()> {
        within("iterations", self.iterations >= 1, "must be at least 1", self.iterations)?;
        within(
            "length-rate",
            self.length_rate >= 0.0 && self.length_rate.is_finite(),
            "must be a number that is not negative",
            self.length_rate,
        )?;
        within("inducing-points", self.inducing_points >= 2, "must be at least 2", self.inducing_points)
    }

    fn conditional_mean(&self, _: Seed) -> Box<dyn ConditionalMean + '_> {
        Box::new(self.gp())
    }

    fn noise_estimator(&self, _: Seed) -> Option<Box<dyn NoiseVariance>> {
        Some(Box::new(self.gp()))
    }

    fn process(&self) -> Option<Gp> {
        Some(self.gp())
    }

    fn predicts_rows_from_others(&self) -> bool {
        false
    }
}
