//! HSIC between one column and several taken jointly, without a matrix, for the many tests of RESIT.
//!
//! Everything the test needs of the kernel matrices `K` and `L` are sums over pairs of rows:
//!
//! ```text
//! n · statistic = Σ K_ij L_ij − (2/n) Σ k_i l_i + k l/n²        k_i = Σ_j K_ij,  k = Σ k_i, likewise l
//! |HKH|²        = Σ K_ij² − (2/n) Σ k_i² + k²/n²
//! ```
//!
//! so one pass over the pairs, a row at a time, is all; memory is `O(n)`. Above a number of rows of the caller's choice,
//! both matrices are replaced by incomplete Cholesky factors of bounded rank, at `O(n r²)` instead of `O(n²)`. The matrix form of
//! [`super::hsic`] is still what the joint estimate of the null variance takes, which needs centred entries.

use faer::{Mat, MatRef};

use super::hsic::{GammaTest, Hsic, Kernels, NullVariance, gamma_test};
use crate::error::{Error, Result};
use crate::kernel::pairwise::middle;
use crate::kernel::{Width, Zeros, incomplete_cholesky};
use crate::linalg::{Into, multiply_here, small};
use crate::run::Run;

/// Rows a median of distances is taken over, as [`Width::Median`] does.
const MOST_ROWS: usize = 1000;
/// How many rows of pairs go by between two looks at the stop flag.
const CHECK_EVERY: usize = 64;
/// The share of the trace an incomplete factor may miss.
const MISSED: f64 = 1e-6;

/// When HSIC takes low-rank factors, and of which rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LowRankFrom {
    /// With [`Kernels::Auto`], up to this many rows the test is exact.
    pub exact_up_to: usize,
    /// The largest rank of a factor.
    pub rank: usize,
}

impl Hsic {
    /// Tests whether `y` is independent of the columns of `x`, taken jointly.
    ///
    /// ```
    /// use npvar::independence::{Hsic, LowRankFrom};
    /// use npvar::{Run, Seed};
    /// let x: Vec<f64> = (0..100).map(|i| f64::from(i % 10)).collect();
    /// let (unrelated, squared): (Vec<f64>, Vec<f64>) = (0..100).map(|i| (f64::from(i / 10), (x[i as usize] - 4.5).powi(2))).unzip();
    /// let low_rank = LowRankFrom { exact_up_to: 5000, rank: 100 };
    /// let p = |y: &[f64]| Hsic::default().columns_test(&[&x], y, low_rank, &Run::new(Seed(1))).map(|test| test.p_value);
    /// assert!(p(&unrelated)? > 0.9 && p(&squared)? < 1e-9);
    /// # Ok::<(), npvar::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::TooFewSamples`] below 6 rows, [`Error::Cancelled`].
    pub fn columns_test(&self, x: &[&[f64]], y: &[f64], low_rank: LowRankFrom, run: &Run<'_>) -> Result<GammaTest> {
        let n = y.len();
        if n < Self::FEWEST_SAMPLES {
            return Err(Error::TooFewSamples { what: "HSIC", needed: Self::FEWEST_SAMPLES, n });
        }
        run.check()?;
        if self.null_variance == NullVariance::Joint {
            return gamma_test(matrix(x).as_ref(), matrix(&[y]).as_ref(), self);
        }
        let (Some(x_width), Some(y_width)) = (self.columns_width(x), self.columns_width(&[y])) else {
            return Ok(GammaTest { statistic: 0.0, p_value: 1.0, shape: 1.0, scale: 1.0 });
        };
        let exact = match self.kernels {
            Kernels::Auto => n <= low_rank.exact_up_to,
            Kernels::Exact => true,
            Kernels::LowRank => false,
        };
        let sums = match exact {
            true => Sums::exact((x, x_width), (&[y], y_width), run)?,
            false => Sums::low_rank((x, x_width), (&[y], y_width), low_rank.rank),
        };
        Ok(sums.test(n as f64))
    }

