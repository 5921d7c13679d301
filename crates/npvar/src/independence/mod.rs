//! Tests of (conditional) independence: p-values of "x and y are independent given the set". They have never heard of graphs.

pub mod hsic;

pub use hsic::{CentredKernel, GammaTest, Hsic, NullVariance};
