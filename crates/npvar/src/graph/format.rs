//! The formats of graph files, and named graphs to and from them.

use std::path::Path;

use super::{NamedGraph, csv, dot, graphml, json};
use crate::error::{Error, Result};
use crate::text_file;

/// The file formats a graph can be read from and written to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GraphFormat {
    /// The `nodes` and `edges` of an `npvar-graph/1` object.
    Json,
    /// An adjacency matrix: a header of node names, row = parent, column = child. `1` stands for an edge, a `1` in both
    /// entries of a pair for an undirected one. Any other edge is written by its two marks, each in the entry of its end's
    /// column: `2` for an arrowhead (so that a `2` in both is a bidirected edge), `3` for a circle, `4` for a tail. Read also
    /// without the header (the nodes are then `X1`, `X2`, …) and with a first column that repeats the names.
    Csv,
    /// The Graphviz language: `a -> b`, `a -- b` or `dir=none` for an undirected edge, `dir=both` for a bidirected one, with
    /// `arrowhead` and `arrowtail` `odot` for a circle and `none` for a tail.
    Dot,
    /// GraphML, with undirected edges as `directed="false"` and the others by a `kind` attribute.
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
    /// Reads a file in the format its extension names.
    ///
    /// # Errors
    /// [`Error::Io`] when it cannot be read; [`Error::Format`], with the line, when it does not hold a graph.
    pub fn read(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let format = GraphFormat::of_path(path)?;
        let source_name = path.display().to_string();
        let text = text_file::read(path, text_file::GRAPH_BYTES);
        let text = text.map_err(|source| Error::Io { path: source_name.clone(), source })?;
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
}
