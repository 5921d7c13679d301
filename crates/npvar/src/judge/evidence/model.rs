//! Which model the curves and the residuals of the evidence come from, and which learners copies of a row mislead.

use serde::{Deserialize, Serialize};

use crate::learner::{
    EstimatorConfig, GamConfig, GsgesScore, LearnerConfig, NotearsParents, ParentSelection, Pruning, ResitParents,
    SampleSplit, SortedParents,
};
use crate::order::Eta;
use crate::regress::Smoothing;
use crate::residual_variance::VarianceForm;
use crate::smooth::SmoothSpec;

/// Whose model it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// The learner's own, with its options.
    Learner,
    /// Another in its place: the learner fits no such model, so an additive model was fitted to what it learned.
    StandIn,
}

/// What is fitted.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum ModelKind {
    /// Straight lines.
    Linear,
    /// An additive model.
    Additive(GamConfig),
}

/// A model behind the evidence.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct FittedModel {
    /// Whose it is.
    pub origin: Origin,
    /// What it is.
    #[serde(flatten)]
    pub model: ModelKind,
}

impl FittedModel {
    fn own(gam: GamConfig) -> Self {
        FittedModel { origin: Origin::Learner, model: ModelKind::Additive(gam) }
    }

    fn stand_in(smoothing: Smoothing) -> Self {
        let gam = GamConfig { smoothing, ..GamConfig::default() };
        FittedModel { origin: Origin::StandIn, model: ModelKind::Additive(gam) }
    }

    /// The model of a child on its parents: the additive model of the parent selection, or one with smoothing by REML.
    pub(super) fn of_curves(config: &LearnerConfig) -> Self {
        selection(config).map_or_else(|| FittedModel::stand_in(Smoothing::Reml), FittedModel::own)
    }

    /// The model whose residuals give the steps' standard errors: the order search's own where it is linear or additive
    /// with a fixed smoothing parameter, else the paper's.
    pub(super) fn of_residuals(config: &LearnerConfig) -> Self {
        let linear = FittedModel { origin: Origin::Learner, model: ModelKind::Linear };
        match config {
            LearnerConfig::Eqvar(_) => linear,
            LearnerConfig::Npvar(config) => match config.estimator {
                EstimatorConfig::Linear(_) => linear,
                EstimatorConfig::Gam(gam) if gam.smoothing == Smoothing::Fixed => FittedModel::own(gam),
                _ => FittedModel::stand_in(Smoothing::Fixed),
            },
            _ => FittedModel::stand_in(Smoothing::Fixed),
        }
    }

    /// The bases.
    pub(super) fn spec(&self) -> SmoothSpec {
        match self.model {
            ModelKind::Linear => SmoothSpec::Line,
            ModelKind::Additive(gam) => gam.spec(),
        }
    }

    /// How much is smoothed.
    pub(super) fn smoothing(&self) -> (Smoothing, f64) {
        match self.model {
            ModelKind::Linear => (Smoothing::Fixed, 0.0),
            ModelKind::Additive(gam) => (gam.smoothing, gam.sp),
        }
    }
}

/// The additive model by which a learner selects parents along its order.
fn selection(config: &LearnerConfig) -> Option<GamConfig> {
    match config {
        LearnerConfig::Npvar(config) => {
            (config.parent_selection() == ParentSelection::Significance).then_some(config.selection)
        }
        LearnerConfig::Eqvar(config) => Some(config.selection),
        LearnerConfig::Score(config) => Some(config.selection),
        LearnerConfig::Cam(config) => (config.pruning == Pruning::Common).then_some(config.selection),
        LearnerConfig::Resit(config) => (config.parents == ResitParents::Significance).then_some(config.selection),
        LearnerConfig::Notears(config) => of_notears(config.parents),
        LearnerConfig::NotearsMlp(config) => of_notears(config.parents),
        LearnerConfig::VarSortRegress(config) => {
            (config.0.parents == SortedParents::Significance).then_some(config.0.selection)
        }
        LearnerConfig::R2SortRegress(config) => {
            (config.0.parents == SortedParents::Significance).then_some(config.0.selection)
        }
        LearnerConfig::Gsges(_) | LearnerConfig::Pc(_) | LearnerConfig::Ges(_) | LearnerConfig::Gds(_) => None,
    }
}

fn of_notears(parents: NotearsParents) -> Option<GamConfig> {
    match parents {
        NotearsParents::Significance(rule) => Some(rule.selection),
        NotearsParents::Threshold(_) => None,
    }
}

/// Whether a learner predicts some rows from others: a copy of a row then tells what should be unknown.
pub(super) fn is_misled_by_copies(config: &LearnerConfig) -> bool {
    match config {
        LearnerConfig::Npvar(config) => {
            let one_fit = matches!(
                config.estimator,
                EstimatorConfig::Gam(_)
                    | EstimatorConfig::Linear(_)
                    | EstimatorConfig::Gp(_)
                    | EstimatorConfig::Auto(_)
            );
            let form = config.variance_form();
            !one_fit
                || config.split != SampleSplit::None
                || config.eta == Eta::Adaptive
                || matches!(form, VarianceForm::CrossFitted | VarianceForm::OneStep | VarianceForm::NearestNeighbour)
                || matches!(
                    config.parent_selection(),
                    ParentSelection::LeaveOneOut | ParentSelection::Permutation | ParentSelection::Rodeo
                )
        }
        LearnerConfig::Gsges(config) => matches!(config.score, GsgesScore::CrossValidated(_)),
        _ => false,
    }
}
