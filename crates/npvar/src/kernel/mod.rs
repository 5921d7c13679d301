//! Kernel matrices: what HSIC, KCI and the generalised scores have in common.

mod gaussian;
mod incomplete_cholesky;
pub mod pairwise;

pub use gaussian::{Width, Zeros, centre, gaussian_matrix, median_distance, median_squared_distance};
pub use incomplete_cholesky::{LowRank, incomplete_cholesky};
