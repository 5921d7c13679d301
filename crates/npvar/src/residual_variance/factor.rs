//! The growing factor of the additive model with a fixed smoothing parameter.
//!
//! With `M_A = G_AA + P` (`P = ⊕ λ S_j`) and `L L' = M_A`, a node `b` that joins the ancestral set appends a block row:
//!
//! ```text
//! R = L⁻¹ G_Ab        K = L⁻ᵀ R = M_A⁻¹ G_Ab        L_b L_b' = M_bb − R'R
//! Λ_b = L_b⁻¹ [−K', I]                              (the new rows of L⁻¹)
//! β_b = (L_b L_b')⁻¹ (C_b − G_bA β_A)               β_A ← β_A − K β_b         for every target at once
//! ```
//!
//! What is kept is `L⁻¹` rather than `L`: `R` and `K` then need one pass over it, its rows are all the selection step
//! needs, and every product is an ordinary matrix product. Of each target the coefficients `β`, `‖L⁻¹C‖² = β'C` and
//! `β'Pβ` are kept; the coefficients of a node stay as they were when it joined the ancestral set, which is what its
//! parent selection asks for.
//!
//! Where a new block depends exactly on the earlier ones, `L_b L_b'` is singular. The common direction is in the null
//! space of data and penalty alike, so a ridge along it changes no fit; it is added and the direction remembered.

use faer::Mat;
use rayon::prelude::*;

use crate::error::Result;
use crate::graph::Node;
use crate::numerics::linalg::{Into, TriangularRows, multiply, multiply_here, row_major, row_major_mut, small};
use crate::run::Run;
use crate::smooth::AdditiveGram;

/// A pivot below this share of its diagonal entry calls for a closer look at the block's rank.
const SUSPICIOUS_PIVOT: f64 = 1e-7;
/// A direction of a block whose share of new information is below this is taken as exactly dependent: the Gram matrix
/// itself carries rounding errors of about 1e-15.
const DEPENDENT: f64 = 1e-12;
/// Rows of `L⁻¹` that one task multiplies; fixed, so that sums do not depend on the number of threads.
const TASK_ROWS: usize = 576;

/// A direction in which the ancestors' terms are exactly dependent: a unit vector of coefficients, in the factor's order.
#[derive(Debug, Clone, PartialEq)]
pub struct Dependency {
    /// The node that brought the dependency in.
    pub node: Node,
    /// The direction, over the coefficients up to and including that node's.
    pub direction: Vec<f64>,
    /// Where each position's coefficients start.
    offsets: Vec<usize>,
}

impl Dependency {
    /// The nodes of the order that have coefficients in it, each with its share of the direction's square.
    pub fn involved(&self, order: &[Node]) -> Vec<(Node, f64)> {
        let share = |position: usize| {
            let own = &self.direction[self.offsets[position]..self.offsets[position + 1]];
            (order[position], small::dot(own, own))
        };
        (0..self.offsets.len() - 1).map(share).collect()
    }
}

/// The factor of `M_A` for a growing `A`, and every node's regression on it.
pub struct AdditiveFactor<'g> {
    gram: &'g AdditiveGram,
    lambda: f64,
    /// `P_j = λ S_j` of every node, with the ridge of dependent directions.
    penalties: Vec<Vec<f64>>,
    order: Vec<Node>,
    /// Where the block of each position starts; one more entry for the end.
    offsets: Vec<usize>,
    /// `L⁻¹`, row-major, rows `stride` apart.
    inverse: Vec<f64>,
    stride: usize,
    /// Coefficients, a column per slot; `targets[slot]` is its node. Nodes outside `A` come first.
    beta: Mat<f64>,
    targets: Vec<Node>,
    slots: Vec<usize>,
    /// `β'C` of every node.
    explained: Vec<f64>,
    /// `β'Pβ` of every node.
    penalised: Vec<f64>,
    /// `tr(M_A⁻¹ P)`.
    penalty_trace: f64,
    /// The same when each position joined.
    penalty_traces: Vec<f64>,
    dependencies: Vec<Dependency>,
}

