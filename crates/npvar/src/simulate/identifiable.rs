//! The four examples of section 3.1: models in which `E var(X_j | pa(j))` is the same for all nodes, exactly, though
//! `var(X_j | pa(j))` is not constant.
//!
//! Each is built so that the one moment that has to be known is known in closed form, for any graph drawn.

use rand::RngExt;
use rand_distr::{Distribution, Poisson};

use super::ancestral::{self, Drawn, row};
use super::options::Resolved;
use super::random_graph::{erdos_renyi, markov_chain};
use crate::graph::{Dag, Node};
use crate::run::Seed;

/// Causal pair: `X` of variance `σ²`, `Y = sin X + ((σ² + X²)/2)^{1/2} ε/σ`, so that `E var(Y | X) = (σ² + E X²)/2 = σ²`.
pub(super) fn pair(options: &Resolved, seed: Seed) -> Drawn {
    let variance = options.noise_variance;
    let dag = Dag::from_edges(2, [(0, 1)]).expect("one edge is no cycle");
    let columns = ancestral::columns(&dag, |node, parents| {
        let noise = options.noise.draw(options.samples, variance, seed.child("noise", node));
        match parents {
            [x] => x.iter().zip(noise).map(|(x, e)| x.sin() + (0.5 + x * x / (2.0 * variance)).sqrt() * e).collect(),
            _ => noise,
        }
    });
    Drawn::equal(dag, columns, variance)
}

/// Binomial model: a chain of `X_j ~ Bernoulli(f_j(X_k))` with `E f_j(1 − f_j) = p(1 − p)`.
///
/// With `c = 1/2 − p` the condition reads `E (f_j − 1/2)² = c²`. A chain knows its marginals, `m = P(X_k = 1)`, so
///
/// ```text
/// f_j(1) = 1/2 ± c √(1 + (1 − m)s)      f_j(0) = 1/2 ∓ c √(1 − m s)
/// ```
///
/// meets it for any `s`; sign and `s`, with `|s| ≤ min(1/2, 1/(4c²) − 1)` to keep probabilities within (0, 1), are random.
pub(super) fn binomial(options: &Resolved, seed: Seed) -> Drawn {
    let dag = markov_chain(options.nodes, seed.child("graph", 0));
    let probabilities = binomial_probabilities(&dag, options.p, seed);
    let columns = ancestral::columns(&dag, |node, parents| {
        let mut rng = seed.child("noise", node).rng();
        let [if_zero, if_one] = probabilities[node];
        (0..options.samples)
            .map(|i| {
                let probability = if row(parents, i).any(|x| x == 1.0) { if_one } else { if_zero };
                f64::from(u8::from(rng.random::<f64>() < probability))
            })
            .collect()
    });
    Drawn::equal(dag, columns, options.p * (1.0 - options.p))
}

/// `[f_j(0), f_j(1)]` for every node; both are `p` for the source.
fn binomial_probabilities(dag: &Dag, p: f64, seed: Seed) -> Vec<[f64; 2]> {
    let c = 0.5 - p;
    let widest = (0.25 / (c * c) - 1.0).min(0.5);
    let mut probabilities = vec![[p, p]; dag.nodes()];
    let mut marginal = p;
    for &node in &dag.order().nodes()[1..] {
        let mut rng = seed.child("function", node).rng();
        let s = rng.random_range(-widest..=widest);
        let signed = if rng.random() { c } else { -c };
        let if_zero = 0.5 - signed * (1.0 - marginal * s).sqrt();
        let if_one = 0.5 + signed * (1.0 + (1.0 - marginal) * s).sqrt();
        probabilities[node] = [if_zero, if_one];
        marginal = (1.0 - marginal) * if_zero + marginal * if_one;
    }
    probabilities
}

/// How much of a Poisson node's mean comes from its parents.
const POISSON_SHARE: f64 = 0.8;

/// Generalised linear model: an ER graph with `d` edges, `X_j ~ Poisson(exp f_j(pa))`, `K''(θ) = exp θ`, and
///
/// ```text
/// f_j(pa) = ln((1 − a) μ + a · mean of the parents)      a = 0.8
/// ```
///
/// If the parents have mean `μ`, so has `X_j`, and `E K''(f_j) = E exp f_j = μ`: by induction for all nodes of any graph.
pub(super) fn poisson(options: &Resolved, seed: Seed) -> Drawn {
    let mean = options.noise_variance;
    let dag = erdos_renyi(options.nodes, 1, seed.child("graph", 0));
    let columns = ancestral::columns(&dag, |node, parents| {
        let mut rng = seed.child("noise", node).rng();
        (0..options.samples)
            .map(|i| {
                let rate = match parents.len() {
                    0 => mean,
                    m => (1.0 - POISSON_SHARE) * mean + POISSON_SHARE * row(parents, i).sum::<f64>() / m as f64,
                };
                Poisson::new(rate).expect("the rate is positive and finite").sample(&mut rng)
            })
            .collect()
    });
    Drawn::equal(dag, columns, mean)
}

