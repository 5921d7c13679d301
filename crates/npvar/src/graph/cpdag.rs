//! Markov equivalence classes of DAGs.
//!
//! Two DAGs are Markov equivalent when they have the same skeleton and the same unshielded colliders (Verma & Pearl 1990).
//! The completed partially directed graph of the class directs exactly the edges on which all members agree (Andersson,
//! Madigan & Perlman 1997); it is reached by closing skeleton and colliders under Meek's rules (Meek 1995).

use super::{Dag, EdgeKind, Pdag};

/// The completed partially directed acyclic graph of a DAG: one per Markov equivalence class, valid by construction.
///
/// ```
/// use npvar::graph::{Cpdag, Dag};
/// let chain = Dag::from_edges(3, [(0, 1), (1, 2)])?;
/// let fork = Dag::from_edges(3, [(1, 0), (1, 2)])?;
/// let collider = Dag::from_edges(3, [(0, 1), (2, 1)])?;
/// assert_eq!(Cpdag::from_dag(&chain), Cpdag::from_dag(&fork));
/// assert_ne!(Cpdag::from_dag(&chain), Cpdag::from_dag(&collider));
/// # Ok::<(), npvar::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cpdag(Pdag);

impl Cpdag {
    /// The equivalence class of a DAG.
    pub fn from_dag(dag: &Dag) -> Self {
        let mut graph = Pdag::from(dag).skeleton();
        for (parent, child) in dag.edges() {
            // The edge is part of an unshielded collider when another parent of the child is not adjacent to this one.
            let mut shielded = dag.parents(parent).clone();
            shielded.union_with(dag.children(parent));
            shielded.insert(parent);
            if !dag.parents(child).is_subset(&shielded) {
                graph.set(parent, child, EdgeKind::Directed);
            }
        }
        graph.meek_closure();
        Cpdag(graph)
    }

    /// The equivalence class of the consistent extensions of a partially directed graph; `None` when it has no extension.
    pub fn completing(graph: &Pdag) -> Option<Self> {
        graph.consistent_extension().map(|dag| Cpdag::from_dag(&dag))
    }

    /// The graph: directed where all members of the class agree, undirected elsewhere.
    pub fn pdag(&self) -> &Pdag {
        &self.0
    }

    /// The graph, by value.
    pub fn into_pdag(self) -> Pdag {
        self.0
    }

    /// A member of the class.
    pub fn member(&self) -> Dag {
        self.0.consistent_extension().expect("made from a DAG, which is an extension")
    }
}

impl From<Cpdag> for Pdag {
    fn from(cpdag: Cpdag) -> Self {
        cpdag.0
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::graph::arbitrary::dags;

    #[test]
    fn a_collider_directs_what_lies_below_it() {
        let dag = Dag::from_edges(5, [(0, 2), (1, 2), (2, 3), (4, 0)]).expect("acyclic");
        let graph = Cpdag::from_dag(&dag).into_pdag();
        assert!(graph.has_directed(0, 2) && graph.has_directed(1, 2) && graph.has_directed(2, 3));
        assert!(graph.has_undirected(0, 4));
    }

    #[test]
    fn a_complete_graph_has_no_compelled_edge() {
        let dag = Dag::from_edges(4, [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]).expect("acyclic");
        assert_eq!(Cpdag::from_dag(&dag).into_pdag(), Pdag::from(&dag).skeleton());
    }

    #[test]
    fn a_graph_without_extension_has_no_class() {
        use EdgeKind::Undirected;
        let square = [(0, 1, Undirected), (1, 2, Undirected), (2, 3, Undirected), (3, 0, Undirected)];
        assert_eq!(Cpdag::completing(&Pdag::from_edges(4, square).expect("a graph")), None);
    }

    proptest! {
        #[test]
        fn reversing_a_covered_edge_stays_in_the_class(dag in dags(8)) {
            // Chickering (1995): an edge is covered when pa(child) = pa(parent) + parent.
            for (parent, child) in dag.edges() {
                let mut above = dag.parents(parent).clone();
                above.insert(parent);
                let flipped = dag.edges().into_iter().map(|edge| if edge == (parent, child) { (child, parent) } else { edge });
                let covered = above == *dag.parents(child);
                if let Ok(flipped) = Dag::from_edges(dag.nodes(), flipped) {
                    prop_assert_eq!(Cpdag::from_dag(&dag) == Cpdag::from_dag(&flipped), covered);
                } else {
                    prop_assert!(!covered);
                }
            }
        }

        #[test]
        fn a_class_completes_to_itself(dag in dags(8)) {
            let cpdag = Cpdag::from_dag(&dag);
            prop_assert_eq!(Cpdag::completing(cpdag.pdag()), Some(cpdag.clone()));
            prop_assert_eq!(Cpdag::from_dag(&cpdag.member()), cpdag);
        }
    }
}
