//! Linear NOTEARS: `X = X W + noise`.
//!
//! ```text
//! loss(W) = ‖X − XW‖²/(2n) = tr((I − W)'S(I − W))/2      ∇loss = −S(I − W)      A = W∘W
//! ```
//!
//! with `S` the covariance of the centred columns (divisor `n`). `W = W⁺ − W⁻` with both parts nonnegative makes the penalty
//! `λ₁ Σ(W⁺ + W⁻)` smooth. Row = parent, column = child.
//!
//! The weight of a required edge is not penalised, and in `A` it counts one more, so that no other edge closes a cycle with it
//! however small it is.

use faer::Mat;

use super::acyclicity::Acyclicity;
use super::augmented_lagrangian::{Constrained, ObjectiveParts};
use crate::data::Covariance;
use crate::error::Result;
use crate::numerics::linalg::{Into, multiply_during, row_major, row_major_mut};
use crate::numerics::optimise::Bounds;
use crate::run::Run;

/// The objective over `(W⁺, W⁻)`, each row-major.
#[derive(Debug, Clone, PartialEq)]
pub struct LinearProblem {
    d: usize,
    /// `S`, row-major.
    s: Vec<f64>,
    lambda1: f64,
    acyclicity: Acyclicity,
    /// Pairs whose weight is zero, row-major.
    absent: Vec<bool>,
    /// Pairs whose edge is there whatever its weight, row-major.
    required: Vec<bool>,
}

impl LinearProblem {
    /// The problem for a table with this covariance.
    pub fn new(covariance: &Covariance, lambda1: f64, acyclicity: Acyclicity) -> Self {
        let (matrix, n): (&Mat<f64>, f64) = (covariance.matrix(), covariance.n() as f64);
        let d = matrix.nrows();
        let s = (0..d * d).map(|at| matrix[(at / d, at % d)] * (n - 1.0) / n).collect();
        let absent = (0..d * d).map(|at| at / d == at % d).collect();
        LinearProblem { d, s, lambda1, acyclicity, absent, required: vec![false; d * d] }
    }

    /// The same with the weights of these pairs, parent and child, held at zero.
    pub fn without(mut self, forbidden: impl Fn(usize, usize) -> bool) -> Self {
        let d = self.d;
        self.absent.iter_mut().enumerate().for_each(|(at, absent)| *absent |= forbidden(at / d, at % d));
        self
    }

    /// The same with the edges of these pairs, parent and child, required.
    pub fn with(mut self, required: &[(usize, usize)]) -> Self {
        required.iter().for_each(|&(parent, child)| self.required[parent * self.d + child] = true);
        self
    }

    /// `λ₁` of a pair.
    fn penalty(&self, at: usize) -> f64 {
        if self.required[at] { 0.0 } else { self.lambda1 }
    }

    /// `W = 0`, where the authors' code starts.
    pub fn start(&self) -> Vec<f64> {
        vec![0.0; 2 * self.d * self.d]
    }

    /// `W`, row-major.
    pub fn weights(&self, x: &[f64]) -> Vec<f64> {
        let (positive, negative) = x.split_at(self.d * self.d);
        positive.iter().zip(negative).map(|(p, n)| p - n).collect()
    }
}

impl Constrained for LinearProblem {
    fn bounds(&self) -> Bounds {
        let size = self.d * self.d;
        let mut bounds = Bounds::none(2 * size);
        for at in 0..2 * size {
            bounds.restrict(at, 0.0, if self.absent[at % size] { 0.0 } else { f64::INFINITY });
        }
        bounds
    }

    fn evaluate(&self, x: &[f64], rho: f64, alpha: f64, gradient: &mut [f64], run: &Run<'_>) -> Result<ObjectiveParts> {
        let d = self.d;
        let w = self.weights(x);
        let mut rest: Vec<f64> = w.iter().map(|w| -w).collect();
        (0..d).for_each(|i| rest[i * d + i] += 1.0);
        let mut slope = vec![0.0; d * d];
        let (s, r) = (row_major(&self.s, d, d, d), row_major(&rest, d, d, d));
        multiply_during(row_major_mut(&mut slope, d, d, d), Into::Replace, s, r, -1.0, run)?;
        let loss = -0.5 * rest.iter().zip(&slope).map(|(rest, slope)| rest * slope).sum::<f64>();
        let a: Vec<f64> =
            w.iter().zip(&self.required).map(|(w, &required)| w * w + f64::from(u8::from(required))).collect();
        let (h, h_slope) = self.acyclicity.value_and_gradient_during(&a, d, run)?;
        let multiplier = rho * h + alpha;
        let (positive, negative) = gradient.split_at_mut(d * d);
        for at in 0..d * d {
            let smooth = slope[at] + multiplier * 2.0 * w[at] * h_slope[at];
            positive[at] = smooth + self.penalty(at);
            negative[at] = -smooth + self.penalty(at);
        }
        let l1 = x.iter().enumerate().filter(|(at, _)| !self.required[at % (d * d)]).map(|(_, x)| x).sum();
        Ok(ObjectiveParts { loss, l1, l2: 0.0, objective: loss + self.lambda1 * l1, h })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notears::{AugmentedLagrangian, augmented_lagrangian};
    use crate::run::Seed;

    fn problem(lambda1: f64) -> LinearProblem {
        // x1 = e1, x2 = 2 x1 + e2 with unit variances: S = [1 2; 2 5].
        let matrix = Mat::from_fn(2, 2, |i, j| [[1.0, 2.0], [2.0, 5.0]][i][j]);
        LinearProblem::new(&Covariance::known(matrix, usize::MAX >> 12), lambda1, Acyclicity::Exponential)
    }

    #[test]
    fn gradients_equal_differences() {
        let problem = problem(0.1);
        let x: Vec<f64> = (0..8).map(|i| 0.1 * i as f64).collect();
        let value = |x: &[f64]| {
            let parts = problem.evaluate(x, 3.0, 0.7, &mut [0.0; 8], &Run::new(Seed(0))).unwrap();
            parts.objective + 0.7 * parts.h + 1.5 * parts.h * parts.h
        };
        let mut gradient = vec![0.0; 8];
        problem.evaluate(&x, 3.0, 0.7, &mut gradient, &Run::new(Seed(0))).unwrap();
        for i in 0..8 {
            let (mut up, mut down) = (x.clone(), x.clone());
            up[i] += 1e-6;
            down[i] -= 1e-6;
            let difference = (value(&up) - value(&down)) / 2e-6;
            assert!((gradient[i] - difference).abs() < 1e-7 * (1.0 + difference.abs()), "{i}");
        }
    }

    #[test]
    fn two_nodes_end_at_the_solution_by_hand() {
        // Along 1 → 2 the objective is 1/2 + (5 − 4w + w²)/2 + λw, smallest at w = 2 − λ: 1 + 2λ − λ²/2. Along 2 → 1 it is
        // 5/2 + (1 − 4w + 5w²)/2 + λw, at best 2.6 for λ = 0. The former wins.
        let (problem, run) = (problem(0.1), Run::new(Seed(1)));
        let solution = augmented_lagrangian(&problem, problem.start(), &AugmentedLagrangian::linear(), &run)
            .expect("not cancelled");
        assert!(solution.converged);
        let w = problem.weights(&solution.x);
        assert!((w[1] - 1.9).abs() < 1e-3 && w[2].abs() < 1e-3, "{w:?}");
        assert!((solution.parts.objective - 1.195).abs() < 1e-3, "{:?}", solution.parts);
    }
}
