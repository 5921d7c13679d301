//! Directed acyclic graphs.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::{Layers, Node, NodeSet, Order};
use crate::error::{Error, Result};

/// A directed acyclic graph on nodes `0..d`; acyclic by construction.
///
/// ```
/// use npvar::graph::Dag;
/// let dag = Dag::from_edges(3, [(0, 1), (1, 2)])?;
/// assert!(dag.parents(1).contains(0));
/// assert_eq!(dag.descendants(0).ones().collect::<Vec<_>>(), [1, 2]);
/// # Ok::<(), npvar::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dag {
    /// `parents[j]` holds `pa(j)`.
    parents: Vec<NodeSet>,
    /// `children[j]` holds the nodes whose parent `j` is.
    children: Vec<NodeSet>,
    order: Order,
}

impl Dag {
    /// The graph with these edges `(parent, child)`.
    ///
    /// # Errors
    /// [`Error::InvalidGraph`] when an edge leaves `0..nodes`, joins a node to itself, or closes a cycle.
    pub fn from_edges(nodes: usize, edges: impl IntoIterator<Item = (Node, Node)>) -> Result<Self> {
        let mut parents = vec![NodeSet::with_capacity(nodes); nodes];
        let mut children = parents.clone();
        for (parent, child) in edges {
            if parent >= nodes || child >= nodes || parent == child {
                return Err(Error::InvalidGraph(format!(
                    "{parent} -> {child} is not an edge between two of {nodes} nodes"
                )));
            }
            parents[child].insert(parent);
            children[parent].insert(child);
        }
        let order = topological_order(&parents, &children)?;
        Ok(Dag { parents, children, order })
    }

    /// The graph with this adjacency matrix: row = parent, column = child, entries 0 or 1.
    ///
    /// ```
    /// use npvar::graph::Dag;
    /// let dag = Dag::from_adjacency(&[vec![0, 1], vec![0, 0]])?;
    /// assert_eq!(dag.edges(), [(0, 1)]);
    /// assert_eq!(dag.adjacency(), [[0, 1], [0, 0]]);
    /// # Ok::<(), npvar::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::InvalidGraph`] when the matrix is not square, holds another number, or has a cycle.
    pub fn from_adjacency(rows: &[Vec<u8>]) -> Result<Self> {
        let nodes = rows.len();
        let mut edges = Vec::new();
        for (parent, row) in rows.iter().enumerate() {
            if row.len() != nodes {
                return Err(Error::InvalidGraph(format!(
                    "an adjacency matrix must be square; row {} of {nodes} has {} entries",
                    parent + 1,
                    row.len()
                )));
            }
            for (child, &entry) in row.iter().enumerate() {
                match entry {
                    0 => {}
                    1 => edges.push((parent, child)),
                    other => {
                        return Err(Error::InvalidGraph(format!(
                            "an adjacency matrix holds 0 or 1; row {}, column {} holds {other}",
                            parent + 1,
                            child + 1
                        )));
                    }
                }
            }
        }
        Self::from_edges(nodes, edges)
    }

