//! Options, written once: the structs below are what TOML files, `--set`, and the option reference are read from.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::StructureLearner;
use super::eqvar::Eqvar;
use super::estimator::{EstimatorConfig, ParentSelection};
use super::npvar::Npvar;
use super::registry::{LearnerInfo, Options};
use crate::error::{Error, Result};
use crate::order::{Comparison, Eta, LastNode};
use crate::regress::Smoothing;
use crate::residual_variance::{NeighbourForm, VarianceForm};
use crate::select::LossTest;
use crate::smooth::{FewValued, NullSpace, SmoothSpec};

/// The largest basis: beyond it a column's cells outgrow the cache for no better fit.
const LARGEST_BASIS: usize = 60;

/// An additive model of P-splines (mgcv's `s(x, bs = "ps")`).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct GamConfig {
    /// The smoothing parameter λ (mgcv's `sp`) when it is fixed; not used with `gcv` and `reml`.
    pub sp: f64,
    /// How smoothing parameters are chosen: `fixed`, `gcv` or `reml`.
    pub smoothing: Smoothing,
    /// B-splines per column.
    pub k: usize,
    /// What a column with at most 9 distinct values gets: `saturated` (an indicator per value) or `spline`.
    pub few_valued: FewValued,
    /// Whether straight functions are penalised too: `free` (they are not) or `shrunk`.
    pub null_space: NullSpace,
}

impl Default for GamConfig {
    /// The paper's: `bs = "ps"`, `sp = 0.6` and mgcv's basis dimension.
    fn default() -> Self {
        GamConfig {
            sp: 0.6,
            smoothing: Smoothing::Fixed,
            k: 10,
            few_valued: FewValued::Saturated,
            null_space: NullSpace::Free,
        }
    }
}

impl GamConfig {
    /// The bases.
    pub fn spec(&self) -> SmoothSpec {
        SmoothSpec::Spline { dimension: self.k, few_valued: self.few_valued, null_space: self.null_space }
    }

    pub(super) fn check(&self) -> Result<()> {
        within("sp", self.sp >= 0.0 && self.sp.is_finite(), "must be a number that is not negative", self.sp)?;
        let range = format!("must be between 4 and {LARGEST_BASIS}");
        within("k", (4..=LARGEST_BASIS).contains(&self.k), &range, self.k)
    }
}

/// No options.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct NoOptions {}

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

    /// The form of the residual variances.
    pub fn variance_form(&self) -> VarianceForm {
        match self.residual_variance {
            VarianceForm::ByEstimator => self.estimator.usual_form(self.split),
            form => form,
        }
    }

    /// How parents are selected.
    pub fn parent_selection(&self) -> ParentSelection {
        match self.parents {
            ParentSelection::ByEstimator => self.estimator.usual_parents(),
            parents => parents,
        }
    }

    /// Options of the selection that were set and that the way parents are selected has no use for. `auto` may come to
    /// either way, so it has use for all.
    pub(super) fn unused_selection_options(&self) -> Vec<&'static str> {
        use ParentSelection::{ByEstimator, Grid, LeaveOneOut, MarginalLikelihood, Permutation, Rodeo, Significance};
        let (by, usual) = (self.parent_selection(), NpvarConfig::default());
        let held_out = matches!(by, LeaveOneOut | Permutation);
        let usual_selection = [usual.selection, NpvarConfig::reference().selection].contains(&self.selection);
        let options = [
            ("cutoff", self.cutoff != usual.cutoff && matches!(by, MarginalLikelihood | Rodeo | Grid)),
            (
                "false-discovery-rate",
                self.false_discovery_rate != usual.false_discovery_rate && by != MarginalLikelihood,
            ),
            ("loss-test", self.loss_test != usual.loss_test && !held_out),
            ("selection", !usual_selection && by != Significance),
        ];
        let unused = options.iter().filter(|(_, unused)| *unused && by != ByEstimator);
        unused.map(|(option, _)| *option).collect()
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

