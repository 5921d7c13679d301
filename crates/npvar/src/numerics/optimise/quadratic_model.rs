//! The limited-memory approximation of the Hessian in compact form (Byrd, Nocedal & Schnabel 1994).
//!
//! ```text
//! B = θI − W M W'      W = [Y  S]      M = [−D  L'/θ; L/θ  S'S/θ]⁻¹
//! ```
//!
//! with the last steps `S` and changes of the gradient `Y` in columns, `D` the diagonal and `L` the strictly lower triangle
//! of `S'Y`. (The factor `θ` the paper has in `W` is in `M` here.) A variable's row of `W` stands together, so that products
//! touch the rows of the variables that matter only. Pairs take the place of the oldest; a place without a pair is a column
//! of zeros.

use super::small_solve::inverse;
use crate::numerics::linalg::wide::{dot, wide};

/// A pair joins when `s'y > CURVATURE · y'y`, so that `B` stays positive definite.
const CURVATURE: f64 = f64::EPSILON;

/// `B`.
pub(super) struct QuadraticModel {
    memory: usize,
    theta: f64,
    /// `W`, row by row: the changes of the gradient, then the steps.
    w: Vec<f64>,
    /// When the pair of every place joined; pairs that joined so far.
    joined: Vec<Option<usize>>,
    pairs: usize,
    /// `S'Y` and `S'S`, row by row, `memory` by `memory`.
    sy: Vec<f64>,
    ss: Vec<f64>,
    /// `M⁻¹` and `M`, row-major.
    inverse_middle: Vec<f64>,
    m: Vec<f64>,
}

impl QuadraticModel {
    /// `B = I` for this many variables.
    pub(super) fn new(memory: usize, variables: usize) -> Self {
        QuadraticModel {
            memory,
            theta: 1.0,
            w: vec![0.0; 2 * memory * variables],
            joined: vec![None; memory],
            pairs: 0,
            sy: vec![0.0; memory * memory],
            ss: vec![0.0; memory * memory],
            inverse_middle: vec![0.0; 4 * memory * memory],
            m: vec![0.0; 4 * memory * memory],
        }
    }

    /// Forgets all pairs.
    pub(super) fn reset(&mut self) {
        *self = QuadraticModel::new(self.memory, self.w.len() / self.width());
    }

    /// `θ`.
    pub(super) fn theta(&self) -> f64 {
        self.theta
    }

    /// Whether there is no pair.
    pub(super) fn is_identity(&self) -> bool {
        self.pairs == 0
    }

    /// The number of columns of `W`.
    pub(super) fn width(&self) -> usize {
        2 * self.memory
    }

    /// A variable's row of `W`.
    pub(super) fn row(&self, variable: usize) -> &[f64] {
        &self.w[variable * self.width()..(variable + 1) * self.width()]
    }

    /// `W'v`; rows where `v` is zero are passed over.
    pub(super) fn transposed_times(&self, v: &[f64]) -> Vec<f64> {
        let mut product = vec![0.0; self.width()];
        if self.is_identity() {
            return product;
        }
        wide(
            #[inline(always)]
            || {
                for (row, &v) in self.w.chunks_exact(self.width()).zip(v) {
                    if v != 0.0 {
                        add_row(&mut product, v, row);
                    }
                }
            },
        );
        product
    }

    /// `M v`.
    pub(super) fn middle_times(&self, v: &[f64]) -> Vec<f64> {
        let mut product = vec![0.0; self.width()];
        // M is symmetric: its rows are its columns.
        wide(
            #[inline(always)]
            || {
                for (row, &v) in self.m.chunks_exact(self.width()).zip(v) {
                    add_row(&mut product, v, row);
                }
            },
        );
        product
    }

    /// `M⁻¹`, row-major.
    pub(super) fn inverse_middle(&self) -> &[f64] {
        &self.inverse_middle
    }

