//! The estimators a learner can be told to use.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::facts::NoOptions;
use crate::error::{Result, within};
use crate::regress::gp::GpConfig;
use crate::regress::{Estimator, Forest, GamConfig, Grid, Kernel, Knn, Linear, Mlp, Rodeo};

/// The estimator of the conditional means.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum EstimatorConfig {
    /// An additive model.
    Gam(GamConfig),
    /// Linear regression.
    Linear(NoOptions),
    /// Kernel regression: local linear or local constant.
    Kernel(Kernel),
    /// Nearest neighbours.
    Knn(Knn),
    /// A Gaussian process with an additive and a joint part.
    Gp(GpConfig),
    /// A random forest.
    Forest(Forest),
    /// A neural network with one hidden layer.
    Mlp(Mlp),
    /// Local linear regression with greedily shrinking bandwidths (RODEO).
    Rodeo(Rodeo),
    /// Local linear regression in the columns that tests leave (GRID).
    Grid(Grid),
    /// `gam` where the data show no interactions, else `gp`.
    Auto(AutoConfig),
}

impl Default for EstimatorConfig {
    /// The paper's implementation.
    fn default() -> Self {
        EstimatorConfig::Gam(GamConfig::default())
    }
}

/// An estimator, or two to choose between when the data are there.
#[derive(Clone, Copy)]
pub(super) enum Choice<'a> {
    /// This one.
    One(&'a dyn Estimator),
    /// One of two.
    Either(&'a AutoConfig),
}

impl EstimatorConfig {
    /// What the options name.
    pub(super) fn choice(&self) -> Choice<'_> {
        Choice::One(match self {
            EstimatorConfig::Gam(gam) => gam,
            EstimatorConfig::Linear(_) => &Linear,
            EstimatorConfig::Kernel(kernel) => kernel,
            EstimatorConfig::Knn(knn) => knn,
            EstimatorConfig::Gp(gp) => gp,
            EstimatorConfig::Forest(forest) => forest,
            EstimatorConfig::Mlp(mlp) => mlp,
            EstimatorConfig::Rodeo(rodeo) => rodeo,
            EstimatorConfig::Grid(grid) => grid,
            EstimatorConfig::Auto(auto) => return Choice::Either(auto),
        })
    }

    /// The estimator, where it is known before the data are.
    pub(super) fn single(&self) -> Option<&dyn Estimator> {
        match self.choice() {
            Choice::One(estimator) => Some(estimator),
            Choice::Either(_) => None,
        }
    }

    /// Whether every option is within its range.
    pub(super) fn check(&self) -> Result<()> {
        match self.choice() {
            Choice::One(estimator) => estimator.check(),
            Choice::Either(auto) => auto.check(),
        }
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
    fn check(&self) -> Result<()> {
        for (option, value) in
            [("interaction-nats", self.interaction_nats), ("interaction-nats-per-node", self.interaction_nats_per_node)]
        {
            within(option, value >= 0.0 && value.is_finite(), "must be a number that is not negative", value)?;
        }
        self.gam.check()?;
        self.gp.check()
    }
}
