//! The evidence of a node with given parents, and with all sets one toggle away, from the Gram matrix alone.
//!
//! ```text
//! x_v = Σ_{k ∈ T} Φ_k β_k + ε,   β ~ N(0, r s I),   ε ~ N(0, s I);   M = I + r Φ_T'Φ_T,  c = √r Φ_T'x_v:
//! log p(x_v | T) = −(n/2) log s − ½ log|M| − (x'x − c'M⁻¹c)/(2s)
//! ```
//!
//! With `L L' = M`, `z = L⁻¹c` and `R = L⁻¹M_Tk`, a parent `k` more takes `u'S⁻¹u` from the quadratic form and adds `log|S|`
//! to the determinant, `S = M_kk − R'R`, `u = c_k − R'z`. With `α = M⁻¹c` and `B = (M⁻¹)_kk`, a parent `k` less gives
//! `α_k'B⁻¹α_k` back and adds `log|B|`. So one factor values all toggles.

use faer::linalg::triangular_solve::solve_lower_triangular_in_place;
use faer::{Mat, MatRef, Par};

use super::prior::{FunctionPrior, Whitened};
use crate::error::Result;
use crate::graph::Node;
use crate::local_score::noise::Noise;
use crate::local_score::toggling::{Toggled, Toggles, price_by_number};
use crate::numerics::linalg::{Into, cholesky_here, multiply_here, row_major_mut, small};
use crate::run::Run;
use crate::smooth::AdditiveGram;

/// The evidence of additive models of splines.
#[derive(Debug, Clone)]
pub struct AdditiveEvidence<'g> {
    pub(super) gram: &'g AdditiveGram,
    pub(super) prior: FunctionPrior,
    pub(super) noise: Noise,
    whitened: Whitened,
}

/// `log|M|` and `x'x − c'M⁻¹c`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Parts {
    log_determinant: f64,
    pub(super) square: f64,
}

impl<'g> AdditiveEvidence<'g> {
    /// From a Gram matrix in coordinates in which every penalty is diagonal ([`AdditiveGram::turned`]).
    pub fn new(gram: &'g AdditiveGram, prior: FunctionPrior, noise: Noise) -> Self {
        AdditiveEvidence { gram, prior, noise, whitened: Whitened::new(gram, prior) }
    }

    /// The prior over functions.
    pub fn prior(&self) -> FunctionPrior {
        self.prior
    }

    /// What is assumed of the noise.
    pub fn noise(&self) -> Noise {
        self.noise
    }

    /// Whether a column has one value: it explains nothing, and there is nothing to explain.
    pub(super) fn is_constant(&self, node: Node) -> bool {
        self.gram.square(node) <= 0.0
    }

    /// The log evidence of a node with these parents.
    pub fn nats(&self, node: Node, parents: &[Node]) -> f64 {
        self.nats_of(node, self.parts(node, parents))
    }

    pub(super) fn parts(&self, node: Node, parents: &[Node]) -> Parts {
        Factored::new(self, node, parents).parts
    }

    pub(super) fn nats_of(&self, node: Node, parts: Parts) -> f64 {
        if self.is_constant(node) {
            return 0.0;
        }
        self.noise.log_likelihood(self.gram.n() as f64, parts.square) - 0.5 * parts.log_determinant
    }

    fn range(&self, node: Node) -> std::ops::Range<usize> {
        self.whitened.offsets[node]..self.whitened.offsets[node + 1]
    }
}

impl Toggles for AdditiveEvidence<'_> {
    fn nodes(&self) -> usize {
        self.gram.d()
    }

    fn toggled(&self, node: Node, parents: &[Node], _: &Run<'_>) -> Result<Toggled> {
        let factored = Factored::new(self, node, parents);
        let mut with = vec![f64::NEG_INFINITY; self.gram.d()];
        let others: Vec<Node> = (0..self.gram.d()).filter(|&k| k != node && !parents.contains(&k)).collect();
        for (k, parts) in factored.with_each(&others).into_iter().chain(factored.without_each()) {
            with[k] = self.nats_of(node, parts);
        }
        Ok(Toggled { nats: self.nats_of(node, factored.parts), with })
    }

    fn price(&self, candidates: usize, parents: usize) -> f64 {
        price_by_number(candidates, parents)
    }
}

