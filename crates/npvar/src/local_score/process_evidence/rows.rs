//! The rows: columns as responses and as covariates.

use std::sync::Arc;

use rand::seq::SliceRandom;

use crate::data::Dataset;
use crate::local_score::refit::NoiseKind;
use crate::run::Seed;

/// Columns of a table, and how many of its rows are looked at.
#[derive(Debug, Clone)]
pub(super) struct Rows {
    /// All rows there are, shuffled, so that the first ones are a sample.
    all: Arc<Vec<Vec<f64>>>,
    /// Whose scale a covariate has.
    scale: NoiseKind,
    /// By column: less its mean.
    responses: Vec<Vec<f64>>,
    /// By column: less its mean and over a scale, so that lengths have no units. With shared noise that is the same for all
    /// columns, with own noise each column's standard deviation.
    covariates: Vec<Vec<f64>>,
}

impl Rows {
    /// At most `most` rows of a table, drawn at random.
    pub(super) fn of(data: &Dataset, most: usize, seed: Seed) -> Self {
        let mut order: Vec<usize> = (0..data.n()).collect();
        order.shuffle(&mut seed.rng());
        order.truncate(most);
        let column = |node| order.iter().map(|&row| data.column(node)[row]).collect();
        Rows::new(Arc::new((0..data.d()).map(column).collect()), order.len(), NoiseKind::Own)
    }

    fn new(all: Arc<Vec<Vec<f64>>>, count: usize, scale: NoiseKind) -> Self {
        let responses: Vec<Vec<f64>> = all.iter().map(|column| centred(&column[..count])).collect();
        let variances: Vec<f64> = responses.iter().map(|column| square(column) / count as f64).collect();
        let mean = variances.iter().sum::<f64>() / variances.len() as f64;
        let covariate = |(column, &variance): (&Vec<f64>, &f64)| {
            let variance = if scale == NoiseKind::Own { variance } else { mean };
            let factor = if variance > 0.0 { variance.sqrt().recip() } else { 1.0 };
            column.iter().map(|value| factor * value).collect()
        };
        let covariates = responses.iter().zip(&variances).map(covariate).collect();
        Rows { all, scale, responses, covariates }
    }

    /// The first of the rows.
    pub(super) fn first(&self, count: usize) -> Self {
        Rows::new(self.all.clone(), count.min(self.available()), self.scale)
    }

    /// With covariates on the scale that suits the noise.
    pub(super) fn scaled(&self, scale: NoiseKind) -> Self {
        Rows::new(self.all.clone(), self.count(), scale)
    }

    pub(super) fn scale(&self) -> NoiseKind {
        self.scale
    }

    /// `d`.
    pub(super) fn nodes(&self) -> usize {
        self.responses.len()
    }

    /// `n`.
    pub(super) fn count(&self) -> usize {
        self.responses.first().map_or(0, Vec::len)
    }

    /// How many there are, looked at or not.
    pub(super) fn available(&self) -> usize {
        self.all.first().map_or(0, Vec::len)
    }

    pub(super) fn response(&self, node: usize) -> &[f64] {
        &self.responses[node]
    }

    pub(super) fn covariate(&self, node: usize) -> &[f64] {
        &self.covariates[node]
    }

    /// Whether a column has one value: it explains nothing, and there is nothing to explain.
    pub(super) fn is_constant(&self, node: usize) -> bool {
        square(&self.responses[node]) <= 0.0
    }
}

fn centred(column: &[f64]) -> Vec<f64> {
    let first = column.first().copied().unwrap_or(0.0);
    // Less the first value first, so that a column of one value is zero to the bit.
    let mean = first + column.iter().map(|value| value - first).sum::<f64>() / column.len().max(1) as f64;
    column.iter().map(|value| value - mean).collect()
}

fn square(column: &[f64]) -> f64 {
    column.iter().map(|value| value * value).sum()
}
