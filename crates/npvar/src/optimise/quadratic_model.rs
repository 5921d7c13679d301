//! The limited-memory approximation of the Hessian in compact form (Byrd, Nocedal & Schnabel 1994).
//!
//! ```text
//! B = θI − W M W'      W = [Y  θS]      M = [−D  L'; L  θS'S]⁻¹
//! ```
//!
//! with the last steps `S` and changes of the gradient `Y` in columns, `D` the diagonal and `L` the strictly lower triangle
//! of `S'Y`.

use super::dot::dot;
use super::small_solve::Factors;

/// A pair joins when `s'y > CURVATURE · y'y`, so that `B` stays positive definite.
const CURVATURE: f64 = f64::EPSILON;

/// `B`.
pub(super) struct QuadraticModel {
    memory: usize,
    theta: f64,
    /// Steps and gradient changes, oldest first.
    s: Vec<Vec<f64>>,
    y: Vec<Vec<f64>>,
    /// `S'Y` and `S'S`, row by row.
    sy: Vec<Vec<f64>>,
    ss: Vec<Vec<f64>>,
    /// `M⁻¹` and `M`, row-major.
    inverse_middle: Vec<f64>,
    m: Vec<f64>,
}

impl QuadraticModel {
    /// `B = I`.
    pub(super) fn new(memory: usize) -> Self {
        QuadraticModel {
            memory,
            theta: 1.0,
            s: vec![],
            y: vec![],
            sy: vec![],
            ss: vec![],
            inverse_middle: vec![],
            m: vec![],
        }
    }

    /// Forgets all pairs.
    pub(super) fn reset(&mut self) {
        *self = QuadraticModel::new(self.memory);
    }

    /// `θ`.
    pub(super) fn theta(&self) -> f64 {
        self.theta
    }

    /// Whether there is no pair.
    pub(super) fn is_identity(&self) -> bool {
        self.s.is_empty()
    }

    /// The number of columns of `W`.
    pub(super) fn width(&self) -> usize {
        2 * self.s.len()
    }

    /// A variable's row of `W`.
    pub(super) fn row(&self, variable: usize, row: &mut [f64]) {
        let pairs = self.s.len();
        for k in 0..pairs {
            row[k] = self.y[k][variable];
            row[pairs + k] = self.theta * self.s[k][variable];
        }
    }

    /// `W'v`.
    pub(super) fn transposed_times(&self, v: &[f64]) -> Vec<f64> {
        let gradients = self.y.iter().map(|y| dot(y, v));
        gradients.chain(self.s.iter().map(|s| self.theta * dot(s, v))).collect()
    }

    /// `M v`.
    pub(super) fn middle_times(&self, v: &[f64]) -> Vec<f64> {
        self.m.chunks_exact(self.width().max(1)).map(|row| dot(row, v)).collect()
    }

    /// `M⁻¹`, row-major.
    pub(super) fn inverse_middle(&self) -> &[f64] {
        &self.inverse_middle
    }

    /// Adds a step and its change of the gradient, unless its curvature is not positive.
    pub(super) fn update(&mut self, s: Vec<f64>, y: Vec<f64>) {
        let (curvature, square) = (dot(&s, &y), dot(&y, &y));
        if curvature <= CURVATURE * square || !curvature.is_finite() {
            return;
        }
        if self.s.len() == self.memory {
            self.s.remove(0);
            self.y.remove(0);
            for products in [&mut self.sy, &mut self.ss] {
                products.remove(0);
                for row in products.iter_mut() {
                    row.remove(0);
                }
            }
        }
        self.s.push(s);
        self.y.push(y);
        let last = self.s.len() - 1;
        for i in 0..last {
            self.sy[i].push(dot(&self.s[i], &self.y[last]));
            self.ss[i].push(dot(&self.s[i], &self.s[last]));
        }
        self.sy.push(self.y.iter().map(|y| dot(&self.s[last], y)).collect());
        self.ss.push(self.s.iter().map(|s| dot(&self.s[last], s)).collect());
        self.theta = square / curvature;
        self.invert_middle();
    }

    fn invert_middle(&mut self) {
        let pairs = self.s.len();
        let width = 2 * pairs;
        let mut middle = vec![0.0; width * width];
        for i in 0..pairs {
            middle[i * width + i] = -self.sy[i][i];
            for j in 0..pairs {
                middle[(pairs + i) * width + pairs + j] = self.theta * self.ss[i][j];
                if i > j {
                    middle[(pairs + i) * width + j] = self.sy[i][j];
                    middle[j * width + pairs + i] = self.sy[i][j];
                }
            }
        }
        match Factors::new(middle.clone(), width) {
            Some(factors) => {
                self.m = factors.inverse();
                self.inverse_middle = middle;
            }
            None => self.reset(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `B v`, dense.
    fn times(model: &QuadraticModel, v: &[f64]) -> Vec<f64> {
        let inner = model.middle_times(&model.transposed_times(v));
        let mut row = vec![0.0; model.width()];
        (0..v.len())
            .map(|i| {
                model.row(i, &mut row);
                model.theta() * v[i] - dot(&row, &inner)
            })
            .collect()
    }

    #[test]
    fn the_last_pair_satisfies_the_secant_equation_also_after_pairs_were_dropped() {
        let mut model = QuadraticModel::new(3);
        for step in 0..6 {
            let s: Vec<f64> = (0..5).map(|i| ((step * 5 + i) as f64 * 1.7).sin()).collect();
            // y = A s with a positive definite diagonal A plus rank one.
            let sum: f64 = s.iter().sum();
            let y: Vec<f64> = s.iter().enumerate().map(|(i, s)| (i + 1) as f64 * s + 0.3 * sum).collect();
            model.update(s.clone(), y.clone());
            for (got, expected) in times(&model, &s).iter().zip(&y) {
                assert!((got - expected).abs() < 1e-10, "step {step}: {got} instead of {expected}");
            }
        }
        assert_eq!(model.width(), 6);
    }

    #[test]
    fn a_pair_without_positive_curvature_is_left_out() {
        let mut model = QuadraticModel::new(3);
        model.update(vec![1.0, 0.0], vec![-1.0, 0.0]);
        assert!(model.is_identity());
    }
}
