//! KCI, the kernel conditional independence test, with the gamma approximation (Zhang, Peters, Janzing & Schölkopf 2011).
//!
//! ```text
//! standardise x, y, z (variance with n − 1);  K̃ = HKH
//! unconditional   V = tr(K̃x K̃y)      mean = tr K̃x tr K̃y / n       variance = 2 tr K̃x² tr K̃y² / n²
//! conditional     R = ε(K̃z + εI)⁻¹, ε = 0.001;  A = R K̃_(x, z/2) R,  B = R K̃y R;  V = tr(AB)
//!                 with Â, B̂ without eigenvalues below 1e-5 of the largest,
//!                 mean = Σ_t Â_tt B̂_tt              variance = 2 Σ_ts (Â_ts B̂_ts)²
//! p = P(G > V),   G gamma with this mean and variance
//! ```
//!
//! Gaussian kernels; widths by [`KciWidth`]. As in the authors' code the first variable, not the second, is joined with `z/2`;
//! to make the test symmetric the column that stands first is the first. The p-value is the upper tail itself (causal-learn:
//! one minus the lower, which is rounding below 1e-15). A constant `x` or `y` is independent of everything: p = 1; constant
//! columns of `z` drop out. Where `z` determines `x`, what the ridge leaves of `x` still counts, so exact copies among the columns
//! can look dependent given each other. Cost: two eigenvalue problems of size `n` per conditional test.

use faer::{Mat, MatRef};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::hsic::GammaTest;
use super::independence_test::IndependenceTest;
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::numerics::kernel::{Zeros, centre, gaussian_matrix_during, median_distance};
use crate::numerics::linalg::cholesky::{cholesky_in_place, cholesky_solve_during};
use crate::numerics::linalg::{Into, eigen_during, multiply_during};
use crate::run::{Run, Seed};

/// The ridge of the kernel regressions on `z`.
const EPSILON: f64 = 1e-3;
/// Eigenvalues below this share of the largest do not count.
const NEGLIGIBLE: f64 = 1e-5;
/// Beyond this many rows a median is taken over this many, evenly spaced.
const MOST_ROWS: usize = 1000;
/// Fewer rows leave nothing to standardise.
const FEWEST_SAMPLES: usize = 6;

/// How the widths of KCI's kernels are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum KciWidth {
    /// The authors' numbers for standardised columns, by sample size (below 200, below 1200, above): 0.8, 0.5, 0.3 without,
    /// 1.2, 0.7, 0.4 (times the root of the number of conditioning columns) with a conditioning set.
    #[default]
    Empirical,
    /// √2 times the median distance of the standardised rows.
    Median,
    /// The same, but in unconditional tests of the rows before they are standardised, as causal-learn 0.1.4.8 does: then the
    /// result depends on the columns' units. For comparison only.
    MedianUnscaled,
}

/// Tests the rows of `x` and `y` for independence, given the rows of `z` when it has columns.
///
/// ```
/// use npvar::independence::kci::{KciWidth, kci_test};
/// let x = faer::Mat::from_fn(80, 1, |i, _| (i as f64 * 0.9).sin());
/// let y = faer::Mat::from_fn(80, 1, |i, _| x[(i, 0)].powi(2));
/// let nothing = faer::Mat::zeros(80, 0);
/// assert!(kci_test(x.as_ref(), y.as_ref(), nothing.as_ref(), KciWidth::default())?.p_value < 1e-4);
/// # Ok::<(), npvar::Error>(())
/// ```
///
/// # Errors
/// [`Error::TooFewSamples`] below 6 rows.
pub fn kci_test(x: MatRef<'_, f64>, y: MatRef<'_, f64>, z: MatRef<'_, f64>, width: KciWidth) -> Result<GammaTest> {
    test_during(x, y, z, width, &Run::new(Seed(0)))
}

/// The same as part of a run that can be stopped in the middle.
fn test_during(
    x: MatRef<'_, f64>,
    y: MatRef<'_, f64>,
    z: MatRef<'_, f64>,
    width: KciWidth,
    run: &Run<'_>,
) -> Result<GammaTest> {
    let n = x.nrows();
    if n < FEWEST_SAMPLES {
        return Err(Error::TooFewSamples { what: "KCI", needed: FEWEST_SAMPLES, n });
    }
    let (sx, sy, sz) = (standardised(x), standardised(y), standardised(z));
    if sx.ncols() == 0 || sy.ncols() == 0 {
        return Ok(GammaTest { statistic: 0.0, p_value: 1.0, shape: 1.0, scale: 1.0 });
    }
    if z.ncols() == 0 {
        unconditional((x, sx.as_ref()), (y, sy.as_ref()), width, run)
    } else {
        conditional(sx.as_ref(), sy.as_ref(), sz.as_ref(), width, run)
    }
}