impl<'g> AdditiveFactor<'g> {
    /// Starts at `A = ∅` with smoothing parameter `lambda` (the paper's `sp`).
    pub fn new(gram: &'g AdditiveGram, lambda: f64) -> Self {
        let (d, size) = (gram.d(), gram.coefficients());
        AdditiveFactor {
            gram,
            lambda,
            penalties: (0..d).map(|j| gram.term(j).penalty().iter().map(|entry| lambda * entry).collect()).collect(),
            order: Vec::with_capacity(d),
            offsets: vec![0],
            inverse: vec![0.0; size * size],
            stride: size,
            beta: Mat::zeros(size, d),
            targets: (0..d).collect(),
            slots: (0..d).collect(),
            explained: vec![0.0; d],
            penalised: vec![0.0; d],
            penalty_trace: 0.0,
            penalty_traces: Vec::with_capacity(d),
            dependencies: Vec::new(),
        }
    }

    /// Adds a node to the ancestral set.
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`].
    pub fn append(&mut self, node: Node, run: &Run<'_>) -> Result<()> {
        run.check()?;
        self.retire(node);
        self.penalty_traces.push(self.penalty_trace);
        let (size, q) = (self.size(), self.gram.term(node).size());
        self.order.push(node);
        self.offsets.push(size + q);
        if q == 0 {
            return Ok(());
        }

        // The upper half holds G_bA, the lower half will hold (P K)'.
        let mut stacked = vec![0.0; 2 * q * size];
        for (position, &earlier) in self.order[..self.order.len() - 1].iter().enumerate() {
            self.gram.copy_block(node, earlier, &mut stacked[self.offsets[position]..], size.max(1));
        }
        let (schur_product, k) = self.solve(&stacked[..q * size], q);
        let (inverse_block, sigma) = self.factor_block(node, q, &schur_product, &k);
        self.store_rows(size, q, &inverse_block, &k);

        let (_, penalty_row) = stacked.split_at_mut(q * size);
        self.multiply_penalty(&k, penalty_row, q, size);
        let mut t = self.penalties[node].clone();
        if size > 0 {
            let (k, penalty_row) = (row_major(&k, q, size, size), row_major(penalty_row, q, size, size));
            multiply(row_major_mut(&mut t, q, q, q), Into::Add, k, penalty_row.transpose(), 1.0);
        }
        self.penalty_trace += (0..q * q).map(|entry| sigma[entry] * t[entry]).sum::<f64>();
        self.update_targets(node, q, size, &stacked, &k, &inverse_block, &t);
        Ok(())
    }

    /// The nodes of `A`, in the order they joined.
    pub fn order(&self) -> &[Node] {
        &self.order
    }

    /// The Gram matrix this is a factor of.
    pub fn gram(&self) -> &'g AdditiveGram {
        self.gram
    }

    /// `β'C − β'Pβ = β'G_AA β`: the sum of squares of a node's fitted values.
    pub fn fitted_square(&self, node: Node) -> f64 {
        self.explained[node] - self.penalised[node]
    }

    /// The residual sum of squares of a node's regression on `A`.
    pub fn residual_square(&self, node: Node) -> f64 {
        self.gram.square(node) - self.explained[node] - self.penalised[node]
    }

    /// Effective degrees of freedom of the regression on `A`, the intercept included.
    pub fn edf(&self) -> f64 {
        1.0 + self.size() as f64 - self.penalty_trace
    }

    /// The same for the regression of the node at `position` on the nodes before it.
    pub fn edf_at(&self, position: usize) -> f64 {
        1.0 + self.offsets[position] as f64 - self.penalty_traces.get(position).copied().unwrap_or(self.penalty_trace)
    }

    /// A node's coefficients on the first `length` coefficients of the order: all of `A` for a target outside, the nodes
    /// before it for one inside.
    pub(crate) fn coefficients_at(&self, node: Node, length: usize) -> &[f64] {
        &self.beta.col_as_slice(self.slots[node])[..length]
    }

    /// Exact dependencies met so far.
    pub fn dependencies(&self) -> &[Dependency] {
        &self.dependencies
    }

    /// Where the block of each position starts, and where the last one ends.
    pub(crate) fn offsets(&self) -> &[usize] {
        &self.offsets
    }

    /// `L⁻¹` row-major, and the distance of its rows.
    pub(crate) fn inverse(&self) -> (&[f64], usize) {
        (&self.inverse, self.stride)
    }

