//! Tests of (conditional) independence: the p-value of "x and y are independent given the set". They have never heard of
//! graphs.
//!
//! | test | for | conditional on a set |
//! |---|---|---|
//! | [`FisherZ`] | jointly Gaussian columns | partial correlation |
//! | [`Contingency`] (χ², G²) | discrete columns | one table per combination of values |
//! | [`HsicTest`] | any dependence | HSIC of the residuals of additive regressions on the set |
//! | [`Kci`] | any dependence | Zhang et al. 2011 |

mod contingency;
mod fisher_z;
pub mod hsic;
mod hsic_columns;
mod hsic_test;
pub mod kci;
mod pair_sums;

pub use crate::numerics::kernel::Width;
pub use contingency::{Contingency, Discrepancy};
pub use fisher_z::FisherZ;
pub use hsic::{CentredKernel, GammaTest, Hsic, Kernels, NullVariance};
pub use hsic_columns::{ColumnsSide, LowRankFrom};
pub use hsic_test::HsicTest;
pub use kci::{Kci, KciWidth};

use faer::Mat;

use crate::data::Dataset;
use crate::error::Result;

/// A test of independence between columns of one sample (or an oracle that knows).
pub trait IndependenceTest: Sync {
    /// `d`, the number of columns.
    fn nodes(&self) -> usize;

    /// The p-value of "`x` and `y` are independent given the columns in `given`": a number from 0 to 1, never NaN, the same to
    /// the bit when `x` and `y` are swapped. `given` is sorted and contains neither.
    ///
    /// # Errors
    /// When the sample cannot answer. A test is not interrupted: searches look at the stop flag between tests.
    fn p_value(&self, x: usize, y: usize, given: &[usize]) -> Result<f64>;

    /// The largest `given` the sample can answer for; no limit unless the test says so.
    fn largest_given(&self) -> usize {
        usize::MAX
    }
}

/// The columns side by side.
fn matrix(data: &Dataset, columns: &[usize]) -> Mat<f64> {
    Mat::from_fn(data.n(), columns.len(), |i, j| data.column(columns[j])[i])
}
