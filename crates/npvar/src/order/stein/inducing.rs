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

use faer::{Mat, MatMut, MatRef};
use rayon::prelude::*;

use super::derivatives::{SecondDerivatives, hessian_variances, kernel, moments, sides};
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

impl SecondDerivatives for Inducing<'_> {
    fn variances(&mut self, columns: &[&[f64]], run: &Run<'_>) -> Result<(Vec<f64>, f64)> {
        let (n, m, r) = (columns[0].len(), columns.len(), self.rows.len());
        let inducing: Vec<Vec<f64>> =
            columns.iter().map(|column| self.rows.iter().map(|&row| column[row]).collect()).collect();
        let inducing: Vec<&[f64]> = inducing.iter().map(|column| &column[..]).collect();
        let mut own = vec![0.0; r * r];
        let width = kernel_matrix(&inducing, &mut own, run)?;
        factor(&mut own, r, COINCIDING / width, "inducing", run)?;
        let own = MatRef::from_column_major_slice(&own, r, r);
        let (mut gram, mut products) = (vec![0.0; r * r], Mat::zeros(r, 2 * m + 1));
        let mut chunk = vec![0.0; r * CHUNK];
        for start in (0..n).step_by(CHUNK) {
            run.check()?;
            let rows = start..n.min(start + CHUNK);
            let chunk = &mut chunk[..r * rows.len()];
            cross_kernel(&inducing, columns, rows.clone(), width, chunk);
            let mut values = MatMut::from_column_major_slice_mut(chunk, r, rows.len());
            multiply(products.as_mut(), Into::Add, values.as_ref(), moments(columns, rows).as_ref(), 1.0);
            forward_solve(own, values.as_mut());
            add_outer(MatMut::from_column_major_slice_mut(&mut gram, r, r), values.as_ref());
        }
        let mut alpha = sides(&inducing, products.as_ref(), width);
        forward_solve(own, alpha.as_mut());
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
        backward_solve(own, alpha.as_mut());
        let mut solved = Mat::zeros(n, 2 * m);
        for start in (0..n).step_by(CHUNK) {
            run.check()?;
            let rows = start..n.min(start + CHUNK);
            let chunk = &mut chunk[..r * rows.len()];
            cross_kernel(&inducing, columns, rows.clone(), width, chunk);
            let values = MatRef::from_column_major_slice(chunk, r, rows.len());
            let target = solved.as_mut().subrows_mut(start, rows.len());
            multiply(target, Into::Replace, values.transpose(), alpha.as_ref(), 1.0);
        }
        Ok((hessian_variances(solved.as_ref(), m), width))
    }
}

/// `K_zx` for a chunk of rows: one column per row of the chunk.
fn cross_kernel(inducing: &[&[f64]], columns: &[&[f64]], rows: std::ops::Range<usize>, width: f64, target: &mut [f64]) {
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
