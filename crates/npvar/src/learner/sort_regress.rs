//! Var-sort-regress and R²-sort-regress: the two tiny learners every simulated comparison needs beside it. Where they do
//! well, a method that does well has shown little (Reisach, Seiler & Weichwald 2021; Reisach et al. 2023).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::facts::{LearnerInfo, Options, RestsOn, Uses};
use super::found::{Found, StructureLearner};
use super::input::Task;
use super::linear_parents::LinearParentsConfig;
use crate::data::Covariance;
use crate::error::Result;
use crate::graph::{Knowledge, Order};
use crate::regress::GamConfig;
use crate::run::{Event, Run};

/// Parents along the columns sorted by their scores; with knowledge, along again and again the smallest of those that may come
/// next.
fn find(
    config: &LinearParentsConfig,
    scores: fn(&Covariance) -> Vec<f64>,
    task: &Task<'_>,
    run: &Run<'_>,
) -> Result<Found> {
    let covariance = Covariance::of(task.rows, run)?;
    let order = match task.order {
        Some(order) => order.clone(),
        None => sorted(&scores(&covariance), task.knowledge)?,
    };
    let d = task.columns.len();
    run.report(&Event::Layer { layer: order.nodes(), ordered: d, nodes: d })?;
    config.select(order, covariance, Vec::new(), task, run)
}

fn sorted(scores: &[f64], knowledge: &Knowledge) -> Result<Order> {
    let mut nodes: Vec<usize> = (0..scores.len()).collect();
    nodes.sort_by(|&a, &b| scores[a].total_cmp(&scores[b]));
    Order::new(knowledge.arranged(&nodes))
}

/// Var-sort-regress (Reisach, Seiler & Weichwald 2021): columns sorted by their variance.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct VarSortRegressConfig(pub LinearParentsConfig);

/// R²-sort-regress (Reisach et al. 2023): columns sorted by how well all others predict them linearly.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct R2SortRegressConfig(pub LinearParentsConfig);

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
        RestsOn { equal_variances: false, natural_scale: true, units: true, additivity: true }
    }

    fn selection(&self) -> Option<GamConfig> {
        self.0.selection()
    }
}

impl StructureLearner for VarSortRegressConfig {
    fn find(&self, task: &Task<'_>, run: &Run<'_>) -> Result<Found> {
        find(&self.0, variances, task, run)
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
        RestsOn { equal_variances: false, natural_scale: false, units: false, additivity: true }
    }

    fn selection(&self) -> Option<GamConfig> {
        self.0.selection()
    }
}

impl StructureLearner for R2SortRegressConfig {
    fn find(&self, task: &Task<'_>, run: &Run<'_>) -> Result<Found> {
        find(&self.0, Covariance::r_squared, task, run)
    }
}

fn variances(covariance: &Covariance) -> Vec<f64> {
    (0..covariance.matrix().nrows()).map(|j| covariance.matrix()[(j, j)]).collect()
}
