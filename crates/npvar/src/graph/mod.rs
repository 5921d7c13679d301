//! Orders, layers and graphs, valid by construction, and the files they are kept in.
//!
//! [`Dag`] is what an order-based learner returns, [`Pdag`] what a constraint- or score-based one does, [`Cpdag`] the
//! Markov equivalence class of a DAG. [`NamedGraph`] joins a graph with the names of its nodes and is what files hold.

#[cfg(test)]
pub(crate) mod arbitrary;
mod builder;
mod cpdag;
mod csv;
mod dag;
mod dot;
mod edge;
mod extension;
mod graphml;
mod json;
mod knowledge;
mod meek;
pub mod named;
mod order;
mod pdag;
mod xml;

pub use cpdag::Cpdag;
pub use dag::Dag;
pub use edge::{Edge, EdgeKind};
pub use knowledge::{Knowledge, WrittenKnowledge};
pub use named::{GraphFormat, NamedGraph};
pub use order::{Layers, Order};
pub use pdag::Pdag;

/// A node is the position of its column, 0-based.
pub type Node = usize;

/// A set of nodes.
pub type NodeSet = fixedbitset::FixedBitSet;
