//! What an order and its edges are worth, in nats.

use serde::{Deserialize, Serialize};

use crate::graph::{EdgeKind, Node};
use crate::local_score::NoiseKind;

/// The evidence behind an order.
#[derive(Debug, Clone, PartialEq)]
pub struct Nats {
    /// Of the whole.
    pub total: TotalNats,
    /// Of every edge.
    pub edges: Vec<EdgeNats>,
    /// Of every neighbouring pair of the order, first pair first: what exchanging the two costs, each choosing its parents
    /// anew; nothing where what is known rules it out, or there was no time. Below zero only where the order was given
    /// and another is better.
    pub order: Vec<Option<f64>>,
}

/// Total evidence, on the scale of the columns as they are, up to `−(n d/2) log 2π`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct TotalNats {
    /// Which noise was chosen: `shared` or `own`.
    pub chosen: NoiseKind,
    /// With one noise variance for all nodes, where that was tried.
    pub shared: Option<f64>,
    /// With each node's own, where that was tried.
    pub own: Option<f64>,
}

/// What stands behind one edge.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EdgeNats {
    /// The parent.
    pub parent: Node,
    /// The child.
    pub child: Node,
    /// What leaving the edge out costs; nothing for a required edge, or where there was no time.
    pub without: Option<f64>,
    /// What the best order found with the child before the parent costs; nothing where the order was given or what is known
    /// rules it out.
    pub turned: Option<f64>,
}

impl Nats {
    /// Whether each node was given a noise variance of its own: then no unit matters.
    pub(crate) fn has_own_noise(&self) -> bool {
        self.total.chosen == NoiseKind::Own
    }

    /// What stands behind an edge; an undirected one has it from the member of its class that was found.
    pub fn of_edge(&self, from: Node, to: Node, kind: EdgeKind) -> Option<&EdgeNats> {
        let is = |edge: &&EdgeNats, parent, child| edge.parent == parent && edge.child == child;
        self.edges.iter().find(|edge| is(edge, from, to) || kind == EdgeKind::Undirected && is(edge, to, from))
    }
}
