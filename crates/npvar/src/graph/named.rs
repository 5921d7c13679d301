//! A graph together with the names of its nodes: what files hold.

use std::collections::HashMap;

use super::{Dag, Edge, EdgeKind, Node, Pdag};
use crate::error::{Error, Result};

/// A graph whose nodes have distinct names.
///
/// ```
/// use npvar::graph::{GraphFormat, NamedGraph};
/// let graph = NamedGraph::parse("rain,wet\n0,1\n0,0\n", GraphFormat::Csv, "truth.csv")?;
/// assert_eq!(graph.edges()[0].to, "wet");
/// assert_eq!(graph.to_text(GraphFormat::Dot), "digraph {\n  \"rain\";\n  \"wet\";\n  \"rain\" -> \"wet\";\n}\n");
/// # Ok::<(), npvar::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedGraph {
    names: Vec<String>,
    graph: Pdag,
}

impl NamedGraph {
    /// Names the nodes of a graph.
    ///
    /// # Errors
    /// [`Error::DuplicateName`] when a name repeats, [`Error::InvalidGraph`] when there is not one name per node.
    pub fn new(names: Vec<String>, graph: Pdag) -> Result<Self> {
        if names.len() != graph.nodes() {
            return Err(Error::InvalidGraph(format!("{} names for a graph of {} nodes", names.len(), graph.nodes())));
        }
        index_of(&names)?;
        Ok(NamedGraph { names, graph })
    }

    /// Names the nodes of a DAG.
    ///
    /// # Errors
    /// As [`NamedGraph::new`].
    pub fn from_dag(names: Vec<String>, dag: &Dag) -> Result<Self> {
        NamedGraph::new(names, Pdag::from(dag))
    }

    /// The node names, in the order of the graph's nodes.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The graph.
    pub fn graph(&self) -> &Pdag {
        &self.graph
    }

    /// Names and graph, by value.
    pub fn into_parts(self) -> (Vec<String>, Pdag) {
        (self.names, self.graph)
    }

    /// The edges by name, in the order of [`Pdag::edges`].
    pub fn edges(&self) -> Vec<Edge> {
        let named = |(from, to, kind): (Node, Node, EdgeKind)| Edge {
            from: self.names[from].clone(),
            to: self.names[to].clone(),
            kind,
        };
        self.graph.edges().into_iter().map(named).collect()
    }

    /// The same graph with its nodes in the order of `names`.
    ///
    /// ```
    /// use npvar::graph::{GraphFormat, NamedGraph};
    /// let graph = NamedGraph::parse("a,b\n0,1\n0,0\n", GraphFormat::Csv, "g.csv")?;
    /// let turned = graph.arranged(&["b".to_owned(), "a".to_owned()])?;
    /// assert!(turned.graph().has_directed(1, 0));
    /// # Ok::<(), npvar::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::InvalidGraph`] that lists the names which only one side has; [`Error::DuplicateName`] when `names` repeats one.
    pub fn arranged(&self, names: &[String]) -> Result<NamedGraph> {
        match_names(&self.names, "in the graph", names, "among the names asked for")?;
        let theirs = index_of(names)?;
        let moved = |node: Node| theirs[self.names[node].as_str()];
        let edges = self.graph.edges().into_iter().map(|(from, to, kind)| (moved(from), moved(to), kind));
        NamedGraph::new(names.to_vec(), Pdag::from_edges(names.len(), edges)?)
    }
}

/// Where each name stands.
fn index_of(names: &[String]) -> Result<HashMap<&str, Node>> {
    let mut index = HashMap::with_capacity(names.len());
    for (node, name) in names.iter().enumerate() {
        if let Some(first) = index.insert(name.as_str(), node) {
            return Err(Error::DuplicateName { name: name.clone(), first: first + 1, second: node + 1 });
        }
    }
    Ok(index)
}

/// Checks that both sides have the same names; the error lists those that only one of them has.
pub(crate) fn match_names(ours: &[String], our_side: &str, theirs: &[String], their_side: &str) -> Result<()> {
    let only = |names: &[String], others: &HashMap<&str, Node>, side: &str| {
        let alone = names.iter().filter(|name| !others.contains_key(name.as_str()));
        let alone = alone.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        if alone.is_empty() { alone } else { format!("; only {side}: {alone}") }
    };
    let differences = only(ours, &index_of(theirs)?, our_side) + &only(theirs, &index_of(ours)?, their_side);
    if differences.is_empty() {
        return Ok(());
    }
    Err(Error::InvalidGraph(format!("the node names do not match{differences}")))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::graph::GraphFormat;
    use crate::graph::arbitrary::named_graphs;

    proptest! {
        #[test]
        fn arranging_there_and_back_changes_nothing(graph in named_graphs()) {
            let mut names = graph.names().to_vec();
            names.reverse();
            let back = graph.arranged(&names).expect("same names").arranged(graph.names());
            prop_assert_eq!(back.expect("same names"), graph);
        }
    }

    #[test]
    fn names_that_do_not_match_are_listed() {
        let graph = NamedGraph::parse("a,b\n0,1\n0,0\n", GraphFormat::Csv, "text").expect("a graph");
        let error = graph.arranged(&["b".to_owned(), "c".to_owned()]).expect_err("c is unknown").to_string();
        assert_eq!(error, "the node names do not match; only in the graph: `a`; only among the names asked for: `c`");
    }

    #[test]
    fn a_repeated_name_is_refused() {
        let names = vec!["a".to_owned(), "a".to_owned()];
        assert!(matches!(NamedGraph::new(names, Pdag::empty(2)), Err(Error::DuplicateName { .. })));
    }
}
