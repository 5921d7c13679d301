//! Structural Hamming distance, in the convention of Gao, Ding & Aragam (2020).

use crate::graph::{Cpdag, Dag, EdgeKind, Pdag};

/// The number of pairs of nodes that must be changed to turn the estimate into the truth: missing edges, extra edges and
/// reversed edges count one each.
///
/// An undirected edge between truly adjacent nodes counts as correctly oriented: learners that return an equivalence class are
/// given the benefit of the doubt, as in the paper. A bidirected edge between truly adjacent nodes counts one, as a wrong
/// orientation. A circle mark costs nothing, a mark that excludes the true direction costs one. Between two DAGs this is the ordinary structural Hamming distance (a reversal costs one, not two).
///
/// ```
/// use npvar::graph::{Dag, Pdag};
/// use npvar::metrics::shd;
/// let truth = Dag::from_edges(3, [(0, 1), (1, 2)])?;
/// let estimate = Dag::from_edges(3, [(1, 0), (0, 2)])?;
/// assert_eq!(shd(&Pdag::from(&estimate), &truth), 3); // one reversed, one extra, one missing
/// assert_eq!(shd(&Pdag::from(&truth).skeleton(), &truth), 0);
/// # Ok::<(), npvar::Error>(())
/// ```
///
/// # Panics
/// When the graphs differ in their number of nodes.
pub fn shd(estimate: &Pdag, truth: &Dag) -> usize {
    assert_eq!(estimate.nodes(), truth.nodes(), "both graphs must have the same nodes");
    let found = truth.edges().into_iter().filter(|&(parent, child)| estimate.adjacent(parent, child)).count();
    let oriented = truth.edges().into_iter().filter(|&(parent, child)| oriented_right(estimate, parent, child)).count();
    let (missing, extra) = (truth.edge_count() - found, estimate.edge_count() - found);
    missing + extra + (found - oriented)
}

/// The number of pairs of nodes that two equivalence classes join differently: no edge in one, or another kind or direction.
/// This is the usual structural Hamming distance between CPDAGs, without the benefit of the doubt: zero means that
/// everything observational data can tell was found.
///
/// ```
/// use npvar::graph::{Cpdag, Dag};
/// use npvar::metrics::class_shd;
/// let chain = Cpdag::from_dag(&Dag::from_edges(3, [(0, 1), (1, 2)])?);
/// let collider = Cpdag::from_dag(&Dag::from_edges(3, [(0, 1), (2, 1)])?);
/// assert_eq!(class_shd(&chain, &collider), 2); // both edges are undirected in one, directed in the other
/// # Ok::<(), npvar::Error>(())
/// ```
///
/// # Panics
/// When the graphs differ in their number of nodes.
pub fn class_shd(estimate: &Cpdag, truth: &Cpdag) -> usize {
    let (estimate, truth) = (estimate.pdag(), truth.pdag());
    assert_eq!(estimate.nodes(), truth.nodes(), "both graphs must have the same nodes");
    let same = |a: usize, b: usize| {
        estimate.has_directed(a, b) == truth.has_directed(a, b)
            && estimate.has_directed(b, a) == truth.has_directed(b, a)
            && estimate.has_undirected(a, b) == truth.has_undirected(a, b)
    };
    (0..truth.nodes()).map(|b| (0..b).filter(|&a| !same(a, b)).count()).sum()
}

/// Whether the estimate has the true edge `parent -> child`, or leaves its direction open.
pub(super) fn oriented_right(estimate: &Pdag, parent: usize, child: usize) -> bool {
    let circled = || {
        // parent o-> child, parent o-o child, child o-- parent.
        estimate.has(parent, child, EdgeKind::PartiallyDirected)
            || estimate.has(parent, child, EdgeKind::Undetermined)
            || estimate.has(child, parent, EdgeKind::PartiallyUndirected)
    };
    estimate.has_directed(parent, child)
        || estimate.has_undirected(parent, child)
        || estimate.has_circles() && circled()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::graph::EdgeKind::{
        Bidirected, Directed, PartiallyDirected, PartiallyUndirected, Undetermined, Undirected,
    };
    use crate::graph::Node;
    use crate::graph::arbitrary::{dags, dags_with};

    fn against_a_to_b(edges: &[(Node, Node, EdgeKind)]) -> usize {
        let truth = Dag::from_edges(3, [(0, 1)]).expect("acyclic");
        shd(&Pdag::from_edges(3, edges.iter().copied()).expect("a graph"), &truth)
    }

    #[test]
    fn each_kind_of_mistake_costs_one() {
        assert_eq!(against_a_to_b(&[]), 1);
        assert_eq!(against_a_to_b(&[(0, 1, Directed)]), 0);
        assert_eq!(against_a_to_b(&[(1, 0, Directed)]), 1);
        assert_eq!(against_a_to_b(&[(0, 1, Bidirected)]), 1);
        assert_eq!(against_a_to_b(&[(0, 1, Undirected)]), 0);
        assert_eq!(against_a_to_b(&[(0, 1, PartiallyDirected)]), 0);
        assert_eq!(against_a_to_b(&[(1, 0, PartiallyDirected)]), 1);
        assert_eq!(against_a_to_b(&[(0, 1, Undetermined)]), 0);
        assert_eq!(against_a_to_b(&[(1, 0, PartiallyUndirected)]), 0);
        assert_eq!(against_a_to_b(&[(0, 1, PartiallyUndirected)]), 1);
        assert_eq!(against_a_to_b(&[(0, 1, Undirected), (1, 2, Undirected)]), 1);
        assert_eq!(against_a_to_b(&[(0, 1, Directed), (1, 2, Bidirected)]), 1);
    }

    fn three_dags() -> impl Strategy<Value = (Dag, Dag, Dag)> {
        (1..7_usize).prop_flat_map(|nodes| (dags_with(nodes), dags_with(nodes), dags_with(nodes)))
    }

    proptest! {
        #[test]
        fn it_is_a_metric_on_dags((a, b, c) in three_dags()) {
            let distance = |from: &Dag, to: &Dag| shd(&Pdag::from(from), to);
            prop_assert_eq!(distance(&a, &b) == 0, a == b);
            prop_assert_eq!(distance(&a, &a), 0);
            prop_assert_eq!(distance(&a, &b), distance(&b, &a));
            prop_assert!(distance(&a, &c) <= distance(&a, &b) + distance(&b, &c));
        }

        #[test]
        fn it_is_a_metric_on_equivalence_classes((a, b, c) in three_dags()) {
            let [a, b, c] = [a, b, c].map(|dag| Cpdag::from_dag(&dag));
            prop_assert_eq!(class_shd(&a, &b) == 0, a == b);
            prop_assert_eq!(class_shd(&a, &b), class_shd(&b, &a));
            prop_assert!(class_shd(&a, &c) <= class_shd(&a, &b) + class_shd(&b, &c));
        }

        #[test]
        fn the_equivalence_class_of_the_truth_has_no_mistake(truth in dags(8)) {
            prop_assert_eq!(shd(Cpdag::from_dag(&truth).pdag(), &truth), 0);
        }
    }
}
