//! The operators of the search.

use crate::error::Result;
use crate::graph::Node;
use crate::local_score::LocalScore;
use crate::run::Run;

/// What an operator does to the edge `x → y`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OperatorKind {
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
    pub kind: OperatorKind,
    /// The node the edge leaves.
    pub x: Node,
    /// The node the edge points at.
    pub y: Node,
    /// `C`: the neighbours of `y` that are its parents, increasing.
    pub clique: Vec<Node>,
}

/// Operators that differ in `x` only, so that their gains can share work.
#[derive(Debug, Clone)]
pub(super) struct Batch {
    pub(super) kind: OperatorKind,
    pub(super) y: Node,
    pub(super) clique: Vec<Node>,
    /// The parents of `y` other than `x`.
    pub(super) parents: Vec<Node>,
    /// Every `x`.
    pub(super) sources: Vec<Node>,
    /// For a turn, which has one source: the parents of `x` other than `y`.
    pub(super) above: Vec<Node>,
}

impl Batch {
    /// By how much each operator raises the score.
    pub(super) fn gains(&self, score: &dyn LocalScore, run: &Run<'_>) -> Result<Vec<f64>> {
        let mut gains = score.gains(self.y, &self.parents, &self.sources, run)?;
        match self.kind {
            OperatorKind::Insert => {}
            OperatorKind::Delete => gains.iter_mut().for_each(|gain| *gain = -*gain),
            OperatorKind::Turn => {
                for (gain, &x) in gains.iter_mut().zip(&self.sources) {
                    *gain -= score.gains(x, &self.above, &[self.y], run)?[0];
                }
            }
        }
        Ok(gains)
    }

    pub(super) fn operator(&self, x: Node) -> Operator {
        Operator { kind: self.kind, x, y: self.y, clique: self.clique.clone() }
    }
}
