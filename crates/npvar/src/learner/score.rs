//! SCORE: order by the variance of the estimated second derivatives of the log density, then the common selection.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::along_order::{Ordered, Significance};
use super::facts::{LearnerInfo, Options, RestsOn, Uses};
use super::found::{Found, StructureLearner};
use super::input::Task;
use super::stein_search::{SteinSearch, Units, slices};
use crate::data::Dataset;
use crate::error::Result;
use crate::order::stein_within;
use crate::regress::GamConfig;
use crate::run::Run;
use crate::smooth::FewValued;

/// SCORE (Rolland et al. 2022): the node whose second derivative of the log density varies least is the next sink; then the
/// same selection as NPVAR.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ScoreConfig {
    /// The ridge of the first derivatives' estimate.
    pub eta_g: f64,
    /// The ridge of the second derivatives' estimate.
    pub eta_h: f64,
    /// The units of the columns in the order search: `as-given` (one kernel width for all, as the authors) or `standardised`.
    pub units: Units,
    /// Up to this many samples the estimate rests on all rows (memory grows with the square of their number, time with the cube).
    pub exact_up_to: usize,
    /// With more samples: how many inducing rows, chosen at random, carry the estimate.
    pub inducing: usize,
    /// The level of the parent selection.
    pub cutoff: f64,
    /// The additive model of the parent selection.
    pub selection: GamConfig,
}

impl Default for ScoreConfig {
    /// The authors' ridges, and the paper's common selection. 5,000 rows take 200 MB.
    fn default() -> Self {
        ScoreConfig {
            eta_g: 0.001,
            eta_h: 0.001,
            units: Units::AsGiven,
            exact_up_to: 5000,
            inducing: 1000,
            cutoff: 0.001,
            selection: GamConfig::default(),
        }
    }
}

impl Options for ScoreConfig {
    const INFO: LearnerInfo = LearnerInfo {
        name: "score",
        title: "SCORE",
        summary: "SCORE (Rolland et al. 2022): order by the second derivatives of the log density, parents by significance",
        assumes: "nonlinear relations with additive Gaussian noise, all variables observed",
    };

    /// The public implementation's order, and mgcv's basis for every column in the selection.
    fn reference() -> Option<Self> {
        let selection = GamConfig { few_valued: FewValued::Spline, ..GamConfig::default() };
        Some(ScoreConfig { selection, ..ScoreConfig::default() })
    }

    fn check(&self) -> Result<()> {
        self.stein().check()?;
        self.significance().check()
    }

    fn uses(&self) -> Uses {
        Uses::ORDER
    }

    fn rests_on(&self) -> RestsOn {
        RestsOn { equal_variances: false, natural_scale: false, units: self.units == Units::AsGiven, additivity: false }
    }

    fn selection(&self) -> Option<GamConfig> {
        Some(self.selection)
    }
}

impl StructureLearner for ScoreConfig {
    fn find(&self, task: &Task<'_>, run: &Run<'_>) -> Result<Found> {
        let mut diagnostics = Vec::new();
        let order = match task.order {
            Some(order) => order.clone(),
            None => {
                let (search, data) = (self.stein(), Dataset::of(task.rows, run)?);
                let (columns, rule) = (search.columns(&data), search.rule(data.n(), &mut diagnostics, run));
                let columns = slices(&columns);
                let found = stein_within(&columns, &rule, task.knowledge, run);
                let (order, steps) = found.map_err(|error| search.in_small_units(error, &columns))?;
                diagnostics.extend(search.ridge_decides(steps.iter().map(|step| step.width)));
                order
            }
        };
        Ordered::new(order, diagnostics).select(task, self.significance(), run)
    }
}

impl ScoreConfig {
    fn significance(&self) -> Significance<'_> {
        Significance { selection: &self.selection, cutoff: self.cutoff }
    }

    fn stein(&self) -> SteinSearch {
        let ScoreConfig { eta_g, eta_h, units, exact_up_to, inducing, .. } = *self;
        SteinSearch { eta_g, eta_h, units, exact_up_to, inducing }
    }
}
