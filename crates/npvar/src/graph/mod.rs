//! Orders, layers and graphs, valid by construction.
//!
//! [`Dag`] is what an order-based learner returns, [`Pdag`] what a constraint- or score-based one does, [`Cpdag`] the
//! Markov equivalence class of a DAG.

#[cfg(test)]
pub(crate) mod arbitrary;
mod cpdag;
mod dag;
mod edge;
mod extension;
mod meek;
mod order;
mod pdag;

pub use cpdag::Cpdag;
pub use dag::Dag;
pub use edge::{Edge, EdgeKind};
pub use order::{Layers, Order};
pub use pdag::Pdag;

/// A node is the position of its column, 0-based.
pub type Node = usize;

/// A set of nodes.
pub type NodeSet = fixedbitset::FixedBitSet;
