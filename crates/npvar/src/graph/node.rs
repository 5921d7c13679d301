//! Nodes and sets of them.

/// A node is the position of its column, 0-based.
pub type Node = usize;

/// A set of nodes.
pub type NodeSet = fixedbitset::FixedBitSet;
