//! Kernel matrices: what HSIC, KCI and the generalised scores have in common.

mod gaussian;

pub use gaussian::{Width, Zeros, centre, gaussian_matrix, median_squared_distance, squared_distances};
