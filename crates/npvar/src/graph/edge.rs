//! What can stand between two nodes.

use serde::{Deserialize, Serialize};

/// The marks at the two ends of an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EdgeKind {
    /// `from -> to`.
    #[default]
    Directed,
    /// `from -- to`: the direction is not known.
    Undirected,
    /// `from <-> to`: arrowheads at both ends (two unshielded colliders that contradict each other in PC).
    Bidirected,
}

/// An edge between named nodes, as the `npvar-graph/1` object and every other file writes it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Edge {
    /// The parent, where there is one.
    pub from: String,
    /// The child, where there is one.
    pub to: String,
    /// The marks; directed when a file does not say.
    #[serde(default)]
    pub kind: EdgeKind,
}
