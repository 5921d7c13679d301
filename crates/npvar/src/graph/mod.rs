//! Orders, layers and graphs, valid by construction.

mod dag;
mod order;

pub use dag::Dag;
pub use order::{Layers, Order};

/// A node is the position of its column, 0-based.
pub type Node = usize;

/// A set of nodes.
pub type NodeSet = fixedbitset::FixedBitSet;
