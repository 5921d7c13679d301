//! What is known about a graph beforehand: edges that must or must not be there, tiers, roots and sinks.
//!
//! Tiers order groups of nodes, in time for instance: no edge leads from a later tier to an earlier one. Nodes in no tier may
//! stand anywhere. A root has no parents, a sink no children.
//!
//! [`Knowledge::new`] checks that the pieces agree (`written.rs`). For learners that find an order it also says who comes before
//! whom (`precedence.rs`), and for those that find an equivalence
//! class which of its members agree (`class.rs`).

mod class;
mod known;
mod precedence;
mod written;

pub use known::Knowledge;
pub use written::WrittenKnowledge;
