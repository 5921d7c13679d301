//! A model fitted to data, to draw new samples from: additive functions of the parents, and residuals drawn from those
//! observed. A node without parents is drawn from its observed values. Beyond the observed range functions go on as straight
//! lines.

use faer::Mat;
use rand::RngExt;

use crate::data::Dataset;
use crate::error::Result;
use crate::graph::{Dag, Node};
use crate::regress::{FittedGam, FittedMean, Gam, Smoothing};
use crate::run::Seed;

/// Additive regressions along a graph.
pub struct FittedSem {
    names: Vec<String>,
    dag: Dag,
    nodes: Vec<FittedNode>,
}

struct FittedNode {
    parents: Vec<Node>,
    /// Nothing without parents.
    mean: Option<FittedGam>,
    /// What is added to the mean: residuals, or the values themselves.
    residuals: Vec<f64>,
}

impl FittedSem {
    /// Fits every node's mean given its parents (P-splines smoothed by REML).
    ///
    /// # Errors
    /// Those of the regressions.
    pub fn fit(data: &Dataset, dag: &Dag) -> Result<Self> {
        let gam = Gam { smoothing: Smoothing::Reml, ..Gam::default() };
        let node = |child: Node| -> Result<FittedNode> {
            let parents: Vec<Node> = dag.parents(child).ones().collect();
            let y = data.column(child);
            if parents.is_empty() {
                return Ok(FittedNode { parents, mean: None, residuals: y.to_vec() });
            }
            let z = Mat::from_fn(data.n(), parents.len(), |i, k| data.column(parents[k])[i]);
            let mean = gam.fit_gam(z.as_ref(), y)?;
            let residuals = y.iter().zip(mean.predict(z.as_ref())).map(|(y, fit)| y - fit).collect();
            Ok(FittedNode { parents, mean: Some(mean), residuals })
        };
        let nodes = (0..data.d()).map(node).collect::<Result<_>>()?;
        Ok(FittedSem { names: data.names().to_vec(), dag: dag.clone(), nodes })
    }

    /// The graph.
    pub fn dag(&self) -> &Dag {
        &self.dag
    }

    /// A new sample.
    ///
    /// # Errors
    /// Those of a data set's construction.
    pub fn draw(&self, samples: usize, seed: Seed) -> Result<Dataset> {
        let mut columns: Vec<Vec<f64>> = vec![Vec::new(); self.nodes.len()];
        for &child in self.dag.order().nodes() {
            let node = &self.nodes[child];
            let mut rng = seed.child("node", child).rng();
            let mut values: Vec<f64> =
                (0..samples).map(|_| node.residuals[rng.random_range(0..node.residuals.len())]).collect();
            if let Some(mean) = &node.mean {
                let z = Mat::from_fn(samples, node.parents.len(), |i, k| columns[node.parents[k]][i]);
                values.iter_mut().zip(mean.predict(z.as_ref())).for_each(|(value, fit)| *value += fit);
            }
            columns[child] = values;
        }
        Dataset::new(self.names.clone(), columns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::{SimulateOptions, simulate};

    #[test]
    fn a_fitted_model_draws_samples_like_those_it_was_fitted_to() {
        let options = SimulateOptions { nodes: Some(5), samples: 2000, ..SimulateOptions::default() };
        let simulated = simulate("ER-SIN-1".parse().unwrap(), &options, Seed(3)).unwrap();
        let model = FittedSem::fit(&simulated.data, &simulated.truth).unwrap();
        let drawn = model.draw(2000, Seed(4)).unwrap();
        assert_eq!(drawn.names(), simulated.data.names());
        let moments = |data: &Dataset, j: usize, k: usize| {
            let mean = |j: usize| data.column(j).iter().sum::<f64>() / data.n() as f64;
            let products = data.column(j).iter().zip(data.column(k)).map(|(x, y)| (x - mean(j)) * (y - mean(k)));
            products.sum::<f64>() / data.n() as f64
        };
        for j in 0..5 {
            for k in 0..=j {
                let (given, drawn) = (moments(&simulated.data, j, k), moments(&drawn, j, k));
                assert!((given - drawn).abs() < 0.15, "{j}, {k}: {given} and {drawn}");
            }
        }
        assert_eq!(model.draw(50, Seed(4)).unwrap(), model.draw(50, Seed(4)).unwrap());
        assert_ne!(model.draw(50, Seed(4)).unwrap(), model.draw(50, Seed(5)).unwrap());
    }
}