    /// Adds a step and its change of the gradient, unless its curvature is not positive.
    pub(super) fn update(&mut self, s: &[f64], y: &[f64]) {
        let (curvature, square) = (dot(s, y), dot(y, y));
        if curvature <= CURVATURE * square || !curvature.is_finite() {
            return;
        }
        let (memory, width) = (self.memory, self.width());
        let place = self.pairs % memory;
        // W's, W'y with the columns of the oldest pair replaced.
        let (mut with_s, mut with_y) = (vec![0.0; width], vec![0.0; width]);
        wide(
            #[inline(always)]
            || {
                for ((row, &s), &y) in self.w.chunks_exact_mut(width).zip(s).zip(y) {
                    (row[place], row[memory + place]) = (y, s);
                    add_row(&mut with_y, y, row);
                    if s != 0.0 {
                        add_row(&mut with_s, s, row);
                    }
                }
            },
        );
        for k in 0..memory {
            self.sy[k * memory + place] = with_y[memory + k];
            self.sy[place * memory + k] = with_s[k];
            self.ss[k * memory + place] = with_s[memory + k];
            self.ss[place * memory + k] = with_s[memory + k];
        }
        self.sy[place * memory + place] = curvature;
        self.joined[place] = Some(self.pairs);
        self.pairs += 1;
        self.theta = square / curvature;
        self.invert_middle();
    }

    fn invert_middle(&mut self) {
        let (memory, width) = (self.memory, self.width());
        let mut middle = vec![0.0; width * width];
        for i in 0..memory {
            // A place without a pair has columns of zeros; any number will do.
            let filled = self.joined[i].is_some();
            middle[i * width + i] = if filled { -self.sy[i * memory + i] } else { 1.0 };
            middle[(memory + i) * width + memory + i] = 1.0;
            for j in (0..memory).filter(|&j| filled && self.joined[j].is_some()) {
                middle[(memory + i) * width + memory + j] = self.ss[i * memory + j] / self.theta;
                if self.joined[i] > self.joined[j] {
                    let entry = self.sy[i * memory + j] / self.theta;
                    middle[(memory + i) * width + j] = entry;
                    middle[j * width + memory + i] = entry;
                }
            }
        }
        match inverse(&middle, width) {
            Some(inverse) => {
                self.m = inverse;
                self.inverse_middle = middle;
            }
            None => self.reset(),
        }
    }
}

/// `sum += factor · row`.
#[inline(always)]
fn add_row(sum: &mut [f64], factor: f64, row: &[f64]) {
    for (sum, entry) in sum.iter_mut().zip(row) {
        *sum += factor * entry;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `B v`, dense.
    fn times(model: &QuadraticModel, v: &[f64]) -> Vec<f64> {
        let inner = model.middle_times(&model.transposed_times(v));
        (0..v.len()).map(|i| model.theta() * v[i] - dot(model.row(i), &inner)).collect()
    }

    #[test]
    fn the_last_pair_satisfies_the_secant_equation_also_after_pairs_were_dropped() {
        let mut model = QuadraticModel::new(3, 5);
        for step in 0..6 {
            let s: Vec<f64> = (0..5).map(|i| ((step * 5 + i) as f64 * 1.7).sin()).collect();
            // y = A s with a positive definite diagonal A plus rank one.
            let sum: f64 = s.iter().sum();
            let y: Vec<f64> = s.iter().enumerate().map(|(i, s)| (i + 1) as f64 * s + 0.3 * sum).collect();
            model.update(&s, &y);
            for (got, expected) in times(&model, &s).iter().zip(&y) {
                assert!((got - expected).abs() < 1e-10, "step {step}: {got} instead of {expected}");
            }
        }
        assert_eq!(model.width(), 6);
    }

    #[test]
    fn a_pair_without_positive_curvature_is_left_out() {
        let mut model = QuadraticModel::new(3, 2);
        model.update(&[1.0, 0.0], &[-1.0, 0.0]);
        assert!(model.is_identity());
    }
}
