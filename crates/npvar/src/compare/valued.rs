//! Every graph under every model, and how far they are apart.

use std::collections::BTreeMap;

use super::held_out::HeldOutRows;
use super::model::{Law, Mean, Model};
use crate::error::Result;
use crate::graph::Dag;
use crate::run::Run;

/// Nats that no assumption is rejected for: odds of twenty to one.
const TRIFLE: f64 = 3.0;

/// A difference of two held-out log likelihoods, and its standard error over the rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Difference {
    pub(super) nats: f64,
    pub(super) error: f64,
}

impl Difference {
    /// By how much the rows speak for the first.
    pub(super) fn of(first: &[f64], second: &[f64]) -> Self {
        let n = first.len() as f64;
        let nats: f64 = first.iter().zip(second).map(|(a, b)| a - b).sum();
        let mean = nats / n;
        let squares: f64 = first.iter().zip(second).map(|(a, b)| (a - b - mean).powi(2)).sum();
        Difference { nats, error: (n * squares / (n - 1.0).max(1.0)).sqrt() }
    }

    /// Whether it is more than so many standard errors and more than a trifle.
    pub(super) fn exceeds(&self, errors: f64) -> bool {
        self.nats > errors * self.error && self.nats > TRIFLE
    }
}

/// The log likelihood of every row, for every graph (of those that have one) and model.
#[derive(Default)]
pub(super) struct Valued {
    rows: BTreeMap<Model, BTreeMap<usize, Vec<f64>>>,
}

impl Valued {
    /// Values a graph under all laws of the noise.
    pub(super) fn add(&mut self, rows: &HeldOutRows, graph: (usize, &Dag), mean: Mean, run: &Run<'_>) -> Result<()> {
        let (at, dag) = graph;
        for law in Law::ALL {
            let model = Model { mean, law };
            if !self.of(model).is_some_and(|known| known.contains_key(&at)) {
                let values = rows.rows(dag, model, run)?;
                self.rows.entry(model).or_default().insert(at, values);
            }
        }
        Ok(())
    }

    fn of(&self, model: Model) -> Option<&BTreeMap<usize, Vec<f64>>> {
        self.rows.get(&model)
    }

    /// The models that some graph was valued under.
    pub(super) fn models(&self) -> impl Iterator<Item = Model> + '_ {
        self.rows.keys().copied()
    }

    /// A graph's rows under a model.
    pub(super) fn graph(&self, at: usize, model: Model) -> Option<&[f64]> {
        self.of(model)?.get(&at).map(Vec::as_slice)
    }

    /// The graph of largest likelihood under a model; the first of several.
    pub(super) fn best(&self, model: Model) -> Option<(usize, &[f64])> {
        let mut best: Option<(usize, &[f64], f64)> = None;
        for (&at, rows) in self.of(model)? {
            let total: f64 = rows.iter().sum();
            if best.is_none_or(|(_, _, most)| total > most) {
                best = Some((at, rows, total));
            }
        }
        best.map(|(at, rows, _)| (at, rows))
    }

    /// The best graph under any of these models.
    fn best_of(&self, models: &[Model]) -> Option<&[f64]> {
        let all = models.iter().filter_map(|&model| self.best(model)).map(|(_, rows)| rows);
        all.max_by(|a, b| a.iter().sum::<f64>().total_cmp(&b.iter().sum::<f64>()))
    }

    /// By how much the best graph under the general models is ahead of the best under the special ones.
    pub(super) fn gain(&self, special: &[Model], general: &[Model]) -> Option<Difference> {
        Some(Difference::of(self.best_of(general)?, self.best_of(special)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_has_the_error_of_a_sum_of_independent_rows() {
        let found = Difference::of(&[3.0, 1.0, 3.0, 1.0], &[1.0, 1.0, 1.0, 1.0]);
        // Differences 2, 0, 2, 0: sum 4, variance 4/3, so the sum's error is √(4 · 4/3).
        assert_eq!(found.nats, 4.0);
        assert!((found.error - (16.0_f64 / 3.0).sqrt()).abs() < 1e-12);
        assert!(!found.exceeds(2.0) && found.exceeds(1.5));
        assert!(Difference::of(&[2.0; 4], &[1.0; 4]).exceeds(2.0));
    }
}
