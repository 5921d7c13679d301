//! Partial ancestral graphs (Zhang 2008): graphs with a mark of its own at either end of an edge.
//!
//! A partial ancestral graph stands for all graphs over the observed nodes, with hidden common causes and selection, that imply
//! the same independences. An arrowhead at `b` says that `b` is no cause of the other end in any of them, a tail that it is (or
//! has a part in how the rows were selected) in all, and a circle that they differ.

use super::{EdgeKind, Mark, Node, NodeSet, Pdag};

/// A graph with a mark at either end of every edge: no self loops, at most one edge between two nodes, and never a mark without
/// an edge. Learners turn its marks one by one; [`Pdag`] is what they hand on.
///
/// ```
/// use npvar::graph::{EdgeKind, Mark, Pag, Pdag};
/// let skeleton = Pdag::from_edges(3, [(0, 1, EdgeKind::Undirected), (1, 2, EdgeKind::Undirected)])?;
/// let mut graph = Pag::undetermined(&skeleton);
/// graph.set_mark(0, 1, Mark::Arrow);
/// assert_eq!((graph.mark(0, 1), graph.mark(1, 0)), (Some(Mark::Arrow), Some(Mark::Circle)));
/// assert!(Pdag::from(&graph).has(0, 1, EdgeKind::PartiallyDirected));
/// # Ok::<(), npvar::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pag {
    adjacents: Vec<NodeSet>,
    /// `marks[from · d + at]` stands at `at`, on the edge that comes from `from`.
    marks: Vec<Mark>,
}

impl Pag {
    /// The graph with these adjacencies and circles at every end.
    pub fn undetermined(skeleton: &Pdag) -> Self {
        let d = skeleton.nodes();
        Pag { adjacents: (0..d).map(|node| skeleton.adjacents(node)).collect(), marks: vec![Mark::Circle; d * d] }
    }

    /// `d`.
    pub fn nodes(&self) -> usize {
        self.adjacents.len()
    }

    /// The nodes joined to `node`.
    pub fn adjacents(&self, node: Node) -> &NodeSet {
        &self.adjacents[node]
    }

    /// Whether an edge joins the two.
    pub fn adjacent(&self, a: Node, b: Node) -> bool {
        self.adjacents[a].contains(b)
    }

    /// The mark at `at` of the edge that joins it to `from`; nothing where no edge does.
    pub fn mark(&self, from: Node, at: Node) -> Option<Mark> {
        self.adjacent(from, at).then(|| self.marks[from * self.nodes() + at])
    }

    /// Whether the edge from `from` has this mark at `at`.
    pub fn has_mark(&self, from: Node, at: Node, mark: Mark) -> bool {
        self.mark(from, at) == Some(mark)
    }

    /// Whether `from -> to`.
    pub fn has_directed(&self, from: Node, to: Node) -> bool {
        self.has_mark(from, to, Mark::Arrow) && self.has_mark(to, from, Mark::Tail)
    }

    /// Puts a mark at `at`, on the edge that joins it to `from`.
    ///
    /// # Panics
    /// When no edge joins the two.
    pub fn set_mark(&mut self, from: Node, at: Node, mark: Mark) {
        assert!(self.adjacent(from, at), "a mark stands on an edge, and none joins {from} and {at}");
        let d = self.nodes();
        self.marks[from * d + at] = mark;
    }
}

impl From<&Pag> for Pdag {
    fn from(pag: &Pag) -> Self {
        let mut graph = Pdag::empty(pag.nodes());
        for a in 0..pag.nodes() {
            for b in pag.adjacents(a).ones().filter(|&b| a < b) {
                let (from, to, kind) =
                    EdgeKind::between(a, b, pag.marks[b * pag.nodes() + a], pag.marks[a * pag.nodes() + b]);
                graph.set(from, to, kind);
            }
        }
        graph
    }
}

impl From<&Pdag> for Pag {
    fn from(graph: &Pdag) -> Self {
        let mut pag = Pag::undetermined(graph);
        for (from, to, kind) in graph.edges() {
            let (at_from, at_to) = kind.marks();
            pag.set_mark(to, from, at_from);
            pag.set_mark(from, to, at_to);
        }
        pag
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::graph::arbitrary::pdags;

    proptest! {
        #[test]
        fn a_graph_survives_the_way_there_and_back(graph in pdags(7)) {
            prop_assert_eq!(Pdag::from(&Pag::from(&graph)), graph);
        }
    }
}
