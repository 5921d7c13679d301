//! A graph together with the names of its nodes: what files hold.

use std::collections::HashMap;
use std::path::Path;

use super::{Dag, Edge, EdgeKind, Node, Pdag, csv, dot, graphml, json};
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

/// The file formats a graph can be read from and written to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GraphFormat {
    /// The `nodes` and `edges` of an `npvar-graph/1` object.
    Json,
    /// An adjacency matrix: a header of node names, row = parent, column = child. `1` stands for an edge, a `1` in both
    /// entries of a pair for an undirected one, a `2` in both for a bidirected one. Read also without the header (the nodes
    /// are then `X1`, `X2`, …) and with a first column that repeats the names.
    Csv,
    /// The Graphviz language: `a -> b`, `a -- b` or `dir=none` for an undirected edge, `dir=both` for a bidirected one.
    Dot,
    /// GraphML, with undirected edges as `directed="false"` and bidirected ones by a `kind` attribute.
    GraphMl,
}

impl GraphFormat {
    /// The format that a file's extension names: `.json`, `.csv`, `.dot` or `.gv`, `.graphml`.
    ///
    /// # Errors
    /// [`Error::Format`] when it names none.
    pub fn of_path(path: &Path) -> Result<Self> {
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or("").to_ascii_lowercase();
        match extension.as_str() {
            "json" => Ok(GraphFormat::Json),
            "csv" => Ok(GraphFormat::Csv),
            "dot" | "gv" => Ok(GraphFormat::Dot),
            "graphml" => Ok(GraphFormat::GraphMl),
            _ => Err(Error::Format {
                path: path.display().to_string(),
                problem: "a graph file ends in .json, .csv, .dot, .gv or .graphml".to_owned(),
            }),
        }
    }
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

    /// Reads a file in the format its extension names.
    ///
    /// # Errors
    /// [`Error::Io`] when it cannot be read; [`Error::Format`], with the line, when it does not hold a graph.
    pub fn read(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let format = GraphFormat::of_path(path)?;
        let source_name = path.display().to_string();
        let text = std::fs::read_to_string(path).map_err(|source| Error::Io { path: source_name.clone(), source })?;
        NamedGraph::parse(&text, format, &source_name)
    }

    /// Reads a graph from text; `source_name` stands in error messages.
    ///
    /// # Errors
    /// [`Error::Format`], with the line, when the text does not hold a graph.
    pub fn parse(text: &str, format: GraphFormat, source_name: &str) -> Result<Self> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let parsed = match format {
            GraphFormat::Json => json::parse(text),
            GraphFormat::Csv => csv::parse(text),
            GraphFormat::Dot => dot::parse(text),
            GraphFormat::GraphMl => graphml::parse(text),
        };
        parsed.map_err(|problem| Error::Format { path: source_name.to_owned(), problem })
    }

    /// Writes a file in the format its extension names.
    ///
    /// # Errors
    /// [`Error::Format`] when the extension names no format, [`Error::Io`] when the file cannot be written.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = path.as_ref();
        let text = self.to_text(GraphFormat::of_path(path)?);
        std::fs::write(path, text).map_err(|source| Error::Io { path: path.display().to_string(), source })
    }

    /// The graph as text in this format.
    pub fn to_text(&self, format: GraphFormat) -> String {
        match format {
            GraphFormat::Json => json::to_text(self),
            GraphFormat::Csv => csv::to_text(self),
            GraphFormat::Dot => dot::to_text(self),
            GraphFormat::GraphMl => graphml::to_text(self),
        }
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
    use crate::graph::arbitrary::named_graphs;

    const FORMATS: [(GraphFormat, &str); 4] = [
        (GraphFormat::Json, "json"),
        (GraphFormat::Csv, "csv"),
        (GraphFormat::Dot, "gv"),
        (GraphFormat::GraphMl, "graphml"),
    ];

    proptest! {
        #[test]
        fn every_format_gives_back_the_graph_and_its_names(graph in named_graphs()) {
            for (format, _) in FORMATS {
                let text = graph.to_text(format);
                let back = NamedGraph::parse(&text, format, "text");
                prop_assert_eq!(back.expect("our own text"), graph.clone(), "{:?}:\n{}", format, text);
            }
        }

        #[test]
        fn any_text_is_read_or_refused_without_panic(text in any::<String>(), dotted in "[a\"<{}\\[\\]=;>\\\\/*#-]{0,20}") {
            for (format, _) in FORMATS {
                let _ = NamedGraph::parse(&text, format, "text");
                let _ = NamedGraph::parse(&format!("digraph {{ {dotted}"), format, "text");
                let _ = NamedGraph::parse(&format!("<graphml><graph {dotted}"), format, "text");
            }
        }

        #[test]
        fn arranging_there_and_back_changes_nothing(graph in named_graphs()) {
            let mut names = graph.names().to_vec();
            names.reverse();
            let back = graph.arranged(&names).expect("same names").arranged(graph.names());
            prop_assert_eq!(back.expect("same names"), graph);
        }
    }

    #[test]
    fn files_are_written_and_read_by_their_extension() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let graph = NamedGraph::parse("a,\"b,c\"\n0,1\n0,0\n", GraphFormat::Csv, "text").expect("a graph");
        for (_, extension) in FORMATS {
            let path = folder.path().join(format!("graph.{extension}"));
            graph.write(&path).expect("written");
            assert_eq!(NamedGraph::read(&path).expect("read"), graph);
        }
        assert!(matches!(graph.write("graph.png"), Err(Error::Format { .. })));
        assert!(matches!(NamedGraph::read(folder.path().join("none.csv")), Err(Error::Io { .. })));
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
