//! A DAG that a partially directed graph allows (Dor & Tarsi 1992, "A simple algorithm to construct a consistent extension of
//! a partially oriented graph").
//!
//! Looks for a node that can be a sink: no edge leaves it, and every neighbour is adjacent to all its other adjacent nodes, so
//! that pointing the undirected edges at it makes no new unshielded collider. Directs those edges, removes the node, repeats.

use super::{Dag, Node, NodeSet, Pdag};

impl Pdag {
    /// A DAG with the same adjacencies, the same directed edges and no further unshielded collider; `None` when there is none
    /// (a bidirected edge or a circle mark has none).
    ///
    /// ```
    /// use npvar::graph::{EdgeKind::Undirected, Pdag};
    /// let chain = Pdag::from_edges(3, [(0, 1, Undirected), (1, 2, Undirected)])?;
    /// assert_eq!(chain.consistent_extension().map(|dag| dag.edge_count()), Some(2));
    /// // A four-cycle always has a collider.
    /// let square = [(0, 1, Undirected), (1, 2, Undirected), (2, 3, Undirected), (3, 0, Undirected)];
    /// assert_eq!(Pdag::from_edges(4, square)?.consistent_extension(), None);
    /// # Ok::<(), npvar::Error>(())
    /// ```
    pub fn consistent_extension(&self) -> Option<Dag> {
        let nodes = self.nodes();
        if self.has_circles() || (0..nodes).any(|node| !self.spouses(node).is_clear()) {
            return None;
        }
        let mut around: Vec<NodeSet> = (0..nodes).map(|node| self.adjacents(node)).collect();
        around.iter_mut().enumerate().for_each(|(node, set)| set.insert(node));
        let mut left = NodeSet::with_capacity(nodes);
        left.insert_range(..);
        let mut edges: Vec<(Node, Node)> = Vec::with_capacity(self.edge_count());
        while !left.is_clear() {
            let sink = left.ones().find(|&node| can_be_sink(self, &around, &left, node))?;
            edges
                .extend(around[sink].intersection(&left).filter(|&parent| parent != sink).map(|parent| (parent, sink)));
            left.remove(sink);
        }
        Some(Dag::from_edges(nodes, edges).expect("the removed sinks, read backwards, are a topological order"))
    }
}

/// `around[k]` holds `k` and the nodes adjacent to it.
fn can_be_sink(graph: &Pdag, around: &[NodeSet], left: &NodeSet, node: Node) -> bool {
    if !graph.children(node).is_disjoint(left) {
        return false;
    }
    let mut around_node = around[node].clone();
    around_node.intersect_with(left);
    graph.neighbours(node).intersection(left).all(|neighbour| around_node.is_subset(&around[neighbour]))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::graph::arbitrary::{dags, pdags};
    use crate::graph::{Cpdag, EdgeKind};

    #[test]
    fn directed_edges_and_colliders_stay() {
        use EdgeKind::{Directed, Undirected};
        let graph = Pdag::from_edges(4, [(0, 2, Directed), (1, 2, Directed), (2, 3, Undirected)]).expect("a graph");
        assert_eq!(graph.consistent_extension().expect("one exists").edges(), [(0, 2), (1, 2), (2, 3)]);
    }

    #[test]
    fn cycles_and_bidirected_edges_have_no_extension() {
        use EdgeKind::{Bidirected, Directed};
        let cycle = Pdag::from_edges(3, [(0, 1, Directed), (1, 2, Directed), (2, 0, Directed)]).expect("a graph");
        assert_eq!(cycle.consistent_extension(), None);
        let conflict = Pdag::from_edges(2, [(0, 1, Bidirected)]).expect("a graph");
        assert_eq!(conflict.consistent_extension(), None);
    }

    proptest! {
        #[test]
        fn every_equivalence_class_has_a_member_that_leads_back_to_it(dag in dags(9)) {
            let cpdag = Cpdag::from_dag(&dag);
            let member = cpdag.pdag().consistent_extension();
            prop_assert_eq!(member.as_ref().map(Cpdag::from_dag), Some(cpdag));
        }

        #[test]
        fn an_extension_keeps_adjacencies_and_directions(graph in pdags(7)) {
            if let Some(dag) = graph.consistent_extension() {
                prop_assert_eq!(Pdag::from(&dag).skeleton(), graph.skeleton());
                for (from, to, kind) in graph.edges() {
                    prop_assert!(kind == EdgeKind::Undirected || dag.has_edge(from, to));
                }
            }
        }
    }
}
