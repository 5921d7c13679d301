//! Derivatives of the log density at every row, and what both ways to estimate them share.

use std::ops::Range;

use faer::{Mat, MatRef};

use crate::error::Result;
use crate::run::Run;

/// A way to estimate the derivatives of the log density.
pub(super) trait LogDensity {
    /// The derivatives on these columns, which are centred.
    fn estimate<'a>(&'a mut self, columns: &'a [&'a [f64]], run: &Run<'_>) -> Result<Estimate<'a>>;
}

/// The estimated derivatives on `m` columns.
pub(super) struct Estimate<'a> {
    columns: &'a [&'a [f64]],
    /// `[G, (K + η_H I)⁻¹M]`.
    solved: Mat<f64>,
    width: f64,
    mixed: Box<dyn Mixed + 'a>,
}

/// The part of the mixed derivatives that is solved for only where it is asked for.
pub(super) trait Mixed: Sync {
    /// `(K + η_H I)⁻¹M` for the derivatives by column `at` and every column.
    fn solved(&self, at: usize, run: &Run<'_>) -> Result<Mat<f64>>;
}

impl<'a> Estimate<'a> {
    pub(super) fn new(columns: &'a [&'a [f64]], solved: Mat<f64>, width: f64, mixed: Box<dyn Mixed + 'a>) -> Self {
        Estimate { columns, solved, width, mixed }
    }

    /// The columns.
    pub(super) fn columns(&self) -> &'a [&'a [f64]] {
        self.columns
    }

    /// `s`, the kernel's width.
    pub(super) fn width(&self) -> f64 {
        self.width
    }

    /// `∂log p/∂x_j` at every row.
    pub(super) fn first(&self, j: usize) -> &[f64] {
        self.solved.col_as_slice(j)
    }

    /// `∂²log p/∂x_j²` at every row.
    fn second(&self, j: usize) -> impl Iterator<Item = f64> + '_ {
        let solved = self.solved.col_as_slice(self.columns.len() + j);
        self.first(j).iter().zip(solved).map(|(g, second)| second - g * g)
    }

    /// The mean over the rows of every column's second derivative.
    pub(super) fn means(&self) -> Vec<f64> {
        let n = self.solved.nrows() as f64;
        (0..self.columns.len()).map(|j| self.second(j).sum::<f64>() / n).collect()
    }

    /// The variance over the rows, with denominator `n`, of every column's second derivative.
    pub(super) fn variances(&self) -> Vec<f64> {
        let n = self.solved.nrows() as f64;
        let means = self.means().into_iter().enumerate();
        means.map(|(j, mean)| self.second(j).map(|value| (value - mean).powi(2)).sum::<f64>() / n).collect()
    }

    /// `∂²log p/∂x_at ∂x_j` at every row, for every column.
    pub(super) fn mixed(&self, at: usize, run: &Run<'_>) -> Result<Vec<Vec<f64>>> {
        let solved = self.mixed.solved(at, run)?;
        let less = |j: usize| {
            let products = self.first(at).iter().zip(self.first(j)).map(|(a, b)| a * b);
            solved.col_as_slice(j).iter().zip(products).map(|(solved, product)| solved - product).collect()
        };
        Ok((0..self.columns.len()).map(less).collect())
    }
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

/// `x_at x_j` for every column, the right-hand sides of the mixed derivatives' products with the kernel matrix.
pub(super) fn mixed_moments(columns: &[&[f64]], at: usize, rows: Range<usize>) -> Mat<f64> {
    Mat::from_fn(rows.len(), columns.len(), |i, j| {
        let row = rows.start + i;
        columns[at][row] * columns[j][row]
    })
}

/// `M` of the derivatives by column `by` and every column, as [`sides`]; `mixed` are the products with the [`mixed_moments`].
pub(super) fn mixed_sides(
    at: &[&[f64]],
    by: usize,
    products: MatRef<'_, f64>,
    mixed: MatRef<'_, f64>,
    width: f64,
) -> Mat<f64> {
    let square = width * width;
    Mat::from_fn(products.nrows(), at.len(), |k, j| {
        let (x, y, ones) = (at[by][k], at[j][k], products[(k, 0)]);
        let both = (x * ones - products[(k, 1 + by)]) * y - x * products[(k, 1 + j)] + mixed[(k, j)];
        (both / square - if j == by { ones } else { 0.0 }) / square
    })
}
