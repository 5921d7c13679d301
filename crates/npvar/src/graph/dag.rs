//! Directed acyclic graphs.

use super::{Layers, Node, NodeSet, Order};
use crate::error::{Error, Result};

/// A directed acyclic graph on nodes `0..d`; acyclic by construction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dag {
    /// `parents[j]` holds `pa(j)`.
    parents: Vec<NodeSet>,
    order: Order,
}

impl Dag {
    /// The graph with these edges `(parent, child)`.
    ///
    /// # Errors
    /// [`Error::InvalidGraph`] when an edge leaves `0..nodes`, joins a node to itself, or closes a cycle.
    pub fn from_edges(nodes: usize, edges: impl IntoIterator<Item = (Node, Node)>) -> Result<Self> {
        let mut parents = vec![NodeSet::with_capacity(nodes); nodes];
        for (parent, child) in edges {
            if parent >= nodes || child >= nodes || parent == child {
                return Err(Error::InvalidGraph(format!(
                    "{parent} -> {child} is not an edge between two of {nodes} nodes"
                )));
            }
            parents[child].insert(parent);
        }
        let order = topological_order(&parents)?;
        Ok(Dag { parents, order })
    }

    /// The graph without edges.
    pub fn empty(nodes: usize) -> Self {
        Dag {
            parents: vec![NodeSet::with_capacity(nodes); nodes],
            order: Order::new((0..nodes).collect()).expect("0..d is a permutation"),
        }
    }

    /// `d`.
    pub fn nodes(&self) -> usize {
        self.parents.len()
    }

    /// `pa(j)`.
    pub fn parents(&self, node: Node) -> &NodeSet {
        &self.parents[node]
    }

    /// Whether `parent -> child` is an edge.
    pub fn has_edge(&self, parent: Node, child: Node) -> bool {
        self.parents[child].contains(parent)
    }

    /// All edges `(parent, child)`, by parent, then child.
    pub fn edges(&self) -> Vec<(Node, Node)> {
        let mut edges: Vec<_> =
            (0..self.nodes()).flat_map(|child| self.parents[child].ones().map(move |parent| (parent, child))).collect();
        edges.sort_unstable();
        edges
    }

    /// The number of edges.
    pub fn edge_count(&self) -> usize {
        self.parents.iter().map(|parents| parents.count_ones(..)).sum()
    }

    /// A topological order: of the nodes whose parents are all listed, the smallest comes first.
    pub fn order(&self) -> &Order {
        &self.order
    }

    /// The layer decomposition `L(G)`: each layer holds the sources that remain when the layers before it are removed.
    pub fn layers(&self) -> Layers {
        let mut depth = vec![0; self.nodes()];
        for &node in self.order.nodes() {
            depth[node] = self.parents[node].ones().map(|parent| depth[parent] + 1).max().unwrap_or(0);
        }
        let mut layers = vec![Vec::new(); depth.iter().max().map_or(0, |deepest| deepest + 1)];
        for (node, &depth) in depth.iter().enumerate() {
            layers[depth].push(node);
        }
        Layers::new(layers).expect("every depth up to the deepest occurs")
    }
}

fn topological_order(parents: &[NodeSet]) -> Result<Order> {
    let mut placed = NodeSet::with_capacity(parents.len());
    let mut order = Vec::with_capacity(parents.len());
    while order.len() < parents.len() {
        let next = (0..parents.len())
            .find(|&node| !placed.contains(node) && parents[node].is_subset(&placed))
            .ok_or_else(|| Error::InvalidGraph("the edges form a cycle".to_owned()))?;
        placed.insert(next);
        order.push(next);
    }
    Order::new(order)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layers_are_the_successive_sources() {
        let dag = Dag::from_edges(4, [(2, 0), (2, 3), (0, 3)]).expect("acyclic");
        assert_eq!(dag.layers().layers(), &[vec![1, 2], vec![0], vec![3]]);
        assert_eq!(dag.order().nodes(), &[1, 2, 0, 3]);
    }

    #[test]
    fn a_cycle_is_refused() {
        assert!(Dag::from_edges(2, [(0, 1), (1, 0)]).is_err());
    }
}
