//! One small network per node: its hidden units, its output, and their gradients.
//!
//! ```text
//! x̂_j = c_j + Σ_k v_jk σ(b_jk + Σ_i w_jki x_i)
//! ```
//!
//! Everything a node needs is a matrix product over a block of rows: `Z = X W_j'`, then `∂W_j = (∂Z)'X`. Nodes are
//! independent, so each is computed on one thread, and its sums run over fixed blocks in a fixed order.

use faer::{Mat, MatRef};

use super::sigmoid::sigmoid;
use crate::linalg::small::dot;
use crate::linalg::{Into, multiply_here, row_major, row_major_mut};
use crate::run::Seed;
use rand::RngExt;

/// Rows handled at a time: a block of `Z` and of `X` stays in the second-level cache.
const BLOCK_ROWS: usize = 1024;

/// The number of inputs (and networks) and of hidden units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// `d`.
    pub nodes: usize,
    /// Hidden units of every network.
    pub hidden: usize,
}

impl Shape {
    /// The number of first-layer weights: `w_jki` stands at `(j·hidden + k)·d + i`.
    pub fn first_weights(&self) -> usize {
        self.nodes * self.hidden * self.nodes
    }

    /// The number of hidden units of all networks.
    pub fn units(&self) -> usize {
        self.nodes * self.hidden
    }
}

/// The parameters of all networks; the first layer in parts, `W = W⁺ − W⁻`.
#[derive(Debug, Clone, PartialEq)]
pub struct Network {
    /// `W⁺`.
    pub positive: Vec<f64>,
    /// `W⁻`.
    pub negative: Vec<f64>,
    /// `b_jk` at `j·hidden + k`.
    pub hidden_bias: Vec<f64>,
    /// `v_jk` at `j·hidden + k`.
    pub output: Vec<f64>,
    /// `c_j`.
    pub output_bias: Vec<f64>,
}

impl Network {
    /// Uniform numbers within `±1/√(inputs of the layer)`, as torch initialises; the parts of the first layer projected onto
    /// their bounds, as the authors' minimiser does, and the difference of its two biases in one.
    pub fn random(shape: Shape, seed: Seed) -> Self {
        let uniform = |name: &str, count: usize, inputs: usize| -> Vec<f64> {
            let (mut rng, reach) = (seed.child(name, 0).rng(), 1.0 / (inputs as f64).sqrt());
            (0..count).map(|_| rng.random_range(-reach..reach)).collect()
        };
        let (d, hidden) = (shape.nodes, shape.hidden);
        let part = |name: &str| {
            let mut part = uniform(name, shape.first_weights(), d);
            for (at, weight) in part.iter_mut().enumerate() {
                let own = at / d / hidden == at % d;
                *weight = if own { 0.0 } else { weight.max(0.0) };
            }
            part
        };
        let biases = uniform("positive bias", shape.units(), d).into_iter();
        Network {
            positive: part("positive"),
            negative: part("negative"),
            hidden_bias: biases.zip(uniform("negative bias", shape.units(), d)).map(|(p, n)| p - n).collect(),
            output: uniform("output", shape.units(), hidden),
            output_bias: uniform("output bias", d, hidden),
        }
    }

    /// All parameters in one list: `W⁺`, `W⁻`, hidden biases, outputs, output biases.
    pub fn parameters(&self) -> Vec<f64> {
        [&self.positive, &self.negative, &self.hidden_bias, &self.output, &self.output_bias].map(Vec::as_slice).concat()
    }
}

/// One node's part of the squared loss and its gradient.
pub(super) struct NodeGradient {
    pub(super) loss: f64,
    /// `hidden` rows of `d`.
    pub(super) weights: Vec<f64>,
    pub(super) hidden_bias: Vec<f64>,
    pub(super) output: Vec<f64>,
    pub(super) output_bias: f64,
}

/// One node's parameters.
pub(super) struct Node<'a> {
    pub(super) node: usize,
    /// `hidden` rows of `d`.
    pub(super) weights: &'a [f64],
    pub(super) hidden_bias: &'a [f64],
    pub(super) output: &'a [f64],
    pub(super) output_bias: f64,
}

impl Node<'_> {
    /// `‖x_j − x̂_j‖²/(2n)` and its gradient.
    pub(super) fn gradient(&self, data: &Mat<f64>) -> NodeGradient {
        let (n, d, hidden) = (data.nrows(), data.ncols(), self.output.len());
        let mut sums = NodeGradient {
            loss: 0.0,
            weights: vec![0.0; hidden * d],
            hidden_bias: vec![0.0; hidden],
            output: vec![0.0; hidden],
            output_bias: 0.0,
        };
        let mut units = vec![0.0; hidden * BLOCK_ROWS.min(n)];
        let mut residuals = vec![0.0; BLOCK_ROWS.min(n)];
        for first in (0..n).step_by(BLOCK_ROWS) {
            let rows = BLOCK_ROWS.min(n - first);
            let block = data.as_ref().subrows(first, rows);
            self.add_block(block, &mut units[..hidden * rows], &mut residuals[..rows], &mut sums);
        }
        let share = 1.0 / n as f64;
        sums.loss *= 0.5 * share;
        sums.output_bias *= share;
        for list in [&mut sums.weights, &mut sums.hidden_bias, &mut sums.output] {
            list.iter_mut().for_each(|entry| *entry *= share);
        }
        sums
    }

    /// Adds a block's sums; `units` holds one hidden unit after the other.
    fn add_block(&self, block: MatRef<'_, f64>, units: &mut [f64], residuals: &mut [f64], sums: &mut NodeGradient) {
        let (rows, d, hidden) = (block.nrows(), block.ncols(), self.output.len());
        let weights = row_major(self.weights, hidden, d, d);
        for (unit, &bias) in units.chunks_exact_mut(rows).zip(self.hidden_bias) {
            unit.fill(bias);
        }
        multiply_here(row_major_mut(units, hidden, rows, rows), Into::Add, weights, block.transpose(), 1.0);
        sigmoid(units);
        for (residual, &x) in residuals.iter_mut().zip(block.col(self.node).iter()) {
            *residual = self.output_bias - x;
        }
        for (unit, &v) in units.chunks_exact(rows).zip(self.output) {
            for (residual, s) in residuals.iter_mut().zip(unit) {
                *residual += v * s;
            }
        }
        sums.loss += dot(residuals, residuals);
        sums.output_bias += residuals.iter().sum::<f64>();
        for (k, unit) in units.chunks_exact_mut(rows).enumerate() {
            sums.output[k] += dot(residuals, unit);
            let v = self.output[k];
            for (s, residual) in unit.iter_mut().zip(residuals.iter()) {
                *s = residual * v * *s * (1.0 - *s);
            }
            sums.hidden_bias[k] += unit.iter().sum::<f64>();
        }
        let units = row_major(units, hidden, rows, rows);
        multiply_here(row_major_mut(&mut sums.weights, hidden, d, d), Into::Add, units, block, 1.0);
    }
}