/// Additive noise model with heteroskedastic noise: an ER graph with `d` edges and
///
/// ```text
/// X_j = |x_pa| + g_j(pa)^{1/2} ε_j/σ      g_j(pa) = σ²/2 · (1 + |x_pa|² / E|x_pa|²)
/// ```
///
/// with `|·|` the Euclidean norm over the parents, neither linear nor additive. `E|x_pa|²` is known on any graph, because
/// `E X_j² = E|x_pa|² + E g_j = Σ_k E X_k² + σ²`; so `E g_j = σ²`.
pub(super) fn hetero(options: &Resolved, seed: Seed) -> Drawn {
    let variance = options.noise_variance;
    let dag = erdos_renyi(options.nodes, 1, seed.child("graph", 0));
    let from_parents = squared_norm_of_parents(&dag, variance);
    let columns = ancestral::columns(&dag, |node, parents| {
        let noise = options.noise.draw(options.samples, variance, seed.child("noise", node));
        if parents.is_empty() {
            return noise;
        }
        let scaled = noise.iter().enumerate().map(|(i, e)| {
            let squared_norm: f64 = row(parents, i).map(|x| x * x).sum();
            squared_norm.sqrt() + (0.5 + squared_norm / (2.0 * from_parents[node])).sqrt() * e
        });
        scaled.collect()
    });
    Drawn::equal(dag, columns, variance)
}

/// `E|x_pa|²` for every node of [`hetero`].
fn squared_norm_of_parents(dag: &Dag, variance: f64) -> Vec<f64> {
    let mut from_parents: Vec<f64> = vec![0.0; dag.nodes()];
    let second_moment = |from_parents: &[f64], node: Node| from_parents[node] + variance;
    for &node in dag.order().nodes() {
        from_parents[node] = dag.parents(node).ones().map(|parent| second_moment(&from_parents, parent)).sum();
    }
    from_parents
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::Noise;

    const N: usize = 100_000;

    fn options(nodes: usize) -> Resolved {
        Resolved { nodes, samples: N, noise_variance: 0.5, p: 0.3, noise: Noise::Gaussian, delta: 0.2 }
    }

    /// Mean of the values and its standard error.
    fn mean_and_error(values: &[f64]) -> (f64, f64) {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / n;
        (mean, (variance / n).sqrt())
    }

    /// Every node's mean squared residual `(x − E[X | pa])²` must be `expected` within five of its own standard errors
    /// (P < 6e-7 per node by the central limit theorem).
    fn check(sampled: &Drawn, expected: f64, conditional_mean: impl Fn(Node, &[f64]) -> f64) {
        let Drawn { truth, columns, residual_variances } = sampled;
        for node in 0..truth.nodes() {
            assert!((residual_variances[node] - expected).abs() < 1e-15);
            let squares: Vec<f64> = (0..N)
                .map(|i| {
                    let parents: Vec<f64> = truth.parents(node).ones().map(|k| columns[k][i]).collect();
                    (columns[node][i] - conditional_mean(node, &parents)).powi(2)
                })
                .collect();
            let (mean, error) = mean_and_error(&squares);
            assert!((mean - expected).abs() < 5.0 * error, "node {node}: {mean} against {expected} ± {error}");
            assert!(error < 0.1 * expected, "the comparison means something");
        }
    }

    #[test]
    fn the_pair_has_equal_residual_variances() {
        for noise in [Noise::Gaussian, Noise::Gumbel] {
            let sampled = pair(&Resolved { noise, ..options(2) }, Seed(1));
            check(&sampled, 0.5, |_, parents| parents.first().map_or(0.0, |x| x.sin()));
        }
    }

    #[test]
    fn the_binomial_chain_has_equal_residual_variances() {
        for p in [0.1, 0.3, 0.8] {
            let sampled = binomial(&Resolved { p, ..options(8) }, Seed(2));
            let probabilities = binomial_probabilities(&sampled.truth, p, Seed(2));
            assert!(probabilities.iter().flatten().all(|f| (0.0..=1.0).contains(f)));
            check(&sampled, p * (1.0 - p), |node, parents| {
                probabilities[node][usize::from(parents.first() == Some(&1.0))]
            });
        }
    }

    #[test]
    fn the_conditional_variance_of_the_binomial_chain_is_not_constant() {
        let dag = markov_chain(8, Seed(1));
        let probabilities = binomial_probabilities(&dag, 0.3, Seed(2));
        let varied = dag.order().nodes()[1..].iter().filter(|&&node| {
            let [zero, one] = probabilities[node].map(|f| f * (1.0 - f));
            (zero - one).abs() > 1e-3
        });
        assert!(varied.count() >= 5);
    }

    #[test]
    fn poisson_nodes_have_equal_residual_variances() {
        let sampled = poisson(&options(8), Seed(3));
        check(&sampled, 0.5, |_, parents| match parents.len() {
            0 => 0.5,
            m => 0.2 * 0.5 + 0.8 * parents.iter().sum::<f64>() / m as f64,
        });
        assert!(sampled.columns.iter().flatten().all(|x| x.fract() == 0.0 && *x >= 0.0));
    }

    #[test]
    fn heteroskedastic_nodes_have_equal_residual_variances() {
        for noise in [Noise::Gaussian, Noise::Gumbel] {
            let sampled = hetero(&Resolved { noise, ..options(8) }, Seed(4));
            check(&sampled, 0.5, |_, parents| parents.iter().map(|x| x * x).sum::<f64>().sqrt());
        }
    }
}
