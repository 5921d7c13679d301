//! Linear structural equation models `X_j = Σ_k w_kj X_k + ε_j`, with their population covariance.

use faer::Mat;
use rand::RngExt;

use super::ancestral;
use super::noise::Noise;
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::graph::Dag;
use crate::run::Seed;

/// A linear model on a graph: weights on its edges, a noise variance for every node.
///
/// ```
/// use npvar::{Seed, graph::Dag, simulate::LinearSem};
/// let dag = Dag::from_edges(2, [(0, 1)])?;
/// let sem = LinearSem::new(dag, &[(0, 1, 2.0)], vec![1.0, 0.5])?;
/// assert_eq!(sem.covariance()[(1, 1)], 4.5);
/// assert_eq!(sem.sample(100, Seed(1))?.n(), 100);
/// # Ok::<(), npvar::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct LinearSem {
    dag: Dag,
    /// `w_kj` at `(k, j)`; zero where there is no edge.
    weights: Mat<f64>,
    noise_variances: Vec<f64>,
}

impl LinearSem {
    /// The model with these weights `(parent, child, weight)`, one for every edge.
    ///
    /// # Errors
    /// [`Error::InvalidGraph`] when an edge has no finite, nonzero weight or a weight has no edge;
    /// [`Error::InvalidOption`] when the noise variances are not `d` positive finite numbers.
    pub fn new(dag: Dag, weights: &[(usize, usize, f64)], noise_variances: Vec<f64>) -> Result<Self> {
        let d = dag.nodes();
        let mut matrix = Mat::zeros(d, d);
        for &(parent, child, weight) in weights {
            if parent >= d || child >= d || !dag.has_edge(parent, child) {
                return Err(Error::InvalidGraph(format!("there is a weight but no edge {parent} -> {child}")));
            }
            matrix[(parent, child)] = weight;
        }
        for (parent, child) in dag.edges() {
            let weight: f64 = matrix[(parent, child)];
            if weight == 0.0 || !weight.is_finite() {
                return Err(Error::InvalidGraph(format!("the edge {parent} -> {child} needs a nonzero finite weight")));
            }
        }
        if noise_variances.len() != d
            || noise_variances.iter().any(|&variance| !(variance > 0.0 && variance.is_finite()))
        {
            return Err(Error::InvalidOption {
                option: "noise-variances",
                requirement: format!("must be {d} positive finite numbers"),
                got: format!("{noise_variances:?}"),
            });
        }
        Ok(LinearSem { dag, weights: matrix, noise_variances })
    }

    /// Weights uniform on ±\[0.5, 1.5\], unit noise variances.
    pub fn random(dag: Dag, seed: Seed) -> Self {
        let d = dag.nodes();
        let mut weights = Mat::zeros(d, d);
        for (parent, child) in dag.edges() {
            let mut rng = seed.child("weight", parent * d + child).rng();
            let size = rng.random_range(0.5..=1.5);
            weights[(parent, child)] = if rng.random() { size } else { -size };
        }
        LinearSem { dag, weights, noise_variances: vec![1.0; d] }
    }

    /// The same weights with other noise variances.
    ///
    /// # Errors
    /// [`Error::InvalidOption`] when they are not `d` positive finite numbers.
    pub fn with_noise_variances(self, noise_variances: Vec<f64>) -> Result<Self> {
        let weights: Vec<_> = self.dag.edges().iter().map(|&(k, j)| (k, j, self.weights[(k, j)])).collect();
        LinearSem::new(self.dag, &weights, noise_variances)
    }

    /// The same weights with one (positive, finite) noise variance for all nodes.
    pub(super) fn with_equal_noise_variances(self, noise_variance: f64) -> Self {
        LinearSem { noise_variances: vec![noise_variance; self.dag.nodes()], ..self }
    }

    /// The graph.
    pub fn dag(&self) -> &Dag {
        &self.dag
    }

    /// `w_kj` at `(k, j)`; zero where there is no edge.
    pub fn weights(&self) -> &Mat<f64> {
        &self.weights
    }

    /// `var(ε_j)`, which is `E var(X_j | pa(j))`.
    pub fn noise_variances(&self) -> &[f64] {
        &self.noise_variances
    }

    /// The population covariance of all nodes, whatever the law of the noise.
    pub fn covariance(&self) -> Mat<f64> {
        let d = self.dag.nodes();
        let order = self.dag.order().nodes();
        let mut covariance = Mat::zeros(d, d);
        for (position, &j) in order.iter().enumerate() {
            // cov(X_j, X_i) = Σ_k w_kj cov(X_k, X_i) for the nodes before j; then the same for i = j, plus the noise.
            let from_parents = |covariance: &Mat<f64>, i: usize| -> f64 {
                self.dag.parents(j).ones().map(|k| self.weights[(k, j)] * covariance[(k, i)]).sum()
            };
            for &i in &order[..position] {
                let value = from_parents(&covariance, i);
                covariance[(j, i)] = value;
                covariance[(i, j)] = value;
            }
            covariance[(j, j)] = from_parents(&covariance, j) + self.noise_variances[j];
        }
        covariance
    }

