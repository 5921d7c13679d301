//! Graphs between formats, and compared.

use npvar::Error;
use npvar::graph::{GraphFormat, NamedGraph};
use npvar::metrics::Evaluation;
use pyo3::prelude::*;

use crate::errors::raised;
use crate::learn::text;

/// Compares an estimate, and the order it was found with, with the truth; both as JSON.
#[pyfunction]
pub(crate) fn evaluate(py: Python<'_>, estimate: &str, order: Option<Vec<String>>, truth: &str) -> PyResult<String> {
    let compared = py.detach(|| {
        let estimate = NamedGraph::parse(estimate, GraphFormat::Json, "the estimate")?;
        let truth = NamedGraph::parse(truth, GraphFormat::Json, "the truth")?;
        Evaluation::new(&estimate, order.as_deref(), &truth)
    });
    Ok(text(&compared.map_err(|error| raised(py, error))?))
}

/// A graph's text in one format as its text in another: `json`, `csv`, `dot` or `graphml`.
#[pyfunction]
pub(crate) fn convert(py: Python<'_>, graph: &str, from: &str, to: &str) -> PyResult<String> {
    let converted = || {
        let graph = NamedGraph::parse(graph, format(from)?, "the graph")?;
        Ok(graph.to_text(format(to)?))
    };
    converted().map_err(|error| raised(py, error))
}

/// The edges of an `npvar-graph/1` object as a CSV table, one row each.
#[pyfunction]
pub(crate) fn edge_list(py: Python<'_>, graph: &str) -> PyResult<String> {
    #[derive(serde::Deserialize)]
    struct Edges {
        edges: Vec<npvar::judge::EdgeDocument>,
    }
    let found: Edges = serde_json::from_str(graph).map_err(|error| {
        let problem = format!("expected an `npvar-graph/1` object: {error}");
        raised(py, Error::Format { path: "the JSON text".to_owned(), problem })
    })?;
    Ok(npvar::judge::edge_list(&found.edges))
}

/// A graph from a file, as JSON.
#[pyfunction]
pub(crate) fn read_graph(py: Python<'_>, path: &str) -> PyResult<String> {
    let graph = NamedGraph::read(path).map_err(|error| raised(py, error))?;
    Ok(graph.to_text(GraphFormat::Json))
}

fn format(name: &str) -> npvar::Result<GraphFormat> {
    Ok(match name {
        "json" => GraphFormat::Json,
        "csv" => GraphFormat::Csv,
        "dot" => GraphFormat::Dot,
        "graphml" => GraphFormat::GraphMl,
        other => {
            return Err(Error::Options {
                option: "`format`".to_owned(),
                problem: format!("the formats are `json`, `csv`, `dot` and `graphml`, got `{other}`"),
            });
        }
    })
}
