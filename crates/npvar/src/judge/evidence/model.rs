//! Which model the curves and the residuals of the evidence come from.

use serde::{Deserialize, Serialize};

use crate::learner::{GamConfig, LearnerConfig, ModelKind};
use crate::regress::Smoothing;
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
    fn own(model: ModelKind) -> Self {
        FittedModel { origin: Origin::Learner, model }
    }

    fn stand_in(smoothing: Smoothing) -> Self {
        let gam = GamConfig { smoothing, ..GamConfig::default() };
        FittedModel { origin: Origin::StandIn, model: ModelKind::Additive(gam) }
    }

    /// The model of a child on its parents: the additive model of the parent selection, or one with smoothing by REML.
    pub(super) fn of_curves(config: &LearnerConfig) -> Self {
        config
            .selection()
            .map_or_else(|| FittedModel::stand_in(Smoothing::Reml), |gam| FittedModel::own(ModelKind::Additive(gam)))
    }

    /// The model whose residuals give the steps' standard errors: the order search's own where it is linear or additive
    /// with a fixed smoothing parameter, else the paper's.
    pub(super) fn of_residuals(config: &LearnerConfig) -> Self {
        config.search_model().map_or_else(|| FittedModel::stand_in(Smoothing::Fixed), FittedModel::own)
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
