//! HSIC between one column and several taken jointly, for the many tests of RESIT.
//!
//! Everything the test needs of the kernel matrices `K` and `L` are sums over pairs of rows:
//!
//! ```text
//! n · statistic = Σ K_ij L_ij − (2/n) Σ k_i l_i + k l/n²        k_i = Σ_j K_ij,  k = Σ k_i, likewise l
//! |HKH|²        = Σ K_ij² − (2/n) Σ k_i² + k²/n²
//! ```
//!
//! so a few passes over the pairs are all ([`super::pair_sums`]). Above a number of rows of the caller's choice, both matrices
//! are replaced by incomplete Cholesky factors of bounded rank, at `O(n r²)` instead of `O(n²)`. The joint estimate of the null
//! variance needs every entry, and is always exact.

use faer::{Mat, MatRef};

use super::hsic::{GammaTest, Hsic, Kernels, NullVariance, null_moments};
use super::pair_sums::{PairKernel, squared_distances_below};
use crate::error::{Error, Result};
use crate::numerics::kernel::pairwise::{middle_here, middle_squared_difference};
use crate::numerics::kernel::{Width, incomplete_cholesky_during};
use crate::numerics::linalg::{Into, multiply_here};
use crate::run::Run;

/// Rows a median of distances is taken over, as [`Width::Median`] does.
const MOST_ROWS: usize = 1000;
/// Rows of a product of factors between two questions whether to go on.
const ROWS_AT_ONCE: usize = 1 << 15;
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

/// One side of a test between columns, prepared once and used against many others.
pub struct ColumnsSide<'a> {
    n: usize,
    form: SideForm<'a>,
}

enum SideForm<'a> {
    /// All rows coincide.
    Nothing,
    Exact(PairKernel<'a>),
    LowRank(LowRankFactor),
}

/// An incomplete factor `Λ` of a kernel matrix.
struct LowRankFactor {
    /// Its largest rank.
    most: usize,
    /// `HΛ`.
    centred: Mat<f64>,
    /// `|HΛΛ'H|²`.
    square: f64,
    /// The mean on the diagonal less the mean off it, of the approximation. (Where the rank is too small for the kernel, its
    /// diagonal is not one, and the null distribution is that of the approximation.)
    contrast: f64,
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
        self.test_against(&self.columns_side(x, low_rank, run)?, y, run)
    }

    /// Prepares one side: these columns, taken jointly.
    ///
    /// # Errors
    /// [`Error::TooFewSamples`] below 6 rows, [`Error::Cancelled`].
    pub fn columns_side<'a>(&self, x: &[&'a [f64]], low_rank: LowRankFrom, run: &Run<'_>) -> Result<ColumnsSide<'a>> {
        let n = x.first().map_or(0, |column| column.len());
        if n < Self::FEWEST_SAMPLES {
            return Err(Error::TooFewSamples { what: "HSIC", needed: Self::FEWEST_SAMPLES, n });
        }
        run.check()?;
        let form = match self.columns_width(x) {
            None => SideForm::Nothing,
            Some((width, squares)) if self.is_exact(n, low_rank) => {
                SideForm::Exact(PairKernel::new(x, width, squares, run)?)
            }
            Some((width, _)) => SideForm::LowRank(LowRankFactor::new(x, width, low_rank.rank, run)?),
        };
        Ok(ColumnsSide { n, form })
    }

    /// Tests whether `y` is independent of the columns of a prepared side.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    ///
    /// # Panics
    /// When they have different numbers of rows.
    pub fn test_against(&self, x: &ColumnsSide<'_>, y: &[f64], run: &Run<'_>) -> Result<GammaTest> {
        assert_eq!(x.n, y.len(), "both sides have a row for every sample");
        run.check()?;
        let n = x.n as f64;
        let (product, contrasts, v) = match (&x.form, self.columns_width(&[y])) {
            (SideForm::Nothing, _) | (_, None) => {
                return Ok(GammaTest { statistic: 0.0, p_value: 1.0, shape: 1.0, scale: 1.0 });
            }
            (SideForm::Exact(kernel), Some((width, _))) => {
                let sums = kernel.sums(y, width, self.null_variance, run)?;
                (sums.product, sums.contrasts, sums.v)
            }
            (SideForm::LowRank(x), Some((width, _))) => {
                let y = LowRankFactor::new(&[y], width, x.most, run)?;
                let v = x.square * y.square / (n - 1.0).powi(4);
                (squared_norm(x.centred.as_ref(), y.centred.as_ref(), run)?, [x.contrast, y.contrast], v)
            }
        };
        let (mean, variance) = null_moments(n, contrasts, v);
        Ok(GammaTest::from_moments(product.max(0.0) / n, mean, variance))
    }

    fn is_exact(&self, n: usize, low_rank: LowRankFrom) -> bool {
        let exact = match self.kernels {
            Kernels::Auto => n <= low_rank.exact_up_to,
            Kernels::Exact => true,
            Kernels::LowRank => false,
        };
        exact || self.null_variance == NullVariance::Joint
    }

    /// The share of the trace of the columns' joint kernel that low-rank factors miss; nothing where the test is exact.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub fn missed(&self, x: &[&[f64]], low_rank: LowRankFrom, run: &Run<'_>) -> Result<Option<f64>> {
        let n = x.first().map_or(0, |column| column.len());
        let width = if self.is_exact(n, low_rank) { None } else { self.columns_width(x) };
        let missed =
            |(width, _)| Ok(incomplete_cholesky_during(matrix(x).as_ref(), width, MISSED, low_rank.rank, run)?.missed);
        width.map(missed).transpose()
    }

    /// The same width as [`Width::of`], with the median selected among a few, and the squared distances of all pairs where
    /// they were all needed.
    fn columns_width(&self, x: &[&[f64]]) -> Option<(f64, Option<Vec<f64>>)> {
        let slow = || Some((self.width.of(matrix(x).as_ref())?, None));
        if self.width != Width::Median {
            return slow();
        }
        let n = x[0].len();
        let rows = n.min(MOST_ROWS);
        let spaced: Vec<Vec<f64>> = x.iter().map(|column| (0..rows).map(|i| column[i * n / rows]).collect()).collect();
        let spaced: Vec<&[f64]> = spaced.iter().map(Vec::as_slice).collect();
        let (middle, squares) = match spaced[..] {
            [column] => (middle_squared_difference(column), None),
            _ => {
                let squares = squared_distances_below(&spaced);
                (middle_here(&squares), (rows == n).then_some(squares))
            }
        };
        match middle {
            Some((lower, upper)) if lower + upper > 0.0 => {
                Some(((0.25 * (lower + upper)).sqrt(), squares)).filter(|(width, _)| *width > 0.0)
            }
            _ => slow(),
        }
    }
}

