//! What choosing parents costs: a prior over parent sets by their number, its sparsity learned over all nodes.
//!
//! Each of the `P` nodes before a node is its parent with a probability that is the node's own, `p_v ~ Beta(a, b)`. A set of `k` has
//! the probability
//!
//! ```text
//! B(k + a, P − k + b)/B(a, b)
//! ```
//!
//! With `a = b = 1` every number of parents is equally likely, then every set of that number. On a sparse graph that is too
//! generous in the middle, on a dense one too mean; so `a` and `b` are those of highest probability for the numbers that all nodes
//! chose together, with `log a` and `log b` a priori normal around zero, so that a handful of nodes decides little.

/// How far `log a` and `log b` stray from zero a priori: one standard deviation.
const SPREAD: f64 = 1.0;
/// They stay within this; beyond it nothing changes any more.
const FARTHEST: f64 = 5.0;
/// The first and the last step of the climb.
const STEPS: (f64, f64) = (0.8, 0.05);

/// How many nodes a node could choose among, and how many it chose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParentCount {
    /// `P`.
    pub candidates: usize,
    /// `k`.
    pub chosen: usize,
}

/// The prior, with its prices ready.
#[derive(Debug, Clone, PartialEq)]
pub struct ParentPrior {
    logs: [f64; 2],
    /// `Σ_{i<m} log(a + i)`, by `m`; so with `b` and with `a + b`.
    rising: [Vec<f64>; 3],
}

impl ParentPrior {
    /// Every number of parents equally likely, for up to `nodes` nodes.
    pub fn uniform(nodes: usize) -> Self {
        ParentPrior::new([0.0; 2], nodes)
    }

    /// The prior of highest probability for what the nodes chose.
    pub fn learned(nodes: usize, counts: &[ParentCount]) -> Self {
        let mut best = ParentPrior::uniform(nodes);
        let mut value = best.log_posterior(counts);
        let mut step = STEPS.0;
        while step >= STEPS.1 {
            let mut moved = false;
            // Along each, and along both: sparsity is their ratio.
            for [up, across] in [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, -1.0]] {
                for sign in [step, -step] {
                    let logs = [best.logs[0] + sign * up, best.logs[1] + sign * across];
                    let next = ParentPrior::new(logs.map(|log| log.clamp(-FARTHEST, FARTHEST)), nodes);
                    let there = next.log_posterior(counts);
                    if there > value {
                        (best, value, moved) = (next, there, true);
                    }
                }
            }
            if !moved {
                step /= 2.0;
            }
        }
        best
    }

    fn new(logs: [f64; 2], nodes: usize) -> Self {
        let [a, b] = logs.map(f64::exp);
        let rising = [a, b, a + b].map(|first| {
            let mut sums = vec![0.0];
            (0..nodes).for_each(|i| sums.push(sums[i] + (first + i as f64).ln()));
            sums
        });
        ParentPrior { logs, rising }
    }

    /// What choosing `parents` of `candidates` nodes costs in nats: minus the logarithm of the choice's probability.
    pub fn price(&self, candidates: usize, parents: usize) -> f64 {
        let [a, b, both] = &self.rising;
        both[candidates] - a[parents] - b[candidates - parents]
    }

    /// What `a` and `b` cost themselves, over `a = b = 1`.
    pub fn own_price(&self) -> f64 {
        self.logs.iter().map(|log| 0.5 * (log / SPREAD).powi(2)).sum()
    }

    fn log_posterior(&self, counts: &[ParentCount]) -> f64 {
        let prices = counts.iter().map(|count| self.price(count.candidates, count.chosen));
        -prices.sum::<f64>() - self.own_price()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sums of logarithms in another order.
    const SUMS: f64 = 1e-12;

    #[test]
    fn the_first_price_is_that_of_a_uniform_number_and_then_a_uniform_set() {
        let prior = ParentPrior::uniform(5);
        for (k, ways) in [(0, 1.0), (1, 5.0), (2, 10.0), (3, 10.0), (5, 1.0_f64)] {
            assert!((prior.price(5, k) - (6.0 * ways).ln()).abs() < SUMS);
        }
        assert_eq!((prior.price(0, 0), prior.own_price()), (0.0, 0.0));
    }

    #[test]
    fn the_probabilities_of_all_sets_sum_to_one_whatever_was_learned() {
        let counts: Vec<ParentCount> =
            (0..12).map(|candidates| ParentCount { candidates, chosen: candidates / 3 }).collect();
        let prior = ParentPrior::learned(12, &counts);
        for candidates in 0..=12 {
            let mut ways = 1.0;
            let mut sum = 0.0;
            for k in 0..=candidates {
                sum += ways * (-prior.price(candidates, k)).exp();
                ways *= (candidates - k) as f64 / (k + 1) as f64;
            }
            assert!((sum - 1.0).abs() < 1e-9, "{candidates}: {sum}");
        }
    }

    #[test]
    fn sparse_choices_make_parents_dear_and_dense_ones_make_them_cheap() {
        let counts = |chosen: fn(usize) -> usize| -> Vec<ParentCount> {
            (0..20).map(|candidates| ParentCount { candidates, chosen: chosen(candidates) }).collect()
        };
        let extra = |prior: &ParentPrior| prior.price(10, 3) - prior.price(10, 2);
        let uniform = extra(&ParentPrior::uniform(20));
        assert!(extra(&ParentPrior::learned(20, &counts(|candidates| candidates.min(1)))) > uniform + 0.5);
        assert!(extra(&ParentPrior::learned(20, &counts(|candidates| candidates))) < uniform - 0.5);
        assert_eq!(ParentPrior::learned(20, &[]), ParentPrior::uniform(20));
    }

    #[test]
    fn what_is_learned_is_the_top() {
        let counts: Vec<ParentCount> = [(0, 0), (1, 1), (2, 0), (3, 2), (4, 1), (5, 1), (6, 0), (7, 3)]
            .map(|(candidates, chosen)| ParentCount { candidates, chosen })
            .to_vec();
        let learned = ParentPrior::learned(8, &counts);
        for change in [[0.1, 0.0], [-0.1, 0.0], [0.0, 0.1], [0.0, -0.1], [0.1, 0.1], [-0.1, -0.1]] {
            let near = ParentPrior::new([learned.logs[0] + change[0], learned.logs[1] + change[1]], 8);
            assert!(near.log_posterior(&counts) < learned.log_posterior(&counts), "{change:?}");
        }
    }
}