fn unconditional(
    x: (MatRef<'_, f64>, MatRef<'_, f64>),
    y: (MatRef<'_, f64>, MatRef<'_, f64>),
    rule: KciWidth,
    run: &Run<'_>,
) -> Result<GammaTest> {
    let n = x.0.nrows();
    let kernel = |(raw, standardised): (MatRef<'_, f64>, MatRef<'_, f64>)| {
        let width = match rule {
            KciWidth::Empirical => by_size(n, [0.8, 0.5, 0.3]) / (standardised.ncols() as f64).sqrt(),
            KciWidth::Median => median_width(standardised),
            KciWidth::MedianUnscaled => median_width(raw),
        };
        centred(standardised, width, run)
    };
    let (kx, ky) = (kernel(x)?, kernel(y)?);
    let n = n as f64;
    let mean = trace(&kx) * trace(&ky) / n;
    let variance = 2.0 * sum(&kx, &kx, |a, b| a * b) * sum(&ky, &ky, |a, b| a * b) / (n * n);
    Ok(GammaTest::from_moments(sum(&kx, &ky, |a, b| a * b), mean, variance))
}

fn conditional(
    x: MatRef<'_, f64>,
    y: MatRef<'_, f64>,
    z: MatRef<'_, f64>,
    rule: KciWidth,
    run: &Run<'_>,
) -> Result<GammaTest> {
    let n = x.nrows();
    let joined =
        Mat::from_fn(
            n,
            x.ncols() + z.ncols(),
            |i, j| {
                if j < x.ncols() { x[(i, j)] } else { 0.5 * z[(i, j - x.ncols())] }
            },
        );
    let width = |rows: MatRef<'_, f64>| match rule {
        KciWidth::Empirical => by_size(n, [1.2, 0.7, 0.4]) * (z.ncols() as f64).sqrt().max(1.0),
        KciWidth::Median | KciWidth::MedianUnscaled => median_width(rows),
    };
    let (kx, ky) = (centred(joined.as_ref(), width(joined.as_ref()), run)?, centred(y, width(y), run)?);
    let (kx, ky) = if z.ncols() == 0 {
        (kx, ky)
    } else {
        let mut ridge = centred(z, width(z), run)?;
        (0..n).for_each(|i| ridge[(i, i)] += EPSILON);
        let positive = cholesky_in_place(ridge.as_mut(), run)?;
        assert!(positive, "a centred kernel matrix with 1e-3 on its diagonal is positive definite beyond rounding");
        let solve = |mut kernel: Mat<f64>| -> Result<Mat<f64>> {
            cholesky_solve_during(ridge.as_ref(), kernel.as_mut(), run)?;
            Ok(kernel)
        };
        let residual = |kernel: Mat<f64>| -> Result<Mat<f64>> {
            let mut both_sides = solve(solve(kernel)?.transpose().to_owned())?;
            symmetrise(&mut both_sides, EPSILON * EPSILON);
            Ok(both_sides)
        };
        (residual(kx)?, residual(ky)?)
    };
    let statistic = sum(&kx, &ky, |a, b| a * b);
    let (tx, ty) = (truncated(kx, run)?, truncated(ky, run)?);
    let mean = (0..n).map(|i| tx[(i, i)] * ty[(i, i)]).sum();
    Ok(GammaTest::from_moments(statistic, mean, 2.0 * sum(&tx, &ty, |a, b| (a * b) * (a * b))))
}

/// `K̃` of these rows.
fn centred(rows: MatRef<'_, f64>, width: f64, run: &Run<'_>) -> Result<Mat<f64>> {
    run.check()?;
    let mut kernel = gaussian_matrix_during(rows, width, run)?;
    centre(&mut kernel);
    Ok(kernel)
}

/// The matrix without its small and negative eigenvalues.
fn truncated(matrix: Mat<f64>, run: &Run<'_>) -> Result<Mat<f64>> {
    let n = matrix.nrows();
    let (values, vectors) = eigen_during(matrix, run)?;
    let largest = values.last().copied().unwrap_or(0.0);
    let kept = values.iter().filter(|&&value| value > NEGLIGIBLE * largest).count();
    let scaled = Mat::from_fn(n, kept, |i, j| vectors[(i, n - kept + j)] * values[n - kept + j].sqrt());
    let mut result = Mat::zeros(n, n);
    multiply_during(result.as_mut(), Into::Replace, scaled.as_ref(), scaled.transpose(), 1.0, run)?;
    Ok(result)
}

fn symmetrise(matrix: &mut Mat<f64>, factor: f64) {
    for j in 0..matrix.ncols() {
        for i in 0..=j {
            let mean = 0.5 * factor * (matrix[(i, j)] + matrix[(j, i)]);
            matrix[(i, j)] = mean;
            matrix[(j, i)] = mean;
        }
    }
}

