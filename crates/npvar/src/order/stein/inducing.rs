//! The Stein estimate carried by a few inducing rows `z_1 … z_r`, for samples too large for an `n` by `n` matrix.
//!
//! The exact estimate solves `K G + ηG = N`. Restricted to functions `G(x) = k(x, Z)α` and asked only at the inducing
//! rows this is
//!
//! ```text
//! (K_zx K_xz + η K_zz) α = N_z        N_z as before: a sum over all n rows
//! ```
//!
//! which is the exact estimate when every row is inducing (a ridge of 1e-10 keeps `K_zz` invertible where rows
//! coincide). With `L L' = K_zz` and `Φ = K_xz L⁻ᵀ` it becomes the well-conditioned `(Φ'Φ + ηI)β = L⁻¹N_z`, `α = L⁻ᵀβ`.
//! All sums run over chunks of rows, so memory is `O(r² + n m)`; the time is `O(n r²)` per step. The width is the median
//! distance between inducing rows.

use std::ops::Range;

use faer::{Mat, MatMut, MatRef};
use rayon::prelude::*;

use super::derivatives::{Estimate, LogDensity, Mixed, kernel, mixed_moments, mixed_sides, moments, sides};
use super::exact::{factor, kernel_matrix};
use crate::error::Result;
use crate::numerics::linalg::cholesky::{add_outer, backward_solve, cholesky_solve, forward_solve};
use crate::numerics::linalg::{Into, multiply};
use crate::run::Run;

/// Rows summed together: a chunk of the kernel matrix stays near the caches.
const CHUNK: usize = 1024;
/// The share of the kernel's height added to the diagonal of `K_zz`.
const COINCIDING: f64 = 1e-10;

/// The estimate on given rows.
pub(super) struct Inducing<'a> {
    rows: &'a [usize],
    eta_g: f64,
    eta_h: f64,
}

impl<'a> Inducing<'a> {
    pub(super) fn new(rows: &'a [usize], eta_g: f64, eta_h: f64) -> Self {
        Inducing { rows, eta_g, eta_h }
    }
}

impl LogDensity for Inducing<'_> {
    fn estimate<'a>(&'a mut self, columns: &'a [&'a [f64]], run: &Run<'_>) -> Result<Estimate<'a>> {
        let (n, m, r) = (columns[0].len(), columns.len(), self.rows.len());
        let inducing: Vec<Vec<f64>> =
            columns.iter().map(|column| self.rows.iter().map(|&row| column[row]).collect()).collect();
        let mut own = vec![0.0; r * r];
        let width = kernel_matrix(&slices(&inducing), &mut own, run)?;
        factor(&mut own, r, COINCIDING / width, "inducing", run)?;
        let mut carried =
            Carried { columns, inducing, own, gram: vec![0.0; r * r], products: Mat::zeros(r, 2 * m + 1), width };
        let (mut gram, mut products) = (vec![0.0; r * r], Mat::zeros(r, 2 * m + 1));
        carried.each_chunk(run, |rows, chunk| {
            let mut values = MatMut::from_column_major_slice_mut(chunk, r, rows.len());
            multiply(products.as_mut(), Into::Add, values.as_ref(), moments(columns, rows).as_ref(), 1.0);
            forward_solve(carried.own(), values.as_mut());
            add_outer(MatMut::from_column_major_slice_mut(&mut gram, r, r), values.as_ref());
        })?;
        carried.products = products;
        let mut alpha = sides(&slices(&carried.inducing), carried.products.as_ref(), width);
        forward_solve(carried.own(), alpha.as_mut());
        let (mut first, mut second) = alpha.as_mut().split_at_col_mut(m);
        if self.eta_g != self.eta_h {
            let mut copy = gram.clone();
            factor(&mut copy, r, self.eta_g, "eta-g", run)?;
            cholesky_solve(MatRef::from_column_major_slice(&copy, r, r), first.as_mut());
            factor(&mut gram, r, self.eta_h, "eta-h", run)?;
            cholesky_solve(MatRef::from_column_major_slice(&gram, r, r), second.as_mut());
        } else {
            factor(&mut gram, r, self.eta_g, "eta-g", run)?;
            cholesky_solve(MatRef::from_column_major_slice(&gram, r, r), alpha.as_mut());
        }
        carried.gram = gram;
        backward_solve(carried.own(), alpha.as_mut());
        let solved = carried.at_every_row(alpha.as_ref(), n, run)?;
        Ok(Estimate::new(columns, solved, width, Box::new(carried)))
    }
}

