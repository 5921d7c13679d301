//! Tests of (conditional) independence: the p-value of "x and y are independent given the set". They have never heard of
//! graphs.
//!
//! | test | for | conditional on a set |
//! |---|---|---|
//! | [`FisherZ`] | jointly Gaussian columns | partial correlation |
//! | [`Contingency`] (χ², G²) | discrete columns | one table per combination of values |
//! | [`HsicTest`] | any dependence | HSIC of the residuals given the set |
//! | [`Kci`] | any dependence | Zhang et al. 2011 |
//! | [`Rcot`] | any dependence, many rows | Strobl et al. 2019 |

mod contingency;
mod fisher_z;
pub mod hsic;
mod hsic_columns;
mod hsic_test;
mod independence_test;
pub mod kci;
mod pair_sums;
mod rcot;
mod test_wise;

pub use crate::numerics::kernel::Width;
pub use contingency::{Contingency, Discrepancy};
pub use fisher_z::FisherZ;
pub use hsic::{CentredKernel, GammaTest, Hsic, Kernels, NullVariance};
pub use hsic_columns::{ColumnsSide, LowRankFrom};
pub use hsic_test::HsicTest;
pub use independence_test::IndependenceTest;
pub use kci::{Kci, KciWidth};
pub use rcot::Rcot;
pub use test_wise::TestWise;
