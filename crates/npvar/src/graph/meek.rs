//! Meek's orientation rules (Meek 1995, "Causal inference and causal explanation with background knowledge").
//!
//! An undirected edge `a -- b` becomes `a -> b` when the other direction would make a new unshielded collider or a cycle:
//!
//! ```text
//! R1  c -> a,                       c and b not adjacent
//! R2  a -> c -> b
//! R3  a -- c -> b,  a -- d -> b,    c and d not adjacent
//! R4  a -- c -> d -> b,  a -- d,    c and b not adjacent
//! ```
//!
//! R1–R3 complete the pattern of a DAG; R4 is needed when background knowledge has directed further edges. Bidirected edges take
//! part as adjacencies only. Cost: each orientation looks again at the edges it can touch, each look is a few bitset operations.

use super::{EdgeKind, Node, NodeSet, Pdag};

impl Pdag {
    /// Applies Meek's rules R1–R4 until none applies.
    ///
    /// For a graph that has a consistent extension the result does not depend on the order of the rules. For one that has none,
    /// two rules may ask for opposite directions; then the first wins, with edges taken by their smaller node.
    pub fn meek_closure(&mut self) {
        let adjacents: Vec<NodeSet> = (0..self.nodes()).map(|node| self.adjacents(node)).collect();
        let mut pending: Vec<(Node, Node)> = (0..self.nodes())
            .flat_map(|a| self.neighbours(a).ones().filter(move |&b| a < b).map(move |b| (a, b)).collect::<Vec<_>>())
            .collect();
        pending.reverse();
        while let Some((a, b)) = pending.pop() {
            if !self.has_undirected(a, b) {
                continue;
            }
            let (from, to) = if must_point(self, &adjacents, a, b) {
                (a, b)
            } else if must_point(self, &adjacents, b, a) {
                (b, a)
            } else {
                continue;
            };
            self.set(from, to, EdgeKind::Directed);
            pending.extend(self.neighbours(from).ones().map(|other| (from, other)));
            pending.extend(self.neighbours(to).ones().map(|other| (to, other)));
            // R4 with from -> to in the place of c -> d.
            for a in self.neighbours(from).intersection(self.neighbours(to)) {
                pending.extend(self.neighbours(a).intersection(self.children(to)).map(|b| (a, b)));
            }
        }
    }
}

/// Whether one of the rules turns `a -- b` into `a -> b`.
fn must_point(graph: &Pdag, adjacents: &[NodeSet], a: Node, b: Node) -> bool {
    let not_adjacent_to_b = |c: Node| !adjacents[b].contains(c);
    let away_from_collider = || !graph.parents(a).is_subset(&adjacents[b]);
    let away_from_cycle = || !graph.children(a).is_disjoint(graph.parents(b));
    let between = || graph.parents(b).intersection(graph.neighbours(a));
    let double_triangle = || between().any(|c| between().any(|d| c != d && !adjacents[c].contains(d)));
    let background = || between().any(|d| graph.neighbours(a).intersection(graph.parents(d)).any(not_adjacent_to_b));
    away_from_collider() || away_from_cycle() || double_triangle() || background()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::graph::arbitrary::{dags, pdags};
    use crate::graph::{Cpdag, Dag};

    fn closed(nodes: usize, directed: &[(Node, Node)], undirected: &[(Node, Node)]) -> Pdag {
        let mut graph = Pdag::empty(nodes);
        directed.iter().for_each(|&(a, b)| graph.set(a, b, EdgeKind::Directed));
        undirected.iter().for_each(|&(a, b)| graph.set(a, b, EdgeKind::Undirected));
        graph.meek_closure();
        graph
    }

    #[test]
    fn rule_1_avoids_a_new_collider() {
        assert!(closed(3, &[(0, 1)], &[(1, 2)]).has_directed(1, 2));
        assert!(closed(3, &[(0, 1)], &[(1, 2), (0, 2)]).has_undirected(1, 2));
    }

    #[test]
    fn rule_2_avoids_a_cycle() {
        assert!(closed(3, &[(0, 1), (1, 2)], &[(0, 2)]).has_directed(0, 2));
    }

    #[test]
    fn rule_3_avoids_a_collider_made_by_a_cycle() {
        let graph = closed(4, &[(1, 3), (2, 3)], &[(0, 1), (0, 2), (0, 3)]);
        assert!(graph.has_directed(0, 3));
        assert!(graph.has_undirected(0, 1) && graph.has_undirected(0, 2));
    }

    #[test]
    fn rule_4_uses_background_knowledge() {
        // a = 0, b = 1, c = 2, d = 3; c and b are not adjacent.
        let graph = closed(4, &[(2, 3), (3, 1)], &[(0, 1), (0, 2), (0, 3)]);
        assert!(graph.has_directed(0, 1));
    }

    #[test]
    fn orientations_run_along_a_long_chain() {
        let chain: Vec<_> = (1..499).map(|node| (node, node + 1)).collect();
        let graph = closed(500, &[(0, 1)], &chain);
        assert!(graph.has_directed(498, 499));
    }

    /// The DAGs with the skeleton, directed edges and unshielded colliders of `graph`, by trying all directions.
    fn extensions(graph: &Pdag) -> Vec<Dag> {
        let open: Vec<_> = graph.edges().into_iter().filter(|edge| edge.2 == EdgeKind::Undirected).collect();
        let candidates = (0..1_u32 << open.len()).filter_map(|choice| {
            let mut directed = graph.clone();
            for (bit, &(a, b, _)) in open.iter().enumerate() {
                let (from, to) = if choice >> bit & 1 == 1 { (a, b) } else { (b, a) };
                directed.set(from, to, EdgeKind::Directed);
            }
            directed.to_dag().filter(|_| colliders(&directed) == colliders(graph))
        });
        candidates.collect()
    }

    fn colliders(graph: &Pdag) -> Vec<(Node, Node, Node)> {
        let mut found = Vec::new();
        for c in 0..graph.nodes() {
            for a in graph.parents(c).ones() {
                found.extend(graph.parents(c).ones().filter(|&b| a < b && !graph.adjacent(a, b)).map(|b| (a, b, c)));
            }
        }
        found
    }

    proptest! {
        #[test]
        fn the_closure_of_a_closure_is_itself(mut graph in pdags(7)) {
            graph.meek_closure();
            let once = graph.clone();
            graph.meek_closure();
            prop_assert_eq!(graph, once);
        }

        #[test]
        fn with_background_knowledge_an_edge_is_directed_just_when_all_extensions_agree(
            dag in dags(5),
            known in prop::collection::vec(any::<bool>(), 10),
        ) {
            // Meek (1995): R1–R4 are sound and complete.
            let mut graph = Cpdag::from_dag(&dag).into_pdag();
            for (&(from, to), known) in dag.edges().iter().zip(known) {
                if known {
                    graph.set(from, to, EdgeKind::Directed);
                }
            }
            let members = extensions(&graph);
            graph.meek_closure();
            for a in 0..dag.nodes() {
                for b in 0..dag.nodes() {
                    prop_assert_eq!(graph.has_directed(a, b), members.iter().all(|member| member.has_edge(a, b)));
                }
            }
        }
    }
}
