//! One small network per node: its hidden units, its output, and their gradients.
//!
//! ```text
//! x̂_j = c_j + Σ_k v_jk σ(b_jk + Σ_i w_jki x_i)
//! ```
//!
//! Everything is two matrix products over a block of rows for all nodes together: `Z = X W'`, then `∂W = (∂Z)'X`. Blocks are
//! computed in parallel; which rows a block has, and the order in which blocks are added up, are fixed.

use faer::{Mat, MatRef};

use super::sigmoid::sigmoid;
use crate::error::Result;
use crate::numerics::linalg::wide::{add_multiple, dot_here, sum_here, wide};
use crate::numerics::linalg::{Into, multiply_during, row_major, row_major_mut};
use crate::run::{Run, Seed};
use rand::RngExt;
use rayon::prelude::*;

/// Rows handled at a time: with some hundred units, a block stays in the second-level cache.
const BLOCK_ROWS: usize = 250;

/// The number of inputs (and networks) and of hidden units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NetworkShape {
    /// `d`.
    pub nodes: usize,
    /// Hidden units of every network.
    pub hidden: usize,
}

impl NetworkShape {
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
    pub fn random(shape: NetworkShape, seed: Seed) -> Self {
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

/// The parameters of all networks, `W` in one part.
pub(super) struct Layers<'a> {
    pub(super) shape: NetworkShape,
    pub(super) weights: &'a [f64],
    pub(super) hidden_bias: &'a [f64],
    pub(super) output: &'a [f64],
    pub(super) output_bias: &'a [f64],
}

/// The squared loss and its gradient, laid out as the parameters.
pub(super) struct LossGradient {
    pub(super) loss: f64,
    pub(super) weights: Vec<f64>,
    pub(super) hidden_bias: Vec<f64>,
    pub(super) output: Vec<f64>,
    pub(super) output_bias: Vec<f64>,
}

impl Layers<'_> {
    /// `Σ_j ‖x_j − x̂_j‖²/(2n)` and its gradient.
    ///
    /// The ℓ₁ penalty leaves most units without any nonzero weight. Such a unit is a constant `σ(b)`, and the gradient of its
    /// weights is a multiple of `X'(x̂_j − x_j)`, which is computed once for all of them.
    ///
    /// # Errors
    /// Only when the run is cancelled.
    pub(super) fn gradient(&self, data: &Mat<f64>, run: &Run<'_>) -> Result<LossGradient> {
        let (n, NetworkShape { nodes: d, hidden }, units) = (data.nrows(), self.shape, self.shape.units());
        let mut constants = self.hidden_bias.to_vec();
        sigmoid(&mut constants);
        let live = Live::of(self, &constants);
        let blocks: Vec<BlockSums> = (0..n.div_ceil(BLOCK_ROWS))
            .into_par_iter()
            .map(|block| {
                let first = block * BLOCK_ROWS;
                live.sums(data.as_ref().subrows(first, BLOCK_ROWS.min(n - first)), run)
            })
            .collect::<Result<_>>()?;
        let share = 1.0 / n as f64;
        let sums = BlockSums::total(blocks, share);
        let mut gradient = LossGradient {
            loss: 0.5 * sums.squares.iter().sum::<f64>(),
            weights: vec![0.0; units * d],
            hidden_bias: vec![0.0; units],
            output: vec![0.0; units],
            output_bias: sums.residuals,
        };
        let (live_slopes, towards) = sums.weights.split_at(live.units.len() * d);
        let mut at = 0;
        for unit in 0..units {
            let own = &mut gradient.weights[unit * d..(unit + 1) * d];
            if live.units.get(at) == Some(&unit) {
                own.copy_from_slice(&live_slopes[at * d..(at + 1) * d]);
                (gradient.hidden_bias[unit], gradient.output[unit]) = (sums.hidden_bias[at], sums.output[at]);
                at += 1;
            } else {
                let (node, s) = (unit / hidden, constants[unit]);
                let slope = self.output[unit] * s * (1.0 - s);
                own.iter_mut().zip(&towards[node * d..]).for_each(|(own, towards)| *own = slope * towards);
                gradient.hidden_bias[unit] = slope * gradient.output_bias[node];
                gradient.output[unit] = s * gradient.output_bias[node];
            }
        }
        Ok(gradient)
    }
}

/// The units that are not constant, node by node.
struct Live {
    units: Vec<usize>,
    /// Where every node's units begin, and where the last one's end.
    starts: Vec<usize>,
    /// A row of `d` for every unit.
    weights: Vec<f64>,
    bias: Vec<f64>,
    output: Vec<f64>,
    /// What each node's prediction is without these units.
    offsets: Vec<f64>,
}

