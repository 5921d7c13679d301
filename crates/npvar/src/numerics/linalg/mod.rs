//! Dense linear algebra: thin wrappers over `faer`, and what it lacks for matrices of a handful of rows.
//!
//! Matrices that cross module borders are row-major slices. Eigenvalue problems run on one thread: their results would
//! otherwise depend on the number of threads.

pub(crate) mod cholesky;
mod eigen;
mod exponential;
mod factored;
mod product;
pub(crate) mod small;
pub(crate) mod small_symmetric;
mod symmetric;
mod triangular;
pub(crate) mod upper;
pub(crate) mod wide;

pub(crate) use cholesky::cholesky_here;
pub(crate) use eigen::{eigen, eigen_during};
pub(crate) use exponential::{dot_in_lanes, exp_of_nonpositive, vectorised};
pub(crate) use factored::Cholesky;
pub(crate) use product::{Into, columns_at_once, multiply, multiply_during, multiply_here, row_major, row_major_mut};
#[cfg(test)]
pub(crate) use symmetric::positive_inverse;
pub(crate) use symmetric::{positive_inverse_during, symmetric_square};
pub(crate) use triangular::TriangularRows;
