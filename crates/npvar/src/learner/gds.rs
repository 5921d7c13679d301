//! GDS: greedy search over graphs under equal error variances.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::facts::{LearnerInfo, NoOptions, Options, RestsOn, Uses};
use super::found::{Found, StructureLearner};
use super::input::Task;
use super::reports;
use crate::data::Covariance;
use crate::error::Result;
use crate::greedy::{AdditiveFits, Greedy, GreedyResult, LinearFits, greedy_within};
use crate::regress::{Estimator, GamConfig};
use crate::run::{Diagnostic, Run};

/// How a column depends on its parents.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum GdsModel {
    /// Linearly, scored from the covariance matrix.
    Linear(NoOptions),
    /// As a sum of smooth functions, scored from the Gram matrix of their bases.
    Additive(GamConfig),
}

/// GDS (Peters & Bühlmann 2013): greedy search over graphs for the best BIC under equal error variances.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct GdsConfig {
    /// `linear` or `additive`.
    pub model: GdsModel,
    /// Searches from random graphs after the one from the empty graph; the best result is kept.
    pub restarts: usize,
    /// Single-edge moves per search at most; without it a search ends only where no move helps.
    pub max_steps: Option<usize>,
}

impl Default for GdsConfig {
    /// Linear, as the paper. It repeats its search five times from random graphs; here the first of five starts is the
    /// empty graph.
    fn default() -> Self {
        GdsConfig { model: GdsModel::Linear(NoOptions {}), restarts: 4, max_steps: None }
    }
}

impl Options for GdsConfig {
    const INFO: LearnerInfo = LearnerInfo {
        name: "gds",
        title: "GDS",
        summary: "GDS (Peters & Bühlmann 2013): greedy search over graphs by single edges, linear or additive",
        assumes: "Gaussian errors with equal variances, measured on their natural scale",
    };

    fn check(&self) -> Result<()> {
        match &self.model {
            GdsModel::Linear(_) => Ok(()),
            GdsModel::Additive(gam) => gam.check(),
        }
    }

    fn uses(&self) -> Uses {
        Uses::ROWS
    }

    fn rests_on(&self) -> RestsOn {
        RestsOn { equal_variances: true, natural_scale: true, units: true, additivity: true }
    }
}

impl StructureLearner for GdsConfig {
    fn find(&self, task: &Task<'_>, run: &Run<'_>) -> Result<Found> {
        let names = task.names();
        let mut diagnostics = Vec::from_iter(reports::few_samples(task.n(), names.len()));
        let options = Greedy { restarts: self.restarts, max_steps: self.max_steps };
        let mut linear = None;
        let found = match &self.model {
            GdsModel::Linear(_) => {
                let covariance = &*linear.insert(Covariance::of(task.rows, run)?);
                diagnostics.extend(reports::covariance_scale(names, covariance));
                greedy_within(&LinearFits::new(covariance), &options, task.knowledge, run)?
            }
            GdsModel::Additive(gam) => {
                let gram = task.gram(gam.spec(), run)?;
                diagnostics.extend(reports::scale(names, &gram));
                greedy_within(&AdditiveFits::new(&gram, gam.smoothing, gam.sp), &options, task.knowledge, run)?
            }
        };
        diagnostics.extend(stopped_early(&found));
        Ok(Found { covariance: linear, ..Found::dag(&found.dag, found.dag.order().clone(), diagnostics) })
    }
}

fn stopped_early(found: &GreedyResult) -> Option<Diagnostic> {
    (!found.local_optimum).then(|| {
        Diagnostic::warning(
            "step-limit",
            format!(
                "the search ended after {} moves, its limit, although further moves would have lowered the score",
                found.moves.len()
            ),
        )
    })
}