impl Live {
    fn of(layers: &Layers<'_>, constants: &[f64]) -> Self {
        let NetworkShape { nodes: d, hidden } = layers.shape;
        let mut live = Live {
            units: Vec::new(),
            starts: vec![0],
            weights: Vec::new(),
            bias: Vec::new(),
            output: Vec::new(),
            offsets: layers.output_bias.to_vec(),
        };
        for node in 0..d {
            for unit in node * hidden..(node + 1) * hidden {
                let weights = &layers.weights[unit * d..(unit + 1) * d];
                if weights.iter().any(|&w| w != 0.0) {
                    live.units.push(unit);
                    live.weights.extend(weights);
                    live.bias.push(layers.hidden_bias[unit]);
                    live.output.push(layers.output[unit]);
                } else {
                    live.offsets[node] += layers.output[unit] * constants[unit];
                }
            }
            live.starts.push(live.units.len());
        }
        live
    }

    /// The sums over one block of rows.
    fn sums(&self, block: MatRef<'_, f64>, run: &Run<'_>) -> Result<BlockSums> {
        let (rows, d, live) = (block.nrows(), block.ncols(), self.units.len());
        // One unit after the other, then one node's residuals `x̂_j − x_j` after the other.
        let mut columns = Vec::with_capacity((live + d) * rows);
        self.bias.iter().for_each(|&bias| columns.extend(std::iter::repeat_n(bias, rows)));
        let weights = row_major(&self.weights, live, d, d);
        let inputs = row_major_mut(&mut columns, live, rows, rows);
        multiply_during(inputs, Into::Add, weights, block.transpose(), 1.0, run)?;
        sigmoid(&mut columns);
        for (node, &offset) in self.offsets.iter().enumerate() {
            columns.extend(block.col(node).iter().map(|x| offset - x));
        }
        let mut sums = BlockSums {
            squares: vec![0.0; d],
            residuals: vec![0.0; d],
            weights: vec![0.0; (live + d) * d],
            hidden_bias: vec![0.0; live],
            output: vec![0.0; live],
        };
        let (units, residuals) = columns.split_at_mut(live * rows);
        wide(
            #[inline(always)]
            || {
                for (node, residuals) in residuals.chunks_exact_mut(rows).enumerate() {
                    let own = self.starts[node]..self.starts[node + 1];
                    let units = &mut units[own.start * rows..own.end * rows];
                    for (unit, &v) in units.chunks_exact(rows).zip(&self.output[own.clone()]) {
                        residuals.iter_mut().zip(unit).for_each(|(residual, s)| *residual += v * s);
                    }
                    sums.squares[node] = dot_here(residuals, residuals);
                    sums.residuals[node] = sum_here(residuals);
                    for (unit, at) in units.chunks_exact_mut(rows).zip(own) {
                        let v = self.output[at];
                        sums.output[at] = dot_here(residuals, unit);
                        unit.iter_mut().zip(&*residuals).for_each(|(s, residual)| *s = residual * v * *s * (1.0 - *s));
                        sums.hidden_bias[at] = sum_here(unit);
                    }
                }
            },
        );
        let slopes = row_major(&columns, live + d, rows, rows);
        multiply_during(row_major_mut(&mut sums.weights, live + d, d, d), Into::Replace, slopes, block, 1.0, run)?;
        Ok(sums)
    }
}

/// Sums over rows.
struct BlockSums {
    /// `Σ r²` and `Σ r` of every node's residuals.
    squares: Vec<f64>,
    residuals: Vec<f64>,
    /// A row of `d` for every live unit, `(∂z)'X`, and one for every node, `r'X`.
    weights: Vec<f64>,
    hidden_bias: Vec<f64>,
    output: Vec<f64>,
}

impl BlockSums {
    /// The sum of all blocks, in their order, times `share`.
    fn total(blocks: Vec<BlockSums>, share: f64) -> BlockSums {
        let parts = |sums: &mut BlockSums| {
            [&mut sums.squares, &mut sums.residuals, &mut sums.weights, &mut sums.hidden_bias, &mut sums.output]
                .map(std::mem::take)
        };
        let mut blocks = blocks.into_iter();
        let mut first = blocks.next().expect("a table has rows");
        let mut totals = parts(&mut first);
        for mut block in blocks {
            for (total, part) in totals.iter_mut().zip(parts(&mut block)) {
                add_multiple(total, 1.0, &part);
            }
        }
        totals.iter_mut().flatten().for_each(|total| *total *= share);
        let [squares, residuals, weights, hidden_bias, output] = totals;
        BlockSums { squares, residuals, weights, hidden_bias, output }
    }
}
