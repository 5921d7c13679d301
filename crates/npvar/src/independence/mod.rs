//! Tests of (conditional) independence: p-values of "x and y are independent given the set". They have never heard of graphs.

pub mod hsic;
mod hsic_columns;

pub use hsic::{CentredKernel, GammaTest, Hsic, NullVariance};
pub use hsic_columns::LowRankFrom;
