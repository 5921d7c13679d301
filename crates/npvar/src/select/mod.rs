//! From an order to a graph: which of the nodes before a node are its parents (appendix A of the paper).

mod dependencies;
mod gam_significance;
mod importance;
mod last_look;
mod loss_test;
mod marginal_likelihood;
mod neighbourhood;
mod posterior;
mod relevance;
mod sparse_linear;
mod term_test;

pub use gam_significance::{
    ChildCandidates, Selection, Test, gam_significance, gam_significance_estimated, gam_significance_within,
};
pub use importance::{Importance, leave_one_out, permutation};
pub use last_look::{Kept, LastLook, last_look};
pub use loss_test::LossTest;
pub use marginal_likelihood::{EvidenceRule, marginal_likelihood, p_value_of_cost};
pub use neighbourhood::boosted_neighbourhoods;
pub use relevance::relevant_parents;
pub use sparse_linear::{SparseLinear, sparse_linear};
