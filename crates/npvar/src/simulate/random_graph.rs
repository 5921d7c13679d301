//! Random graphs: Markov chains, Erdős–Rényi and scale-free.
//!
//! Differs from the paper: its text adds ER edges independently with a given expected number; the published code, which we
//! follow, fixes the number of edges.

use rand::RngExt;
use rand::seq::SliceRandom;

use super::RandomGraph;
use crate::graph::{Dag, Node};
use crate::run::Seed;

impl RandomGraph {
    /// Draws a graph on `nodes` nodes.
    pub fn draw(self, nodes: usize, seed: Seed) -> Dag {
        match self {
            RandomGraph::MarkovChain => markov_chain(nodes, seed),
            RandomGraph::ErdosRenyi { k } => erdos_renyi(nodes, k, seed),
            RandomGraph::ScaleFree { k } => scale_free(nodes, k, seed),
        }
    }
}

/// MC: the chain through a uniformly random order of the nodes, `d − 1` edges.
///
/// ```
/// use npvar::{Seed, simulate::markov_chain};
/// assert_eq!(markov_chain(20, Seed(1)).layers().depth(), 20);
/// ```
pub fn markov_chain(nodes: usize, seed: Seed) -> Dag {
    let order = random_order(nodes, seed);
    Dag::from_edges(nodes, order.windows(2).map(|pair| (pair[0], pair[1]))).expect("a chain has no cycle")
}

/// ER: `kd` edges, at most all pairs (and 9 at `d = 5`, `k = 4`, as in the published experiments), chosen uniformly among the
/// pairs of a uniformly random order.
///
/// ```
/// use npvar::{Seed, simulate::erdos_renyi};
/// assert_eq!(erdos_renyi(20, 4, Seed(1)).edge_count(), 80);
/// ```
pub fn erdos_renyi(nodes: usize, k: usize, seed: Seed) -> Dag {
    let order = random_order(nodes, seed);
    let mut pairs: Vec<(Node, Node)> =
        (0..nodes).flat_map(|i| (i + 1..nodes).map(move |j| (i, j))).map(|(i, j)| (order[i], order[j])).collect();
    let (chosen, _) = pairs.partial_shuffle(&mut seed.child("edges", 0).rng(), er_edges(nodes, k));
    Dag::from_edges(nodes, chosen.iter().copied()).expect("the edges follow the order")
}

/// `kd`, at most the number of pairs; 9 of the 10 pairs at `d = 5`, `k = 4`, as in the published experiments (a complete
/// graph would leave nothing to find but the order).
fn er_edges(nodes: usize, k: usize) -> usize {
    match (nodes, k) {
        (5, 4) => 9,
        _ => k.saturating_mul(nodes).min(nodes * nodes.saturating_sub(1) / 2),
    }
}

/// SF: Barabási–Albert. Nodes arrive in the order of their labels; each points to `k` distinct older nodes (all of them while
/// there are at most `k`), chosen with probability proportional to in-degree plus one. `kd − k(k+1)/2` edges when `d > k`;
/// the last node is always a source, the first a hub and a sink.
///
/// ```
/// use npvar::{Seed, simulate::scale_free};
/// let dag = scale_free(20, 4, Seed(1));
/// assert_eq!(dag.edge_count(), 70);
/// assert!(dag.parents(19).is_clear());
/// ```
pub fn scale_free(nodes: usize, k: usize, seed: Seed) -> Dag {
    let mut rng = seed.child("attachment", 0).rng();
    let mut in_degrees = vec![0_usize; nodes];
    let mut edges = Vec::new();
    for newer in 1..nodes {
        // Weights of the older nodes; a chosen one gets weight zero, so that no edge is drawn twice.
        let mut weights: Vec<usize> = in_degrees[..newer].iter().map(|degree| degree + 1).collect();
        let mut total: usize = weights.iter().sum();
        for _ in 0..k.min(newer) {
            let mut ticket = rng.random_range(0..total);
            let older = weights
                .iter()
                .position(|&weight| {
                    let found = ticket < weight;
                    ticket = ticket.saturating_sub(weight);
                    found
                })
                .expect("the ticket is below the total weight");
            total -= std::mem::take(&mut weights[older]);
            in_degrees[older] += 1;
            edges.push((newer, older));
        }
    }
    Dag::from_edges(nodes, edges).expect("edges go from newer to older nodes")
}