    /// The share of the trace of the columns' joint kernel that low-rank factors miss; nothing where the test is exact.
    pub fn missed(&self, x: &[&[f64]], low_rank: LowRankFrom) -> Option<f64> {
        let approximated = self.null_variance == NullVariance::Product
            && match self.kernels {
                Kernels::Auto => x.first().is_some_and(|column| column.len() > low_rank.exact_up_to),
                Kernels::Exact => false,
                Kernels::LowRank => true,
            };
        let width = approximated.then(|| self.columns_width(x)).flatten()?;
        Some(incomplete_cholesky(matrix(x).as_ref(), width, MISSED, low_rank.rank).missed)
    }

    /// The same width as [`Width::of`], with the median counted, not sorted.
    fn columns_width(&self, x: &[&[f64]]) -> Option<f64> {
        let slow = || self.width.of(matrix(x).as_ref());
        if self.width != Width::Median {
            return slow();
        }
        let n = x[0].len();
        let rows = n.min(MOST_ROWS);
        let spaced: Vec<Vec<f64>> = x.iter().map(|column| (0..rows).map(|i| column[i * n / rows]).collect()).collect();
        let mut packed = vec![0.0; rows * (rows - 1) / 2];
        let mut rest = &mut packed[..];
        for j in 0..rows {
            let (here, after) = rest.split_at_mut(rows - 1 - j);
            for column in &spaced {
                add_squares(here, column[j], &column[j + 1..]);
            }
            rest = after;
        }
        match middle(&packed.chunks(rows).collect::<Vec<_>>(), Zeros::Count) {
            Some((lower, upper)) if lower + upper > 0.0 => Some((0.25 * (lower + upper)).sqrt()),
            _ => slow(),
        }
        .filter(|&width| width > 0.0)
    }
}

/// What the test needs of both kernel matrices.
struct Sums {
    /// `Σ (HKH)_ij (HLH)_ij`.
    product: f64,
    squares: [f64; 2],
    /// The mean on the diagonal less the mean off it.
    contrasts: [f64; 2],
}

impl Sums {
    fn exact((x, x_width): (&[&[f64]], f64), (y, y_width): (&[&[f64]], f64), run: &Run<'_>) -> Result<Self> {
        let n = y[0].len();
        let (mut k_rows, mut l_rows) = (vec![1.0; n], vec![1.0; n]);
        let (mut k, mut l) = (vec![0.0; n], vec![0.0; n]);
        // Off the diagonal and below it: Σ KL, Σ K², Σ L².
        let mut sums = [0.0; 3];
        for j in 0..n {
            if j.is_multiple_of(CHECK_EVERY) {
                run.check()?;
            }
            let (k, l) = (&mut k[..n - 1 - j], &mut l[..n - 1 - j]);
            kernel_below(x, j, x_width, k);
            kernel_below(y, j, y_width, l);
            for (sum, value) in sums.iter_mut().zip([small::dot(k, l), small::dot(k, k), small::dot(l, l)]) {
                *sum += value;
            }
            for (rows, values) in [(&mut k_rows, &*k), (&mut l_rows, &*l)] {
                rows[j] += values.iter().sum::<f64>();
                rows[j + 1..].iter_mut().zip(values).for_each(|(row, value)| *row += value);
            }
        }
        let whole = |below: f64| n as f64 + 2.0 * below;
        let size = n as f64;
        let (k_sum, l_sum) = (k_rows.iter().sum::<f64>(), l_rows.iter().sum::<f64>());
        let centred = |raw: f64, rows: f64, totals: f64| raw - 2.0 / size * rows + totals / (size * size);
        let off_diagonal = |total: f64| (total - size) / (size * (size - 1.0));
        Ok(Sums {
            product: centred(whole(sums[0]), small::dot(&k_rows, &l_rows), k_sum * l_sum),
            squares: [
                centred(whole(sums[1]), small::dot(&k_rows, &k_rows), k_sum * k_sum),
                centred(whole(sums[2]), small::dot(&l_rows, &l_rows), l_sum * l_sum),
            ],
            contrasts: [1.0 - off_diagonal(k_sum), 1.0 - off_diagonal(l_sum)],
        })
    }

