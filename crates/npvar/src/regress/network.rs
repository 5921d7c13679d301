//! The weights of a network with one hidden layer and a direct line, and their gradient; see [`super::mlp`].

use rand_distr::{Distribution, StandardNormal};

use super::unit_scale::Rows;
use crate::error::Result;
use crate::linalg::small;
use crate::optimise::{Bounds, Options, minimise};
use crate::run::Seed;

/// Rows and responses at unit scale.
pub(super) struct Sample {
    pub(super) rows: Rows,
    pub(super) y: Vec<f64>,
}

impl Sample {
    pub(super) fn subset(&self, rows: &[usize]) -> Sample {
        Sample { rows: self.rows.subset(rows), y: rows.iter().map(|&row| self.y[row]).collect() }
    }
}

/// `f(z) = b + c'z + Σ_k v_k tanh(a_k + w_k'z)`.
#[derive(Debug, Clone)]
pub(super) struct Network {
    width: usize,
    /// `b`, `c`, then `v_k`, `a_k`, `w_k` unit by unit.
    weights: Vec<f64>,
}

impl Network {
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
        Network { width, weights }
    }

    fn units<'a>(&self, weights: &'a [f64]) -> std::slice::ChunksExact<'a, f64> {
        weights[1 + self.width..].chunks_exact(self.width + 2)
    }

    pub(super) fn at(&self, point: &[f64]) -> f64 {
        let line = self.weights[0] + small::dot(&self.weights[1..=self.width], point);
        self.units(&self.weights).map(|unit| unit[0] * (unit[1] + small::dot(&unit[2..], point)).tanh()).sum::<f64>()
            + line
    }

    /// The sum of squared errors.
    pub(super) fn squared_error(&self, sample: &Sample) -> f64 {
        (0..sample.y.len()).map(|i| (sample.y[i] - self.at(sample.rows.row(i))).powi(2)).sum()
    }

    /// Goes on from the present weights to a minimum of the penalised error.
    pub(super) fn train(&mut self, sample: &Sample, decay: f64, max_iterations: usize) -> Result<()> {
        let options = Options { value_tolerance: 1e-7, gradient_tolerance: 1e-5, max_iterations, ..Options::default() };
        let mut objective =
            |weights: &[f64], gradient: &mut [f64]| Ok(self.penalised_error(weights, sample, decay, gradient));
        let minimum = minimise(&mut objective, &self.weights, &Bounds::none(self.weights.len()), &options)?;
        self.weights = minimum.x;
        Ok(())
    }

    /// `½ mean (y − f)² + ½ decay · (Σ v² + Σ w²)` and its gradient.
    fn penalised_error(&self, weights: &[f64], sample: &Sample, decay: f64, gradient: &mut [f64]) -> f64 {
        let (n, width) = (sample.y.len(), self.width);
        let mut errors: Vec<f64> =
            (0..n).map(|i| weights[0] + small::dot(&weights[1..=width], sample.rows.row(i)) - sample.y[i]).collect();
        let mut activations = Vec::with_capacity(n * (weights.len() / (width + 2)));
        for unit in self.units(weights) {
            for i in 0..n {
                let activation = (unit[1] + small::dot(&unit[2..], sample.rows.row(i))).tanh();
                errors[i] += unit[0] * activation;
                activations.push(activation);
            }
        }
        gradient.fill(0.0);
        let mut value = 0.0;
        for i in 0..n {
            value += 0.5 * errors[i] * errors[i] / n as f64;
            errors[i] /= n as f64;
            gradient[0] += errors[i];
            add(&mut gradient[1..=width], errors[i], sample.rows.row(i));
        }
        let slots = gradient[1 + width..].chunks_exact_mut(width + 2);
        for ((unit, slot), activations) in self.units(weights).zip(slots).zip(activations.chunks_exact(n.max(1))) {
            for i in 0..n {
                slot[0] += errors[i] * activations[i];
                let inside = errors[i] * unit[0] * (1.0 - activations[i] * activations[i]);
                slot[1] += inside;
                add(&mut slot[2..], inside, sample.rows.row(i));
            }
            value += 0.5 * decay * (unit[0] * unit[0] + small::dot(&unit[2..], &unit[2..]));
            slot[0] += decay * unit[0];
            add(&mut slot[2..], decay, &unit[2..]);
        }
        value
    }
}

/// `target += factor · direction`.
fn add(target: &mut [f64], factor: f64, direction: &[f64]) {
    target.iter_mut().zip(direction).for_each(|(target, direction)| *target += factor * direction);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::regress::unit_scale::UnitScale;

    #[test]
    fn the_gradient_agrees_with_differences() {
        let z = faer::Mat::from_fn(30, 2, |i, j| ((i * (3 + 4 * j)) as f64 * 0.7).sin());
        let rows = UnitScale::of(z.as_ref()).rows(z.as_ref());
        let sample = Sample { y: (0..30).map(|i| rows.row(i)[0].powi(2)).collect(), rows };
        let network = Network::random(2, 3, Seed(5));
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
