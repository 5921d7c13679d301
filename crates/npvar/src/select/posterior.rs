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

use faer::Mat;

use crate::linalg::{Into, multiply, row_major, small};
use crate::residual_variance::AdditiveFactor;

/// Columns of a panel multiplied at once; the triangular shape is used between tiles, not inside them.
const TILE: usize = 288;

/// Rows of `Ψ` for the positions `first .. last`.
pub(super) struct Panel {
    first_row: usize,
    psi: Mat<f64>,
}

impl Panel {
    pub(super) fn new(factor: &AdditiveFactor<'_>, first: usize, last: usize) -> Self {
        let offsets = factor.offsets();
        let (start, end) = (offsets[first], offsets[last]);
        let (inverse, stride) = factor.inverse();
        let rows = end - start;
        let weighted = times_penalty(factor, &inverse[start * stride..], rows, last);

        let mut phi = Mat::<f64>::zeros(rows, end);
        for tile in (0..end).step_by(TILE) {
            let stop = end.min(tile + TILE);
            let right = row_major(&inverse[tile * stride..], stop - tile, stop, stride).transpose();
            let target = phi.as_mut().submatrix_mut(0, tile, rows, stop - tile);
            multiply(target, Into::Replace, weighted.as_ref().submatrix(0, 0, rows, stop), right, 1.0);
        }
        for position in first..last {
            let block = offsets[position]..offsets[position + 1];
            for row in block.clone() {
                for column in block.clone() {
                    phi[(row - start, column)] *= 0.5;
                }
                for column in block.end..end {
                    phi[(row - start, column)] = 0.0;
                }
            }
        }
        let mut psi = Mat::<f64>::zeros(rows, end);
        for tile in (0..end).step_by(TILE) {
            let stop = end.min(tile + TILE);
            let right = row_major(&inverse[tile * stride + tile..], end - tile, stop - tile, stride);
            let target = psi.as_mut().submatrix_mut(0, tile, rows, stop - tile);
            multiply(target, Into::Replace, phi.as_ref().submatrix(0, tile, rows, end - tile), right, 1.0);
        }
        Panel { first_row: start, psi }
    }
}

/// `Λ P` for some rows of `Λ` up to position `last`.
fn times_penalty(factor: &AdditiveFactor<'_>, rows: &[f64], count: usize, last: usize) -> Mat<f64> {
    let (offsets, stride) = (factor.offsets(), factor.inverse().1);
    let mut out = Mat::<f64>::zeros(count, offsets[last]);
    for (position, &node) in factor.order()[..last].iter().enumerate() {
        let (start, q) = (offsets[position], offsets[position + 1] - offsets[position]);
        let penalty = factor.penalty(node);
        for column in 0..q {
            let penalty = &penalty[column * q..(column + 1) * q];
            let out = &mut out.col_as_slice_mut(start + column)[..count];
            for (row, out) in out.iter_mut().enumerate() {
                *out = small::dot(&rows[row * stride + start..row * stride + start + q], penalty);
            }
        }
    }
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
            for i in 0..q {
                let psi_i = panel.psi[(row - panel.first_row, column + i)];
                for j in 0..q {
                    self.v[i * q + j] += lambda[i] * lambda[j];
                    self.h[i * q + j] += lambda[i] * panel.psi[(row - panel.first_row, column + j)] + psi_i * lambda[j];
                }
            }
        }
    }
}
