//! The range of the structural intervention distance over an equivalence class (Peters & Bühlmann 2015).
//!
//! The distance is a sum over nodes of a term that depends on the node's parents alone, and the undirected parts of a CPDAG that
//! hang together (its chain components) can be directed independently of each other. So the members of each component are listed
//! on their own, and the smallest and largest sums of the components add up.
//!
//! Components are listed completely within a budget; beyond it there is no answer rather than a looser one.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::sid::{Relations, wrong_effects};
use crate::graph::{Cpdag, Dag, EdgeKind, Node, NodeSet, Pdag};

/// The most terms (members times nodes) that are summed for one component: enough for all directions of eight nodes that are
/// all adjacent and for a tree of a thousand nodes, and a matter of seconds.
const MAX_TERMS: usize = 1_000_000;

/// The smallest and the largest distance of a member of the class from the truth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SidBounds {
    /// The distance of the best member.
    pub lower: usize,
    /// The distance of the worst member.
    pub upper: usize,
}

/// The range of [`sid`](super::sid()) over the DAGs of an equivalence class; `None` when a component of it has too many members
/// to list (nine nodes that are all adjacent are too many).
///
/// ```
/// use npvar::graph::{Cpdag, Dag};
/// use npvar::metrics::{SidBounds, sid_bounds};
/// let truth = Dag::from_edges(2, [(0, 1)])?;
/// let bounds = sid_bounds(&Cpdag::from_dag(&truth), &truth);
/// assert_eq!(bounds, Some(SidBounds { lower: 0, upper: 2 }));
/// # Ok::<(), npvar::Error>(())
/// ```
///
/// # Panics
/// When the graphs differ in their number of nodes.
pub fn sid_bounds(estimate: &Cpdag, truth: &Dag) -> Option<SidBounds> {
    let graph = estimate.pdag();
    assert_eq!(graph.nodes(), truth.nodes(), "both graphs must have the same nodes");
    let mut mistakes = Mistakes { truth, relations: Relations::of(truth), known: HashMap::new() };
    let mut bounds = SidBounds { lower: 0, upper: 0 };
    for component in components(graph) {
        let within = component_bounds(graph, &component, &mut mistakes)?;
        bounds.lower += within.lower;
        bounds.upper += within.upper;
    }
    Some(bounds)
}

/// The range over the ways to direct one component that make no cycle and no new unshielded collider.
///
/// Directs one open edge at a time, both ways; Meek's rules then direct what follows, and are complete, so that every branch ends
/// in a member.
fn component_bounds(graph: &Pdag, component: &[Node], mistakes: &mut Mistakes<'_>) -> Option<SidBounds> {
    let mut bounds: Option<SidBounds> = None;
    let mut members = 0;
    let mut pending = vec![induced(graph, component)];
    while let Some(open) = pending.pop() {
        let Some((a, b, _)) = open.edges().into_iter().find(|edge| edge.2 == EdgeKind::Undirected) else {
            members += 1;
            if members * component.len() > MAX_TERMS {
                return None;
            }
            let sum = (0..component.len()).map(|position| {
                let mut parents = graph.parents(component[position]).clone();
                parents.extend(open.parents(position).ones().map(|parent| component[parent]));
                mistakes.of(component[position], parents)
            });
            let sum = sum.sum();
            let SidBounds { lower, upper } = bounds.unwrap_or(SidBounds { lower: sum, upper: sum });
            bounds = Some(SidBounds { lower: lower.min(sum), upper: upper.max(sum) });
            continue;
        };
        for (from, to) in [(a, b), (b, a)] {
            let mut directed = open.clone();
            directed.set(from, to, EdgeKind::Directed);
            directed.meek_closure();
            pending.push(directed);
        }
    }
    bounds
}

/// The undirected edges within a component, its nodes numbered by their position in it.
fn induced(graph: &Pdag, component: &[Node]) -> Pdag {
    let mut within = Pdag::empty(component.len());
    for (b, &node) in component.iter().enumerate() {
        for a in (0..b).filter(|&a| graph.has_undirected(component[a], node)) {
            within.set(a, b, EdgeKind::Undirected);
        }
    }
    within
}

/// The number of wrong effects of a node for a set of parents, computed once for each.
struct Mistakes<'a> {
    truth: &'a Dag,
    relations: Relations,
    known: HashMap<(Node, NodeSet), usize>,
}

impl Mistakes<'_> {
    fn of(&mut self, node: Node, parents: NodeSet) -> usize {
        let key = (node, parents);
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let count = wrong_effects(self.truth, &self.relations, key.0, &key.1).count_ones(..);
        self.known.insert(key, count);
        count
    }
}

/// The nodes joined by undirected edges, component by component.
fn components(graph: &Pdag) -> Vec<Vec<Node>> {
    let mut seen = NodeSet::with_capacity(graph.nodes());
    let mut components = Vec::new();
    for start in 0..graph.nodes() {
        if seen.put(start) {
            continue;
        }
        let mut component = vec![start];
        let mut done = 0;
        while done < component.len() {
            let node = component[done];
            component.extend(graph.neighbours(node).ones().filter(|&next| !seen.put(next)));
            done += 1;
        }
        components.push(component);
    }
    components
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::graph::arbitrary::dags_with;
    use crate::metrics::sid;

    /// All DAGs of the class, by trying every direction of every edge.
    fn class_members(class: &Cpdag) -> Vec<Dag> {
        let edges = class.pdag().edges();
        let choices = (0..1_u32 << edges.len()).filter_map(|choice| {
            let directed =
                edges.iter().enumerate().map(|(bit, &(a, b, _))| if choice >> bit & 1 == 1 { (a, b) } else { (b, a) });
            Dag::from_edges(class.pdag().nodes(), directed).ok().filter(|dag| Cpdag::from_dag(dag) == *class)
        });
        choices.collect()
    }

    #[test]
    fn independent_components_add_up() {
        // Two separate edges, each right or reversed (two mistakes).
        let truth = Dag::from_edges(4, [(0, 1), (2, 3)]).expect("acyclic");
        let bounds = sid_bounds(&Cpdag::from_dag(&truth), &truth);
        assert_eq!(bounds, Some(SidBounds { lower: 0, upper: 4 }));
    }

    #[test]
    fn a_class_with_too_many_members_has_no_answer() {
        let complete = Dag::from_edges(9, (0..9).flat_map(|b| (0..b).map(move |a| (a, b)))).expect("acyclic");
        assert_eq!(sid_bounds(&Cpdag::from_dag(&complete), &complete), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]

        #[test]
        fn bounds_are_attained_by_members((estimate, truth) in (1..=5_usize).prop_flat_map(|d| (dags_with(d), dags_with(d)))) {
            let class = Cpdag::from_dag(&estimate);
            let distances: Vec<usize> = class_members(&class).iter().map(|member| sid(member, &truth)).collect();
            let lower = distances.iter().copied().min().expect("the estimate is a member");
            let upper = distances.iter().copied().max().expect("the estimate is a member");
            prop_assert_eq!(sid_bounds(&class, &truth), Some(SidBounds { lower, upper }));
        }
    }
}