/// What the inducing rows carry.
struct Carried<'a> {
    columns: &'a [&'a [f64]],
    /// The columns at the inducing rows.
    inducing: Vec<Vec<f64>>,
    /// `L` of `K_zz`.
    own: Vec<f64>,
    /// The factor of `Φ'Φ + η_H I`.
    gram: Vec<f64>,
    /// `K_zx` times the moments.
    products: Mat<f64>,
    width: f64,
}

impl Carried<'_> {
    fn own(&self) -> MatRef<'_, f64> {
        let r = self.inducing[0].len();
        MatRef::from_column_major_slice(&self.own, r, r)
    }

    /// `K_zx` of every chunk of rows, one after the other.
    fn each_chunk(&self, run: &Run<'_>, mut visit: impl FnMut(Range<usize>, &mut [f64])) -> Result<()> {
        let (n, r) = (self.columns[0].len(), self.inducing[0].len());
        let (inducing, mut chunk) = (slices(&self.inducing), vec![0.0; r * CHUNK]);
        for start in (0..n).step_by(CHUNK) {
            run.check()?;
            let rows = start..n.min(start + CHUNK);
            let chunk = &mut chunk[..r * rows.len()];
            cross_kernel(&inducing, self.columns, rows.clone(), self.width, chunk);
            visit(rows, chunk);
        }
        Ok(())
    }

    /// `k(x, Z)α` at every row.
    fn at_every_row(&self, alpha: MatRef<'_, f64>, n: usize, run: &Run<'_>) -> Result<Mat<f64>> {
        let r = self.inducing[0].len();
        let mut values = Mat::zeros(n, alpha.ncols());
        self.each_chunk(run, |rows, chunk| {
            let kernel = MatRef::from_column_major_slice(chunk, r, rows.len());
            let target = values.as_mut().subrows_mut(rows.start, rows.len());
            multiply(target, Into::Replace, kernel.transpose(), alpha, 1.0);
        })?;
        Ok(values)
    }
}

impl Mixed for Carried<'_> {
    fn solved(&self, at: usize, run: &Run<'_>) -> Result<Mat<f64>> {
        let (n, m, r) = (self.columns[0].len(), self.columns.len(), self.inducing[0].len());
        let mut mixed = Mat::zeros(r, m);
        self.each_chunk(run, |rows, chunk| {
            let values = MatRef::from_column_major_slice(chunk, r, rows.len());
            multiply(mixed.as_mut(), Into::Add, values, mixed_moments(self.columns, at, rows).as_ref(), 1.0);
        })?;
        let mut alpha = mixed_sides(&slices(&self.inducing), at, self.products.as_ref(), mixed.as_ref(), self.width);
        forward_solve(self.own(), alpha.as_mut());
        cholesky_solve(MatRef::from_column_major_slice(&self.gram, r, r), alpha.as_mut());
        backward_solve(self.own(), alpha.as_mut());
        self.at_every_row(alpha.as_ref(), n, run)
    }
}

fn slices(columns: &[Vec<f64>]) -> Vec<&[f64]> {
    columns.iter().map(|column| &column[..]).collect()
}

/// `K_zx` for a chunk of rows: one column per row of the chunk.
fn cross_kernel(inducing: &[&[f64]], columns: &[&[f64]], rows: Range<usize>, width: f64, target: &mut [f64]) {
    target.par_chunks_mut(inducing[0].len()).zip(rows).for_each(|(target, row)| {
        target.fill(0.0);
        for (inducing, column) in inducing.iter().zip(columns) {
            let own = column[row];
            for (sum, other) in target.iter_mut().zip(*inducing) {
                *sum += (other - own) * (other - own);
            }
        }
        kernel(target, width);
    });
}
