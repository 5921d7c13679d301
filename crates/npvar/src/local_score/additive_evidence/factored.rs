//! The factor of a parent set, and the values of all sets one toggle away that it gives.

use faer::Mat;

use super::prior::Whitened;
use crate::error::Result;
use crate::graph::Node;
use crate::numerics::linalg::upper::{
    add_squares, factor, log_determinant_and_square, padded, solve, solve_transposed,
};
use crate::numerics::linalg::{Cholesky, wide};
use crate::run::Run;

/// `log|M|` and `c'M⁻¹c`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Parts {
    pub(super) log_determinant: f64,
    pub(super) explained: f64,
}

/// Bounds are wider than rounding.
const SLACK: f64 = 1e-6;
/// What is factored is the identity plus a Gram matrix, or a part of its inverse.
const DEFINITE: &str = "the identity plus a Gram matrix is positive definite";

/// The Schur complement of a term given all other terms: no parents leave less of it.
#[derive(Debug)]
pub(super) struct LeastSchur {
    /// `B`, row by row.
    inverse: Vec<f64>,
    /// `R` with `R'R = B⁻¹`, row by row.
    root: Vec<f64>,
    /// `−log|B|`.
    log_determinant: f64,
    /// `log|M_kk|`: that of the Schur complement given nothing.
    largest: f64,
}

impl LeastSchur {
    /// Of every term: `B` is its block of `M⁻¹`.
    pub(super) fn of_all(whitened: &Whitened, run: &Run<'_>) -> Result<Vec<Self>> {
        let inverse = Cholesky::new_during(whitened.matrix.clone(), run)?.expect(DEFINITE).inverse_factor(run)?;
        let of_node = |node| run.check().map(|()| LeastSchur::of(whitened, node, &inverse));
        (0..whitened.nodes()).map(of_node).collect()
    }

    fn of(whitened: &Whitened, node: Node, inverse: &Mat<f64>) -> Self {
        let range = whitened.range(node);
        let (q, width) = (range.len(), padded(range.len() + 1));
        // L⁻¹ is lower triangular: its columns begin at the diagonal.
        let dot = |i: usize, j: usize| {
            let column = |at: usize| &inverse.col_as_slice(range.start + at)[range.start + i.max(j)..];
            wide::dot(column(i), column(j))
        };
        let mut block = vec![0.0; q * width];
        (0..q).for_each(|i| (0..q).for_each(|j| block[i * width + j] = dot(i, j)));
        // B = U'U, so that B⁻¹ = R'R with R = U'⁻¹.
        let mut upper = block.clone();
        assert!(factor(&mut upper, q, width), "{DEFINITE}");
        let mut root = vec![0.0; q * width];
        (0..q).for_each(|i| root[i * width + i] = 1.0);
        solve_transposed(&upper, width, &mut root, width);
        let (log_determinant, _) = log_determinant_and_square(&upper, q, width, 0);
        let mut own = gathered(whitened, &[node], &[node], width);
        assert!(factor(&mut own, q, width), "{DEFINITE}");
        let (largest, _) = log_determinant_and_square(&own, q, width, 0);
        LeastSchur { inverse: block, root, log_determinant: -log_determinant, largest }
    }

    /// `u'Bu`.
    fn most(&self, u: &[f64]) -> f64 {
        let width = padded(u.len() + 1);
        let mut product = vec![0.0; width];
        wide::wide(
            #[inline(always)]
            || {
                for (row, &u) in self.inverse.chunks_exact(width).zip(u) {
                    product.iter_mut().zip(row).for_each(|(sum, entry)| *sum += u * entry);
                }
            },
        );
        product.iter().zip(u).map(|(product, u)| product * u).sum()
    }

    /// `α'B⁻¹α`.
    fn least(&self, alpha: &[f64]) -> f64 {
        let rows = self.root.chunks_exact(padded(alpha.len() + 1));
        rows.map(|row| row.iter().zip(alpha).map(|(entry, alpha)| entry * alpha).sum::<f64>().powi(2)).sum()
    }
}

/// The factor of a parent set.
pub(super) struct Factored<'w> {
    whitened: &'w Whitened,
    node: Node,
    parents: &'w [Node],
    /// `M = U'U`, and `z = U'⁻¹c` beside it.
    upper: Vec<f64>,
    /// The rows of `M`, and the length of each.
    size: usize,
    stride: usize,
    pub(super) parts: Parts,
}

impl<'w> Factored<'w> {
    pub(super) fn new(whitened: &'w Whitened, node: Node, parents: &'w [Node]) -> Self {
        let size = parents.iter().map(|&parent| whitened.range(parent).len()).sum();
        let stride = padded(size + 1);
        let mut upper = gathered(whitened, parents, parents, stride);
        let cross = whitened.cross.col_as_slice(node);
        for (row, at) in upper.chunks_exact_mut(stride).zip(whitened.rows(parents)) {
            row[size] = cross[at];
        }
        assert!(factor(&mut upper, size, stride), "{DEFINITE}");
        let (log_determinant, explained) = log_determinant_and_square(&upper, size, stride, size);
        Factored { whitened, node, parents, upper, size, stride, parts: Parts { log_determinant, explained } }
    }

