//! NOTEARS-MLP: every node a network of the others.
//!
//! ```text
//! f = Σ_j ‖x_j − x̂_j‖²/(2n) + λ₁ Σ(W⁺ + W⁻) + λ₂/2 (‖W‖² + ‖v‖²)      A_ij = Σ_k w_jki²
//! ```
//!
//! Biases are not penalised, nor is the sum of absolute weights of a required edge, which counts one more in `A`.

use faer::Mat;

use super::acyclicity::Acyclicity;
use super::augmented_lagrangian::{Constrained, ObjectiveParts};
use super::network::{Layers, LossGradient, NetworkShape};
use crate::error::Result;
use crate::numerics::linalg::wide::{dot, sum};
use crate::numerics::optimise::Bounds;
use crate::run::Run;

/// The objective over the parameters of [`super::Network`].
#[derive(Debug, Clone)]
pub struct MlpProblem {
    data: Mat<f64>,
    shape: NetworkShape,
    lambda1: f64,
    lambda2: f64,
    acyclicity: Acyclicity,
    /// Pairs without an effect, row-major, row = parent.
    absent: Vec<bool>,
    /// Pairs whose edge is there whatever its weight, row-major.
    required: Vec<bool>,
}

impl MlpProblem {
    /// The problem for these data, one column per node. The solution does not depend on where zero is, because biases are
    /// free; centred columns are easier on the minimiser.
    pub fn new(data: Mat<f64>, hidden: usize, lambda1: f64, lambda2: f64, acyclicity: Acyclicity) -> Self {
        let shape = NetworkShape { nodes: data.ncols(), hidden };
        let d = shape.nodes;
        let absent = (0..d * d).map(|at| at / d == at % d).collect();
        MlpProblem { data, shape, lambda1, lambda2, acyclicity, absent, required: vec![false; d * d] }
    }

    /// The same with the first-layer weights of these pairs, parent and child, held at zero.
    pub fn without(mut self, forbidden: impl Fn(usize, usize) -> bool) -> Self {
        let d = self.shape.nodes;
        self.absent.iter_mut().enumerate().for_each(|(at, absent)| *absent |= forbidden(at / d, at % d));
        self
    }

    /// The same with the edges of these pairs, parent and child, required.
    pub fn with(mut self, required: &[(usize, usize)]) -> Self {
        required.iter().for_each(|&(parent, child)| self.required[parent * self.shape.nodes + child] = true);
        self
    }

    /// The nearest parameters that the problem allows.
    pub fn projected(&self, mut x: Vec<f64>) -> Vec<f64> {
        let bounds = self.bounds();
        x.iter_mut().enumerate().for_each(|(i, value)| *value = bounds.project(i, *value));
        x
    }

    /// The numbers of nodes and hidden units.
    pub fn shape(&self) -> NetworkShape {
        self.shape
    }

    /// `√A`, row-major: the strength of every pair, row = parent.
    pub fn weights(&self, x: &[f64]) -> Vec<f64> {
        self.strengths(&self.first_layer(x)).iter().map(|square| square.sqrt()).collect()
    }

    /// `W⁺ − W⁻`.
    fn first_layer(&self, x: &[f64]) -> Vec<f64> {
        let size = self.shape.first_weights();
        x[..size].iter().zip(&x[size..2 * size]).map(|(p, n)| p - n).collect()
    }

    /// `A`.
    fn strengths(&self, w: &[f64]) -> Vec<f64> {
        let NetworkShape { nodes: d, hidden } = self.shape;
        let mut a = vec![0.0; d * d];
        for (unit, weights) in w.chunks_exact(d).enumerate() {
            for (i, w) in weights.iter().enumerate() {
                a[i * d + unit / hidden] += w * w;
            }
        }
        a
    }

    fn gradient(&self, w: &[f64], biases_and_outputs: &[f64], run: &Run<'_>) -> Result<LossGradient> {
        let (hidden_bias, rest) = biases_and_outputs.split_at(self.shape.units());
        let (output, output_bias) = rest.split_at(self.shape.units());
        Layers { shape: self.shape, weights: w, hidden_bias, output, output_bias }.gradient(&self.data, run)
    }
}

impl Constrained for MlpProblem {
    fn bounds(&self) -> Bounds {
        let (NetworkShape { nodes: d, hidden }, size) = (self.shape, self.shape.first_weights());
        let mut bounds = Bounds::none(2 * size + 2 * self.shape.units() + d);
        for at in 0..2 * size {
            let (parent, child) = (at % d, at % size / d / hidden);
            bounds.restrict(at, 0.0, if self.absent[parent * d + child] { 0.0 } else { f64::INFINITY });
        }
        bounds
    }

