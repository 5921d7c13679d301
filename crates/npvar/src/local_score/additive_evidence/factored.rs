//! The factor of a parent set, and the values of all sets one toggle away that it gives.

use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::{Mat, MatRef, Par};

use super::prior::Whitened;
use crate::graph::Node;
use crate::numerics::linalg::{Into, cholesky_here, multiply_here, row_major_mut, small};

/// `log|M|` and `c'M⁻¹c`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Parts {
    pub(super) log_determinant: f64,
    pub(super) explained: f64,
}

/// Bounds are wider than rounding.
const SLACK: f64 = 1e-6;

/// The Schur complement of a term given all other terms: no parents leave less of it.
#[derive(Debug)]
pub(super) struct LeastSchur {
    /// `B`, row by row.
    inverse: Vec<f64>,
    /// `−log|B|`.
    log_determinant: f64,
}

impl LeastSchur {
    /// Of every term: `B` is its block of `M⁻¹`.
    pub(super) fn of_all(whitened: &Whitened) -> Vec<Self> {
        let size = whitened.matrix.nrows();
        let mut factor = whitened.matrix.clone();
        cholesky_here(factor.as_mut()).expect("the identity plus a Gram matrix is positive definite");
        let mut inverse = Mat::<f64>::identity(size, size);
        solve_lower_triangular_in_place(factor.as_ref(), inverse.as_mut(), Par::Seq);
        let of = |node: Node| {
            let range = whitened.range(node);
            let q = range.len();
            // L⁻¹ is lower triangular: its columns begin at the diagonal.
            let columns = inverse.get(range.start.., range);
            let mut block = vec![0.0; q * q];
            multiply_here(row_major_mut(&mut block, q, q, q.max(1)), Into::Replace, columns.transpose(), columns, 1.0);
            let (log_determinant, _) = small_solved(block.clone(), vec![0.0; q]);
            LeastSchur { inverse: block, log_determinant: -log_determinant }
        };
        (0..whitened.nodes()).map(of).collect()
    }
}

/// The factor of a parent set.
pub(super) struct Factored<'w> {
    whitened: &'w Whitened,
    node: Node,
    parents: &'w [Node],
    /// The lower triangle of `M = L L'`.
    factor: Mat<f64>,
    /// `L⁻¹c`.
    z: Mat<f64>,
    pub(super) parts: Parts,
}

impl<'w> Factored<'w> {
    pub(super) fn new(whitened: &'w Whitened, node: Node, parents: &'w [Node]) -> Self {
        let rows: Vec<usize> = parents.iter().flat_map(|&parent| whitened.range(parent)).collect();
        let mut factor = gathered(whitened, parents, parents, rows.len());
        cholesky_here(factor.as_mut()).expect("the identity plus a Gram matrix is positive definite");
        let cross = whitened.cross.col_as_slice(node);
        let mut z = Mat::from_fn(rows.len(), 1, |i, _| cross[rows[i]]);
        solve_lower_triangular_in_place(factor.as_ref(), z.as_mut(), Par::Seq);
        let explained = small::dot(z.col_as_slice(0), z.col_as_slice(0));
        let log_determinant = 2.0 * (0..rows.len()).map(|i| factor[(i, i)].ln()).sum::<f64>();
        Factored { whitened, node, parents, factor, z, parts: Parts { log_determinant, explained } }
    }

    /// What each of `others` as one more parent could explain at most. The Schur complement `S` of a term given some parents is at
    /// least that given all other terms, `B⁻¹`, so that `u'S⁻¹u ≤ u'Bu` and `log|S| ≥ −log|B|`; and `u = c_k − M_kT M_TT⁻¹c_T`
    /// needs no factor of its own.
    pub(super) fn bounds(&self, others: &[Node], least: &[LeastSchur]) -> Vec<(Node, Parts)> {
        let mut alpha = self.z.clone();
        solve_upper_triangular_in_place(self.factor.transpose(), alpha.as_mut(), Par::Seq);
        let mut u = self.whitened.cross.col_as_slice(self.node).to_vec();
        let rows = self.parents.iter().flat_map(|&parent| self.whitened.range(parent));
        for (row, &weight) in rows.zip(alpha.col_as_slice(0)) {
            let column = self.whitened.matrix.col_as_slice(row);
            u.iter_mut().zip(column).for_each(|(u, entry)| *u -= weight * entry);
        }
        let bound = |&k: &Node| {
            let (u, least) = (&u[self.whitened.range(k)], &least[k]);
            let explained = (1.0 + SLACK) * small::quadratic(u, &least.inverse, u);
            (k, self.parts.changed(least.log_determinant - SLACK, explained))
        };
        others.iter().map(bound).collect()
    }

