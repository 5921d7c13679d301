//! HSIC, the Hilbert–Schmidt independence criterion, with the gamma approximation of its null distribution (Gretton, Fukumizu,
//! Teo, Song, Schölkopf & Smola 2008).
//!
//! ```text
//! statistic  = tr(KH LH)/n                 K, L Gaussian kernel matrices, H = I − 11'/n
//! mean       = (1 − μ_x)(1 − μ_y)/n        μ = mean of the kernel off the diagonal
//! variance   = 2(n−4)(n−5)/(n(n−1)(n−2)(n−3)) · v
//! p          = P(G > statistic),  G gamma with shape mean²/variance and scale n·variance/mean
//! ```
//!
//! Two estimates of `v` are in use, see [`NullVariance`]; the defaults are those of Peters, Mooij, Janzing & Schölkopf (2014).
//! The p-value is the upper tail itself, not one minus the lower, so it is right far below 1e-16.
//!
//! A side whose rows all coincide carries no information: statistic 0, p-value 1. Cost: `n²/2` kernel values per side, once
//! ([`CentredKernel`]), and one pass over `n²/2` products per test; with low-rank factors ([`Kernels`]) `O(n m²)`, `m` the rank.

use faer::{Mat, MatRef};
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::numerics::distribution::gamma_upper_tail;
use crate::numerics::kernel::{Width, centre, gaussian_matrix, incomplete_cholesky};
use crate::numerics::linalg::{Into, multiply_here};

/// Below this many rows the work is not worth waking other threads for.
const PARALLEL_FROM: usize = 500;

/// The estimate of the null distribution's variance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NullVariance {
    /// `v = |HKH|² |HLH|²/(n−1)⁴`, Frobenius norms: the variance under independence, as in Peters et al. 2014.
    #[default]
    Product,
    /// `v` the mean of `(HKH)²_ij (HLH)²_ij` over `i ≠ j`, as in Gretton et al. 2008 and the Python package lingam.
    Joint,
}

/// How kernel matrices are held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Kernels {
    /// In PC: low-rank from 500 rows on where the rank is small (one or two smooth columns), exact otherwise. In RESIT: exact
    /// up to `exact-up-to` rows, low-rank beyond.
    #[default]
    Auto,
    /// All `n²` entries.
    Exact,
    /// Incomplete Cholesky factors. In PC they miss 1e-12 of the trace, and statistics agree with the exact ones to about
    /// 1e-9; in RESIT they miss 1e-6, or more where `rank` does not suffice, which a diagnostic states.
    LowRank,
}

/// What low-rank factors may miss of the trace.
const MISSED: f64 = 1e-12;
/// Below this many rows exact kernels are as fast.
const LOW_RANK_FROM: usize = 500;
/// A rank above `n` over this is not low.
const LOW: usize = 8;

/// The HSIC test: how the kernels' widths and the null variance are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Hsic {
    /// The width of the Gaussian kernels: `median` (all pairs) or `first-100` (lingam).
    pub width: Width,
    /// The variance under independence: `product` (Peters et al. 2014) or `joint` (Gretton et al. 2008, lingam).
    pub null_variance: NullVariance,
    /// How kernel matrices are held: `auto`, `exact` or `low-rank` (`null-variance = "joint"` always takes exact ones).
    pub kernels: Kernels,
}

/// The outcome of a test with a gamma null distribution.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GammaTest {
    /// The statistic.
    pub statistic: f64,
    /// Its upper tail under independence.
    pub p_value: f64,
    /// The shape of the null distribution.
    pub shape: f64,
    /// The scale of the null distribution.
    pub scale: f64,
}

impl GammaTest {
    /// From the null distribution's mean and variance. Without variance there is nothing to reject: p = 1.
    pub(crate) fn from_moments(statistic: f64, mean: f64, variance: f64) -> Self {
        let (shape, scale) = (mean * mean / variance, variance / mean);
        let p_value = if mean > 0.0 && shape.is_finite() && shape > 0.0 && scale > 0.0 {
            gamma_upper_tail(statistic / scale, shape)
        } else {
            1.0
        };
        GammaTest { statistic, p_value, shape, scale }
    }
}