impl LowRankFactor {
    fn new(columns: &[&[f64]], width: f64, most: usize, run: &Run<'_>) -> Result<Self> {
        let low_rank = incomplete_cholesky_during(matrix(columns).as_ref(), width, MISSED, most, run)?;
        let (n, plain) = (columns[0].len() as f64, &low_rank.factor);
        let total: f64 = (0..plain.ncols()).map(|j| plain.col_as_slice(j).iter().sum::<f64>().powi(2)).sum();
        let (centred, diagonal) = (low_rank.centred(), 1.0 - low_rank.missed);
        let square = squared_norm(centred.as_ref(), centred.as_ref(), run)?;
        Ok(LowRankFactor { most, centred, square, contrast: diagonal - (total - n * diagonal) / (n * (n - 1.0)) })
    }
}

/// `|A'B|²`, some rows at a time, so that it can be stopped.
fn squared_norm(a: MatRef<'_, f64>, b: MatRef<'_, f64>, run: &Run<'_>) -> Result<f64> {
    let mut product = Mat::zeros(a.ncols(), b.ncols());
    for start in (0..a.nrows()).step_by(ROWS_AT_ONCE) {
        run.check()?;
        let rows = start..a.nrows().min(start + ROWS_AT_ONCE);
        let (a, b) = (a.get(rows.clone(), ..), b.get(rows, ..));
        multiply_here(product.as_mut(), Into::Add, a.transpose(), b, 1.0);
    }
    Ok(product.squared_norm_l2())
}

fn matrix(columns: &[&[f64]]) -> Mat<f64> {
    Mat::from_fn(columns[0].len(), columns.len(), |i, j| columns[j][i])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::independence::hsic::gamma_test;
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
            assert!(hsic.missed(&references(&x), low_rank, &run).unwrap().unwrap() > 0.1);
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