    fn evaluate(&self, x: &[f64], rho: f64, alpha: f64, gradient: &mut [f64], run: &Run<'_>) -> Result<ObjectiveParts> {
        let (NetworkShape { nodes: d, hidden }, size, units) =
            (self.shape, self.shape.first_weights(), self.shape.units());
        let w = self.first_layer(x);
        let outputs = &x[2 * size + units..2 * size + 2 * units];
        let LossGradient { loss, weights, hidden_bias, output, output_bias } =
            self.gradient(&w, &x[2 * size..], run)?;
        let mut a = self.strengths(&w);
        a.iter_mut().zip(&self.required).for_each(|(a, &required)| *a += f64::from(u8::from(required)));
        let (h, h_slope) = self.acyclicity.value_and_gradient_during(&a, d, run)?;
        let multiplier = rho * h + alpha;
        let (first, rest) = gradient.split_at_mut(2 * size);
        let (positive, negative) = first.split_at_mut(size);
        let (hidden_slopes, rest) = rest.split_at_mut(units);
        let (output_slopes, output_bias_slopes) = rest.split_at_mut(units);
        hidden_slopes.copy_from_slice(&hidden_bias);
        output_bias_slopes.copy_from_slice(&output_bias);
        for ((slope, loss_slope), v) in output_slopes.iter_mut().zip(&output).zip(outputs) {
            *slope = loss_slope + self.lambda2 * v;
        }
        // The factors of a node's weights and of their absolute values, one per parent.
        let (mut factors, mut penalties) = (vec![0.0; d], vec![0.0; d]);
        for unit in 0..units {
            if unit % hidden == 0 {
                let node = unit / hidden;
                let factor = |i: usize| 2.0 * multiplier * h_slope[i * d + node] + self.lambda2;
                factors.iter_mut().enumerate().for_each(|(i, entry)| *entry = factor(i));
                let penalty = |i: usize| if self.required[i * d + node] { 0.0 } else { self.lambda1 };
                penalties.iter_mut().enumerate().for_each(|(i, entry)| *entry = penalty(i));
            }
            let own = unit * d..(unit + 1) * d;
            let slopes = positive[own.clone()].iter_mut().zip(&mut negative[own.clone()]);
            let from = weights[own.clone()].iter().zip(&w[own]).zip(factors.iter().zip(&penalties));
            for ((positive, negative), ((slope, w), (factor, penalty))) in slopes.zip(from) {
                let smooth = slope + w * factor;
                *positive = smooth + penalty;
                *negative = -smooth + penalty;
            }
        }
        let free: f64 = if self.required.contains(&true) {
            let is_required = |at: usize| self.required[at % d * d + at % size / d / hidden];
            (0..2 * size).filter(|&at| is_required(at)).map(|at| x[at]).sum()
        } else {
            0.0
        };
        let l1 = sum(&x[..2 * size]) - free;
        let l2 = dot(&w, &w) + dot(outputs, outputs);
        let objective = loss + self.lambda1 * l1 + 0.5 * self.lambda2 * l2;
        Ok(ObjectiveParts { loss, l1, l2, objective, h })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notears::Network;
    use crate::run::Seed;
    use rand::RngExt;

    fn problem(n: usize, d: usize, hidden: usize) -> MlpProblem {
        let mut rng = Seed(4).rng();
        let data = Mat::from_fn(n, d, |_, _| rng.random_range(-2.0..2.0));
        MlpProblem::new(data, hidden, 0.02, 0.03, Acyclicity::Exponential)
    }

    #[test]
    fn gradients_equal_differences() {
        // More rows than a block, so that sums run over two.
        let problem = problem(1030, 3, 2);
        let mut x = Network::random(problem.shape(), Seed(5)).parameters();
        x.iter_mut().enumerate().for_each(|(i, x)| *x += 0.01 * (i % 7) as f64);
        // The first node's first unit has no weights, the second's second has the same in both parts.
        let size = problem.shape().first_weights();
        for i in 0..3 {
            (x[i], x[size + i]) = (0.0, 0.0);
            (x[3 * 3 + i], x[size + 3 * 3 + i]) = (0.2, 0.2);
        }
        let (rho, alpha) = (3.0, 0.7);
        let value = |x: &[f64]| {
            let parts = problem.evaluate(x, rho, alpha, &mut vec![0.0; x.len()], &Run::new(Seed(0))).unwrap();
            parts.objective + alpha * parts.h + 0.5 * rho * parts.h * parts.h
        };
        let mut gradient = vec![0.0; x.len()];
        problem.evaluate(&x, rho, alpha, &mut gradient, &Run::new(Seed(0))).unwrap();
        for i in 0..x.len() {
            let (mut up, mut down) = (x.clone(), x.clone());
            up[i] += 1e-5;
            down[i] -= 1e-5;
            let difference = (value(&up) - value(&down)) / 2e-5;
            assert!(
                (gradient[i] - difference).abs() < 1e-8 * (1.0 + difference.abs()),
                "{i}: {} {difference}",
                gradient[i]
            );
        }
    }

    #[test]
    fn the_loss_equals_a_plain_loop() {
        let problem = problem(50, 4, 3);
        let network = Network::random(problem.shape(), Seed(6));
        let x = network.parameters();
        let parts = problem.evaluate(&x, 1.0, 0.0, &mut vec![0.0; x.len()], &Run::new(Seed(0))).unwrap();
        let mut loss = 0.0;
        for row in 0..50 {
            for j in 0..4 {
                let mut fit = network.output_bias[j];
                for k in 0..3 {
                    let unit = j * 3 + k;
                    let z: f64 = (0..4)
                        .map(|i| {
                            (network.positive[unit * 4 + i] - network.negative[unit * 4 + i]) * problem.data[(row, i)]
                        })
                        .sum();
                    fit += network.output[unit] / (1.0 + (-z - network.hidden_bias[unit]).exp());
                }
                loss += (problem.data[(row, j)] - fit).powi(2) / 100.0;
            }
        }
        assert!((parts.loss - loss).abs() < 1e-13 * loss);
    }

    #[test]
    fn the_start_is_within_the_bounds_and_depends_on_the_seed() {
        let problem = problem(10, 4, 3);
        let x = Network::random(problem.shape(), Seed(7)).parameters();
        let bounds = problem.bounds();
        assert!((0..x.len()).all(|i| bounds.project(i, x[i]) == x[i]));
        assert_ne!(x, Network::random(problem.shape(), Seed(8)).parameters());
    }
}