    /// `n` rows with Gaussian noise, columns `X1` to `Xd`.
    ///
    /// # Errors
    /// When `n` is zero, the graph has fewer than two nodes, or a value overflows.
    pub fn sample(&self, n: usize, seed: Seed) -> Result<Dataset> {
        ancestral::named(self.columns(n, Noise::Gaussian, seed))
    }

    /// `n` rows with noise of this law.
    pub(super) fn columns(&self, n: usize, noise: Noise, seed: Seed) -> Vec<Vec<f64>> {
        ancestral::columns(&self.dag, |node, parents| {
            let mut values = noise.draw(n, self.noise_variances[node], seed.child("noise", node));
            for (k, parent) in self.dag.parents(node).ones().zip(parents) {
                let weight = self.weights[(k, node)];
                values.iter_mut().zip(*parent).for_each(|(value, x)| *value += weight * x);
            }
            values
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::erdos_renyi;

    #[test]
    fn the_linear_model_on_which_cam_fails_has_the_covariance_of_the_paper() {
        let dag = Dag::from_edges(3, [(0, 1), (0, 2), (1, 2)]).expect("acyclic");
        let sem = LinearSem::new(dag, &[(0, 1, 1.0), (0, 2, 1.0), (1, 2, 1.0)], vec![1.0; 3]).expect("valid");
        let expected = [[1.0, 1.0, 2.0], [1.0, 2.0, 3.0], [2.0, 3.0, 6.0]];
        let covariance = sem.covariance();
        for (i, row) in expected.iter().enumerate() {
            for (j, &value) in row.iter().enumerate() {
                assert_eq!(covariance[(i, j)], value);
            }
        }
    }

    #[test]
    fn the_covariance_solves_the_structural_equations() {
        let sem = LinearSem::random(erdos_renyi(12, 2, Seed(5)), Seed(6));
        let sem = sem.with_noise_variances((1..=12).map(f64::from).collect()).expect("valid");
        // (I − W)' Σ (I − W) is the diagonal matrix of the noise variances.
        let residual = Mat::<f64>::identity(12, 12) - sem.weights();
        let noise = residual.transpose() * sem.covariance() * &residual;
        for i in 0..12 {
            for j in 0..12 {
                let expected = if i == j { sem.noise_variances()[i] } else { 0.0 };
                assert!((noise[(i, j)] - expected).abs() < 1e-9, "{i} {j}");
            }
        }
    }

    #[test]
    fn random_weights_stand_on_the_edges_and_in_their_range() {
        let sem = LinearSem::random(erdos_renyi(10, 4, Seed(1)), Seed(2));
        let mut signs = [0, 0];
        for k in 0..10 {
            for j in 0..10 {
                let weight = sem.weights()[(k, j)];
                assert_eq!(weight != 0.0, sem.dag().has_edge(k, j));
                assert!(weight == 0.0 || (0.5..=1.5).contains(&weight.abs()));
                signs[usize::from(weight > 0.0)] += usize::from(weight != 0.0);
            }
        }
        // 40 fair coins: fewer than 5 of either side has probability below 2e-7.
        assert!(signs.iter().all(|&count| count >= 5));
    }

    #[test]
    fn a_sample_has_about_the_population_covariance() {
        let n = 40_000;
        let sem = LinearSem::random(erdos_renyi(4, 1, Seed(8)), Seed(9));
        let (data, covariance) = (sem.sample(n, Seed(10)).expect("valid"), sem.covariance());
        for i in 0..4 {
            for j in 0..4 {
                let product = data.column(i).iter().zip(data.column(j)).map(|(a, b)| a * b).sum::<f64>() / n as f64;
                // For Gaussian X with mean zero the variance of the product is s_ii s_jj + s_ij², at most 2 s_ii s_jj.
                let five_sd = 5.0 * (2.0 * covariance[(i, i)] * covariance[(j, j)] / n as f64).sqrt();
                assert!((product - covariance[(i, j)]).abs() < five_sd, "{i} {j}");
            }
        }
    }

    #[test]
    fn weights_and_edges_must_agree() {
        let dag = || Dag::from_edges(2, [(0, 1)]).expect("acyclic");
        assert!(LinearSem::new(dag(), &[], vec![1.0; 2]).is_err());
        assert!(LinearSem::new(dag(), &[(1, 0, 1.0)], vec![1.0; 2]).is_err());
        assert!(LinearSem::new(dag(), &[(0, 1, f64::NAN)], vec![1.0; 2]).is_err());
        assert!(LinearSem::new(dag(), &[(0, 1, 1.0)], vec![1.0, 0.0]).is_err());
    }
}
