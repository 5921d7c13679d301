//! Generalised scores (Huang, Zhang, Lin, Schölkopf & Glymour 2018, "Generalised score functions for causal discovery"):
//! how well `X` is explained by its parents `Z` through regression of `X`'s features in one RKHS on those of `Z` in another.
//! Nothing is assumed about the form of the relation or of the noise. GES over them is GSGES.
//!
//! Kernels, for both scores, as in the authors' code: a Gaussian kernel for each column, a product over parents,
//!
//! ```text
//! k(a, b) = exp(−(a − b)²/(4 v))      v: the median of the squared distances, of pairs of rows that differ
//! ```
//!
//! and centring over the whole sample, `K̃ = HKH` with `H = I − 11'/n`. (Past [`MEDIAN_ROWS`] rows the median is that of as
//! many rows, evenly spaced.)
//!
//! **Factors instead of kernel matrices.** Both scores need only `K̃ = ΛΛ'`: with pivoted Cholesky factors of rank `m` a score
//! costs `O(n m²)`, not `O(n³)`. [`Approximation::Exact`] factors down to rounding (the rank is then often far below `n`
//! all the same), [`Approximation::LowRank`] stops earlier. A single column's factor always goes down to rounding: its
//! rank is about 20 whatever `n`.

mod cross_validated;
mod factors;
mod marginal;

pub use cross_validated::CrossValidated;
pub use factors::{Approximation, MEDIAN_ROWS};
pub use marginal::MarginalLikelihood;
