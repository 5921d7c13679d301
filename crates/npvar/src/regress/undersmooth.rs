//! Undersmoothing: less bias than is best for the mean, which is what averages of it (a residual variance) want.
//!
//! The squared bias of a second-order smoother with bandwidth `h` is of order `h⁴`. The best `h` for the mean in one
//! dimension is of order `n^(-1/5)`; an average is estimated at the rate `n^(-1/2)` and wants `h⁴` well below it. Here
//! bandwidths shrink by a further `n^(-1/20)`, to `n^(-1/4)` (Doksum & Samarov 1995 for the kernel plug-in).

/// The further shrinking of a bandwidth in a sample of `n` rows.
pub(super) fn shrinking(n: usize) -> f64 {
    (n.max(1) as f64).powf(-1.0 / 20.0)
}
