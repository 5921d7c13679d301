//! NPVAR with an estimator of one's own: anything that can estimate a conditional mean will do.
//!
//! ```text
//! cargo run --release -p npvar --example own_estimator
//! ```
//!
//! The estimator here is the local average (Nadaraya and Watson) with a fixed bandwidth: ten lines, and good enough for a
//! few parents.

use faer::MatRef;
use npvar::learner::{Input, NpvarConfig, learn_with};
use npvar::metrics::shd;
use npvar::regress::{ConditionalMean, FittedMean};
use npvar::simulate::{SimulateOptions, simulate};
use npvar::{Result, Run, Seed};

/// A weighted mean of the responses, by how near their rows are.
struct LocalAverage {
    bandwidth: f64,
}

/// Unfitted and fitted are two types: nobody can predict before fitting.
struct FittedAverage {
    /// The rows it was fitted on.
    rows: Vec<Vec<f64>>,
    responses: Vec<f64>,
    bandwidth: f64,
}

fn rows(z: MatRef<'_, f64>) -> Vec<Vec<f64>> {
    (0..z.nrows()).map(|i| (0..z.ncols()).map(|j| z[(i, j)]).collect()).collect()
}

impl ConditionalMean for LocalAverage {
    fn fit(&self, z: MatRef<'_, f64>, y: &[f64]) -> Result<Box<dyn FittedMean>> {
        Ok(Box::new(FittedAverage { rows: rows(z), responses: y.to_vec(), bandwidth: self.bandwidth }))
    }
}

impl FittedMean for FittedAverage {
    fn predict(&self, z: MatRef<'_, f64>) -> Vec<f64> {
        let at = |point: &Vec<f64>| {
            let (mut total, mut weights) = (0.0, 0.0);
            for (row, response) in self.rows.iter().zip(&self.responses) {
                let distance: f64 = row.iter().zip(point).map(|(a, b)| (a - b).powi(2)).sum();
                // A little weight for every row, so that a point far from all others gets the mean of the responses.
                let weight = (-0.5 * distance / self.bandwidth.powi(2)).exp() + 1e-12;
                total += weight * response;
                weights += weight;
            }
            total / weights
        };
        rows(z).iter().map(at).collect()
    }
}

fn main() -> Result<()> {
    let options = SimulateOptions { nodes: Some(4), samples: 400, ..Default::default() };
    let simulated = simulate("MC-SIN".parse()?, &options, Seed(1))?;

    // Residual variances are cross-fitted, since nothing is known of an estimator that is handed in; parents are those
    // without which the predictions get worse.
    let (estimator, config) = (LocalAverage { bandwidth: 0.3 }, NpvarConfig::default());
    let input = Input::new(&simulated.data);
    let learned = learn_with(&estimator, "a local average", &config, &input, &Run::new(Seed(1)))?;

    println!("edges: {:?}", learned.graph.edges());
    println!("truth: {:?}", simulated.truth.edges());
    println!("structural Hamming distance: {}", shd(&learned.graph, &simulated.truth));
    Ok(())
}
