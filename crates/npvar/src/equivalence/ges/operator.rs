//! The operators of the search.

use crate::graph::Node;

/// What an operator does to the edge `x → y`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Adds it.
    Insert,
    /// Takes it away.
    Delete,
    /// Makes it out of `y → x`.
    Turn,
}

/// A change of the class: see the [module](super) for what `clique` means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operator {
    /// What happens to `x → y`.
    pub kind: Kind,
    /// The node the edge leaves.
    pub x: Node,
    /// The node the edge points at.
    pub y: Node,
    /// `C`: the neighbours of `y` that are its parents, increasing.
    pub clique: Vec<Node>,
}

/// A local score an operator's gain is made of: the node and its parents, increasing.
pub(super) type Term = (Node, Vec<Node>);

/// An operator and its gain, `Σ gained − Σ lost`.
#[derive(Debug, Clone)]
pub(super) struct Proposal {
    pub(super) operator: Operator,
    pub(super) gained: Vec<Term>,
    pub(super) lost: Vec<Term>,
}
