//! Structural intervention distance (Peters & Bühlmann 2015, "Structural intervention distance for evaluating causal graphs").
//!
//! The estimate `H` answers "what does setting `X_i` do to `X_j`?" by adjusting for `Z = pa_H(i)`. The distance counts the ordered
//! pairs `(i, j)` for which that answer is wrong for some distribution of the true graph `G`:
//!
//! ```text
//! j ∈ Z:  H says "nothing", wrong when j is a descendant of i in G
//! j ∉ Z:  wrong unless, in G,
//!         (a) no node of Z is or descends from a node (other than i) on a directed path from i to j, and
//!         (b) Z blocks every path from i to j that is not directed
//! ```
//!
//! For (a), the bad `j` are the nodes `w ∈ de(i) ∩ an(Z)` (both with `Z` itself) and their descendants. For (b) one search per `i` walks
//! all paths from `i` that `Z` leaves open and remembers whether an edge was taken backwards; where (a) holds, a walk that does not
//! come back to `i` ends in `j` with such an edge exactly when an open path does that is not directed. Cost: O(d (d + edges)).

use crate::graph::{Dag, Node, NodeSet};

/// The number of ordered pairs `(i, j)`, out of `d (d − 1)`, whose interventional distribution the estimate gets wrong.
///
/// Not symmetric: 0 just when the truth is a subgraph of the estimate. It needs the parents of every node, so the estimate must
/// be a DAG; for an equivalence class see [`sid_bounds`](super::sid_bounds()).
///
/// ```
/// use npvar::graph::Dag;
/// use npvar::metrics::sid;
/// let truth = Dag::from_edges(2, [(0, 1)])?;
/// let reversed = Dag::from_edges(2, [(1, 0)])?;
/// assert_eq!(sid(&truth, &truth), 0);
/// assert_eq!(sid(&reversed, &truth), 2);
/// assert_eq!(sid(&Dag::empty(2), &truth), 1); // without adjustment, 1 seems to act on 0
/// # Ok::<(), npvar::Error>(())
/// ```
///
/// # Panics
/// When the graphs differ in their number of nodes.
pub fn sid(estimate: &Dag, truth: &Dag) -> usize {
    assert_eq!(estimate.nodes(), truth.nodes(), "both graphs must have the same nodes");
    let relations = Relations::of(truth);
    (0..truth.nodes()).map(|i| wrong_effects(truth, &relations, i, estimate.parents(i)).count_ones(..)).sum()
}

/// Who descends from whom; every node from itself.
pub(super) struct Relations {
    descendants: Vec<NodeSet>,
    ancestors: Vec<NodeSet>,
}

impl Relations {
    pub(super) fn of(dag: &Dag) -> Self {
        let mut descendants = dag.reachability();
        let mut ancestors = vec![NodeSet::with_capacity(dag.nodes()); dag.nodes()];
        for node in 0..dag.nodes() {
            descendants[node].insert(node);
            for descendant in descendants[node].ones() {
                ancestors[descendant].insert(node);
            }
        }
        Relations { descendants, ancestors }
    }
}

/// The `j` for which adjusting for `adjusted` misjudges the effect of `i`.
pub(super) fn wrong_effects(truth: &Dag, relations: &Relations, i: Node, adjusted: &NodeSet) -> NodeSet {
    let mut above_adjusted = NodeSet::with_capacity(truth.nodes());
    for z in adjusted.ones() {
        above_adjusted.union_with(&relations.ancestors[z]);
    }
    let mut wrong = reached_backwards(truth, i, adjusted, &above_adjusted);
    for w in relations.descendants[i].intersection(&above_adjusted).filter(|&w| w != i) {
        wrong.union_with(&relations.descendants[w]);
    }
    for j in adjusted.ones() {
        wrong.set(j, relations.descendants[i].contains(j));
    }
    wrong.remove(i);
    wrong
}

