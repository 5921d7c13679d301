//! DAS: SCORE's order, candidate parents from the derivatives of every sink, then the common selection among them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::along_order::{Ordered, Significance};
use super::facts::{LearnerInfo, Options, RestsOn, Uses};
use super::found::{Found, StructureLearner};
use super::input::Task;
use super::stein_search::{SteinSearch, Units, slices};
use crate::data::Dataset;
use crate::error::{Result, within};
use crate::graph::Node;
use crate::order::{CandidateRule, stein_candidates};
use crate::regress::GamConfig;
use crate::run::Run;

/// DAS (Montagna et al. 2023): SCORE's order; parents by the same selection as NPVAR's, among the few candidates that the mixed
/// derivatives of the log density leave.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct DasConfig {
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
    /// So many candidates of every column are not tested; the column itself counts as one.
    pub min_parents: usize,
    /// The most candidates a column can have.
    pub max_parents: usize,
    /// The level of the test of the other candidates.
    pub candidate_cutoff: f64,
    /// The level of the parent selection among the candidates.
    pub cutoff: f64,
    /// The additive model of the parent selection.
    pub selection: GamConfig,
}

impl Default for DasConfig {
    /// The authors' package's numbers, and the common selection.
    fn default() -> Self {
        let CandidateRule { least, most, cutoff } = CandidateRule::default();
        DasConfig {
            eta_g: 0.001,
            eta_h: 0.001,
            units: Units::AsGiven,
            exact_up_to: 5000,
            inducing: 1000,
            min_parents: least,
            max_parents: most,
            candidate_cutoff: cutoff,
            cutoff: 0.001,
            selection: GamConfig::default(),
        }
    }
}

impl Options for DasConfig {
    const INFO: LearnerInfo = LearnerInfo {
        name: "das",
        title: "DAS",
        summary: "DAS (Montagna et al. 2023): SCORE's order, parents by significance among candidates from the log density",
        assumes: "nonlinear relations with additive Gaussian noise, all variables observed; few parents per variable",
    };

    fn check(&self) -> Result<()> {
        self.stein().check()?;
        let level = self.candidate_cutoff;
        within("candidate-cutoff", level > 0.0 && level <= 1.0, "must be above 0 and at most 1", level)?;
        within("max-parents", self.max_parents >= 1, "must be at least 1", self.max_parents)?;
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

impl StructureLearner for DasConfig {
    fn find(&self, task: &Task<'_>, run: &Run<'_>) -> Result<Found> {
        let mut diagnostics = Vec::new();
        let (search, data) = (self.stein(), Dataset::of(task.rows, run)?);
        let (columns, rule) = (search.columns(&data), search.rule(data.n(), &mut diagnostics, run));
        let few = CandidateRule { least: self.min_parents, most: self.max_parents, cutoff: self.candidate_cutoff };
        let known = (task.order, task.knowledge);
        let (order, steps, found) = stein_candidates(&slices(&columns), &rule, few, known, run)?;
        diagnostics.extend(search.ridge_decides(steps.iter().map(|step| step.width)));
        let mut candidates: Vec<Vec<Node>> = vec![Vec::new(); data.d()];
        found.into_iter().for_each(|of| candidates[of.child] = of.candidates);
        Ordered::new(order, diagnostics).select_among(&candidates, task, self.significance(), run)
    }
}

impl DasConfig {
    fn significance(&self) -> Significance<'_> {
        Significance { selection: &self.selection, cutoff: self.cutoff }
    }

    fn stein(&self) -> SteinSearch {
        let DasConfig { eta_g, eta_h, units, exact_up_to, inducing, .. } = *self;
        SteinSearch { eta_g, eta_h, units, exact_up_to, inducing }
    }
}