    /// The graph without edges.
    pub fn empty(nodes: usize) -> Self {
        Dag {
            parents: vec![NodeSet::with_capacity(nodes); nodes],
            children: vec![NodeSet::with_capacity(nodes); nodes],
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

    /// The nodes whose parent `node` is.
    pub fn children(&self, node: Node) -> &NodeSet {
        &self.children[node]
    }

    /// The nodes with a directed path to `node`, without `node` itself.
    pub fn ancestors(&self, node: Node) -> NodeSet {
        closure(&self.parents, node)
    }

    /// The nodes with a directed path from `node`, without `node` itself.
    pub fn descendants(&self, node: Node) -> NodeSet {
        closure(&self.children, node)
    }

    /// The descendants of every node at once: `reachability()[i]` holds `j` when there is a directed path from `i` to `j`.
    pub fn reachability(&self) -> Vec<NodeSet> {
        let mut reachable = vec![NodeSet::with_capacity(self.nodes()); self.nodes()];
        for &node in self.order.nodes().iter().rev() {
            let mut below = self.children[node].clone();
            for child in self.children[node].ones() {
                below.union_with(&reachable[child]);
            }
            reachable[node] = below;
        }
        reachable
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

    /// The adjacency matrix: row = parent, column = child.
    pub fn adjacency(&self) -> Vec<Vec<u8>> {
        (0..self.nodes())
            .map(|parent| (0..self.nodes()).map(|child| u8::from(self.has_edge(parent, child))).collect())
            .collect()
    }

    /// Whether `order` is a topological order of this graph: it lists every parent before its children.
    ///
    /// ```
    /// use npvar::graph::{Dag, Order};
    /// let collider = Dag::from_edges(3, [(0, 2), (1, 2)])?;
    /// assert!(collider.is_consistent_with(&Order::new(vec![1, 0, 2])?));
    /// assert!(!collider.is_consistent_with(&Order::new(vec![1, 2, 0])?));
    /// # Ok::<(), npvar::Error>(())
    /// ```
    pub fn is_consistent_with(&self, order: &Order) -> bool {
        let positions = order.positions();
        positions.len() == self.nodes()
            && (0..self.nodes())
                .all(|child| self.parents[child].ones().all(|parent| positions[parent] < positions[child]))
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

/// Kahn's algorithm with a heap, so that the smallest free node comes first.
fn topological_order(parents: &[NodeSet], children: &[NodeSet]) -> Result<Order> {
    let mut waiting_for: Vec<usize> = parents.iter().map(|parents| parents.count_ones(..)).collect();
    let mut free: BinaryHeap<Reverse<Node>> =
        (0..parents.len()).filter(|&node| waiting_for[node] == 0).map(Reverse).collect();
    let mut order = Vec::with_capacity(parents.len());
    while let Some(Reverse(node)) = free.pop() {
        order.push(node);
        for child in children[node].ones() {
            waiting_for[child] -= 1;
            if waiting_for[child] == 0 {
                free.push(Reverse(child));
            }
        }
    }
    if order.len() < parents.len() {
        return Err(Error::InvalidGraph("the edges form a cycle".to_owned()));
    }
    Order::new(order)
}

/// Everything reachable from `start` in one step or more.
fn closure(step: &[NodeSet], start: Node) -> NodeSet {
    let mut reached = NodeSet::with_capacity(step.len());
    let mut pending = vec![start];
    while let Some(node) = pending.pop() {
        for next in step[node].ones() {
            if !reached.put(next) {
                pending.push(next);
            }
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::graph::arbitrary::dags;

    #[test]
    fn layers_are_the_successive_sources() {
        let dag = Dag::from_edges(4, [(2, 0), (2, 3), (0, 3)]).expect("acyclic");
        assert_eq!(dag.layers().layers(), &[vec![1, 2], vec![0], vec![3]]);
        assert_eq!(dag.order().nodes(), &[1, 2, 0, 3]);
    }

    #[test]
    fn a_cycle_is_refused() {
        assert!(Dag::from_edges(2, [(0, 1), (1, 0)]).is_err());
        assert!(Dag::from_edges(4, [(3, 0), (0, 1), (1, 2), (2, 0)]).is_err());
    }

    #[test]
    fn an_adjacency_matrix_must_be_square_and_binary() {
        assert!(Dag::from_adjacency(&[vec![0, 1], vec![0]]).is_err());
        assert!(Dag::from_adjacency(&[vec![0, 2], vec![0, 0]]).is_err());
        assert!(Dag::from_adjacency(&[vec![1]]).is_err());
    }

    #[test]
    fn an_order_of_another_length_is_not_consistent() {
        let order = Order::new(vec![0, 1]).expect("a permutation");
        assert!(!Dag::empty(3).is_consistent_with(&order));
    }

    #[test]
    fn a_chain_of_a_thousand_nodes_is_ordered() {
        let backwards = Dag::from_edges(1000, (1..1000).map(|node| (node, node - 1))).expect("acyclic");
        assert_eq!(backwards.order().nodes()[0], 999);
        assert_eq!(backwards.layers().depth(), 1000);
    }

    proptest! {
        #[test]
        fn order_and_layers_agree_with_the_edges(dag in dags(9)) {
            prop_assert!(dag.is_consistent_with(dag.order()));
            prop_assert!(dag.is_consistent_with(&dag.layers().order()));
            for layer in dag.layers().layers() {
                for (&a, &b) in layer.iter().flat_map(|a| layer.iter().map(move |b| (a, b))) {
                    prop_assert!(!dag.has_edge(a, b), "a layer holds an edge");
                }
            }
        }

        #[test]
        fn reachability_ancestors_and_descendants_are_one_relation(dag in dags(9)) {
            let reachable = dag.reachability();
            for i in 0..dag.nodes() {
                prop_assert_eq!(&reachable[i], &dag.descendants(i));
                for j in 0..dag.nodes() {
                    prop_assert_eq!(reachable[i].contains(j), dag.ancestors(j).contains(i));
                }
            }
        }

        #[test]
        fn the_adjacency_matrix_holds_the_whole_graph(dag in dags(9)) {
            prop_assert_eq!(Dag::from_adjacency(&dag.adjacency()).expect("acyclic"), dag);
        }
    }
}