/// The nodes that end a walk from `i`, open given `adjusted`, that takes some edge backwards and does not come back to `i`.
fn reached_backwards(truth: &Dag, i: Node, adjusted: &NodeSet, above_adjusted: &NodeSet) -> NodeSet {
    let nodes = truth.nodes();
    let mut walks = Walks { from: i, seen: [(); 3].map(|()| NodeSet::with_capacity(nodes)), pending: Vec::new() };
    truth.children(i).ones().for_each(|child| walks.visit(child, Arrival::Directed));
    truth.parents(i).ones().for_each(|parent| walks.visit(parent, Arrival::AgainstArrow));
    while let Some((node, arrival)) = walks.pending.pop() {
        let passes = !adjusted.contains(node);
        if passes {
            let next = if arrival == Arrival::Directed { Arrival::Directed } else { Arrival::AlongArrow };
            truth.children(node).ones().for_each(|child| walks.visit(child, next));
        }
        let collides = arrival != Arrival::AgainstArrow;
        if if collides { above_adjusted.contains(node) } else { passes } {
            truth.parents(node).ones().for_each(|parent| walks.visit(parent, Arrival::AgainstArrow));
        }
    }
    let [_, mut reached, against] = walks.seen;
    reached.union_with(&against);
    reached
}

/// How a walk came to a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Arrival {
    /// Along the arrow, as every edge before.
    Directed,
    /// Along the arrow, after some edge taken backwards.
    AlongArrow,
    /// Against the arrow.
    AgainstArrow,
}

struct Walks {
    from: Node,
    /// Nodes seen, by way of arrival.
    seen: [NodeSet; 3],
    pending: Vec<(Node, Arrival)>,
}

