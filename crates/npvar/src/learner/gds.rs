//! GDS: greedy search over graphs under equal error variances.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::along_order::{read_gram, refuse_unused, usable_columns};
use super::config::{GamConfig, NoOptions};
use super::registry::Options;
use super::{Input, Learned, LearnerConfig, LearnerInfo, StructureLearner, reports};
use crate::data::Covariance;
use crate::error::Result;
use crate::graph::{Knowledge, Pdag};
use crate::greedy::{AdditiveFits, Greedy, GreedyResult, LinearFits, greedy_within};
use crate::run::{Diagnostic, Event, Run, Stage};

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
        summary: "GDS (Peters & Bühlmann 2013): greedy search over graphs by single edges, linear or additive",
        assumes: "Gaussian errors with equal variances, measured on their natural scale",
    };

    fn check(&self) -> Result<()> {
        match &self.model {
            GdsModel::Linear(_) => Ok(()),
            GdsModel::Additive(gam) => gam.check(),
        }
    }

    fn learner(&self) -> Box<dyn StructureLearner + Sync> {
        Box::new(Gds(self.clone()))
    }
}

struct Gds(GdsConfig);

impl StructureLearner for Gds {
    fn learn(&self, input: &Input<'_>, run: &Run<'_>) -> Result<Learned> {
        run.report(&Event::Stage(Stage::Order))?;
        refuse_unused(input, "gds")?;
        let names = input.rows.names().to_vec();
        let columns = usable_columns("GDS", input.rows, run)?;
        let mut diagnostics = reports::columns(&names, &columns);
        diagnostics.extend(reports::few_samples(columns[0].n, columns.len()));
        let options = Greedy { restarts: self.0.restarts, max_steps: self.0.max_steps };
        let nothing = Knowledge::none(names.len());
        let knowledge = input.knowledge.unwrap_or(&nothing);
        let found = match &self.0.model {
            GdsModel::Linear(_) => {
                let covariance = Covariance::of(input.rows, run)?;
                diagnostics.extend(reports::covariance_scale(&names, &covariance));
                greedy_within(&LinearFits::new(&covariance), &options, knowledge, run)?
            }
            GdsModel::Additive(gam) => {
                let gram = read_gram(input.rows, gam.spec(), &columns, run)?;
                diagnostics.extend(reports::scale(&names, &gram));
                greedy_within(&AdditiveFits::new(&gram, gam.smoothing, gam.sp), &options, knowledge, run)?
            }
        };
        diagnostics.extend(stopped_early(&found));
        Ok(Learned {
            names,
            n: columns[0].n,
            graph: Pdag::from(&found.dag),
            order: Some(found.dag.order().clone()),
            layers: None,
            steps: None,
            tests: None,
            diagnostics,
            config: LearnerConfig::Gds(self.0.clone()),
            seed: run.seed,
        })
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