    /// `λ S_j` without any ridge, row-major.
    pub(crate) fn plain_penalty(&self, node: Node) -> Vec<f64> {
        self.gram.term(node).penalty().iter().map(|entry| self.lambda * entry).collect()
    }

    /// `P_j` with the ridge of dependent directions, row-major.
    pub(crate) fn penalty(&self, node: Node) -> &[f64] {
        &self.penalties[node]
    }

    fn size(&self) -> usize {
        self.offsets[self.order.len()]
    }

    /// Moves the node's column behind those of the nodes still outside `A`.
    fn retire(&mut self, node: Node) {
        let (slot, last) = (self.slots[node], self.targets.len() - 1 - self.order.len());
        if slot != last {
            let size = self.size();
            let (left, right) = self.beta.as_mut().split_at_col_mut(last);
            let (mut a, mut b) = (left.col_mut(slot), right.col_mut(0));
            for row in 0..size {
                std::mem::swap(&mut a[row], &mut b[row]);
            }
            self.targets.swap(slot, last);
            self.slots[self.targets[slot]] = slot;
            self.slots[node] = last;
        }
    }

    /// One pass over `L⁻¹`: `R'R` and `K'` (`q` rows) for the right-hand side given by its transpose (`q` rows).
    fn solve(&self, right: &[f64], q: usize) -> (Vec<f64>, Vec<f64>) {
        let size = right.len() / q;
        let partial = |start: usize| {
            let end = size.min(start + TASK_ROWS);
            let rows = &self.inverse[start * self.stride..];
            let rows = TriangularRows { rows, stride: self.stride, count: end - start, first: start };
            let (product, k) = rows.products(right, size, q);
            (product, k, end)
        };
        let starts: Vec<usize> = (0..size).step_by(TASK_ROWS).collect();
        let partials: Vec<_> = if starts.len() > 1 {
            starts.into_par_iter().map(partial).collect()
        } else {
            starts.into_iter().map(partial).collect()
        };
        let (mut product, mut k) = (vec![0.0; q * q], vec![0.0; q * size]);
        for (partial_product, partial_k, end) in partials {
            product.iter_mut().zip(&partial_product).for_each(|(sum, part)| *sum += part);
            for c in 0..q {
                let into = &mut k[c * size..c * size + end];
                into.iter_mut().zip(&partial_k[c * end..(c + 1) * end]).for_each(|(sum, part)| *sum += part);
            }
        }
        (product, k)
    }

    /// `L_b⁻¹` and `(L_b L_b')⁻¹` of the new block, with a ridge along directions that bring nothing new.
    fn factor_block(&mut self, node: Node, q: usize, schur_product: &[f64], k: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let gram = self.gram.diagonal_block(node);
        let diagonal: Vec<f64> = (0..q).map(|i| gram[i * q + i] + self.penalties[node][i * q + i]).collect();
        let mut block: Vec<f64> =
            (0..q * q).map(|entry| gram[entry] + self.penalties[node][entry] - schur_product[entry]).collect();
        let mut factor = block.clone();
        if small::cholesky(&mut factor, q, &diagonal) < SUSPICIOUS_PIVOT {
            self.ridge_dependent_directions(node, q, &mut block, &diagonal, k);
            factor.copy_from_slice(&block);
            small::cholesky(&mut factor, q, &diagonal);
        }
        let inverse = small::invert_lower(&factor, q);
        let mut sigma = vec![0.0; q * q];
        for i in 0..q {
            for j in 0..q {
                sigma[i * q + j] = (i.max(j)..q).map(|row| inverse[row * q + i] * inverse[row * q + j]).sum();
            }
        }
        (inverse, sigma)
    }

