//! NoGAM: sinks by how well their noise predicts the log density's derivative, then the common selection.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::along_order::{Ordered, Significance};
use super::facts::{LearnerInfo, Options, RestsOn, Uses};
use super::found::{Found, StructureLearner};
use super::input::Task;
use super::stein_search::{SteinSearch, Units, slices};
use crate::data::Dataset;
use crate::error::{Error, Result, within};
use crate::graph::Order;
use crate::order::{RidgeRule, SteinRows, nogam_within};
use crate::regress::GamConfig;
use crate::run::{Diagnostic, Run};
use crate::smooth::FewValued;

/// NoGAM (Montagna et al. 2023): the node whose derivative of the log density is best predicted from its residuals is the next
/// sink; then the same selection as NPVAR.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct NogamConfig {
    /// The ridge of the derivatives' estimate.
    pub eta_g: f64,
    /// The ridge of the two kernel ridge regressions.
    pub ridge: f64,
    /// γ of their kernel exp(−γ|x − x'|²).
    pub gamma: f64,
    /// Every row is predicted by regressions on the folds it is not in: how many folds, runs of rows.
    pub folds: usize,
    /// The units of the columns in the order search: `as-given` (as the authors) or `standardised`.
    pub units: Units,
    /// Up to this many samples everything rests on all rows (memory grows with the square of their number, time with the cube).
    pub exact_up_to: usize,
    /// With more samples: how many inducing rows, chosen at random, carry the derivatives, and the rank of the regressions.
    pub inducing: usize,
    /// The level of the parent selection.
    pub cutoff: f64,
    /// The additive model of the parent selection.
    pub selection: GamConfig,
}

impl Default for NogamConfig {
    /// The numbers that the authors' package states, and the common selection.
    fn default() -> Self {
        let RidgeRule { ridge, gamma, folds, .. } = RidgeRule::default();
        NogamConfig {
            eta_g: 0.001,
            ridge,
            gamma,
            folds,
            units: Units::AsGiven,
            exact_up_to: 2000,
            inducing: 500,
            cutoff: 0.001,
            selection: GamConfig::default(),
        }
    }
}

impl Options for NogamConfig {
    const INFO: LearnerInfo = LearnerInfo {
        name: "nogam",
        title: "NoGAM",
        summary: "NoGAM (Montagna et al. 2023): sinks whose noise predicts the log density's derivative, parents by significance",
        assumes: "nonlinear relations with additive noise of any law, all variables observed",
    };

    /// What the package computes: its kernel's γ is its ridge, whatever γ is given; and mgcv's basis in the selection.
    fn reference() -> Option<Self> {
        let selection = GamConfig { few_valued: FewValued::Spline, ..GamConfig::default() };
        Some(NogamConfig { gamma: 0.01, selection, ..NogamConfig::default() })
    }

    fn check(&self) -> Result<()> {
        self.stein().check()?;
        for (option, value) in [("ridge", self.ridge), ("gamma", self.gamma)] {
            within(option, value > 0.0 && value.is_finite(), "must be a positive number", value)?;
        }
        within("folds", (2..=100).contains(&self.folds), "must be between 2 and 100", self.folds)?;
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

    fn is_misled_by_copies(&self) -> bool {
        true
    }
}

impl StructureLearner for NogamConfig {
    fn find(&self, task: &Task<'_>, run: &Run<'_>) -> Result<Found> {
        let mut diagnostics = Vec::new();
        let order = match task.order {
            Some(order) => order.clone(),
            None => self.search(task, &mut diagnostics, run)?,
        };
        Ordered::new(order, diagnostics).select(task, self.significance(), run)
    }
}

impl NogamConfig {
    fn search(&self, task: &Task<'_>, diagnostics: &mut Vec<Diagnostic>, run: &Run<'_>) -> Result<Order> {
        let (search, data) = (self.stein(), Dataset::of(task.rows, run)?);
        if data.n() < 2 * self.folds {
            return Err(Error::TooFewSamples { what: "NoGAM", needed: 2 * self.folds, n: data.n() });
        }
        let (columns, rule) = (search.columns(&data), search.rule(data.n(), diagnostics, run));
        let rank = match &rule.rows {
            SteinRows::All => None,
            SteinRows::Inducing(rows) => Some(rows.len()),
        };
        let ridge = RidgeRule { ridge: self.ridge, gamma: self.gamma, folds: self.folds, rank };
        let (order, steps) = nogam_within(&slices(&columns), &rule, ridge, task.knowledge, run)?;
        diagnostics.extend(search.ridge_decides(steps.iter().map(|step| step.width)));
        Ok(order)
    }

    fn significance(&self) -> Significance<'_> {
        Significance { selection: &self.selection, cutoff: self.cutoff }
    }

    fn stein(&self) -> SteinSearch {
        let NogamConfig { eta_g, units, exact_up_to, inducing, .. } = *self;
        SteinSearch { eta_g, eta_h: eta_g, units, exact_up_to, inducing }
    }
}