    /// Each of `others` as one more parent, and each parent left out, with more explained than there can be.
    ///
    /// The Schur complement `S` of a term given some parents is at least that given all other terms, `B⁻¹`, so that `u'S⁻¹u ≤ u'Bu`
    /// and `log|S| ≥ −log|B|`, and `u = c_k − M_kT M_TT⁻¹c_T` needs no factor of its own. A parent left out gives back
    /// `α_k'Sα_k ≥ α_k'B⁻¹α_k`, and `log|S| ≤ log|M_kk|`.
    pub(super) fn bounds(&self, others: &[Node], least: &[LeastSchur]) -> Vec<(Node, Parts)> {
        let alpha = solve(&self.upper, self.size, self.stride, self.size);
        let mut u = self.whitened.cross.col_as_slice(self.node).to_vec();
        for (row, &weight) in self.whitened.rows(self.parents).zip(&alpha) {
            wide::add_multiple(&mut u, -weight, self.whitened.matrix.col_as_slice(row));
        }
        let more = others.iter().map(|&k| {
            let explained = (1.0 + SLACK) * least[k].most(&u[self.whitened.range(k)]);
            (k, self.parts.changed(least[k].log_determinant - SLACK, explained))
        });
        let mut start = 0;
        let fewer = self.parents.iter().map(|&k| {
            let own = start..start + self.whitened.range(k).len();
            start = own.end;
            let lost = (1.0 - SLACK) * least[k].least(&alpha[own]);
            (k, self.parts.changed(-least[k].largest - SLACK, -lost))
        });
        more.chain(fewer).collect()
    }

    /// With this node put in or taken out.
    pub(super) fn toggled(&self, k: Node) -> Parts {
        match self.parents.iter().position(|&parent| parent == k) {
            Some(place) => self.without(place),
            None => self.with(k),
        }
    }

    /// With one parent more: `S` and `u` in one square, of `U'⁻¹[M_Tk c_T]`.
    fn with(&self, k: Node) -> Parts {
        let range = self.whitened.range(k);
        let q = range.len();
        let width = padded(q + 1);
        let cross = self.whitened.cross.col_as_slice(self.node);
        let mut beside = vec![0.0; self.size * width];
        for (row, at) in beside.chunks_exact_mut(width).zip(self.whitened.rows(self.parents)) {
            row[..q].copy_from_slice(&self.whitened.matrix.col_as_slice(at)[range.clone()]);
            row[q] = cross[at];
        }
        solve_transposed(&self.upper, self.stride, &mut beside, width);
        let mut schur = gathered(self.whitened, &[k], &[k], width);
        schur.chunks_exact_mut(width).zip(range).for_each(|(row, at)| row[q] = cross[at]);
        add_squares(&mut schur, width, -1.0, &beside, width);
        let (log_determinant, square) = solved(schur, q, width);
        self.parts.changed(log_determinant, square)
    }

    /// Without the parent at this place: `B = (M⁻¹)_kk` and `α_k` in one square, of `U'⁻¹E_k` and `z`.
    fn without(&self, place: usize) -> Parts {
        let k = self.parents[place];
        let (start, q) = (self.whitened.rows(&self.parents[..place]).count(), self.whitened.range(k).len());
        if q == 0 {
            return self.parts;
        }
        let width = padded(q + 1);
        // U'⁻¹ is lower triangular: rows above the diagonal are zero.
        let mut columns = vec![0.0; (self.size - start) * width];
        (0..q).for_each(|i| columns[i * width + i] = 1.0);
        let corner = &self.upper[start * self.stride + start..];
        solve_transposed(corner, self.stride, &mut columns, width);
        let z = self.upper.chunks_exact(self.stride).skip(start).map(|row| row[self.size]);
        columns.chunks_exact_mut(width).zip(z).for_each(|(row, z)| row[q] = z);
        let mut block = vec![0.0; q * width];
        add_squares(&mut block, width, 1.0, &columns, width);
        let (log_determinant, square) = solved(block, q, width);
        self.parts.changed(log_determinant, -square)
    }
}

impl Parts {
    fn changed(self, log_determinant: f64, explained: f64) -> Self {
        Parts { log_determinant: self.log_determinant + log_determinant, explained: self.explained + explained }
    }
}

/// `M_rows,columns` of two lists of terms, row by row.
fn gathered(whitened: &Whitened, rows: &[Node], columns: &[Node], stride: usize) -> Vec<f64> {
    let mut out = vec![0.0; whitened.rows(rows).count() * stride];
    for (row, at) in whitened.rows(rows).enumerate() {
        // M is symmetric: its columns are its rows.
        let from = whitened.matrix.col_as_slice(at);
        let mut start = row * stride;
        for &node in columns {
            let range = whitened.range(node);
            let end = start + range.len();
            out[start..end].copy_from_slice(&from[range]);
            start = end;
        }
    }
    out
}

/// `log|A|` and `u'A⁻¹u` for a symmetric positive definite `A` with `u` beside it.
fn solved(mut a: Vec<f64>, n: usize, stride: usize) -> (f64, f64) {
    assert!(factor(&mut a, n, stride), "{DEFINITE}");
    log_determinant_and_square(&a, n, stride, n)
}
