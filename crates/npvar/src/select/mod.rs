//! From an order to a graph: which of the nodes before a node are its parents (appendix A of the paper).

mod gam_significance;
mod marginal_likelihood;
mod neighbourhood;
mod null_space;
mod posterior;
mod sparse_linear;
mod term_test;

pub use gam_significance::{Selection, Test, gam_significance, gam_significance_estimated, gam_significance_within};
pub use marginal_likelihood::{EvidenceRule, marginal_likelihood, p_value_of_cost};
pub use neighbourhood::boosted_neighbourhoods;
pub use sparse_linear::{SparseLinear, sparse_linear};