/// One side of an HSIC test, prepared once and used against many others.
#[derive(Debug, Clone)]
pub struct CentredKernel {
    n: usize,
    form: KernelForm,
    /// The mean of `K` off the diagonal.
    mean: f64,
    /// `|HKH|²`.
    square: f64,
}

#[derive(Debug, Clone)]
enum KernelForm {
    /// All rows coincide.
    Nothing,
    /// `HKH`.
    Exact(Mat<f64>),
    /// `HΛ`, with `HKH ≈ HΛ(HΛ)'`.
    LowRank(Mat<f64>),
}

impl Hsic {
    /// The variance of the null distribution has `n − 5` as a factor.
    pub const FEWEST_SAMPLES: usize = 6;

    /// As in the Python package lingam 1.13.
    pub fn lingam() -> Self {
        Hsic { width: Width::First100, null_variance: NullVariance::Joint, kernels: Kernels::Exact }
    }

    /// Prepares one side: the rows of `x` are the samples, its columns are taken jointly.
    ///
    /// # Errors
    /// [`Error::TooFewSamples`] below 6 rows.
    pub fn side(&self, x: MatRef<'_, f64>) -> Result<CentredKernel> {
        let n = x.nrows();
        if n < Self::FEWEST_SAMPLES {
            return Err(Error::TooFewSamples { what: "HSIC", needed: Self::FEWEST_SAMPLES, n });
        }
        let Some(width) = self.width.of(x) else {
            return Ok(CentredKernel { n, form: KernelForm::Nothing, mean: 1.0, square: 0.0 });
        };
        Ok(self.low_rank(x, width).unwrap_or_else(|| exact(x, width)))
    }

    fn low_rank(&self, x: MatRef<'_, f64>, width: f64) -> Option<CentredKernel> {
        let n = x.nrows();
        let most = match (self.kernels, self.null_variance) {
            (Kernels::LowRank, NullVariance::Product) => n,
            (Kernels::Auto, NullVariance::Product) if n >= LOW_RANK_FROM => n / LOW,
            _ => return None,
        };
        let factor = incomplete_cholesky(x, width, MISSED, most);
        if factor.missed > MISSED && factor.rank() == most && most < n {
            return None;
        }
        let sums = (0..factor.rank()).map(|j| factor.factor.col_as_slice(j).iter().sum::<f64>());
        let total: f64 = sums.map(|sum| sum * sum).sum();
        let centred = factor.centred();
        let square = square_of_product(&centred, &centred);
        Some(CentredKernel { n, form: KernelForm::LowRank(centred), mean: mean_off_diagonal(total, n), square })
    }

    /// Tests two prepared sides for independence.
    ///
    /// # Panics
    /// When they have different numbers of rows.
    pub fn between(&self, x: &CentredKernel, y: &CentredKernel) -> GammaTest {
        assert_eq!(x.n, y.n, "both sides have a row for every sample");
        let n = x.n as f64;
        let product = match (&x.form, &y.form) {
            (KernelForm::Nothing, _) | (_, KernelForm::Nothing) => {
                return GammaTest { statistic: 0.0, p_value: 1.0, shape: 1.0, scale: 1.0 };
            }
            (KernelForm::Exact(kx), KernelForm::Exact(ky)) => sum_over_pairs(kx, ky, |a, b| a * b, Diagonal::Count),
            (KernelForm::LowRank(fx), KernelForm::LowRank(fy)) => square_of_product(fx, fy),
            (KernelForm::Exact(kernel), KernelForm::LowRank(factor))
            | (KernelForm::LowRank(factor), KernelForm::Exact(kernel)) => quadratic_forms(kernel, factor),
        };
        let v = match (self.null_variance, &x.form, &y.form) {
            (NullVariance::Joint, KernelForm::Exact(kx), KernelForm::Exact(ky)) => {
                sum_over_pairs(kx, ky, |a, b| (a * b) * (a * b), Diagonal::Leave) / (n * (n - 1.0))
            }
            _ => x.square * y.square / (n - 1.0).powi(4),
        };
        let (mean, variance) = null_moments(n, [1.0 - x.mean, 1.0 - y.mean], v);
        GammaTest::from_moments(product / n, mean, variance)
    }
}

