//! Graphs with directed, undirected and bidirected edges, and with circle marks.

use std::collections::BTreeMap;

use super::{Dag, EdgeKind, Node, NodeSet};
use crate::error::{Error, Result};

/// A mixed graph on nodes `0..d`: no self loops, and at most one edge between two nodes.
///
/// Directed cycles are not excluded: a learner may stand at one between two steps. [`Pdag::to_dag`] and
/// [`Pdag::consistent_extension`] say whether it is (or can be made) acyclic.
///
/// ```
/// use npvar::graph::{EdgeKind, Pdag};
/// let mut graph = Pdag::empty(3);
/// graph.set(0, 1, EdgeKind::Directed);
/// graph.set(1, 2, EdgeKind::Undirected);
/// assert!(graph.has_directed(0, 1) && graph.has_undirected(2, 1));
/// // Nodes 0 and 2 are not adjacent, so 1 -- 2 cannot point to 1: that would be a new collider.
/// graph.meek_closure();
/// assert!(graph.has_directed(1, 2));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pdag {
    parents: Vec<NodeSet>,
    children: Vec<NodeSet>,
    neighbours: Vec<NodeSet>,
    spouses: Vec<NodeSet>,
    /// Edges with a circle mark, by `(from, to)`; none in a graph that knows of no hidden nodes.
    circled: BTreeMap<(Node, Node), EdgeKind>,
}

impl Pdag {
    /// The graph without edges.
    pub fn empty(nodes: usize) -> Self {
        let none = vec![NodeSet::with_capacity(nodes); nodes];
        Pdag {
            parents: none.clone(),
            children: none.clone(),
            neighbours: none.clone(),
            spouses: none,
            circled: BTreeMap::new(),
        }
    }

    /// The graph with these edges `(from, to, kind)`. The same edge may be given twice.
    ///
    /// # Errors
    /// [`Error::InvalidGraph`] when an edge leaves `0..nodes` or joins a node to itself, or when two different edges
    /// join the same pair.
    pub fn from_edges(nodes: usize, edges: impl IntoIterator<Item = (Node, Node, EdgeKind)>) -> Result<Self> {
        let mut graph = Pdag::empty(nodes);
        for (from, to, kind) in edges {
            if from >= nodes || to >= nodes || from == to {
                return Err(Error::InvalidGraph(format!(
                    "{from} and {to} are not two different nodes of a graph with {nodes}"
                )));
            }
            if graph.adjacent(from, to) && !graph.has(from, to, kind) {
                return Err(Error::InvalidGraph(format!("two different edges join the nodes {from} and {to}")));
            }
            graph.set(from, to, kind);
        }
        Ok(graph)
    }

    /// `d`.
    pub fn nodes(&self) -> usize {
        self.parents.len()
    }

    /// The nodes `p` with `p -> node`.
    pub fn parents(&self, node: Node) -> &NodeSet {
        &self.parents[node]
    }

    /// The nodes `c` with `node -> c`.
    pub fn children(&self, node: Node) -> &NodeSet {
        &self.children[node]
    }

    /// The nodes `k` with `node -- k`.
    pub fn neighbours(&self, node: Node) -> &NodeSet {
        &self.neighbours[node]
    }

    /// The nodes `s` with `node <-> s`.
    pub fn spouses(&self, node: Node) -> &NodeSet {
        &self.spouses[node]
    }

    /// Every node joined to `node` by an edge of any kind.
    pub fn adjacents(&self, node: Node) -> NodeSet {
        let mut all = self.parents[node].clone();
        all.union_with(&self.children[node]);
        all.union_with(&self.neighbours[node]);
        all.union_with(&self.spouses[node]);
        for &(from, to) in self.circled.keys().filter(|&&(from, to)| from == node || to == node) {
            all.insert(from + to - node);
        }
        all
    }

    /// Whether an edge of any kind joins the two.
    pub fn adjacent(&self, a: Node, b: Node) -> bool {
        self.parents[a].contains(b)
            || self.children[a].contains(b)
            || self.neighbours[a].contains(b)
            || self.spouses[a].contains(b)
            || self.circled.contains_key(&(a, b))
            || self.circled.contains_key(&(b, a))
    }

    /// Whether `from -> to`.
    pub fn has_directed(&self, from: Node, to: Node) -> bool {
        self.children[from].contains(to)
    }

    /// Whether `a -- b`.
    pub fn has_undirected(&self, a: Node, b: Node) -> bool {
        self.neighbours[a].contains(b)
    }

    /// Whether `a <-> b`.
    pub fn has_bidirected(&self, a: Node, b: Node) -> bool {
        self.spouses[a].contains(b)
    }

    /// Whether an edge has a circle mark.
    pub fn has_circles(&self) -> bool {
        !self.circled.is_empty()
    }

    /// Whether this very edge is there; where both ends have the same mark, the two nodes may be swapped.
    pub fn has(&self, from: Node, to: Node, kind: EdgeKind) -> bool {
        match kind {
            EdgeKind::Directed => self.has_directed(from, to),
            EdgeKind::Undirected => self.has_undirected(from, to),
            EdgeKind::Bidirected => self.has_bidirected(from, to),
            circled => self.circled.get(&circled_key(from, to, circled)) == Some(&circled),
        }
    }

