//! Orders, layers and graphs, valid by construction, and the files they are kept in.
//!
//! [`Dag`] is what an order-based learner returns, [`Pdag`] what a constraint- or score-based one does, [`Cpdag`] the
//! Markov equivalence class of a DAG, [`Pag`] that of a graph with hidden nodes. [`NamedGraph`] joins a graph with the names of its nodes and is what files hold.

#[cfg(test)]
pub(crate) mod arbitrary;
mod builder;
mod cpdag;
mod csv;
mod dag;
mod dot;
mod edge;
mod extension;
mod format;
mod graphml;
mod json;
mod knowledge;
mod meek;
mod named;
mod node;
mod order;
mod pag;
mod pdag;

pub use cpdag::Cpdag;
pub use dag::Dag;
pub use edge::{Edge, EdgeKind, Mark};
pub use format::GraphFormat;
pub use knowledge::{Knowledge, WrittenKnowledge};
pub use named::NamedGraph;
pub(crate) use named::match_names;
pub use node::{Node, NodeSet};
pub use order::{Layers, Order};
pub use pag::Pag;
pub use pdag::Pdag;
