//! The weights of a network with one hidden layer and a direct line, and their gradient; see [`super::mlp`].

use rand_distr::{Distribution, StandardNormal};

use crate::error::Result;
use crate::numerics::linalg::wide;
use crate::numerics::optimise::{Bounds, Minimiser, minimise};
use crate::run::{Run, Seed};

/// Columns and responses at unit scale.
pub(super) struct Training {
    pub(super) columns: Vec<Vec<f64>>,
    pub(super) y: Vec<f64>,
}

impl Training {
    pub(super) fn subset(&self, rows: &[usize]) -> Training {
        let pick = |column: &Vec<f64>| rows.iter().map(|&row| column[row]).collect();
        Training { columns: self.columns.iter().map(pick).collect(), y: pick(&self.y) }
    }
}

/// `f(z) = b + c'z + Σ_k v_k tanh(a_k + w_k'z)`.
#[derive(Debug, Clone)]
pub(super) struct Perceptron {
    width: usize,
    /// `b`, `c`, then `v_k`, `a_k`, `w_k` unit by unit.
    weights: Vec<f64>,
}

impl Perceptron {
    /// No line, and units of random directions with small weights in the sum.
    pub(super) fn random(width: usize, units: usize, seed: Seed) -> Self {
        let mut rng = seed.rng();
        let mut weights = vec![0.0; 1 + width];
        let scale = 1.0 / (width.max(1) as f64).sqrt();
        for _ in 0..units {
            for part in 0..width + 2 {
                let normal: f64 = StandardNormal.sample(&mut rng);
                weights.push(if part < 2 { 0.5 * normal } else { scale * normal });
            }
        }
        Perceptron { width, weights }
    }

    /// The network of the other columns, with the weights they have.
    pub(super) fn without(&self, column: usize) -> Self {
        let weights = &self.weights;
        let stays = |at: &usize| match at.checked_sub(1 + self.width) {
            None => *at != 1 + column,
            Some(at) => at % (self.width + 2) != 2 + column,
        };
        Perceptron { width: self.width - 1, weights: (0..weights.len()).filter(stays).map(|at| weights[at]).collect() }
    }

    fn units<'a>(&self, weights: &'a [f64]) -> std::slice::ChunksExact<'a, f64> {
        weights[1 + self.width..].chunks_exact(self.width + 2)
    }

    /// The function's values at rows given by columns; `n` says how many.
    pub(super) fn values(&self, columns: &[Vec<f64>], n: usize) -> Vec<f64> {
        let mut values = line(self.weights[0], &self.weights[1..=self.width], columns, n);
        for unit in self.units(&self.weights) {
            wide::add_multiple(&mut values, unit[0], &activations(unit, columns, n));
        }
        values
    }

    /// The sum of squared errors.
    pub(super) fn squared_error(&self, sample: &Training) -> f64 {
        let values = self.values(&sample.columns, sample.y.len());
        sample.y.iter().zip(values).map(|(y, value)| (y - value).powi(2)).sum()
    }

    /// Goes on from the present weights to a minimum of the penalised error.
    pub(super) fn train(&mut self, sample: &Training, decay: f64, max_iterations: usize, run: &Run<'_>) -> Result<()> {
        let options =
            Minimiser { value_tolerance: 1e-6, gradient_tolerance: 1e-5, max_iterations, ..Minimiser::default() };
        let mut objective = |weights: &[f64], gradient: &mut [f64]| {
            run.check()?;
            Ok(self.penalised_error(weights, sample, decay, gradient))
        };
        let minimum = minimise(&mut objective, &self.weights, &Bounds::none(self.weights.len()), &options)?;
        self.weights = minimum.x;
        Ok(())
    }

    /// `½ mean (y − f)² + ½ decay · (Σ v² + Σ w²)` and its gradient.
    fn penalised_error(&self, weights: &[f64], sample: &Training, decay: f64, gradient: &mut [f64]) -> f64 {
        let (n, width) = (sample.y.len(), self.width);
        let mut errors = line(weights[0], &weights[1..=width], &sample.columns, n);
        wide::add_multiple(&mut errors, -1.0, &sample.y);
        let mut active = Vec::with_capacity(weights.len() / (width + 2));
        for unit in self.units(weights) {
            let activations = activations(unit, &sample.columns, n);
            wide::add_multiple(&mut errors, unit[0], &activations);
            active.push(activations);
        }
        let mut value = 0.5 * wide::dot(&errors, &errors) / n as f64;
        errors.iter_mut().for_each(|error| *error /= n as f64);
        gradient[0] = wide::sum(&errors);
        for (slot, column) in gradient[1..=width].iter_mut().zip(&sample.columns) {
            *slot = wide::dot(&errors, column);
        }
        let slots = gradient[1 + width..].chunks_exact_mut(width + 2);
        for ((unit, slot), mut activations) in self.units(weights).zip(slots).zip(active) {
            value += 0.5 * decay * (unit[0] * unit[0] + wide::dot(&unit[2..], &unit[2..]));
            slot[0] = wide::dot(&errors, &activations) + decay * unit[0];
            let by_argument = |(activation, error): (&mut f64, &f64)| {
                *activation = unit[0] * error * (1.0 - *activation * *activation);
            };
            activations.iter_mut().zip(&errors).for_each(by_argument);
            slot[1] = wide::sum(&activations);
            for ((slot, weight), column) in slot[2..].iter_mut().zip(&unit[2..]).zip(&sample.columns) {
                *slot = wide::dot(&activations, column) + decay * weight;
            }
        }
        value
    }
}

/// `offset + slopes'z` at every row.
fn line(offset: f64, slopes: &[f64], columns: &[Vec<f64>], n: usize) -> Vec<f64> {
    let mut values = vec![offset; n];
    slopes.iter().zip(columns).for_each(|(slope, column)| wide::add_multiple(&mut values, *slope, column));
    values
}

/// `tanh(a + w'z)` of a unit `v`, `a`, `w` at every row.
fn activations(unit: &[f64], columns: &[Vec<f64>], n: usize) -> Vec<f64> {
    let mut values = line(unit[1], &unit[2..], columns, n);
    wide::hyperbolic_tangents(&mut values);
    values
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::regress::unit_scale::UnitScale;

    #[test]
    fn the_gradient_agrees_with_differences() {
        let z = faer::Mat::from_fn(30, 2, |i, j| ((i * (3 + 4 * j)) as f64 * 0.7).sin());
        let columns = UnitScale::of(z.as_ref()).columns(z.as_ref());
        let sample = Training { y: columns[0].iter().map(|x| x * x).collect(), columns };
        let network = Perceptron::random(2, 3, Seed(5));
        let (mut gradient, mut unused) = (vec![0.0; 15], vec![0.0; 15]);
        network.penalised_error(&network.weights, &sample, 0.01, &mut gradient);
        for k in 0..15 {
            let mut value = |step: f64| {
                let mut weights = network.weights.clone();
                weights[k] += step;
                network.penalised_error(&weights, &sample, 0.01, &mut unused)
            };
            assert!(((value(1e-5) - value(-1e-5)) / 2e-5 - gradient[k]).abs() < 1e-8);
        }
    }
}
