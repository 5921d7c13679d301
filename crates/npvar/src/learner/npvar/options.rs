//! The options of NPVAR.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::learner::along_order::Significance;
use crate::learner::estimator::EstimatorConfig;
use crate::order::{Comparison, Eta, LastNode};
use crate::regress::GamConfig;
use crate::residual_variance::{NeighbourForm, VarianceForm};
use crate::select::LossTest;
use crate::smooth::FewValued;

/// How parents are selected along an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ParentSelection {
    /// What suits the estimator.
    #[default]
    ByEstimator,
    /// By the significance of additive terms, as the paper.
    Significance,
    /// By what held-out predictions lose when the estimator does without the candidate (Lei et al. 2018).
    LeaveOneOut,
    /// By what held-out predictions lose when the candidate's values are shuffled (Breiman 2001).
    Permutation,
    /// By the marginal likelihood of Gaussian processes, at rate `false-discovery-rate`.
    MarginalLikelihood,
    /// By RODEO's own choice of columns; no p-values, so `cutoff` has no part in it.
    Rodeo,
    /// By GRID's own choice of columns; no p-values, so `cutoff` has no part in it.
    Grid,
}

/// Whether regressions and residual variances see the same rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SampleSplit {
    /// They do, as in the paper's experiments ("not needed in practice").
    #[default]
    None,
    /// One random split: fitted on one half, evaluated on the other.
    Half,
    /// A fresh random split for every layer, as Algorithm 2 is written.
    Fresh,
}

/// What happens when a residual variance is below zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NegativeVariance {
    /// It counts as zero, and a diagnostic says so.
    #[default]
    Clip,
    /// The search stops with an error, as the reference implementation does.
    Stop,
}

/// NPVAR (Algorithms 1 and 2 of Gao, Ding & Aragam 2020), then parents by the significance of additive terms.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct NpvarConfig {
    /// η: `node-by-node` (Algorithm 1), a number (nodes within η of the smallest residual variance share a layer), or `adaptive`.
    pub eta: Eta,
    /// With an adaptive η only: what the largest change between the samples is multiplied by.
    pub eta_scaler: f64,
    /// Whether a node exactly η away joins the layer: `below` (the paper's `<`) or `at-most` (the reference's `<=`).
    pub comparison: Comparison,
    /// Whether the last node's residual variance is estimated: `tested` or `untested` (the reference).
    pub last_node: LastNode,
    /// A residual variance below zero: `clip` (counts as zero) or `stop` (the reference).
    pub negative_variance: NegativeVariance,
    /// `difference` (var(y) − var(fit), the reference), `rss` (RSS/(n − edf)), `plug-in` (equation 3), `cross-fitted`
    /// (squared residuals over folds), `one-step` (the plug-in with its first-order correction), `undersmoothed`,
    /// `nearest-neighbour` (without any estimator), `own` (the estimator's noise variance), or `by-estimator`:
    /// `difference` for `gam` and `linear`, else `own` (`cross-fitted` for `rodeo`), or `rss` with a split.
    pub residual_variance: VarianceForm,
    /// With `nearest-neighbour` only: `product`, `difference` or `two-neighbours`.
    pub nearest_neighbour: NeighbourForm,
    /// `none`, `half` (one random split) or `fresh` (a new one for every layer, as Algorithm 2 is written).
    pub split: SampleSplit,
    /// How many folds the rows are dealt into, wherever every fold is predicted from the others.
    pub folds: usize,
    /// The estimator of the conditional means in the order search.
    pub estimator: EstimatorConfig,
    /// `significance` (of additive terms), `leave-one-out` (held-out loss without the candidate), `permutation` (with the
    /// candidate shuffled), `marginal-likelihood` (of Gaussian processes), `rodeo` or `grid` (their own choice of columns),
    /// or `by-estimator`: `significance` for `gam` and `linear`, `marginal-likelihood` for `gp`, the estimator's own choice
    /// for `rodeo` and `grid`, else `leave-one-out`.
    pub parents: ParentSelection,
    /// With `leave-one-out` and `permutation`: `t`, `wilcoxon` or `sign` (the last two not for `permutation`, whose
    /// differences are not symmetric).
    pub loss_test: LossTest,
    /// The level of the parent selection: a node before another is its parent when its term's p-value is below it.
    pub cutoff: f64,
    /// With `marginal-likelihood`, in place of the level: the share of wrong edges to be expected among those selected.
    pub false_discovery_rate: f64,
    /// With `parents=significance`: the additive model of the parent selection.
    pub selection: GamConfig,
}

impl Default for NpvarConfig {
    /// NPVAR as the paper ran it: node by node, additive model, selection at 0.001.
    fn default() -> Self {
        NpvarConfig {
            eta: Eta::NodeByNode,
            eta_scaler: 1.0,
            comparison: Comparison::Below,
            last_node: LastNode::Tested,
            negative_variance: NegativeVariance::Clip,
            residual_variance: VarianceForm::ByEstimator,
            nearest_neighbour: NeighbourForm::Product,
            split: SampleSplit::None,
            folds: 5,
            estimator: EstimatorConfig::default(),
            parents: ParentSelection::ByEstimator,
            loss_test: LossTest::T,
            cutoff: 0.001,
            false_discovery_rate: 0.01,
            selection: GamConfig::default(),
        }
    }
}

impl NpvarConfig {
    /// The published R code to the digit. One thing is left out: it stops at a residual variance below zero, which for an
    /// exact function of the ancestors is a matter of rounding; set `negative-variance = "stop"` for that.
    pub fn reference() -> Self {
        let gam = GamConfig { few_valued: FewValued::Spline, ..GamConfig::default() };
        NpvarConfig {
            comparison: Comparison::AtMost,
            last_node: LastNode::Untested,
            estimator: EstimatorConfig::Gam(gam),
            selection: gam,
            ..NpvarConfig::default()
        }
    }

    pub(super) fn significance(&self) -> Significance<'_> {
        Significance { selection: &self.selection, cutoff: self.cutoff }
    }

    /// Whether an option of the order search differs from both presets.
    pub(super) fn searches_specially(&self) -> bool {
        let with_own_selection = |preset: NpvarConfig| NpvarConfig {
            parents: self.parents,
            loss_test: self.loss_test,
            folds: self.folds,
            cutoff: self.cutoff,
            false_discovery_rate: self.false_discovery_rate,
            selection: self.selection,
            // An estimator may say how parents are selected, too.
            estimator: match self.parents {
                ParentSelection::ByEstimator => self.estimator,
                _ => preset.estimator,
            },
            ..preset
        };
        *self != with_own_selection(NpvarConfig::default()) && *self != with_own_selection(NpvarConfig::reference())
    }
}
