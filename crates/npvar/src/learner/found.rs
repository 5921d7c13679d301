//! What a learner finds.

use super::input::Task;
use super::nats::Nats;
use crate::data::Covariance;
use crate::error::Result;
use crate::graph::{Dag, Layers, Order, Pdag};
use crate::order::Step;
use crate::run::{Diagnostic, Run};
use crate::select::Test;

/// A graph, how it was found, and what was noticed on the way.
pub(crate) struct Found {
    pub(crate) graph: Pdag,
    /// The order behind it, source first.
    pub(crate) order: Option<Order>,
    pub(crate) layers: Option<Layers>,
    pub(crate) steps: Option<Vec<Step>>,
    pub(crate) tests: Option<Vec<Test>>,
    /// What its order and its edges are worth, where evidence found them.
    pub(crate) nats: Option<Nats>,
    /// The columns' covariance, where every relation is linear: the edges' weights come from it.
    pub(crate) covariance: Option<Covariance>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

impl Found {
    /// A graph that no order stands behind.
    pub(crate) fn class(graph: Pdag, diagnostics: Vec<Diagnostic>) -> Self {
        Found { graph, order: None, layers: None, steps: None, tests: None, nats: None, covariance: None, diagnostics }
    }

    /// A directed acyclic graph and an order that it agrees with.
    pub(crate) fn dag(dag: &Dag, order: Order, diagnostics: Vec<Diagnostic>) -> Self {
        Found {
            graph: Pdag::from(dag),
            order: Some(order),
            layers: None,
            steps: None,
            tests: None,
            nats: None,
            covariance: None,
            diagnostics,
        }
    }

    /// The same, found by linear relations alone.
    pub(crate) fn linear(self, covariance: Covariance) -> Self {
        Found { covariance: Some(covariance), ..self }
    }
}

/// A system that finds a graph in a table. The checks before it and what is written around its answer are the same for all:
/// [`Learner`](super::Learner) adds them.
pub(crate) trait StructureLearner {
    /// Finds the graph.
    ///
    /// # Errors
    /// When the input cannot be used or read, or the run is cancelled.
    fn find(&self, task: &Task<'_>, run: &Run<'_>) -> Result<Found>;
}
