//! An order, and the parents that every node chose in it.

use crate::error::Result;
use crate::graph::{Dag, Node, Order};
use crate::local_score::{ChosenParents, ParentChoice};

/// A change must gain more nats than this: less is rounding.
pub(super) const GAIN: f64 = 1e-6;

/// The nodes in order, and what each chose among the nodes before it.
#[derive(Debug, Clone, PartialEq)]
pub struct Placed {
    /// The nodes, source first.
    pub(super) order: Vec<Node>,
    /// By node.
    pub(super) chosen: Vec<ChosenParents>,
}

/// A node taken out of its place and put in another, with what it and the nodes between choose then.
pub(super) struct Move {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) chosen: Vec<(Node, ChosenParents)>,
}

impl Placed {
    /// Whether a node changes its place, or in its place its parents.
    pub(super) fn changes_by(&self, Move { from, to, chosen }: &Move) -> bool {
        from != to || chosen.iter().any(|(node, chosen)| chosen.nats > self.chosen[*node].nats + GAIN)
    }

    pub(super) fn apply(&mut self, Move { from, to, chosen }: Move) {
        let node = self.order.remove(from);
        self.order.insert(to, node);
        chosen.into_iter().for_each(|(node, chosen)| self.chosen[node] = chosen);
    }

    /// Takes the answers that are better than what the nodes have.
    pub(super) fn improve(&mut self, answers: impl Iterator<Item = (ChosenParents, ParentChoice)>) {
        for (answer, choice) in answers {
            let chosen = &mut self.chosen[choice.node];
            if answer.nats > chosen.nats + GAIN {
                *chosen = answer;
            }
        }
    }

    pub(super) fn moved(&self, by: Move) -> Self {
        let mut placed = self.clone();
        placed.apply(by);
        placed
    }

    /// The same order with other choices, which are in its order.
    pub fn with_chosen(mut self, chosen: Vec<ChosenParents>) -> Self {
        self.order.iter().zip(chosen).for_each(|(&node, chosen)| self.chosen[node] = chosen);
        self
    }

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
