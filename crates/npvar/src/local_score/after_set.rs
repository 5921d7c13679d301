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
    /// Among all other nodes.
    #[cfg(test)]
    pub(super) fn free(node: Node, nodes: usize) -> Self {
        let candidates = (0..nodes).filter(|&other| other != node).collect();
        ParentChoice { node, candidates, barred: NodeSet::new(), required: Vec::new(), start: Vec::new() }
    }

    /// The same without some of the candidates, which are still counted.
    pub fn barring(self, barred: NodeSet) -> Self {
        ParentChoice { barred, ..self }
    }

    /// How many nodes there are to choose among, and how many of these parents are chosen of them.
    pub(super) fn counts(&self, parents: &[Node]) -> (usize, usize) {
        (self.candidates.count_ones(..), parents.len() - self.required.len())
    }

    /// Whether the node may choose another.
    pub(super) fn is_open(&self, other: Node) -> bool {
        self.candidates.contains(other) && !self.barred.contains(other)
    }
}

/// Whom every node may choose, by what is known beforehand.
#[derive(Debug, Clone)]
pub struct Allowed {
    /// By node, those that are neither forbidden nor required.
    open: Vec<NodeSet>,
    required: Vec<NodeSet>,
}

impl Allowed {
    /// None that is forbidden, and all that are required.
    pub fn by(knowledge: &Knowledge) -> Self {
        let nodes = knowledge.nodes();
        let set = |belongs: &dyn Fn(Node) -> bool| {
            let mut set = NodeSet::with_capacity(nodes);
            set.extend((0..nodes).filter(|&other| belongs(other)));
            set
        };
        let required: Vec<NodeSet> = (0..nodes).map(|node| set(&|other| knowledge.requires(other, node))).collect();
        let open = |node: Node| {
            set(&|other| other != node && !knowledge.requires(other, node) && !knowledge.forbids(other, node))
        };
        Allowed { open: (0..nodes).map(open).collect(), required }
    }

    /// What a node after these may choose.
    pub fn choice(&self, node: Node, before: &NodeSet, start: &[Node]) -> ParentChoice {
        let mut candidates = before.clone();
        candidates.intersect_with(&self.open[node]);
        let required = self.required[node].intersection(before).collect();
        ParentChoice { node, candidates, barred: NodeSet::new(), required, start: start.to_vec() }
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

    /// The part of an answer's value that its number of parents costs.
    fn price(&self, choice: &ParentChoice, chosen: &ChosenParents) -> f64;

    /// The same, looking farther where a choice would end, if the score can: slower, and never worse.
    ///
    /// # Errors
    /// When a value cannot be computed, or the run is cancelled.
    fn choose_patiently(&self, choices: &[ParentChoice], run: &Run<'_>) -> Result<Vec<ChosenParents>> {
        self.choose(choices, run)
    }
}
