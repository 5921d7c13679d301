//! Mixed graphs against mixed graphs: equivalence classes and partial ancestral graphs, edge by edge and mark by mark.

use serde::{Deserialize, Serialize};

use super::edges::EdgeScores;
use crate::graph::{Mark, Node, Pag, Pdag};

/// How the marks at the ends of the adjacencies that both graphs have compare.
///
/// An undirected edge counts as one with two circles: the first is how an equivalence class of DAGs says that the direction is
/// open, the second how a partial ancestral graph does.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MarkScores {
    /// The ends that are compared: two for every adjacency of both.
    pub ends: usize,
    /// Ends with the same mark.
    pub right: usize,
    /// Ends where the truth has a head or a tail, and the estimate a circle.
    pub open: usize,
    /// Ends where the truth has a circle, and the estimate a head or a tail.
    pub unfounded: usize,
    /// Ends where one has a head and the other a tail.
    pub wrong: usize,
}

/// Compares the marks of two graphs.
///
/// ```
/// use npvar::graph::{EdgeKind, Pdag};
/// use npvar::metrics::marks;
/// let truth = Pdag::from_edges(3, [(0, 1, EdgeKind::PartiallyDirected), (1, 2, EdgeKind::Directed)])?;
/// let estimate = Pdag::from_edges(3, [(0, 1, EdgeKind::Directed), (2, 1, EdgeKind::Directed)])?;
/// let scores = marks(&estimate, &truth);
/// assert_eq!((scores.ends, scores.right, scores.unfounded, scores.wrong), (4, 1, 1, 2));
/// # Ok::<(), npvar::Error>(())
/// ```
///
/// # Panics
/// When the graphs differ in their number of nodes.
pub fn marks(estimate: &Pdag, truth: &Pdag) -> MarkScores {
    let [estimate, truth] = [estimate, truth].map(opened);
    assert_eq!(estimate.nodes(), truth.nodes(), "both graphs must have the same nodes");
    let mut scores = MarkScores::default();
    for from in 0..truth.nodes() {
        for at in truth.adjacents(from).ones() {
            let (Some(found), Some(wanted)) = (estimate.mark(from, at), truth.mark(from, at)) else { continue };
            scores.ends += 1;
            *match (found, wanted) {
                _ if found == wanted => &mut scores.right,
                (Mark::Circle, _) => &mut scores.open,
                (_, Mark::Circle) => &mut scores.unfounded,
                _ => &mut scores.wrong,
            } += 1;
        }
    }
    scores
}

/// The number of pairs of nodes that two graphs join differently, and how often an edge of one is the other's too.
pub(super) fn same_edges(estimate: &Pdag, truth: &Pdag) -> (usize, EdgeScores) {
    let (found, wanted) = (estimate.edge_count(), truth.edge_count());
    let [estimate, truth] = [estimate, truth].map(opened);
    let pairs = |graph: &Pag| -> Vec<(Node, Node)> {
        (0..graph.nodes())
            .flat_map(|b| graph.adjacents(b).ones().filter(move |&a| a < b).map(move |a| (a, b)))
            .collect()
    };
    let same =
        |&(a, b): &(Node, Node)| estimate.mark(a, b) == truth.mark(a, b) && estimate.mark(b, a) == truth.mark(b, a);
    let hits = pairs(&truth).iter().filter(|pair| same(pair)).count();
    let both = pairs(&truth).iter().filter(|&&(a, b)| estimate.adjacent(a, b)).count();
    (found + wanted - both - hits, EdgeScores::from_counts(hits, found, wanted))
}

/// Scores of the adjacencies of two graphs.
pub(super) fn same_adjacencies(estimate: &Pdag, truth: &Pdag) -> EdgeScores {
    let hits = truth.edges().into_iter().filter(|&(a, b, _)| estimate.adjacent(a, b)).count();
    EdgeScores::from_counts(hits, estimate.edge_count(), truth.edge_count())
}

/// With circles for the tails of undirected edges.
fn opened(graph: &Pdag) -> Pag {
    let mut pag = Pag::from(graph);
    for node in 0..graph.nodes() {
        graph.neighbours(node).ones().for_each(|other| pag.set_mark(other, node, Mark::Circle));
    }
    pag
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::graph::arbitrary::{dags_with, pdags};
    use crate::graph::{Cpdag, EdgeKind};
    use crate::metrics::class_shd;

    #[test]
    fn every_difference_is_counted_once() {
        use EdgeKind::{Bidirected, Directed, PartiallyDirected, Undetermined, Undirected};
        let graph = |edges: &[_]| Pdag::from_edges(4, edges.iter().copied()).expect("a graph");
        let truth = graph(&[(0, 1, PartiallyDirected), (1, 2, Bidirected), (2, 3, Undetermined)]);
        let (distance, scores) =
            same_edges(&graph(&[(0, 1, PartiallyDirected), (2, 1, Directed), (0, 3, Undetermined)]), &truth);
        // One edge differs, one is missing, one is too many.
        assert_eq!((distance, scores.precision, scores.recall), (3, 1.0 / 3.0, 1.0 / 3.0));
        let undirected = graph(&[(0, 1, PartiallyDirected), (1, 2, Bidirected), (2, 3, Undirected)]);
        assert_eq!(same_edges(&undirected, &truth).0, 0);
    }

    proptest! {
        #[test]
        fn a_graph_is_at_no_distance_from_itself(graph in pdags(6)) {
            let scores = marks(&graph, &graph);
            prop_assert_eq!(scores.right, scores.ends);
            prop_assert_eq!(same_edges(&graph, &graph).0, 0);
        }

        #[test]
        fn between_equivalence_classes_it_is_their_distance((a, b) in (1..6_usize).prop_flat_map(|d| (dags_with(d), dags_with(d)))) {
            let [a, b] = [a, b].map(|dag| Cpdag::from_dag(&dag));
            prop_assert_eq!(same_edges(a.pdag(), b.pdag()).0, class_shd(&a, &b));
        }
    }
}
