//! EqVar: NPVAR's search over the covariance matrix, or sinks first; then NPVAR's selection.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::along_order::{Ordered, Significance};
use super::facts::{LearnerInfo, ModelKind, Options, RestsOn, Uses};
use super::found::{Found, StructureLearner};
use super::input::Task;
use super::reports;
use crate::data::Covariance;
use crate::error::Result;
use crate::order::{LayerRule, bottom_up_within, layers_within};
use crate::regress::GamConfig;
use crate::run::Run;
use crate::smooth::FewValued;

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

    fn significance(&self) -> Significance<'_> {
        Significance { selection: &self.selection, cutoff: self.cutoff }
    }
}

impl Options for EqvarConfig {
    const INFO: LearnerInfo = LearnerInfo {
        name: "eqvar",
        title: "EqVar",
        summary: "EqVar (Chen, Drton & Wang 2019): order from the covariance matrix, parents by significance",
        assumes: "linear relations with equal error variances (the parents may be nonlinear)",
    };

    fn reference() -> Option<Self> {
        Some(EqvarConfig::reference())
    }

    fn check(&self) -> Result<()> {
        self.significance().check()
    }

    fn uses(&self) -> Uses {
        Uses::ORDER
    }

    fn rests_on(&self) -> RestsOn {
        RestsOn { equal_variances: true, natural_scale: true, units: true, additivity: true }
    }

    fn selection(&self) -> Option<GamConfig> {
        Some(self.selection)
    }

    fn search_model(&self) -> Option<ModelKind> {
        Some(ModelKind::Linear)
    }
}

impl StructureLearner for EqvarConfig {
    fn find(&self, task: &Task<'_>, run: &Run<'_>) -> Result<Found> {
        let names = task.names();
        let mut ordered = match (task.order, self.direction) {
            (Some(order), _) => Ordered::new(order.clone(), Vec::new()),
            (None, Direction::TopDown) => {
                let found =
                    layers_within(&Covariance::of(task.rows, run)?, &LayerRule::default(), task.knowledge, run)?;
                Ordered {
                    order: found.layers.order(),
                    layers: Some(found.layers),
                    steps: Some(found.steps),
                    diagnostics: reports::negative_variances(names, &found.negative).into_iter().collect(),
                }
            }
            (None, Direction::BottomUp) => {
                let (order, _, singular) = bottom_up_within(&Covariance::of(task.rows, run)?, task.knowledge, run)?;
                Ordered::new(order, singular.then(reports::singular_covariance).into_iter().collect())
            }
        };
        let gram = task.gram(self.selection.spec(), run)?;
        ordered.diagnostics.extend(reports::scale(names, &gram));
        ordered.select_from(&gram, None, names, self.significance(), run)
    }
}