impl Options for NpvarConfig {
    const INFO: LearnerInfo = LearnerInfo {
        name: "npvar",
        summary: "NPVAR (Gao, Ding & Aragam 2020): order by residual variances of an additive model, parents by significance",
        assumes: "all variables observed, residual variances E var(X | parents) about equal, measured on their natural scale",
    };

    fn reference() -> Option<Self> {
        Some(NpvarConfig::reference())
    }

    fn learner(&self) -> Box<dyn StructureLearner + Sync> {
        Box::new(Npvar(self.clone()))
    }

    fn check(&self) -> Result<()> {
        within(
            "eta-scaler",
            self.eta_scaler > 0.0 && self.eta_scaler.is_finite(),
            "must be positive",
            self.eta_scaler,
        )?;
        if self.eta == Eta::Adaptive && self.split != SampleSplit::None {
            return Err(Error::InvalidOption {
                option: "eta",
                requirement: "cannot be `adaptive` with a sample split, which it makes itself".to_owned(),
                got: "both".to_owned(),
            });
        }
        within("folds", self.folds >= 2, "must be at least 2", self.folds)?;
        self.estimator.check()?;
        if self.parent_selection() == ParentSelection::Permutation && self.loss_test != LossTest::T {
            return Err(Error::InvalidOption {
                option: "loss-test",
                requirement:
                    "must be `t` with `parents=permutation`, because what shuffling loses is not symmetric about \
                              zero even where it is zero on average"
                        .to_owned(),
                got: "a rank test".to_owned(),
            });
        }
        within(
            "false-discovery-rate",
            self.false_discovery_rate > 0.0 && self.false_discovery_rate < 1.0,
            "must be between 0 and 1",
            self.false_discovery_rate,
        )?;
        self.estimator.check_form(self.residual_variance, self.split)?;
        check_selection(self.cutoff, &self.selection)
    }
}

/// Where EqVar's search starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// Sources first: smallest conditional variance.
    #[default]
    TopDown,
    /// Sinks first: smallest precision.
    BottomUp,
}

/// EqVar (Chen, Drton & Wang 2019): the order from the covariance matrix, assuming linear relations and equal error
/// variances; then the same selection as NPVAR, as the paper compares them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct EqvarConfig {
    /// `top-down` or `bottom-up`.
    pub direction: Direction,
    /// The level of the parent selection.
    pub cutoff: f64,
    /// The additive model of the parent selection.
    pub selection: GamConfig,
}

impl Default for EqvarConfig {
    /// As the paper ran it.
    fn default() -> Self {
        EqvarConfig { direction: Direction::TopDown, cutoff: 0.001, selection: GamConfig::default() }
    }
}

impl EqvarConfig {
    /// EqVar as compared in the paper, with mgcv's basis for every column.
    pub fn reference() -> Self {
        let selection = GamConfig { few_valued: FewValued::Spline, ..GamConfig::default() };
        EqvarConfig { selection, ..EqvarConfig::default() }
    }
}

impl Options for EqvarConfig {
    const INFO: LearnerInfo = LearnerInfo {
        name: "eqvar",
        summary: "EqVar (Chen, Drton & Wang 2019): order from the covariance matrix, parents by significance",
        assumes: "linear relations with equal error variances (the parents may be nonlinear)",
    };

    fn reference() -> Option<Self> {
        Some(EqvarConfig::reference())
    }

    fn learner(&self) -> Box<dyn StructureLearner + Sync> {
        Box::new(Eqvar(self.clone()))
    }

    fn check(&self) -> Result<()> {
        check_selection(self.cutoff, &self.selection)
    }
}

pub(super) fn check_selection(cutoff: f64, selection: &GamConfig) -> Result<()> {
    within("cutoff", cutoff > 0.0 && cutoff <= 1.0, "must be above 0 and at most 1", cutoff)?;
    selection.check()
}

pub(super) fn within(option: &'static str, holds: bool, requirement: &str, got: impl std::fmt::Display) -> Result<()> {
    if holds {
        return Ok(());
    }
    Err(Error::InvalidOption { option, requirement: requirement.to_owned(), got: got.to_string() })
}
