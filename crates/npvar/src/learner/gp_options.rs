//! Options of the Gaussian-process estimator and of `auto`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::config::{GamConfig, within};
use crate::error::Result;
use crate::regress::gp::{Effort, Gp};

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
    pub(super) fn check(&self) -> Result<()> {
        within("iterations", self.iterations >= 1, "must be at least 1", self.iterations)?;
        within(
            "length-rate",
            self.length_rate >= 0.0 && self.length_rate.is_finite(),
            "must be a number that is not negative",
            self.length_rate,
        )?;
        within("inducing-points", self.inducing_points >= 2, "must be at least 2", self.inducing_points)
    }

    /// The estimator.
    pub fn estimator(&self) -> Gp {
        let effort = Effort { iterations: self.iterations, length_rate: self.length_rate, ..Gp::default().effort };
        Gp { effort, exact_rows: self.exact_rows, inducing_points: self.inducing_points }
    }
}

/// `gam` where the data show no interactions, else `gp`.
///
/// An order is found with the additive model, and every node is regressed on the nodes before it with a Gaussian process
/// twice: with and without a joint part. When the joint parts together raise the log marginal likelihood by more than
/// `interaction-nats + interaction-nats-per-node · regressions`, the additive model does not suffice.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct AutoConfig {
    /// Nats that joint parts may gain by chance, in all.
    pub interaction_nats: f64,
    /// Nats that a joint part may gain by chance, for each regression.
    pub interaction_nats_per_node: f64,
    /// The additive model.
    pub gam: GamConfig,
    /// The Gaussian process.
    pub gp: GpConfig,
}

impl Default for AutoConfig {
    /// At 10 nodes and 500 samples the joint parts gained 1 to 15 nats in the paper's additive settings (over 8
    /// regressions) and 30 to 440 in the others; the rule puts the border at 20.
    fn default() -> Self {
        AutoConfig {
            interaction_nats: 10.0,
            interaction_nats_per_node: 1.25,
            gam: GamConfig::default(),
            gp: GpConfig::default(),
        }
    }
}

impl AutoConfig {
    pub(super) fn check(&self) -> Result<()> {
        for (option, value) in
            [("interaction-nats", self.interaction_nats), ("interaction-nats-per-node", self.interaction_nats_per_node)]
        {
            within(option, value >= 0.0 && value.is_finite(), "must be a number that is not negative", value)?;
        }
        self.gam.check()?;
        self.gp.check()
    }
}
