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
use crate::linalg::{Into, multiply_here, row_major, row_major_mut};
use crate::optimise::{dot, sum};
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
    ///
    /// The ℓ₁ penalty leaves most units without any nonzero weight. Such a unit is a constant `σ(b)`, and the gradient of its
    /// weights is a multiple of `X'(x̂_j − x_j)`, which is computed once for all of them.
    pub(super) fn gradient(&self, data: &Mat<f64>) -> NodeGradient {
        let (n, d, hidden) = (data.nrows(), data.ncols(), self.output.len());
        let (live, still): (Vec<usize>, Vec<usize>) =
            (0..hidden).partition(|&k| self.weights[k * d..(k + 1) * d].iter().any(|&w| w != 0.0));
        let mut constants = still.iter().map(|&k| self.hidden_bias[k]).collect::<Vec<f64>>();
        sigmoid(&mut constants);
        let offset = still.iter().zip(&constants).map(|(&k, s)| self.output[k] * s).sum::<f64>() + self.output_bias;
        let mut block_sums = BlockSums::new(self, &live, d);
        for first in (0..n).step_by(BLOCK_ROWS) {
            let rows = BLOCK_ROWS.min(n - first);
            block_sums.add(data.as_ref().subrows(first, rows), self.node, offset);
        }
        let share = 1.0 / n as f64;
        let residual = block_sums.residual * share;
        let mut gradient = NodeGradient {
            loss: 0.5 * share * block_sums.square,
            weights: vec![0.0; hidden * d],
            hidden_bias: vec![0.0; hidden],
            output: vec![0.0; hidden],
            output_bias: residual,
        };
        for (at, &k) in live.iter().enumerate() {
            for i in 0..d {
                gradient.weights[k * d + i] = share * block_sums.weights[at * d + i];
            }
            gradient.hidden_bias[k] = share * block_sums.hidden_bias[at];
            gradient.output[k] = share * block_sums.output_slopes[at];
        }
        let towards = &block_sums.weights[live.len() * d..];
        for (&k, s) in still.iter().zip(&constants) {
            let slope = self.output[k] * s * (1.0 - s);
            for i in 0..d {
                gradient.weights[k * d + i] = slope * share * towards[i];
            }
            gradient.hidden_bias[k] = slope * residual;
            gradient.output[k] = s * residual;
        }
        gradient
    }
}

/// Sums over blocks of rows for the units that are not constant.
struct BlockSums {
    /// Their weights, biases and outputs.
    live_weights: Vec<f64>,
    live_bias: Vec<f64>,
    live_output: Vec<f64>,
    /// `Σ r²` and `Σ r` of the residuals `r = x̂_j − x_j`.
    square: f64,
    residual: f64,
    /// A row of `d` for every unit, `(∂z)'X`, and one more, `r'X`.
    weights: Vec<f64>,
    hidden_bias: Vec<f64>,
    output_slopes: Vec<f64>,
    /// One unit after the other, then the residuals.
    units: Vec<f64>,
}

impl BlockSums {
    fn new(node: &Node<'_>, live: &[usize], d: usize) -> Self {
        BlockSums {
            live_weights: live.iter().flat_map(|&k| &node.weights[k * d..(k + 1) * d]).copied().collect(),
            live_bias: live.iter().map(|&k| node.hidden_bias[k]).collect(),
            live_output: live.iter().map(|&k| node.output[k]).collect(),
            square: 0.0,
            residual: 0.0,
            weights: vec![0.0; (live.len() + 1) * d],
            hidden_bias: vec![0.0; live.len()],
            output_slopes: vec![0.0; live.len()],
            units: Vec::new(),
        }
    }

    /// Adds a block; `offset` is what the prediction is without these units.
    fn add(&mut self, block: MatRef<'_, f64>, node: usize, offset: f64) {
        let (rows, d, live) = (block.nrows(), block.ncols(), self.live_bias.len());
        self.units.resize((live + 1) * rows, 0.0);
        let (units, residuals) = self.units.split_at_mut(live * rows);
        for (unit, &bias) in units.chunks_exact_mut(rows).zip(&self.live_bias) {
            unit.fill(bias);
        }
        let weights = row_major(&self.live_weights, live, d, d);
        multiply_here(row_major_mut(units, live, rows, rows), Into::Add, weights, block.transpose(), 1.0);
        sigmoid(units);
        for (residual, &x) in residuals.iter_mut().zip(block.col(node).iter()) {
            *residual = offset - x;
        }
        for (unit, &v) in units.chunks_exact(rows).zip(&self.live_output) {
            for (residual, s) in residuals.iter_mut().zip(unit) {
                *residual += v * s;
            }
        }
        self.square += dot(residuals, residuals);
        self.residual += sum(residuals);
        for (k, unit) in units.chunks_exact_mut(rows).enumerate() {
            self.output_slopes[k] += dot(residuals, unit);
            let v = self.live_output[k];
            for (s, residual) in unit.iter_mut().zip(residuals.iter()) {
                *s = residual * v * *s * (1.0 - *s);
            }
            self.hidden_bias[k] += sum(unit);
        }
        let slopes = row_major(&self.units, live + 1, rows, rows);
        multiply_here(row_major_mut(&mut self.weights, live + 1, d, d), Into::Add, slopes, block, 1.0);
    }
}
