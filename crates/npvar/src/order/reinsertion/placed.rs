//! An order, and the parents that every node chose in it.

use crate::error::Result;
use crate::graph::{Dag, Node, Order};
use crate::local_score::ChosenParents;

/// The nodes in order, and what each chose among the nodes before it.
#[derive(Debug, Clone, PartialEq)]
pub struct Placed {
    /// The nodes, source first.
    pub(super) order: Vec<Node>,
    /// By node.
    pub(super) chosen: Vec<ChosenParents>,
}

impl Placed {
    /// The sum of the nodes' scores.
    pub fn total(&self) -> f64 {
        self.chosen.iter().map(|chosen| chosen.nats).sum()
    }

    /// The nodes, source first.
    pub fn nodes(&self) -> &[Node] {
        &self.order
    }

    /// Each node's parents and score.
    pub fn chosen(&self) -> &[ChosenParents] {
        &self.chosen
    }

    /// Each node's parents.
    pub fn parents(&self) -> Vec<Vec<Node>> {
        self.chosen.iter().map(|chosen| chosen.parents.clone()).collect()
    }

    /// The order.
    ///
    /// # Errors
    /// Never: the nodes are a permutation.
    pub fn order(&self) -> Result<Order> {
        Order::new(self.order.clone())
    }

    /// The graph of all parents.
    ///
    /// # Errors
    /// Never: parents come before their children.
    pub fn dag(&self) -> Result<Dag> {
        let edges = self.chosen.iter().enumerate();
        Dag::from_edges(
            self.order.len(),
            edges.flat_map(|(child, chosen)| chosen.parents.iter().map(move |&parent| (parent, child))),
        )
    }
}
