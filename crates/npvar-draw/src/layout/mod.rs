//! Where to draw the nodes and edges of a layered graph (Sugiyama's method).
//!
//! Edges over several layers pass through a bend in each (`vertices`); sweeps order the vertices of every layer so that few
//! edges cross (`crossings`); vertices are lined up so that long edges run straight (`place`, after Brandes & Köpf, 2001);
//! edges leave and meet nodes squarely and keep clear of every box that is not one of their ends (`route`).
//!
//! Everything is computed along the layers (`u`) and across them (`v`); only this file knows which way the page lies.

mod crossings;
mod layers;
mod place;
mod route;
mod vertices;

use npvar::graph::Node;

pub use layers::layers;
use vertices::Vertices;

/// Which way the layers follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// From left to right.
    Across,
    /// From top to bottom.
    Down,
}

/// How large a node's box is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Size {
    /// From left to right.
    pub width: f64,
    /// From top to bottom.
    pub height: f64,
}

/// `[x, y]`: from the left and from the top.
pub type Point = [f64; 2];

/// A graph's places on a page that begins at the origin.
#[derive(Debug, Clone, PartialEq)]
pub struct Layout {
    /// Which way the layers follow each other.
    pub direction: Direction,
    /// How large the page is.
    pub width: f64,
    /// How large the page is.
    pub height: f64,
    /// The middle of every node.
    pub nodes: Vec<Point>,
    /// Every edge from the border of its first node to that of its second, as a Bézier curve: a point, then three for every
    /// piece. Its first and last pieces are straight, at right angles to the box, and at least [`STUB`] long.
    pub routes: Vec<Vec<Point>>,
    /// Where every layer begins and ends, along the layers.
    pub layers: Vec<[f64; 2]>,
}

/// What is straight at an edge's ends: room for an arrowhead.
pub const STUB: f64 = 11.0;

/// Places nodes, given the size and the layer of each, and routes edges.
///
/// ```
/// use npvar_draw::layout::{Direction, Size, layout};
/// let size = Size { width: 60.0, height: 30.0 };
/// let placed = layout(&[size; 2], &[0, 1], &[(0, 1)], Direction::Across);
/// assert!(placed.nodes[0][0] < placed.nodes[1][0]);
/// ```
pub fn layout(sizes: &[Size], layer_of: &[usize], edges: &[(Node, Node)], direction: Direction) -> Layout {
    let turned = |[u, v]: Point| match direction {
        Direction::Across => [u, v],
        Direction::Down => [v, u],
    };
    let boxes: Vec<[f64; 2]> = sizes.iter().map(|size| turned([size.width, size.height])).collect();
    let mut graph = Vertices::new(layer_of, edges);
    graph.reduce_crossings();
    let heights = graph.heights(&boxes);
    let routed = route::route(&graph, &heights, &boxes, edges);
    let [width, height] = turned(routed.extent);
    Layout {
        direction,
        width,
        height,
        nodes: routed.nodes.into_iter().map(turned).collect(),
        routes: routed.routes.into_iter().map(|points| points.into_iter().map(turned).collect()).collect(),
        layers: routed.layers,
    }
}