/// Mean and variance of the statistic under independence, from the sides' contrasts `1 − μ` and the estimate `v`.
pub(super) fn null_moments(n: f64, contrasts: [f64; 2], v: f64) -> (f64, f64) {
    let mean = contrasts[0] * contrasts[1] / n;
    let variance = 2.0 * (n - 4.0) * (n - 5.0) / (n * (n - 1.0) * (n - 2.0) * (n - 3.0)) * v;
    // These are the moments of HSIC, the statistic is n·HSIC.
    (n * mean, n * n * variance)
}

fn exact(x: MatRef<'_, f64>, width: f64) -> CentredKernel {
    let n = x.nrows();
    let mut matrix = gaussian_matrix(x, width);
    let total: f64 = (0..n).map(|j| matrix.col_as_slice(j).iter().sum::<f64>()).sum();
    centre(&mut matrix);
    let square = sum_over_pairs(&matrix, &matrix, |a, b| a * b, Diagonal::Count);
    CentredKernel { n, form: KernelForm::Exact(matrix), mean: mean_off_diagonal(total, n), square }
}

fn mean_off_diagonal(total: f64, n: usize) -> f64 {
    let n = n as f64;
    (total - n) / (n * (n - 1.0))
}

/// `|A'B|²`, which is `tr(AA'BB')`.
fn square_of_product(a: &Mat<f64>, b: &Mat<f64>) -> f64 {
    let mut product = Mat::zeros(a.ncols(), b.ncols());
    multiply_here(product.as_mut(), Into::Replace, a.transpose(), b.as_ref(), 1.0);
    (0..product.ncols()).map(|j| product.col_as_slice(j).iter().map(|entry| entry * entry).sum::<f64>()).sum()
}

/// `tr(A'KA)`.
fn quadratic_forms(kernel: &Mat<f64>, a: &Mat<f64>) -> f64 {
    let mut product = Mat::zeros(a.nrows(), a.ncols());
    multiply_here(product.as_mut(), Into::Replace, kernel.as_ref(), a.as_ref(), 1.0);
    (0..a.ncols()).map(|j| lanes(product.col_as_slice(j), a.col_as_slice(j), &|a, b| a * b)).sum()
}

/// Tests the rows of `x` and `y` for independence; columns of each are taken jointly.
///
/// ```
/// use npvar::independence::hsic::{Hsic, gamma_test};
/// let x = faer::Mat::from_fn(100, 1, |i, _| (i % 10) as f64);
/// let unrelated = faer::Mat::from_fn(100, 1, |i, _| (i / 10) as f64);
/// let squared = faer::Mat::from_fn(100, 1, |i, _| (x[(i, 0)] - 4.5).powi(2));
/// assert!(gamma_test(x.as_ref(), unrelated.as_ref(), &Hsic::default())?.p_value > 0.9);
/// assert!(gamma_test(x.as_ref(), squared.as_ref(), &Hsic::default())?.p_value < 1e-9);
/// # Ok::<(), npvar::Error>(())
/// ```
///
/// # Errors
/// [`Error::TooFewSamples`] below 6 rows.
///
/// # Panics
/// When they have different numbers of rows.
pub fn gamma_test(x: MatRef<'_, f64>, y: MatRef<'_, f64>, hsic: &Hsic) -> Result<GammaTest> {
    Ok(hsic.between(&hsic.side(x)?, &hsic.side(y)?))
}

#[derive(Clone, Copy, PartialEq)]
enum Diagonal {
    Count,
    Leave,
}

/// `Σ_ij f(a_ij, b_ij)` for symmetric matrices: column sums below the diagonal, added in order.
fn sum_over_pairs(a: &Mat<f64>, b: &Mat<f64>, f: impl Fn(f64, f64) -> f64 + Sync, diagonal: Diagonal) -> f64 {
    let n = a.nrows();
    let column = |j: usize| {
        let (a, b) = (&a.col_as_slice(j)[j..], &b.col_as_slice(j)[j..]);
        let below = lanes(&a[1..], &b[1..], &f);
        2.0 * below + if diagonal == Diagonal::Count { f(a[0], b[0]) } else { 0.0 }
    };
    if n < PARALLEL_FROM {
        return (0..n).map(column).sum();
    }
    let columns: Vec<f64> = (0..n).into_par_iter().map(column).collect();
    columns.iter().sum()
}

