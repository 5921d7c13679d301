//! Kernel matrices: what HSIC, KCI, the generalised scores and NoGAM have in common.

mod gaussian;
mod incomplete_cholesky;
pub(crate) mod pairwise;
pub(crate) mod ridge;

pub use gaussian::Width;
pub(crate) use gaussian::{
    Zeros, centre, gaussian_matrix, gaussian_matrix_during, median_distance, median_squared_distance,
};
pub(crate) use incomplete_cholesky::{incomplete_cholesky, incomplete_cholesky_during};
