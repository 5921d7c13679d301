//! Var-sort-regress and R²-sort-regress: the two tiny learners every simulated comparison needs beside it. Where they do
//! well, a method that does well has shown little (Reisach, Seiler & Weichwald 2021; Reisach et al. 2023).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::along_order::{Found, read_gram, select_along, unused_second_sample, usable_columns};
use super::config::{GamConfig, check_selection};
use super::registry::{LearnerInfo, Options};
use super::{Input, Learned, LearnerConfig, StructureLearner, reports};
use crate::data::Covariance;
use crate::error::{Error, Result};
use crate::graph::{Knowledge, Order, Pdag};
use crate::run::{Diagnostic, Event, Run, Stage};
use crate::select::sparse_linear;

/// How parents are selected along the sorted columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SortedParents {
    /// Sparse linear regression (adaptive lasso, BIC), as the authors.
    #[default]
    SparseLinear,
    /// The significance of additive terms, as NPVAR and the others.
    Significance,
}

/// Columns sorted by a score, then parents along that order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct SortRegressConfig {
    /// How parents are selected: `sparse-linear` (as the authors) or `significance` (as the other learners).
    pub parents: SortedParents,
    /// With `parents=significance` only: the level of the parent selection.
    pub cutoff: f64,
    /// With `parents=significance` only: the additive model of the parent selection.
    pub selection: GamConfig,
}

impl Default for SortRegressConfig {
    /// As the authors' `sortnregress`.
    fn default() -> Self {
        SortRegressConfig { parents: SortedParents::SparseLinear, cutoff: 0.001, selection: GamConfig::default() }
    }
}

impl SortRegressConfig {
    fn check(&self) -> Result<()> {
        check_selection(self.cutoff, &self.selection)?;
        let default = SortRegressConfig::default();
        match self.parents {
            SortedParents::SparseLinear if *self != default => Err(Error::InvalidOption {
                option: "parents",
                requirement: "must be `significance` where `cutoff` or `selection` is set".to_owned(),
                got: "`sparse-linear`".to_owned(),
            }),
            _ => Ok(()),
        }
    }
}

/// Var-sort-regress (Reisach, Seiler & Weichwald 2021): columns sorted by their variance.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct VarSortRegressConfig(pub SortRegressConfig);

/// R²-sort-regress (Reisach et al. 2023): columns sorted by how well all others predict them linearly.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct R2SortRegressConfig(pub SortRegressConfig);

impl Options for VarSortRegressConfig {
    const INFO: LearnerInfo = LearnerInfo {
        name: "var-sort-regress",
        summary: "var-sort-regress (Reisach et al. 2021): columns sorted by variance, parents by sparse linear regression",
        assumes: "nothing: it shows how far the variances alone give the answer away",
    };

    fn check(&self) -> Result<()> {
        self.0.check()
    }

    fn learner(&self) -> Box<dyn StructureLearner + Sync> {
        let config = LearnerConfig::VarSortRegress(self.clone());
        Box::new(SortRegress { name: "var-sort-regress", by: Sorted::Variance, options: self.0.clone(), config })
    }
}

impl Options for R2SortRegressConfig {
    const INFO: LearnerInfo = LearnerInfo {
        name: "r2-sort-regress",
        summary: "R²-sort-regress (Reisach et al. 2023): columns sorted by R², parents by sparse linear regression",
        assumes: "nothing: it shows how far the predictability of the columns, which no unit changes, gives the answer away",
    };

    fn check(&self) -> Result<()> {
        self.0.check()
    }

    fn learner(&self) -> Box<dyn StructureLearner + Sync> {
        let config = LearnerConfig::R2SortRegress(self.clone());
        Box::new(SortRegress { name: "r2-sort-regress", by: Sorted::RSquared, options: self.0.clone(), config })
    }
}

/// What columns are sorted by.
enum Sorted {
    Variance,
    RSquared,
}

/// Either learner with valid options.
struct SortRegress {
    name: &'static str,
    by: Sorted,
    options: SortRegressConfig,
    config: LearnerConfig,
}

impl StructureLearner for SortRegress {
    fn learn(&self, input: &Input<'_>, run: &Run<'_>) -> Result<Learned> {
        run.report(&Event::Stage(Stage::Order))?;
        if input.second_sample.is_some() {
            return Err(unused_second_sample());
        }
        let names = input.rows.names().to_vec();
        let columns = usable_columns(self.name, input.rows, run)?;
        let mut diagnostics = reports::columns(&names, &columns);
        let covariance = Covariance::of(input.rows, run)?;
        let order = match &input.order {
            Some(order) => order.clone(),
            None => self.sort(&covariance, input.knowledge)?,
        };
        run.report(&Event::Layer { layer: order.nodes(), ordered: names.len(), nodes: names.len() })?;
        match self.options.parents {
            SortedParents::Significance => {
                let gram = read_gram(input.rows, self.options.selection.spec(), &columns, run)?;
                let found = Found { order, layers: None, steps: None, diagnostics };
                let rule = (&self.options.selection, self.options.cutoff);
                select_along(&names, &gram, None, found, rule, self.config.clone(), run)
            }
            SortedParents::SparseLinear => {
                run.report(&Event::Stage(Stage::Selection))?;
                let selected = sparse_linear(&covariance, &order, run)?;
                if !selected.dependent.is_empty() {
                    let message = format!(
                        "{}: exact linear functions of columns before them, which are given no effect beside those",
                        reports::list(&names, &selected.dependent)
                    );
                    diagnostics.push(Diagnostic::warning("dependent-columns", message));
                }
                Ok(Learned {
                    names,
                    n: covariance.n(),
                    graph: Pdag::from(&selected.dag),
                    order: Some(order),
                    layers: None,
                    steps: None,
                    tests: None,
                    diagnostics,
                    config: self.config.clone(),
                    seed: run.seed,
                })
            }
        }
    }
}

impl SortRegress {
    /// By the scores; with knowledge, again and again the smallest of those that may come next.
    fn sort(&self, covariance: &Covariance, knowledge: Option<&Knowledge>) -> Result<Order> {
        let scores = match self.by {
            Sorted::Variance => (0..covariance.matrix().nrows()).map(|j| covariance.matrix()[(j, j)]).collect(),
            Sorted::RSquared => covariance.r_squared(),
        };
        let mut nodes: Vec<usize> = (0..scores.len()).collect();
        nodes.sort_by(|&a, &b| scores[a].total_cmp(&scores[b]));
        Order::new(knowledge.map_or(nodes.clone(), |knowledge| knowledge.arranged(&nodes)))
    }
}