fn by_size(n: usize, widths: [f64; 3]) -> f64 {
    widths[usize::from(n >= 200) + usize::from(n >= 1200)]
}

fn median_width(rows: MatRef<'_, f64>) -> f64 {
    let kept = rows.nrows().min(MOST_ROWS);
    let spaced = Mat::from_fn(kept, rows.ncols(), |i, j| rows[(i * rows.nrows() / kept, j)]);
    // Where all rows coincide any width gives the same kernel.
    2.0_f64.sqrt() * median_distance(spaced.as_ref(), Zeros::Leave).unwrap_or(1.0)
}

/// Columns of mean 0 and variance 1; constant ones are left out.
fn standardised(rows: MatRef<'_, f64>) -> Mat<f64> {
    let n = rows.nrows() as f64;
    let columns: Vec<Vec<f64>> = (0..rows.ncols())
        .filter_map(|j| {
            let column: Vec<f64> = rows.col(j).iter().copied().collect();
            if column.iter().all(|&value| value == column[0]) {
                return None;
            }
            let mean = column.iter().sum::<f64>() / n;
            let deviation = (column.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0)).sqrt();
            Some(column.iter().map(|value| (value - mean) / deviation).collect())
        })
        .collect();
    Mat::from_fn(rows.nrows(), columns.len(), |i, j| columns[j][i])
}

fn trace(matrix: &Mat<f64>) -> f64 {
    (0..matrix.nrows()).map(|i| matrix[(i, i)]).sum()
}

fn sum(a: &Mat<f64>, b: &Mat<f64>, f: impl Fn(f64, f64) -> f64) -> f64 {
    let column = |j: usize| a.col_as_slice(j).iter().zip(b.col_as_slice(j)).map(|(&a, &b)| f(a, b)).sum::<f64>();
    (0..a.ncols()).map(column).sum()
}

/// KCI on the columns of a table.
#[derive(Clone, Copy)]
pub struct Kci<'a> {
    data: &'a Dataset,
    width: KciWidth,
    run: Run<'a>,
}

impl<'a> Kci<'a> {
    /// The test for these columns.
    ///
    /// # Errors
    /// [`Error::TooFewSamples`] below 6 rows.
    pub fn new(data: &'a Dataset, width: KciWidth) -> Result<Self> {
        if data.n() < FEWEST_SAMPLES {
            return Err(Error::TooFewSamples { what: "KCI", needed: FEWEST_SAMPLES, n: data.n() });
        }
        Ok(Kci { data, width, run: Run::new(Seed(0)) })
    }

    /// The same as part of a run, which may be stopped in the middle of a test.
    pub fn during(self, run: Run<'a>) -> Self {
        Kci { run, ..self }
    }
}

impl IndependenceTest for Kci<'_> {
    fn nodes(&self) -> usize {
        self.data.d()
    }

    fn p_value(&self, x: usize, y: usize, given: &[usize]) -> Result<f64> {
        let [x, y] = [x.min(y), x.max(y)].map(|node| self.data.matrix(&[node]));
        let given = self.data.matrix(given);
        Ok(test_during(x.as_ref(), y.as_ref(), given.as_ref(), self.width, &self.run)?.p_value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(n: usize, f: impl Fn(f64) -> f64) -> Mat<f64> {
        Mat::from_fn(n, 1, |i, _| f(i as f64))
    }

    #[test]
    fn constants_are_independent_of_everything_and_condition_nothing() {
        let n = 40;
        let (x, y) = (column(n, |i| (i * 1.7).sin()), column(n, |i| (i * 0.3).cos()));
        let (constant, nothing) = (column(n, |_| 2.0), Mat::zeros(n, 0));
        let p = |x: &Mat<f64>, y: &Mat<f64>, z: &Mat<f64>| {
            kci_test(x.as_ref(), y.as_ref(), z.as_ref(), KciWidth::Empirical).unwrap().p_value
        };
        assert_eq!(p(&x, &constant, &nothing), 1.0);
        assert_eq!(p(&constant, &y, &x), 1.0);
        assert!((0.0..=1.0).contains(&p(&x, &y, &constant)));
    }

    #[test]
    fn median_widths_do_not_depend_on_units_and_causal_learns_do() {
        let (n, nothing) = (60, Mat::zeros(60, 0));
        let (x, y) = (column(n, |i| (i * 1.7).sin()), column(n, |i| (i * 0.3).cos()));
        let large = column(n, |i| 50.0 * (i * 1.7).sin());
        let p = |x: &Mat<f64>, width| kci_test(x.as_ref(), y.as_ref(), nothing.as_ref(), width).unwrap().p_value;
        assert!((p(&x, KciWidth::Median) - p(&large, KciWidth::Median)).abs() < 1e-12);
        assert!((p(&x, KciWidth::MedianUnscaled) - p(&large, KciWidth::MedianUnscaled)).abs() > 1e-3);
    }
}
