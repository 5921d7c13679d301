//! Parents along an order by sparse linear regression, or as the other learners select them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::along_order::{Ordered, Significance};
use super::found::Found;
use super::input::Task;
use super::reports;
use crate::data::Covariance;
use crate::error::{Result, within};
use crate::graph::Order;
use crate::regress::GamConfig;
use crate::run::{Diagnostic, Event, Run, Stage};
use crate::select::sparse_linear;

/// How parents are selected along the order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LinearParents {
    /// Sparse linear regression (adaptive lasso, BIC), as the authors.
    #[default]
    SparseLinear,
    /// The significance of additive terms, as NPVAR and the others.
    Significance,
}

/// The selection of parents along an order, linear by default.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct LinearParentsConfig {
    /// How parents are selected: `sparse-linear` (as the authors) or `significance` (as the other learners).
    pub parents: LinearParents,
    /// With `parents=significance` only: the level of the parent selection.
    pub cutoff: f64,
    /// With `parents=significance` only: the additive model of the parent selection.
    pub selection: GamConfig,
}

impl Default for LinearParentsConfig {
    /// As the authors' `sortnregress` and lingam's `DirectLiNGAM`.
    fn default() -> Self {
        LinearParentsConfig { parents: LinearParents::SparseLinear, cutoff: 0.001, selection: GamConfig::default() }
    }
}

impl LinearParentsConfig {
    fn significance(&self) -> Significance<'_> {
        Significance { selection: &self.selection, cutoff: self.cutoff }
    }

    pub(super) fn check(&self) -> Result<()> {
        self.significance().check()?;
        within(
            "parents",
            self.parents == LinearParents::Significance || *self == LinearParentsConfig::default(),
            "must be `significance` where `cutoff` or `selection` is set",
            "`sparse-linear`",
        )
    }

    pub(super) fn selection(&self) -> Option<GamConfig> {
        (self.parents == LinearParents::Significance).then_some(self.selection)
    }

    /// Parents along an order.
    pub(super) fn select(
        &self,
        order: Order,
        covariance: Covariance,
        mut diagnostics: Vec<Diagnostic>,
        task: &Task<'_>,
        run: &Run<'_>,
    ) -> Result<Found> {
        if self.parents == LinearParents::Significance {
            return Ordered::new(order, diagnostics).select(task, self.significance(), run);
        }
        run.report(&Event::Stage(Stage::Selection))?;
        let selected = sparse_linear(&covariance, &order, run)?;
        if !selected.dependent.is_empty() {
            let message = format!(
                "{}: exact linear functions of columns before them, which are given no effect beside those",
                reports::list(task.names(), &selected.dependent)
            );
            diagnostics.push(Diagnostic::warning("dependent-columns", message));
        }
        Ok(Found::dag(&selected.dag, order, diagnostics).linear(covariance))
    }
}
