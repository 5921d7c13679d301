//! A node after a set: how well it is explained by parents of its own choice.
//!
//! GES asks for the value of a node with *given* parents ([`LocalScore`](super::LocalScore)). A search over orders asks
//! another question: the node may choose its parents among the nodes before it; which does it choose, and what is the
//! value then? Questions come in batches (all that one move of a search needs), so that they can be answered together.

use crate::error::Result;
use crate::graph::{Knowledge, Node, NodeSet};
use crate::run::Run;

/// A question: this node may choose parents among these.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParentChoice {
    /// The node.
    pub node: Node,
    /// The nodes it may choose among; neither itself nor a required parent.
    pub candidates: NodeSet,
    /// Those of them that it must do without, though the price of the choice counts them.
    pub barred: NodeSet,
    /// Its parents whatever it chooses, increasing.
    pub required: Vec<Node>,
    /// The choice to begin from, increasing; what is no candidate is left out.
    pub start: Vec<Node>,
}

impl ParentChoice {
    /// What a node after these may choose: none that is forbidden, and all that are required.
    pub fn after(node: Node, before: &NodeSet, start: &[Node], knowledge: &Knowledge) -> Self {
        let mut candidates = before.clone();
        let mut required = Vec::new();
        for other in before.ones() {
            if knowledge.requires(other, node) {
                required.push(other);
                candidates.remove(other);
            } else if knowledge.forbids(other, node) {
                candidates.remove(other);
            }
        }
        ParentChoice { node, candidates, barred: NodeSet::new(), required, start: start.to_vec() }
    }

    /// The same without some of the candidates, which are still counted.
    pub fn barring(self, barred: NodeSet) -> Self {
        ParentChoice { barred, ..self }
    }

    /// Whether the node may choose another.
    pub(super) fn is_open(&self, other: Node) -> bool {
        self.candidates.contains(other) && !self.barred.contains(other)
    }
}

/// An answer: the parents chosen, and what the node is worth with them.
#[derive(Debug, Clone, PartialEq)]
pub struct ChosenParents {
    /// Log evidence in nats, less the price of choosing these parents among so many candidates; higher is better.
    pub nats: f64,
    /// The parents, required ones included, increasing.
    pub parents: Vec<Node>,
}

/// A score of "this node after that set".
pub trait AfterSet: Sync {
    /// `d`.
    fn nodes(&self) -> usize;

    /// Answers every question. The answers depend on the questions alone, not on what was asked before nor on the number of
    /// threads.
    ///
    /// # Errors
    /// When a value cannot be computed, or the run is cancelled.
    fn choose(&self, choices: &[ParentChoice], run: &Run<'_>) -> Result<Vec<ChosenParents>>;
}