    fn ridge_dependent_directions(&mut self, node: Node, q: usize, block: &mut [f64], diagonal: &[f64], k: &[f64]) {
        let scale: Vec<f64> = diagonal.iter().map(|&entry| if entry > 0.0 { entry.sqrt() } else { 1.0 }).collect();
        let scaled: Vec<f64> = (0..q * q).map(|entry| block[entry] / (scale[entry / q] * scale[entry % q])).collect();
        let (values, vectors) = small::eigen(&scaled, q);
        let ridge = diagonal.iter().copied().fold(0.0, f64::max).max(f64::MIN_POSITIVE);
        let size = k.len() / q;
        for (_, vector) in values.iter().zip(&vectors).filter(|(value, _)| **value < DEPENDENT) {
            let mut own: Vec<f64> = vector.iter().zip(&scale).map(|(entry, scale)| entry / scale).collect();
            let norm = small::dot(&own, &own).sqrt();
            own.iter_mut().for_each(|entry| *entry /= norm);
            for i in 0..q {
                for j in 0..q {
                    block[i * q + j] += ridge * own[i] * own[j];
                    self.penalties[node][i * q + j] += ridge * own[i] * own[j];
                }
            }
            // M (w, own) = 0 with w = −K own.
            let mut direction: Vec<f64> =
                (0..size).map(|i| -(0..q).map(|c| k[c * size + i] * own[c]).sum::<f64>()).collect();
            direction.extend(own);
            let norm = small::dot(&direction, &direction).sqrt();
            direction.iter_mut().for_each(|entry| *entry /= norm);
            self.dependencies.push(Dependency { node, direction, offsets: self.offsets.clone() });
        }
    }

    /// Writes `Λ_b = L_b⁻¹ [−K', I]` below the rows of `L⁻¹`.
    fn store_rows(&mut self, size: usize, q: usize, inverse_block: &[f64], k: &[f64]) {
        let rows = &mut self.inverse[size * self.stride..];
        if size > 0 {
            let target = row_major_mut(rows, q, size, self.stride);
            multiply_here(target, Into::Replace, row_major(inverse_block, q, q, q), row_major(k, q, size, size), -1.0);
        }
        for i in 0..q {
            rows[i * self.stride + size..i * self.stride + size + q]
                .copy_from_slice(&inverse_block[i * q..(i + 1) * q]);
        }
    }

    /// `(P K)'`, `q` rows.
    fn multiply_penalty(&self, k: &[f64], out: &mut [f64], q: usize, size: usize) {
        for (position, &node) in self.order[..self.order.len() - 1].iter().enumerate() {
            let (start, end) = (self.offsets[position], self.offsets[position + 1]);
            let penalty = &self.penalties[node];
            for c in 0..q {
                let k = &k[c * size + start..c * size + end];
                for (row, out) in out[c * size + start..c * size + end].iter_mut().enumerate() {
                    *out = small::dot(&penalty[row * k.len()..(row + 1) * k.len()], k);
                }
            }
        }
    }

    /// New coefficients, `β'C` and `β'Pβ` of every node outside `A`.
    #[allow(clippy::too_many_arguments)]
    fn update_targets(
        &mut self,
        node: Node,
        q: usize,
        size: usize,
        stacked: &[f64],
        k: &[f64],
        inverse_block: &[f64],
        t: &[f64],
    ) {
        let active = self.targets.len() - self.order.len();
        if active == 0 {
            return;
        }
        let mut products = Mat::<f64>::zeros(2 * q, active);
        if size > 0 {
            let beta = self.beta.as_ref().submatrix(0, 0, size, active);
            multiply(products.as_mut(), Into::Replace, row_major(stacked, 2 * q, size, size), beta, 1.0);
        }
        let mut new = Mat::<f64>::zeros(q, active);
        let mut whitened = vec![0.0; q];
        for slot in 0..active {
            let target = self.targets[slot];
            let product = products.col_as_slice(slot);
            let cross = self.gram.cross(node, target);
            let residual: Vec<f64> = (0..q).map(|i| cross[i] - product[i]).collect();
            for i in 0..q {
                whitened[i] = small::dot(&inverse_block[i * q..=i * q + i], &residual[..=i]);
            }
            let beta = new.col_as_slice_mut(slot);
            for i in 0..q {
                beta[i] = (i..q).map(|row| inverse_block[row * q + i] * whitened[row]).sum();
            }
            self.explained[target] += small::dot(&whitened, &whitened);
            self.penalised[target] += small::quadratic(beta, t, beta) - 2.0 * small::dot(beta, &product[q..]);
        }
        if size > 0 {
            let beta = self.beta.as_mut().submatrix_mut(0, 0, size, active);
            multiply(beta, Into::Add, row_major(k, q, size, size).transpose(), new.as_ref(), -1.0);
        }
        self.beta.as_mut().submatrix_mut(size, 0, q, active).copy_from(new.as_ref());
    }
}
