//! Diagonal blocks of the posterior covariance of every prefix regression, from the search's factor alone.
//!
//! In the found order the leading blocks of `Λ = L⁻¹` factor every prefix: `V = M⁻¹ = Λ'Λ` over the prefix's rows. The
//! tests of the regression of the node at position `t` need, for each earlier position `k`, the blocks `V_kk` and
//! `H_kk` of `H = V P V`. Both grow row by row: with `Φ = Λ P Λ'`, whose leading blocks no later row changes,
//!
//! ```text
//! V_kk += Λ_bk'Λ_bk        H_kk += Λ_bk'Ψ_bk + Ψ_bk'Λ_bk        Ψ_b = Σ_{c<b} Φ_bc Λ_c + ½ Φ_bb Λ_b
//! ```
//!
//! `Φ` and `Ψ` are formed for a panel of rows at a time by ordinary matrix products.

use faer::MatMut;
use rayon::prelude::*;

use crate::numerics::linalg::{Into, multiply_here, row_major, row_major_mut, small};
use crate::residual_variance::AdditiveFactor;

/// Columns of a panel multiplied at once; the triangular shape is used between tiles, not inside them.
const TILE: usize = 96;

/// Rows of `Ψ` for the positions `first .. last`, row-major.
pub(super) struct Panel {
    first_row: usize,
    width: usize,
    psi: Vec<f64>,
}

impl Panel {
    pub(super) fn new(factor: &AdditiveFactor<'_>, first: usize, last: usize) -> Self {
        let offsets = factor.offsets();
        let (start, end) = (offsets[first], offsets[last]);
        let (inverse, stride) = factor.inverse();
        let rows = end - start;
        let weighted = times_penalty(factor, &inverse[start * stride..], rows, last);
        let weighted = row_major(&weighted, rows, end, end);

        let mut phi = vec![0.0; rows * end];
        in_tiles(&mut phi, rows, end, |tile, target| {
            let stop = tile + target.ncols();
            let right = row_major(&inverse[tile * stride..], target.ncols(), stop, stride).transpose();
            multiply_here(target, Into::Replace, weighted.submatrix(0, 0, rows, stop), right, 1.0);
        });
        for position in first..last {
            let block = offsets[position]..offsets[position + 1];
            for row in block.clone() {
                let row = &mut phi[(row - start) * end..(row - start + 1) * end];
                row[block.clone()].iter_mut().for_each(|entry| *entry *= 0.5);
                row[block.end..].fill(0.0);
            }
        }
        let phi = row_major(&phi, rows, end, end);
        let mut psi = vec![0.0; rows * end];
        in_tiles(&mut psi, rows, end, |tile, target| {
            let right = row_major(&inverse[tile * stride + tile..], end - tile, target.ncols(), stride);
            multiply_here(target, Into::Replace, phi.submatrix(0, tile, rows, end - tile), right, 1.0);
        });
        Panel { first_row: start, width: end, psi }
    }

    fn row(&self, row: usize, columns: std::ops::Range<usize>) -> &[f64] {
        &self.psi[(row - self.first_row) * self.width..][columns]
    }
}

/// Fills tiles of columns in parallel.
fn in_tiles(matrix: &mut [f64], rows: usize, columns: usize, fill: impl Fn(usize, MatMut<'_, f64>) + Sync) {
    if rows == 0 || columns == 0 {
        return;
    }
    let matrix = row_major_mut(matrix, rows, columns, columns);
    matrix.par_col_chunks_mut(TILE).enumerate().for_each(|(tile, target)| fill(tile * TILE, target));
}

/// `Λ P` for some rows of `Λ` up to position `last`.
fn times_penalty(factor: &AdditiveFactor<'_>, rows: &[f64], count: usize, last: usize) -> Vec<f64> {
    let (offsets, stride) = (factor.offsets(), factor.inverse().1);
    let width = offsets[last];
    let mut out = vec![0.0; count * width];
    out.par_chunks_mut(width.max(1)).enumerate().for_each(|(row, out)| {
        let lambda = &rows[row * stride..row * stride + width];
        for (position, &node) in factor.order()[..last].iter().enumerate() {
            let own = offsets[position]..offsets[position + 1];
            let (penalty, lambda) = (factor.penalty(node), &lambda[own.clone()]);
            for (out, penalty) in out[own.clone()].iter_mut().zip(penalty.chunks_exact(own.len().max(1))) {
                *out = small::dot(lambda, penalty);
            }
        }
    });
    out
}

/// `V_kk` and `H_kk` of one position for a growing prefix, row-major.
#[derive(Clone)]
pub(super) struct Blocks {
    position: usize,
    pub(super) v: Vec<f64>,
    pub(super) h: Vec<f64>,
}

impl Blocks {
    pub(super) fn new(position: usize, q: usize) -> Self {
        Blocks { position, v: vec![0.0; q * q], h: vec![0.0; q * q] }
    }

    /// Includes the rows of position `b`, which is `self.position` or later.
    pub(super) fn include(&mut self, factor: &AdditiveFactor<'_>, panel: &Panel, b: usize) {
        let offsets = factor.offsets();
        let (column, q) = (offsets[self.position], offsets[self.position + 1] - offsets[self.position]);
        let (inverse, stride) = factor.inverse();
        for row in offsets[b]..offsets[b + 1] {
            let lambda = &inverse[row * stride + column..row * stride + column + q];
            let psi = panel.row(row, column..column + q);
            for i in 0..q {
                let (v, h) = (&mut self.v[i * q..(i + 1) * q], &mut self.h[i * q..(i + 1) * q]);
                for j in 0..q {
                    v[j] += lambda[i] * lambda[j];
                    h[j] += lambda[i] * psi[j] + psi[i] * lambda[j];
                }
            }
        }
    }
}
