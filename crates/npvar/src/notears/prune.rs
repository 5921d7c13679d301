//! From weights to a graph: entries below a threshold are dropped.
//!
//! The papers choose 0.3. A threshold can leave a cycle, most often where the optimisation did not converge; it is then raised
//! to the smallest value that leaves none, as is commonly done (the authors' code would stop with an error).

use crate::graph::{Dag, Node};

/// A graph and the edges a raised threshold took.
#[derive(Debug, Clone, PartialEq)]
pub struct Pruned {
    /// The graph.
    pub dag: Dag,
    /// The edges whose weights are at least the threshold asked for, but below the one that leaves no cycle.
    pub cut: Vec<(Node, Node)>,
    /// The threshold: the one asked for, or the smallest weight that was kept after raising it.
    pub threshold: f64,
}

/// Keeps the edges with `|weight| ≥ threshold` (row-major, row = parent); zero weights are never edges.
///
/// ```
/// let pruned = npvar::notears::prune(&[0.0, 0.9, 0.4, 0.0], 2, 0.3);
/// assert_eq!((pruned.dag.edges(), pruned.cut), (vec![(0, 1)], vec![(1, 0)]));
/// ```
pub fn prune(weights: &[f64], d: usize, threshold: f64) -> Pruned {
    let mut edges: Vec<(f64, (Node, Node))> = (0..d * d)
        .map(|at| (weights[at].abs(), (at / d, at % d)))
        .filter(|&(weight, (parent, child))| parent != child && weight >= threshold && weight > 0.0)
        .collect();
    edges.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let graph = |count: usize| Dag::from_edges(d, edges[..count].iter().map(|&(_, edge)| edge));
    // Fewer edges of the same ranking cannot close a cycle that more do not, so the count can be bisected.
    let (mut acyclic, mut cyclic) = (0, edges.len() + 1);
    if let Ok(dag) = graph(edges.len()) {
        return Pruned { dag, cut: Vec::new(), threshold };
    }
    while cyclic - acyclic > 1 {
        let middle = usize::midpoint(acyclic, cyclic);
        if middle <= edges.len() && graph(middle).is_ok() { acyclic = middle } else { cyclic = middle }
    }
    // Equal weights stay or go together.
    while acyclic > 0 && edges[acyclic - 1].0 == edges[acyclic].0 {
        acyclic -= 1;
    }
    let mut cut: Vec<(Node, Node)> = edges[acyclic..].iter().map(|&(_, edge)| edge).collect();
    cut.sort_unstable();
    Pruned {
        dag: graph(acyclic).expect("fewer edges than an acyclic graph has"),
        cut,
        threshold: if acyclic > 0 { edges[acyclic - 1].0 } else { f64::INFINITY },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_cycle_the_threshold_stands() {
        let weights = [0.0, -0.5, 0.29, 0.0, 0.0, 0.3, 0.0, 0.1, 0.0];
        let pruned = prune(&weights, 3, 0.3);
        assert_eq!(pruned.dag.edges(), [(0, 1), (1, 2)]);
        assert_eq!((pruned.cut.len(), pruned.threshold), (0, 0.3));
    }

    #[test]
    fn the_smallest_weights_go_until_no_cycle_is_left() {
        // 0 → 1 → 2 → 0 with 0.9, 0.8, 0.5, and 0 → 2 with 0.4: raising to 0.8 breaks the cycle and takes 0.4 as well.
        let weights = [0.0, 0.9, 0.4, 0.0, 0.0, 0.8, 0.5, 0.0, 0.0];
        let pruned = prune(&weights, 3, 0.3);
        assert_eq!(pruned.dag.edges(), [(0, 1), (1, 2)]);
        assert_eq!((pruned.cut, pruned.threshold), (vec![(0, 2), (2, 0)], 0.8));
    }

    #[test]
    fn equal_weights_go_together() {
        let pruned = prune(&[0.0, 0.5, 0.5, 0.0], 2, 0.3);
        assert_eq!(pruned.dag.edge_count(), 0);
        assert_eq!(pruned.cut.len(), 2);
    }

    #[test]
    fn a_threshold_of_zero_keeps_what_is_not_zero() {
        assert_eq!(prune(&[0.0, 1e-9, 0.0, 0.0], 2, 0.0).dag.edges(), [(0, 1)]);
    }
}