    /// Puts this edge between the two nodes, in place of any other.
    ///
    /// # Panics
    /// When the nodes are equal or not nodes of this graph.
    pub fn set(&mut self, from: Node, to: Node, kind: EdgeKind) {
        assert!(from != to, "an edge joins two different nodes, not {from} with itself");
        self.remove(from, to);
        match kind {
            EdgeKind::Directed => {
                self.children[from].insert(to);
                self.parents[to].insert(from);
            }
            EdgeKind::Undirected => insert_both(&mut self.neighbours, from, to),
            EdgeKind::Bidirected => insert_both(&mut self.spouses, from, to),
            circled => {
                self.circled.insert(circled_key(from, to, circled), circled);
            }
        }
    }

    /// Takes away the edge between the two nodes, if there is one.
    ///
    /// # Panics
    /// When one is not a node of this graph.
    pub fn remove(&mut self, a: Node, b: Node) {
        for sets in [&mut self.parents, &mut self.children, &mut self.neighbours, &mut self.spouses] {
            sets[a].remove(b);
            sets[b].remove(a);
        }
        self.circled.remove(&(a, b));
        self.circled.remove(&(b, a));
    }

    /// All edges: directed ones as `(parent, child)`, those with two different marks as [`EdgeKind`] writes them, the others with
    /// the smaller node first; sorted.
    pub fn edges(&self) -> Vec<(Node, Node, EdgeKind)> {
        let mut edges = Vec::new();
        for node in 0..self.nodes() {
            let later = |sets: &[NodeSet]| sets[node].ones().filter(|&other| node < other).collect::<Vec<_>>();
            edges.extend(self.children[node].ones().map(|child| (node, child, EdgeKind::Directed)));
            edges.extend(later(&self.neighbours).into_iter().map(|other| (node, other, EdgeKind::Undirected)));
            edges.extend(later(&self.spouses).into_iter().map(|other| (node, other, EdgeKind::Bidirected)));
        }
        edges.extend(self.circled.iter().map(|(&(from, to), &kind)| (from, to, kind)));
        edges.sort_unstable();
        edges
    }

    /// The number of edges of any kind.
    pub fn edge_count(&self) -> usize {
        let marks = |sets: &[NodeSet]| sets.iter().map(|set| set.count_ones(..)).sum::<usize>();
        marks(&self.children) + (marks(&self.neighbours) + marks(&self.spouses)) / 2 + self.circled.len()
    }

    /// The same adjacencies, all undirected.
    pub fn skeleton(&self) -> Pdag {
        let mut skeleton = Pdag::empty(self.nodes());
        for node in 0..self.nodes() {
            skeleton.neighbours[node] = self.adjacents(node);
        }
        skeleton
    }

    /// The graph as a [`Dag`], when all edges are directed and form no cycle.
    pub fn to_dag(&self) -> Option<Dag> {
        let mixed = self.neighbours.iter().chain(&self.spouses).any(|set| !set.is_clear());
        if mixed || self.has_circles() {
            return None;
        }
        Dag::from_edges(self.nodes(), self.edges().into_iter().map(|(from, to, _)| (from, to))).ok()
    }
}

impl From<&Dag> for Pdag {
    fn from(dag: &Dag) -> Self {
        let mut graph = Pdag::empty(dag.nodes());
        for node in 0..dag.nodes() {
            graph.parents[node] = dag.parents(node).clone();
            graph.children[node] = dag.children(node).clone();
        }
        graph
    }
}

/// Where an edge with a circle is kept.
fn circled_key(from: Node, to: Node, kind: EdgeKind) -> (Node, Node) {
    if kind.is_symmetric() { (from.min(to), from.max(to)) } else { (from, to) }
}

fn insert_both(sets: &mut [NodeSet], a: Node, b: Node) {
    sets[a].insert(b);
    sets[b].insert(a);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::graph::arbitrary::{dags, pdags};

    #[test]
    fn setting_an_edge_replaces_the_one_before() {
        let mut graph = Pdag::empty(2);
        for kind in EdgeKind::ALL {
            graph.set(1, 0, kind);
            assert!(graph.has(1, 0, kind));
            assert_eq!(graph.edge_count(), 1);
        }
        graph.remove(0, 1);
        assert_eq!(graph, Pdag::empty(2));
    }

    #[test]
    fn contradicting_edges_and_loops_are_refused() {
        use EdgeKind::{Directed, Undirected};
        assert!(Pdag::from_edges(2, [(0, 1, Directed), (1, 0, Directed)]).is_err());
        assert!(Pdag::from_edges(2, [(0, 1, Directed), (0, 1, Undirected)]).is_err());
        assert!(Pdag::from_edges(2, [(1, 1, Directed)]).is_err());
        assert!(Pdag::from_edges(2, [(0, 2, Directed)]).is_err());
        assert!(Pdag::from_edges(2, [(0, 1, Undirected), (1, 0, Undirected)]).is_ok());
    }

    #[test]
    fn a_directed_cycle_is_not_a_dag() {
        use EdgeKind::Directed;
        let cycle = Pdag::from_edges(3, [(0, 1, Directed), (1, 2, Directed), (2, 0, Directed)]).expect("a graph");
        assert_eq!(cycle.to_dag(), None);
        assert_eq!(cycle.skeleton().to_dag(), None);
    }

    proptest! {
        #[test]
        fn the_edge_list_holds_the_whole_graph(graph in pdags(8)) {
            let edges = graph.edges();
            prop_assert_eq!(edges.len(), graph.edge_count());
            prop_assert_eq!(Pdag::from_edges(graph.nodes(), edges).expect("a graph"), graph);
        }

        #[test]
        fn a_dag_survives_the_way_there_and_back(dag in dags(8)) {
            prop_assert_eq!(Pdag::from(&dag).to_dag(), Some(dag));
        }
    }
}