    fn low_rank((x, x_width): (&[&[f64]], f64), (y, y_width): (&[&[f64]], f64), rank: usize) -> Self {
        let (k, k_contrast) = factor(x, x_width, rank);
        let (l, l_contrast) = factor(y, y_width, rank);
        let squared_norm = |a: MatRef<'_, f64>, b: MatRef<'_, f64>| {
            let mut product = Mat::zeros(a.ncols(), b.ncols());
            multiply_here(product.as_mut(), Into::Replace, a.transpose(), b, 1.0);
            product.squared_norm_l2()
        };
        Sums {
            product: squared_norm(k.as_ref(), l.as_ref()),
            squares: [squared_norm(k.as_ref(), k.as_ref()), squared_norm(l.as_ref(), l.as_ref())],
            contrasts: [k_contrast, l_contrast],
        }
    }

    fn test(&self, n: f64) -> GammaTest {
        let mean = self.contrasts[0] * self.contrasts[1] / n;
        let v = self.squares[0] * self.squares[1] / (n - 1.0).powi(4);
        let variance = 2.0 * (n - 4.0) * (n - 5.0) / (n * (n - 1.0) * (n - 2.0) * (n - 3.0)) * v;
        GammaTest::from_moments(self.product.max(0.0) / n, n * mean, n * n * variance)
    }
}

/// The kernel between row `j` and every later one.
fn kernel_below(columns: &[&[f64]], j: usize, width: f64, target: &mut [f64]) {
    target.fill(0.0);
    for column in columns {
        add_squares(target, column[j], &column[j + 1..]);
    }
    let rate = -0.5 / (width * width);
    target.iter_mut().for_each(|entry| *entry = (rate * *entry).exp());
}

fn add_squares(target: &mut [f64], own: f64, others: &[f64]) {
    for (sum, other) in target.iter_mut().zip(others) {
        *sum += (other - own) * (other - own);
    }
}

/// The centred incomplete factor of a kernel matrix, and the mean of the approximation on the diagonal less that off it. (Where
/// the rank is too small for the kernel, its diagonal is not one, and the null distribution is that of the approximation.)
fn factor(columns: &[&[f64]], width: f64, rank: usize) -> (Mat<f64>, f64) {
    let low_rank = incomplete_cholesky(matrix(columns).as_ref(), width, MISSED, rank);
    let (n, plain) = (columns[0].len() as f64, &low_rank.factor);
    let total: f64 = (0..plain.ncols()).map(|j| plain.col_as_slice(j).iter().sum::<f64>().powi(2)).sum();
    let diagonal = 1.0 - low_rank.missed;
    (low_rank.centred(), diagonal - (total - n * diagonal) / (n * (n - 1.0)))
}