fn random_order(nodes: usize, seed: Seed) -> Vec<Node> {
    let mut order: Vec<Node> = (0..nodes).collect();
    order.shuffle(&mut seed.child("order", 0).rng());
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_of_edges_are_those_of_the_reference() {
        for seed in (0..20).map(Seed) {
            for (d, er1, er4, sf1, sf4) in
                [(5, 5, 9, 4, 10), (10, 10, 40, 9, 30), (20, 20, 80, 19, 70), (40, 40, 160, 39, 150)]
            {
                assert_eq!(markov_chain(d, seed).edge_count(), d - 1);
                assert_eq!(erdos_renyi(d, 1, seed).edge_count(), er1);
                assert_eq!(erdos_renyi(d, 4, seed).edge_count(), er4);
                assert_eq!(scale_free(d, 1, seed).edge_count(), sf1);
                assert_eq!(scale_free(d, 4, seed).edge_count(), sf4);
            }
        }
    }

    #[test]
    fn more_edges_than_pairs_give_the_complete_graph() {
        assert_eq!(erdos_renyi(2, 1, Seed(1)).edge_count(), 1);
        assert_eq!(erdos_renyi(6, 4, Seed(1)).edge_count(), 15);
        assert_eq!(scale_free(3, 4, Seed(1)).edge_count(), 3);
    }

    #[test]
    fn a_chain_is_a_chain_and_its_labels_are_permuted() {
        let dag = markov_chain(10, Seed(3));
        assert_eq!(dag.layers().depth(), 10);
        assert_ne!(dag.order().nodes(), (0..10).collect::<Vec<_>>());
    }

    #[test]
    fn scale_free_edges_point_from_the_newer_to_the_older_node() {
        for seed in (0..20).map(Seed) {
            let dag = scale_free(20, 4, seed);
            assert!(dag.edges().iter().all(|(parent, child)| parent > child));
            assert!(dag.parents(19).is_clear(), "the last node is a source");
            assert!((1..20).all(|child| !dag.has_edge(0, child)), "the first node is a sink");
            assert!((1..=4).all(|newer| dag.has_edge(newer, 0)), "the first nodes attach to all older ones");
        }
    }

    #[test]
    fn attachment_prefers_nodes_of_high_in_degree() {
        // d = 3, k = 1: node 3 chooses between node 1 (in-degree 1, weight 2) and node 2 (weight 1): 2/3 against 1/3.
        let runs = 3000;
        let first = (0..runs).filter(|&seed| scale_free(3, 1, Seed(seed)).has_edge(2, 0)).count();
        // sd = sqrt(3000 · 2/9) = 25.8; five of them.
        assert!((first as f64 - 2000.0).abs() < 129.0, "{first}");
    }

    #[test]
    fn the_order_of_erdos_renyi_graphs_is_uniform() {
        // Three nodes, three edges: the complete graph of one of six orders, each with probability 1/6.
        let runs = 6000;
        let mut counts = std::collections::HashMap::new();
        for seed in 0..runs {
            *counts.entry(erdos_renyi(3, 1, Seed(seed)).order().nodes().to_vec()).or_insert(0) += 1;
        }
        assert_eq!(counts.len(), 6);
        // Each count is binomial with mean 1000 and sd sqrt(6000 · 5/36) = 28.9; five of them, P(any outside) < 4e-6.
        assert!(counts.values().all(|&count| (i64::from(count) - 1000).abs() < 145), "{counts:?}");
    }

    #[test]
    fn erdos_renyi_edges_are_uniform_over_the_pairs() {
        // d = 4, k = 1: 4 of the 6 pairs, so each unordered pair is joined with probability 2/3.
        let runs = 3000;
        let graphs: Vec<Dag> = (0..runs).map(|seed| erdos_renyi(4, 1, Seed(seed))).collect();
        for (i, j) in [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)] {
            let joined = graphs.iter().filter(|dag| dag.has_edge(i, j) || dag.has_edge(j, i)).count();
            // sd = sqrt(3000 · 2/9) = 25.8; five of them.
            assert!((joined as f64 - 2000.0).abs() < 129.0, "{i} {j}: {joined}");
        }
    }
}