impl Walks {
    fn visit(&mut self, node: Node, arrival: Arrival) {
        if node != self.from && !self.seen[arrival as usize].put(node) {
            self.pending.push((node, arrival));
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::graph::arbitrary::{dags, dags_with};

    /// The definition, path by path.
    fn sid_by_definition(estimate: &Dag, truth: &Dag) -> usize {
        let pairs = (0..truth.nodes()).flat_map(|i| (0..truth.nodes()).map(move |j| (i, j)));
        pairs.filter(|&(i, j)| i != j && !right_by_definition(truth, i, j, estimate.parents(i))).count()
    }

    fn right_by_definition(truth: &Dag, i: Node, j: Node, adjusted: &NodeSet) -> bool {
        if adjusted.contains(j) {
            return !truth.descendants(i).contains(j);
        }
        let mut paths = Vec::new();
        extend_path(truth, j, vec![i], &mut paths);
        paths.iter().all(|path| {
            if path.windows(2).all(|step| truth.has_edge(step[0], step[1])) {
                let on_path = &path[1..];
                on_path.iter().all(|&w| !adjusted.contains(w) && truth.descendants(w).is_disjoint(adjusted))
            } else {
                path.windows(3).any(|triple| blocks(truth, triple, adjusted))
            }
        })
    }

    fn extend_path(truth: &Dag, end: Node, path: Vec<Node>, paths: &mut Vec<Vec<Node>>) {
        let last = path[path.len() - 1];
        if last == end {
            paths.push(path);
            return;
        }
        for next in 0..truth.nodes() {
            if !path.contains(&next) && (truth.has_edge(last, next) || truth.has_edge(next, last)) {
                extend_path(truth, end, [&path[..], &[next]].concat(), paths);
            }
        }
    }

    fn blocks(truth: &Dag, triple: &[Node], adjusted: &NodeSet) -> bool {
        let middle = triple[1];
        if truth.has_edge(triple[0], middle) && truth.has_edge(triple[2], middle) {
            !adjusted.contains(middle) && truth.descendants(middle).is_disjoint(adjusted)
        } else {
            adjusted.contains(middle)
        }
    }

    fn all_dags_with_three_nodes() -> Vec<Dag> {
        let pairs = [(0, 1), (0, 2), (1, 2)];
        let graphs = (0..27_usize).filter_map(|code| {
            let mark = |position: u32| code / 3_usize.pow(position) % 3;
            let edges = (0..3_u32).zip(pairs).filter_map(move |(position, (a, b))| match mark(position) {
                0 => None,
                1 => Some((a, b)),
                _ => Some((b, a)),
            });
            Dag::from_edges(3, edges).ok()
        });
        graphs.collect()
    }

    #[test]
    fn the_first_example_of_the_paper() {
        // X1 = 0, X2 = 1, Y1..Y3 = 2..4 (figure 1): both estimates have SHD 1, but only reversing X1 -> X2 does harm.
        let common = [(0, 2), (0, 3), (0, 4), (1, 2), (1, 3), (1, 4)];
        let with = |edges: &[(Node, Node)]| Dag::from_edges(5, [&common[..], edges].concat()).expect("acyclic");
        let truth = with(&[(0, 1)]);
        assert_eq!(sid(&with(&[(0, 1), (2, 3)]), &truth), 0);
        assert_eq!(sid(&with(&[(1, 0)]), &truth), 8);
    }

    #[test]
    fn markov_equivalent_chains_differ() {
        let forwards = Dag::from_edges(3, [(0, 1), (1, 2)]).expect("acyclic");
        let backwards = Dag::from_edges(3, [(2, 1), (1, 0)]).expect("acyclic");
        assert_eq!(sid(&backwards, &forwards), 6);
    }

    #[test]
    fn all_pairs_of_graphs_with_three_nodes_agree_with_the_definition() {
        let graphs = all_dags_with_three_nodes();
        assert_eq!(graphs.len(), 25);
        for (estimate, truth) in graphs.iter().flat_map(|h| graphs.iter().map(move |g| (h, g))) {
            assert_eq!(sid(estimate, truth), sid_by_definition(estimate, truth), "{estimate:?} for {truth:?}");
        }
    }

    #[test]
    fn a_hundred_nodes_are_no_trouble() {
        let pairs = |step: usize| (0..100).flat_map(move |b| (0..b).map(move |a| (a, b))).step_by(step);
        let truth = Dag::from_edges(100, pairs(7)).expect("acyclic");
        let estimate = Dag::from_edges(100, pairs(14)).expect("acyclic");
        assert_eq!(sid(&truth, &estimate), 0, "every other edge is a subgraph");
        assert!(sid(&estimate, &truth) > 0);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]

        #[test]
        fn random_graphs_agree_with_the_definition((h, g) in (4..=6_usize).prop_flat_map(|d| (dags_with(d), dags_with(d)))) {
            prop_assert_eq!(sid(&h, &g), sid_by_definition(&h, &g));
        }

        #[test]
        fn it_is_zero_just_when_the_truth_is_a_subgraph((h, g) in (1..=4_usize).prop_flat_map(|d| (dags_with(d), dags_with(d)))) {
            let subgraph = (0..g.nodes()).all(|node| g.parents(node).is_subset(h.parents(node)));
            prop_assert_eq!(sid(&h, &g) == 0, subgraph);
        }

        #[test]
        fn a_complete_graph_in_a_true_order_is_never_wrong(truth in dags(8)) {
            let order = truth.order().nodes();
            let pairs = (0..order.len()).flat_map(|b| (0..b).map(move |a| (order[a], order[b])));
            prop_assert_eq!(sid(&Dag::from_edges(truth.nodes(), pairs).expect("follows an order"), &truth), 0);
        }

        #[test]
        fn the_empty_graph_is_wrong_where_a_common_ancestor_confounds(truth in dags(8)) {
            // Without adjustment an answer is right unless some open path starts against an arrow: an ancestor of i (or one of
            // its other descendants) then seems to be an effect.
            let confounded: usize = (0..truth.nodes()).map(|i| {
                let ancestors = truth.ancestors(i);
                let reached = |j: Node| ancestors.contains(j) || ancestors.ones().any(|a| avoiding(&truth, a, i).contains(j));
                (0..truth.nodes()).filter(|&j| j != i && reached(j)).count()
            }).sum();
            prop_assert_eq!(sid(&Dag::empty(truth.nodes()), &truth), confounded);
        }
    }

    /// The descendants of `from` on paths that do not pass through `without`.
    fn avoiding(dag: &Dag, from: Node, without: Node) -> NodeSet {
        let kept = dag.edges().into_iter().filter(|&(a, b)| a != without && b != without);
        Dag::from_edges(dag.nodes(), kept).expect("a subgraph of a DAG").descendants(from)
    }
}
