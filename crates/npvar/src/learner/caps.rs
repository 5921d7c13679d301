//! CaPS: sinks by the mean of the log density's second derivative, then the common selection between two looks at the parent
//! scores.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::along_order::{Ordered, Significance};
use super::facts::{LearnerInfo, Options, RestsOn, Uses};
use super::found::{Found, StructureLearner};
use super::input::Task;
use super::stein_search::{SteinSearch, Units, slices};
use crate::data::Dataset;
use crate::error::{Result, within};
use crate::graph::{EdgeKind, Node, Order, Pdag};
use crate::order::{caps_within, parent_scores};
use crate::regress::GamConfig;
use crate::run::Run;

/// CaPS (Xu et al. 2024): the node whose second derivative of the log density has the largest mean is the next sink; parents by
/// the same selection as NPVAR's, without candidates of small parent score and with those of very large ones.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct CapsConfig {
    /// The ridge of the first derivatives' estimate.
    pub eta_g: f64,
    /// The ridge of the second derivatives' estimate.
    pub eta_h: f64,
    /// The units of the columns in the order search: `as-given` (as the authors) or `standardised`.
    pub units: Units,
    /// Up to this many samples the estimate rests on all rows (memory grows with the square of their number, time with the cube).
    pub exact_up_to: usize,
    /// With more samples: how many inducing rows, chosen at random, carry the estimate.
    pub inducing: usize,
    /// λ₁: a candidate whose parent score is below the column's largest divided by this is not tested.
    pub lambda1: f64,
    /// λ₂: after the tests, a pair along the order whose parent score is at least this many times the mean over all pairs of
    /// what the edges have is an edge.
    pub lambda2: f64,
    /// The level of the parent selection.
    pub cutoff: f64,
    /// The additive model of the parent selection.
    pub selection: GamConfig,
}

impl Default for CapsConfig {
    /// The authors' numbers, and the common selection.
    fn default() -> Self {
        CapsConfig {
            eta_g: 0.001,
            eta_h: 0.001,
            units: Units::AsGiven,
            exact_up_to: 5000,
            inducing: 1000,
            lambda1: 50.0,
            lambda2: 50.0,
            cutoff: 0.001,
            selection: GamConfig::default(),
        }
    }
}

impl Options for CapsConfig {
    const INFO: LearnerInfo = LearnerInfo {
        name: "caps",
        title: "CaPS",
        summary: "CaPS (Xu et al. 2024): sinks by the mean second derivative of the log density, parents by significance and score",
        assumes: "linear or nonlinear relations with additive Gaussian noise whose variances do not fall along the order, or \
                  effects strong enough to make up for it; measured on their natural scale",
    };

    fn check(&self) -> Result<()> {
        self.stein().check()?;
        for (option, factor) in [("lambda1", self.lambda1), ("lambda2", self.lambda2)] {
            within(option, factor >= 1.0, "must be at least 1", factor)?;
        }
        self.significance().check()
    }

    fn uses(&self) -> Uses {
        Uses::ORDER
    }

    fn rests_on(&self) -> RestsOn {
        RestsOn { equal_variances: false, natural_scale: true, units: self.units == Units::AsGiven, additivity: false }
    }

    fn selection(&self) -> Option<GamConfig> {
        Some(self.selection)
    }
}

impl StructureLearner for CapsConfig {
    fn find(&self, task: &Task<'_>, run: &Run<'_>) -> Result<Found> {
        let mut diagnostics = Vec::new();
        let (search, data) = (self.stein(), Dataset::of(task.rows, run)?);
        let (columns, rule) = (search.columns(&data), search.rule(data.n(), &mut diagnostics, run));
        let columns = slices(&columns);
        let order = match task.order {
            Some(order) => order.clone(),
            None => {
                let (order, steps) = caps_within(&columns, &rule, task.knowledge, run)?;
                diagnostics.extend(search.ridge_decides(steps.iter().map(|step| step.width)));
                order
            }
        };
        let scores = parent_scores(&columns, &rule, run)?;
        let ordered = Ordered::new(order.clone(), diagnostics);
        let mut found = ordered.select_among(&self.candidates(&order, &scores), task, self.significance(), run)?;
        self.supplement(&mut found.graph, &order, &scores);
        Ok(found)
    }
}

impl CapsConfig {
    /// The nodes before a node whose parent scores are not small beside its largest.
    fn candidates(&self, order: &Order, scores: &[Vec<f64>]) -> Vec<Vec<Node>> {
        let mut candidates = vec![Vec::new(); scores.len()];
        for (place, &child) in order.nodes().iter().enumerate() {
            let largest = scores.iter().map(|row| row[child]).fold(0.0, f64::max);
            let before = order.nodes()[..place].iter().copied();
            candidates[child] = before.filter(|&parent| scores[parent][child] >= largest / self.lambda1).collect();
        }
        candidates
    }

    /// Adds the pairs along the order with very large parent scores.
    ///
    /// Differs from the authors' code, which also adds edges against its order where they close no cycle.
    fn supplement(&self, graph: &mut Pdag, order: &Order, scores: &[Vec<f64>]) {
        let pairs = (scores.len() * scores.len()) as f64;
        let mean = graph.edges().iter().map(|&(parent, child, _)| scores[parent][child]).sum::<f64>() / pairs;
        for (place, &child) in order.nodes().iter().enumerate() {
            for &parent in &order.nodes()[..place] {
                // Without an edge there is nothing to be large beside.
                if mean > 0.0 && scores[parent][child] >= self.lambda2 * mean {
                    graph.set(parent, child, EdgeKind::Directed);
                }
            }
        }
    }

    fn significance(&self) -> Significance<'_> {
        Significance { selection: &self.selection, cutoff: self.cutoff }
    }

    fn stein(&self) -> SteinSearch {
        let CapsConfig { eta_g, eta_h, units, exact_up_to, inducing, .. } = *self;
        SteinSearch { eta_g, eta_h, units, exact_up_to, inducing }
    }
}
