//! Var-sort-regress and R²-sort-regress: the two tiny learners every simulated comparison needs beside it. Where they do
//! well, a method that does well has shown little (Reisach, Seiler & Weichwald 2021; Reisach et al. 2023).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::along_order::{Ordered, Significance};
use super::facts::{LearnerInfo, Options, RestsOn, Uses};
use super::found::{Found, StructureLearner};
use super::input::Task;
use super::reports;
use crate::data::Covariance;
use crate::error::{Result, within};
use crate::graph::{Knowledge, Order};
use crate::regress::GamConfig;
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
    fn significance(&self) -> Significance<'_> {
        Significance { selection: &self.selection, cutoff: self.cutoff }
    }

    fn check(&self) -> Result<()> {
        self.significance().check()?;
        within(
            "parents",
            self.parents == SortedParents::Significance || *self == SortRegressConfig::default(),
            "must be `significance` where `cutoff` or `selection` is set",
            "`sparse-linear`",
        )
    }

    fn selection(&self) -> Option<GamConfig> {
        (self.parents == SortedParents::Significance).then_some(self.selection)
    }

    /// Parents along the columns sorted by their scores; with knowledge, along again and again the smallest of those that may
    /// come next.
    fn find(&self, scores: fn(&Covariance) -> Vec<f64>, task: &Task<'_>, run: &Run<'_>) -> Result<Found> {
        let covariance = Covariance::of(task.rows, run)?;
        let order = match task.order {
            Some(order) => order.clone(),
            None => sorted(&scores(&covariance), task.knowledge)?,
        };
        let (names, d) = (task.names(), task.columns.len());
        run.report(&Event::Layer { layer: order.nodes(), ordered: d, nodes: d })?;
        if self.parents == SortedParents::Significance {
            return Ordered::new(order, Vec::new()).select(task, self.significance(), run);
        }
        run.report(&Event::Stage(Stage::Selection))?;
        let selected = sparse_linear(&covariance, &order, run)?;
        let dependent = (!selected.dependent.is_empty()).then(|| {
            let message = format!(
                "{}: exact linear functions of columns before them, which are given no effect beside those",
                reports::list(names, &selected.dependent)
            );
            Diagnostic::warning("dependent-columns", message)
        });
        Ok(Found::dag(&selected.dag, order, dependent.into_iter().collect()))
    }
}

fn sorted(scores: &[f64], knowledge: &Knowledge) -> Result<Order> {
    let mut nodes: Vec<usize> = (0..scores.len()).collect();
    nodes.sort_by(|&a, &b| scores[a].total_cmp(&scores[b]));
    Order::new(knowledge.arranged(&nodes))
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
        title: "var-sort-regress",
        summary: "var-sort-regress (Reisach et al. 2021): columns sorted by variance, parents by sparse linear regression",
        assumes: "nothing: it shows how far the variances alone give the answer away",
    };

    fn check(&self) -> Result<()> {
        self.0.check()
    }

    fn uses(&self) -> Uses {
        Uses::ORDER
    }

    fn rests_on(&self) -> RestsOn {
        RestsOn { equal_variances: false, natural_scale: true, additivity: true }
    }

    fn selection(&self) -> Option<GamConfig> {
        self.0.selection()
    }
}

impl StructureLearner for VarSortRegressConfig {
    fn find(&self, task: &Task<'_>, run: &Run<'_>) -> Result<Found> {
        self.0.find(variances, task, run)
    }
}

impl Options for R2SortRegressConfig {
    const INFO: LearnerInfo = LearnerInfo {
        name: "r2-sort-regress",
        title: "r2-sort-regress",
        summary: "R²-sort-regress (Reisach et al. 2023): columns sorted by R², parents by sparse linear regression",
        assumes: "nothing: it shows how far the predictability of the columns, which no unit changes, gives the answer away",
    };

    fn check(&self) -> Result<()> {
        self.0.check()
    }

    fn uses(&self) -> Uses {
        Uses::ORDER
    }

    fn rests_on(&self) -> RestsOn {
        RestsOn { equal_variances: false, natural_scale: false, additivity: true }
    }

    fn selection(&self) -> Option<GamConfig> {
        self.0.selection()
    }
}

impl StructureLearner for R2SortRegressConfig {
    fn find(&self, task: &Task<'_>, run: &Run<'_>) -> Result<Found> {
        self.0.find(Covariance::r_squared, task, run)
    }
}

fn variances(covariance: &Covariance) -> Vec<f64> {
    (0..covariance.matrix().nrows()).map(|j| covariance.matrix()[(j, j)]).collect()
}