fn matrix(columns: &[&[f64]]) -> Mat<f64> {
    Mat::from_fn(columns[0].len(), columns.len(), |i, j| columns[j][i])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Seed;
    use rand::RngExt;

    /// Two ways to sum the same n² terms.
    const SUMS: f64 = 1e-10;
    const EXACT: LowRankFrom = LowRankFrom { exact_up_to: usize::MAX, rank: 1 };

    fn sample(n: usize, p: usize) -> (Vec<Vec<f64>>, Vec<f64>) {
        let mut rng = Seed(6).rng();
        let x: Vec<Vec<f64>> = (0..p).map(|_| (0..n).map(|_| rng.random_range(-2.0..2.0)).collect()).collect();
        let y = (0..n).map(|i| (1.5 * x[0][i]).sin() * rng.random_range(0.2..1.0) + rng.random_range(-1.0..1.0));
        let y = y.collect();
        (x, y)
    }

    fn references(x: &[Vec<f64>]) -> Vec<&[f64]> {
        x.iter().map(|column| &column[..]).collect()
    }

    #[test]
    fn sums_over_pairs_give_the_same_test_as_matrices() {
        let run = Run::new(Seed(0));
        for (n, p) in [(6, 1), (40, 2), (300, 4), (1203, 1)] {
            let (x, y) = sample(n, p);
            let exact = Hsic { kernels: Kernels::Exact, ..Hsic::default() };
            for hsic in [exact, Hsic::lingam(), Hsic { width: Width::First100, ..exact }] {
                let got = hsic.columns_test(&references(&x), &y, EXACT, &run).unwrap();
                let expected = gamma_test(matrix(&references(&x)).as_ref(), matrix(&[&y]).as_ref(), &hsic).unwrap();
                for (got, expected) in [
                    (got.statistic, expected.statistic),
                    (got.p_value, expected.p_value),
                    (got.shape, expected.shape),
                    (got.scale, expected.scale),
                ] {
                    assert!((got / expected - 1.0).abs() < SUMS, "{n} {p} {hsic:?}: {got} instead of {expected}");
                }
            }
        }
    }

    /// With five columns and rank 20, more than a tenth of the kernel is missed. The null moments must be those of the kernel used:
    /// the p-values of independent columns stay uniform. (Moments that assume a diagonal of one give p-values near one.)
    #[test]
    fn a_rank_far_too_low_keeps_the_level() {
        let run = Run::new(Seed(0));
        let (mut below, runs) = (0, 100);
        for repetition in 0..runs {
            let mut rng = Seed(9).child("sample", repetition).rng();
            let x: Vec<Vec<f64>> = (0..5).map(|_| (0..200).map(|_| rng.random_range(-2.0..2.0)).collect()).collect();
            let y: Vec<f64> = (0..200).map(|_| rng.random_range(-1.0..1.0)).collect();
            let hsic = Hsic { kernels: Kernels::LowRank, ..Hsic::default() };
            let low_rank = LowRankFrom { rank: 20, ..EXACT };
            assert!(hsic.missed(&references(&x), low_rank).unwrap() > 0.1);
            let test = hsic.columns_test(&references(&x), &y, low_rank, &run).unwrap();
            below += usize::from(test.p_value < 0.5);
        }
        // Binomial(100, 1/2): outside 30..=70 has probability below 4e-5.
        assert!((30..=70).contains(&below), "{below} of {runs} p-values below 1/2");
    }

    /// With 1e-6 of the trace missed, the statistic moves by less than 1e-4 and the logarithm of the p-value by less than
    /// 1e-3: the centred matrices are small beside the trace.
    #[test]
    fn low_rank_factors_come_close_to_the_exact_test() {
        let run = Run::new(Seed(0));
        let (x, y) = sample(900, 2);
        let hsic = Hsic::default();
        let exact = hsic.columns_test(&references(&x), &y, EXACT, &run).unwrap();
        let low = LowRankFrom { exact_up_to: 0, rank: 300 };
        let low = hsic.columns_test(&references(&x), &y, low, &run).unwrap();
        let told = Hsic { kernels: Kernels::LowRank, ..hsic };
        assert_eq!(told.columns_test(&references(&x), &y, LowRankFrom { rank: 300, ..EXACT }, &run).unwrap(), low);
        assert!((low.statistic / exact.statistic - 1.0).abs() < 1e-4, "{low:?} {exact:?}");
        assert!((low.p_value.ln() / exact.p_value.ln() - 1.0).abs() < 1e-3, "{low:?} {exact:?}");
    }

    #[test]
    fn a_constant_side_is_independent_and_five_rows_are_too_few() {
        let run = Run::new(Seed(0));
        let (x, y) = sample(30, 1);
        let constant = vec![2.0; 30];
        assert_eq!(Hsic::default().columns_test(&references(&x), &constant, EXACT, &run).unwrap().p_value, 1.0);
        assert_eq!(Hsic::default().columns_test(&[&constant], &y, EXACT, &run).unwrap().p_value, 1.0);
        let five = Hsic::default().columns_test(&[&x[0][..5]], &y[..5], EXACT, &run);
        assert!(matches!(five, Err(Error::TooFewSamples { needed: 6, n: 5, .. })));
    }
}