/// The factor of a parent set.
struct Factored<'e, 'g> {
    evidence: &'e AdditiveEvidence<'g>,
    node: Node,
    parents: &'e [Node],
    /// The lower triangle of `M = L L'`.
    factor: Mat<f64>,
    /// `L⁻¹c`.
    z: Mat<f64>,
    parts: Parts,
}

impl<'e, 'g> Factored<'e, 'g> {
    fn new(evidence: &'e AdditiveEvidence<'g>, node: Node, parents: &'e [Node]) -> Self {
        let rows: Vec<usize> = parents.iter().flat_map(|&parent| evidence.range(parent)).collect();
        let mut factor = gathered(evidence, parents, parents, rows.len());
        cholesky_here(factor.as_mut()).expect("the identity plus a Gram matrix is positive definite");
        let cross = evidence.whitened.cross.col_as_slice(node);
        let mut z = Mat::from_fn(rows.len(), 1, |i, _| cross[rows[i]]);
        solve_lower_triangular_in_place(factor.as_ref(), z.as_mut(), Par::Seq);
        let explained = small::dot(z.col_as_slice(0), z.col_as_slice(0));
        let log_determinant = 2.0 * (0..rows.len()).map(|i| factor[(i, i)].ln()).sum::<f64>();
        let parts = Parts { log_determinant, square: evidence.gram.square(node) - explained };
        Factored { evidence, node, parents, factor, z, parts }
    }

    /// With each of `others` as one more parent.
    fn with_each(&self, others: &[Node]) -> Vec<(Node, Parts)> {
        let mut solved = gathered(self.evidence, self.parents, others, self.factor.nrows());
        solve_lower_triangular_in_place(self.factor.as_ref(), solved.as_mut(), Par::Seq);
        let cross = self.evidence.whitened.cross.col_as_slice(self.node);
        let mut start = 0;
        let mut parts = Vec::with_capacity(others.len());
        for &k in others {
            let range = self.evidence.range(k);
            let q = range.len();
            let (mut schur, mut left) = (vec![0.0; q * q], vec![0.0; q]);
            Self::products(solved.get(.., start..start + q), self.z.as_ref(), &mut schur, &mut left);
            for (i, column) in range.clone().enumerate() {
                let own = &self.evidence.whitened.matrix.col_as_slice(column)[range.clone()];
                (0..=i).for_each(|j| schur[i * q + j] = own[j] - schur[i * q + j]);
                left[i] = cross[column] - left[i];
            }
            let (log_determinant, square) = small_solved(schur, left);
            parts.push((k, self.parts.changed(log_determinant, -square)));
            start += q;
        }
        parts
    }

    /// Without each of the parents.
    fn without_each(&self) -> Vec<(Node, Parts)> {
        let m = self.factor.nrows();
        let mut inverse = Mat::<f64>::identity(m, m);
        solve_lower_triangular_in_place(self.factor.as_ref(), inverse.as_mut(), Par::Seq);
        let mut start = 0;
        let mut parts = Vec::with_capacity(self.parents.len());
        for &k in self.parents {
            let q = self.evidence.range(k).len();
            let (mut block, mut alpha) = (vec![0.0; q * q], vec![0.0; q]);
            // L⁻¹ is lower triangular: its columns begin at the diagonal.
            let columns = inverse.get(start.., start..start + q);
            Self::products(columns, self.z.get(start.., ..), &mut block, &mut alpha);
            let (log_determinant, square) = small_solved(block, alpha);
            parts.push((k, self.parts.changed(log_determinant, square)));
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
    fn changed(self, log_determinant: f64, square: f64) -> Self {
        Parts { log_determinant: self.log_determinant + log_determinant, square: self.square + square }
    }
}

/// `M_rows,columns` of two lists of terms.
fn gathered(evidence: &AdditiveEvidence<'_>, rows: &[Node], columns: &[Node], height: usize) -> Mat<f64> {
    let width = columns.iter().map(|&node| evidence.range(node).len()).sum();
    let mut out = Mat::zeros(height, width);
    for (at, column) in columns.iter().flat_map(|&node| evidence.range(node)).enumerate() {
        let from = evidence.whitened.matrix.col_as_slice(column);
        let mut to = &mut out.col_as_slice_mut(at)[..];
        for &node in rows {
            let range = evidence.range(node);
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