/// A sum in four lanes: faster, and as repeatable as one.
fn lanes(a: &[f64], b: &[f64], f: &impl Fn(f64, f64) -> f64) -> f64 {
    let mut sums = [0.0; 4];
    let (a4, b4) = (a.chunks_exact(4), b.chunks_exact(4));
    let rest: f64 = a4.remainder().iter().zip(b4.remainder()).map(|(&a, &b)| f(a, b)).sum();
    for (a, b) in a4.zip(b4) {
        for lane in 0..4 {
            sums[lane] += f(a[lane], b[lane]);
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(n: usize, f: impl Fn(f64) -> f64) -> Mat<f64> {
        Mat::from_fn(n, 1, |i, _| f(i as f64))
    }

    /// The definition with matrices H, K, L written out.
    #[test]
    fn the_statistic_is_the_trace_of_its_definition() {
        let (n, hsic) = (12, Hsic::default());
        let (x, y) = (column(n, |i| (1.3 * i).sin()), column(n, |i| (0.4 * i).cos()));
        let h = Mat::from_fn(n, n, |i, j| f64::from(u8::from(i == j)) - 1.0 / n as f64);
        let k = gaussian_matrix(x.as_ref(), hsic.width.of(x.as_ref()).unwrap());
        let l = gaussian_matrix(y.as_ref(), hsic.width.of(y.as_ref()).unwrap());
        let product = &k * &h * &l * &h;
        let trace: f64 = (0..n).map(|i| product[(i, i)]).sum();
        let test = gamma_test(x.as_ref(), y.as_ref(), &hsic).unwrap();
        assert!((test.statistic - trace / n as f64).abs() < 1e-13);
    }

    #[test]
    fn low_rank_and_exact_kernels_agree() {
        let n = 600;
        let x = column(n, |i| (1.3 * i).sin() + 0.1 * (i * i * 0.37).cos());
        let y = Mat::from_fn(n, 2, |i, j| (0.4 * i as f64 + j as f64).cos() + 0.3 * x[(i, 0)]);
        let form = |kernels| Hsic { kernels, ..Hsic::default() };
        let truth = gamma_test(x.as_ref(), y.as_ref(), &form(Kernels::Exact)).unwrap();
        let mixed = form(Kernels::Exact);
        let low = form(Kernels::LowRank);
        let sides = mixed.between(&low.side(x.as_ref()).unwrap(), &mixed.side(y.as_ref()).unwrap());
        for test in [gamma_test(x.as_ref(), y.as_ref(), &low).unwrap(), sides] {
            assert!((test.statistic / truth.statistic - 1.0).abs() < 1e-8, "{test:?} {truth:?}");
            assert!((test.p_value / truth.p_value - 1.0).abs() < 1e-6, "{test:?} {truth:?}");
        }
        assert!(matches!(form(Kernels::Auto).side(x.as_ref()).unwrap().form, KernelForm::LowRank(_)));
        let rough = Mat::from_fn(n, 6, |i, j| ((i * (j + 3) * 7919) % 1009) as f64);
        assert!(matches!(form(Kernels::Auto).side(rough.as_ref()).unwrap().form, KernelForm::Exact(_)));
    }

    #[test]
    fn a_constant_side_is_independent_of_everything() {
        let (x, constant) = (column(20, |i| i), column(20, |_| 3.0));
        for hsic in [Hsic::default(), Hsic::lingam()] {
            for (a, b) in [(&x, &constant), (&constant, &x), (&constant, &constant)] {
                assert_eq!(gamma_test(a.as_ref(), b.as_ref(), &hsic).unwrap().p_value, 1.0);
            }
        }
    }

    #[test]
    fn five_rows_are_too_few() {
        let x = column(5, |i| i);
        assert!(matches!(
            gamma_test(x.as_ref(), x.as_ref(), &Hsic::default()),
            Err(Error::TooFewSamples { needed: 6, n: 5, .. })
        ));
        let x = column(6, |i| i);
        assert!(gamma_test(x.as_ref(), x.as_ref(), &Hsic::default()).unwrap().p_value.is_finite());
    }
}