    /// With each of `others` as one more parent.
    pub(super) fn with_each(&self, others: &[Node]) -> Vec<(Node, Parts)> {
        let mut solved = gathered(self.whitened, self.parents, others, self.factor.nrows());
        solve_lower_triangular_in_place(self.factor.as_ref(), solved.as_mut(), Par::Seq);
        let cross = self.whitened.cross.col_as_slice(self.node);
        let mut start = 0;
        let mut parts = Vec::with_capacity(others.len());
        for &k in others {
            let range = self.whitened.range(k);
            let q = range.len();
            let (mut schur, mut left) = (vec![0.0; q * q], vec![0.0; q]);
            Self::products(solved.get(.., start..start + q), self.z.as_ref(), &mut schur, &mut left);
            for (i, column) in range.clone().enumerate() {
                let own = &self.whitened.matrix.col_as_slice(column)[range.clone()];
                (0..=i).for_each(|j| schur[i * q + j] = own[j] - schur[i * q + j]);
                left[i] = cross[column] - left[i];
            }
            let (log_determinant, square) = small_solved(schur, left);
            parts.push((k, self.parts.changed(log_determinant, square)));
            start += q;
        }
        parts
    }

    /// Without each of the parents.
    pub(super) fn without_each(&self) -> Vec<(Node, Parts)> {
        let m = self.factor.nrows();
        let mut inverse = Mat::<f64>::identity(m, m);
        solve_lower_triangular_in_place(self.factor.as_ref(), inverse.as_mut(), Par::Seq);
        let mut start = 0;
        let mut parts = Vec::with_capacity(self.parents.len());
        for &k in self.parents {
            let q = self.whitened.range(k).len();
            let (mut block, mut alpha) = (vec![0.0; q * q], vec![0.0; q]);
            // L⁻¹ is lower triangular: its columns begin at the diagonal.
            let columns = inverse.get(start.., start..start + q);
            Self::products(columns, self.z.get(start.., ..), &mut block, &mut alpha);
            let (log_determinant, square) = small_solved(block, alpha);
            parts.push((k, self.parts.changed(log_determinant, -square)));
            start += q;
        }
        parts
    }

    /// `A'A` and `A'z`.
    fn products(a: MatRef<'_, f64>, z: MatRef<'_, f64>, square: &mut [f64], left: &mut [f64]) {
        let q = left.len();
        multiply_here(row_major_mut(square, q, q, q.max(1)), Into::Replace, a.transpose(), a, 1.0);
        multiply_here(row_major_mut(left, q, 1, 1), Into::Replace, a.transpose(), z, 1.0);
    }
}

impl Parts {
    fn changed(self, log_determinant: f64, explained: f64) -> Self {
        Parts { log_determinant: self.log_determinant + log_determinant, explained: self.explained + explained }
    }
}

/// `M_rows,columns` of two lists of terms.
fn gathered(whitened: &Whitened, rows: &[Node], columns: &[Node], height: usize) -> Mat<f64> {
    let width = columns.iter().map(|&node| whitened.range(node).len()).sum();
    let mut out = Mat::zeros(height, width);
    for (at, column) in columns.iter().flat_map(|&node| whitened.range(node)).enumerate() {
        let from = whitened.matrix.col_as_slice(column);
        let mut to = &mut out.col_as_slice_mut(at)[..];
        for &node in rows {
            let range = whitened.range(node);
            let (block, rest) = to.split_at_mut(range.len());
            block.copy_from_slice(&from[range]);
            to = rest;
        }
    }
    out
}

/// `log|A|` and `u'A⁻¹u` for a symmetric positive definite `A` given by its lower triangle.
fn small_solved(mut a: Vec<f64>, mut u: Vec<f64>) -> (f64, f64) {
    let q = u.len();
    small::cholesky(&mut a, q, &vec![1.0; q]);
    let (mut log_determinant, mut square) = (0.0, 0.0);
    for i in 0..q {
        let row = &a[i * q..i * q + i];
        u[i] = (u[i] - small::dot(row, &u[..i])) / a[i * q + i];
        log_determinant += 2.0 * a[i * q + i].ln();
        square += u[i] * u[i];
    }
    (log_determinant, square)
}
