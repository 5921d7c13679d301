//! What both ways to estimate second derivatives of the log density share.

use std::ops::Range;

use faer::{Mat, MatRef};

use crate::error::Result;
use crate::run::Run;

/// A way to estimate the second derivatives of the log density.
pub(super) trait SecondDerivatives {
    /// The variance over the samples of every column's second derivative, and the kernel's width.
    fn variances(&mut self, columns: &[&[f64]], run: &Run<'_>) -> Result<(Vec<f64>, f64)>;
}

/// Turns squared distances into kernel values.
pub(super) fn kernel(squared_distances: &mut [f64], width: f64) {
    let (rate, height) = (-0.5 / (width * width), 1.0 / width);
    squared_distances.iter_mut().for_each(|entry| *entry = height * (rate * *entry).exp());
}

/// `[1, X, X²]`, the right-hand sides of the products with the kernel matrix.
pub(super) fn moments(columns: &[&[f64]], rows: Range<usize>) -> Mat<f64> {
    let m = columns.len();
    Mat::from_fn(rows.len(), 2 * m + 1, |i, j| match j {
        0 => 1.0,
        j if j <= m => columns[j - 1][rows.start + i],
        j => columns[j - m - 1][rows.start + i].powi(2),
    })
}

/// `[N, M]` at the rows where the columns are `at`, from the products of the kernel matrix with the [`moments`].
pub(super) fn sides(at: &[&[f64]], products: MatRef<'_, f64>, width: f64) -> Mat<f64> {
    let (m, square) = (at.len(), width * width);
    Mat::from_fn(products.nrows(), 2 * m, |k, side| {
        let j = side % m;
        let (x, ones, first) = (at[j][k], products[(k, 0)], products[(k, 1 + j)]);
        match side < m {
            true => (first - x * ones) / square,
            false => (((x * ones - 2.0 * first) * x + products[(k, 1 + m + j)]) / square - ones) / square,
        }
    })
}

/// The variance, with denominator `n`, of `J_j = (second derivative part) − G_j²` for each of `m` columns.
pub(super) fn hessian_variances(solved: MatRef<'_, f64>, m: usize) -> Vec<f64> {
    let n = solved.nrows() as f64;
    (0..m)
        .map(|j| {
            let hessian = || solved.col(j).iter().zip(solved.col(m + j).iter()).map(|(g, second)| second - g * g);
            let mean = hessian().sum::<f64>() / n;
            hessian().map(|value| (value - mean).powi(2)).sum::<f64>() / n
        })
        .collect()
}
