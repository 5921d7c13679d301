//! Kernel matrices: what HSIC, KCI and the generalised scores have in common.

mod incomplete_cholesky;

pub use incomplete_cholesky::{LowRank, incomplete_cholesky};
