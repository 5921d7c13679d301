//! The Stein estimate on all rows.

use faer::{Mat, MatMut, MatRef};
use rayon::prelude::*;

use super::derivatives::{Estimate, LogDensity, Mixed, kernel, mixed_moments, mixed_sides, moments, sides};
use crate::error::{Error, Result};
use crate::numerics::kernel::Zeros;
use crate::numerics::kernel::pairwise::{middle, squared_distances};
use crate::numerics::linalg::cholesky::{cholesky_in_place, cholesky_solve, factored_multiply, symmetric_multiply};
use crate::run::Run;

/// The estimate, with the memory its steps share.
pub(super) struct Exact {
    eta_g: f64,
    eta_h: f64,
    kernel: Vec<f64>,
}

impl Exact {
    pub(super) fn new(eta_g: f64, eta_h: f64) -> Self {
        Exact { eta_g, eta_h, kernel: Vec::new() }
    }
}

impl LogDensity for Exact {
    fn estimate<'a>(&'a mut self, columns: &'a [&'a [f64]], run: &Run<'_>) -> Result<Estimate<'a>> {
        let (n, m) = (columns[0].len(), columns.len());
        self.kernel.resize(n * n, 0.0);
        let width = kernel_matrix(columns, &mut self.kernel, run)?;
        let matrix = MatRef::from_column_major_slice(&self.kernel, n, n);
        let mut products = Mat::zeros(n, 2 * m + 1);
        symmetric_multiply(products.as_mut(), matrix, moments(columns, 0..n).as_ref());
        let mut solved = sides(columns, products.as_ref(), width);
        let (mut first, mut second) = solved.as_mut().split_at_col_mut(m);
        if self.eta_g != self.eta_h {
            // A second factor, of a copy: only where the ridges differ.
            let mut copy = self.kernel.clone();
            factor(&mut copy, n, self.eta_g, "eta-g", run)?;
            cholesky_solve(MatRef::from_column_major_slice(&copy, n, n), first.as_mut());
            factor(&mut self.kernel, n, self.eta_h, "eta-h", run)?;
            cholesky_solve(MatRef::from_column_major_slice(&self.kernel, n, n), second.as_mut());
        } else {
            factor(&mut self.kernel, n, self.eta_g, "eta-g", run)?;
            cholesky_solve(MatRef::from_column_major_slice(&self.kernel, n, n), solved.as_mut());
        }
        let factor = MatRef::from_column_major_slice(&self.kernel, n, n);
        let mixed = ExactMixed { columns, factor, ridge: self.eta_h, products, width };
        Ok(Estimate::new(columns, solved, width, Box::new(mixed)))
    }
}

/// What is left of an estimate: `L` of `K + η_H I = L L'`, and the products of `K` with the moments.
struct ExactMixed<'a> {
    columns: &'a [&'a [f64]],
    factor: MatRef<'a, f64>,
    ridge: f64,
    products: Mat<f64>,
    width: f64,
}

impl Mixed for ExactMixed<'_> {
    fn solved(&self, at: usize, run: &Run<'_>) -> Result<Mat<f64>> {
        let n = self.factor.nrows();
        run.check()?;
        let moments = mixed_moments(self.columns, at, 0..n);
        // K itself is gone: K x = L L'x − η x.
        let mut products = factored_multiply(self.factor, moments.as_ref());
        for j in 0..self.columns.len() {
            let moments = moments.col_as_slice(j);
            products.col_as_slice_mut(j).iter_mut().zip(moments).for_each(|(sum, x)| *sum -= self.ridge * x);
        }
        let mut solved = mixed_sides(self.columns, at, self.products.as_ref(), products.as_ref(), self.width);
        cholesky_solve(self.factor, solved.as_mut());
        Ok(solved)
    }
}

/// The lower triangle of the kernel matrix of the rows, and its width.
pub(super) fn kernel_matrix(columns: &[&[f64]], target: &mut [f64], run: &Run<'_>) -> Result<f64> {
    let n = columns[0].len();
    squared_distances(columns, target);
    run.check()?;
    let parts: Vec<&[f64]> = target.chunks(n).enumerate().map(|(j, column)| &column[j + 1..]).collect();
    // No two rows differ only where rounding ate every difference: then any width will do.
    let (lower, upper) = middle(&parts, Zeros::Leave).unwrap_or((1.0, 1.0));
    let width = 0.5 * (lower.sqrt() + upper.sqrt());
    target.par_chunks_mut(n).enumerate().for_each(|(j, column)| kernel(&mut column[j..], width));
    run.check()?;
    Ok(width)
}

/// Adds the ridge and factors in place; the `option` sets the ridge.
pub(super) fn factor(kernel: &mut [f64], n: usize, ridge: f64, option: &'static str, run: &Run<'_>) -> Result<()> {
    (0..n).for_each(|i| kernel[i * n + i] += ridge);
    match cholesky_in_place(MatMut::from_column_major_slice_mut(kernel, n, n), run)? {
        true => Ok(()),
        false => Err(Error::InvalidOption {
            option,
            requirement: "does not make the kernel matrix invertible".to_owned(),
            got: format!("a ridge of {ridge:e}"),
        }),
    }
}
