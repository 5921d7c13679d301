//! Precision, recall and F1 of edges.

use serde::{Deserialize, Serialize};

use super::shd::oriented_right;
use crate::graph::{Dag, Pdag};

/// Precision, recall and their harmonic mean.
///
/// When neither graph has an edge, all three are 1: there was nothing to find and nothing was claimed. When only one of them
/// has edges, what is left of 0/0 is 0.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct EdgeScores {
    /// The share of estimated edges that are true.
    pub precision: f64,
    /// The share of true edges that are estimated.
    pub recall: f64,
    /// `2 · precision · recall / (precision + recall)`.
    pub f1: f64,
}

impl EdgeScores {
    pub(super) fn from_counts(hits: usize, estimated: usize, truth: usize) -> Self {
        if estimated == 0 && truth == 0 {
            return EdgeScores { precision: 1.0, recall: 1.0, f1: 1.0 };
        }
        let share = |of: usize| hits as f64 / of.max(1) as f64;
        let f1 = 2.0 * hits as f64 / (estimated + truth) as f64;
        EdgeScores { precision: share(estimated), recall: share(truth), f1 }
    }
}

/// Scores with directions: an edge is a hit when the truth has it in the same direction.
///
/// As in [`shd`](super::shd()), an undirected edge between truly adjacent nodes is a hit and a bidirected one is not.
///
/// ```
/// use npvar::graph::{Dag, Pdag};
/// use npvar::metrics::{directed_edges, skeleton_edges};
/// let truth = Dag::from_edges(3, [(0, 1), (1, 2)])?;
/// let estimate = Pdag::from(&Dag::from_edges(3, [(1, 0), (1, 2)])?);
/// assert_eq!(directed_edges(&estimate, &truth).precision, 0.5);
/// assert_eq!(skeleton_edges(&estimate, &truth).f1, 1.0);
/// # Ok::<(), npvar::Error>(())
/// ```
///
/// # Panics
/// When the graphs differ in their number of nodes.
pub fn directed_edges(estimate: &Pdag, truth: &Dag) -> EdgeScores {
    scores(estimate, truth, oriented_right)
}

/// Scores of the adjacencies, whatever their direction.
///
/// # Panics
/// When the graphs differ in their number of nodes.
pub fn skeleton_edges(estimate: &Pdag, truth: &Dag) -> EdgeScores {
    scores(estimate, truth, Pdag::adjacent)
}

fn scores(estimate: &Pdag, truth: &Dag, hit: impl Fn(&Pdag, usize, usize) -> bool) -> EdgeScores {
    assert_eq!(estimate.nodes(), truth.nodes(), "both graphs must have the same nodes");
    let hits = truth.edges().into_iter().filter(|&(parent, child)| hit(estimate, parent, child)).count();
    EdgeScores::from_counts(hits, estimate.edge_count(), truth.edge_count())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::graph::EdgeKind::{Bidirected, Directed, Undirected};
    use crate::graph::arbitrary::{dags, dags_with};

    #[test]
    fn marks_count_as_documented() {
        let truth = Dag::from_edges(4, [(0, 1), (1, 2), (2, 3)]).expect("acyclic");
        let edges = [(0, 1, Undirected), (1, 2, Bidirected), (3, 2, Directed), (0, 3, Directed)];
        let estimate = Pdag::from_edges(4, edges).expect("a graph");
        let directed = directed_edges(&estimate, &truth);
        assert_eq!((directed.precision, directed.recall), (1.0 / 4.0, 1.0 / 3.0));
        assert_eq!(directed.f1, 2.0 / 7.0);
        let skeleton = skeleton_edges(&estimate, &truth);
        assert_eq!((skeleton.precision, skeleton.recall), (3.0 / 4.0, 1.0));
    }

    #[test]
    fn nothing_of_nothing_is_perfect_and_nothing_of_something_is_zero() {
        let (empty, edge) = (Dag::empty(2), Dag::from_edges(2, [(0, 1)]).expect("acyclic"));
        let scores = |estimate: &Dag, truth: &Dag| directed_edges(&Pdag::from(estimate), truth);
        assert_eq!(scores(&empty, &empty), EdgeScores { precision: 1.0, recall: 1.0, f1: 1.0 });
        assert_eq!(scores(&empty, &edge), EdgeScores { precision: 0.0, recall: 0.0, f1: 0.0 });
        assert_eq!(scores(&edge, &empty), EdgeScores { precision: 0.0, recall: 0.0, f1: 0.0 });
    }

    proptest! {
        #[test]
        fn the_truth_scores_one(truth in dags(8)) {
            let scores = directed_edges(&Pdag::from(&truth), &truth);
            prop_assert_eq!(scores, EdgeScores { precision: 1.0, recall: 1.0, f1: 1.0 });
        }

        #[test]
        fn directions_only_make_it_harder((estimate, truth) in (1..7_usize).prop_flat_map(|d| (dags_with(d), dags_with(d)))) {
            let (directed, skeleton) =
                (directed_edges(&Pdag::from(&estimate), &truth), skeleton_edges(&Pdag::from(&estimate), &truth));
            prop_assert!(directed.precision <= skeleton.precision && directed.recall <= skeleton.recall);
            // Exchanging the two graphs exchanges precision and recall.
            let swapped = directed_edges(&Pdag::from(&truth), &estimate);
            prop_assert_eq!((swapped.precision, swapped.recall), (directed.recall, directed.precision));
            prop_assert_eq!(swapped.f1, directed.f1);
        }
    }
}
