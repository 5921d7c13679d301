//! Pictures: graphs laid out in layers, charts, and both as SVG or PNG.
//!
//! A [`Drawing`] says what to show of a graph and [`graph_svg`] draws it; [`layout`](layout::layout) alone gives places and
//! curves to those who draw themselves (the report's page, Matplotlib). [`chart`] draws panels of lines, [`curve`] shares against
//! the number of samples. With the feature `png`, [`Renderer`] turns any of these into pixels with a font of its own.
//!
//! ```
//! use npvar::graph::{GraphFormat, NamedGraph};
//! use npvar_draw::{Drawing, graph_svg};
//! let graph = NamedGraph::parse("rain,wet\n0,1\n0,0\n", GraphFormat::Csv, "truth.csv")?;
//! assert!(graph_svg(&Drawing::of(&graph)).contains(">rain</text>"));
//! # Ok::<(), npvar::Error>(())
//! ```

pub mod axis;
pub mod chart;
pub mod curve;
mod graph;
mod label;
pub mod layout;
#[cfg(feature = "png")]
mod png;
pub mod style;
mod svg;
mod verdict;

pub use graph::{Drawing, DrawnEdge, graph_svg};
pub use label::Label;
#[cfg(feature = "png")]
pub use png::{RenderError, Renderer};
pub use svg::escaped;
pub use verdict::{Verdict, verdicts};
