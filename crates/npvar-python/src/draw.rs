//! Graphs drawn: the layout for those who draw themselves, and the finished picture.

use npvar::Error;
use npvar::graph::EdgeKind;
use npvar_draw::layout::Point;
use npvar_draw::{Drawing, DrawnEdge};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::errors::raised;

/// `(x, y, width, height, lines)` of every node, the points of every edge's Bézier curve, and how far right and down they reach;
/// in CSS pixels from the top left.
type Placed = (Vec<(f64, f64, f64, f64, Vec<String>)>, Vec<Vec<Point>>, Point);

/// Where to draw nodes and edges, parents left of their children.
#[pyfunction]
pub(crate) fn layout(py: Python<'_>, nodes: Vec<String>, edges: Vec<(String, String, String)>) -> PyResult<Placed> {
    let drawing = drawing(nodes, &edges).map_err(|error| raised(py, error))?;
    let layout = drawing.layout();
    let boxes = drawing.labels().into_iter().zip(layout.nodes);
    let boxes = boxes.map(|(label, [x, y])| (x, y, label.size.width, label.size.height, label.lines)).collect();
    Ok((boxes, layout.routes, [layout.width, layout.height]))
}

/// The graph as SVG.
#[pyfunction]
pub(crate) fn graph_svg(py: Python<'_>, nodes: Vec<String>, edges: Vec<(String, String, String)>) -> PyResult<String> {
    Ok(drawing(nodes, &edges).map_err(|error| raised(py, error))?.picture().svg())
}

/// The graph as PNG.
#[pyfunction]
pub(crate) fn graph_png<'py>(
    py: Python<'py>,
    nodes: Vec<String>,
    edges: Vec<(String, String, String)>,
) -> PyResult<Bound<'py, PyBytes>> {
    let drawing = drawing(nodes, &edges).map_err(|error| raised(py, error))?;
    Ok(PyBytes::new(py, &drawing.picture().png()))
}

/// The graph as PDF.
#[pyfunction]
pub(crate) fn graph_pdf<'py>(
    py: Python<'py>,
    nodes: Vec<String>,
    edges: Vec<(String, String, String)>,
) -> PyResult<Bound<'py, PyBytes>> {
    let drawing = drawing(nodes, &edges).map_err(|error| raised(py, error))?;
    Ok(PyBytes::new(py, &drawing.picture().pdf()))
}

fn drawing(names: Vec<String>, edges: &[(String, String, String)]) -> npvar::Result<Drawing> {
    let index: std::collections::HashMap<&str, usize> =
        names.iter().enumerate().map(|(node, name)| (name.as_str(), node)).collect();
    let node =
        |name: &str| index.get(name).copied().ok_or_else(|| Error::InvalidGraph(format!("no node is called `{name}`")));
    let edge = |(from, to, kind): &(String, String, String)| {
        let kind = EdgeKind::of_word(kind).ok_or_else(|| Error::InvalidGraph(format!("an edge cannot be `{kind}`")))?;
        Ok(DrawnEdge { from: node(from)?, to: node(to)?, kind, verdict: None })
    };
    let edges = edges.iter().map(edge).collect::<npvar::Result<_>>()?;
    Ok(Drawing { title: None, names, edges, layers: None, direction: None })
}
