//! From an order to a graph: which of the nodes before a node are its parents (appendix A of the paper).

mod gam_significance;
mod marginal_likelihood;
mod null_space;
mod posterior;
mod term_test;

pub use gam_significance::{Selection, Test, gam_significance, gam_significance_estimated};
pub use marginal_likelihood::{EvidenceRule, marginal_likelihood, p_value_of_cost};
