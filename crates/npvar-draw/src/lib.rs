//! Pictures: graphs laid out in layers, charts, and both as SVG, PNG or PDF.
//!
//! A [`Drawing`] says what to show of a graph; [`layout`](layout::layout) alone gives places and curves to those who draw
//! themselves (the report's page, Matplotlib). [`chart`](mod@chart) draws panels of lines, [`curve`](mod@curve) shares against the number of
//! samples. All of these give a [`Picture`], a list of boxes, lines and words that is written as SVG, PNG or PDF with a font
//! of its own.
//!
//! ```
//! use npvar::graph::{GraphFormat, NamedGraph};
//! use npvar_draw::Drawing;
//! let graph = NamedGraph::parse("rain,wet\n0,1\n0,0\n", GraphFormat::Csv, "truth.csv")?;
//! assert!(Drawing::of(&graph).picture().svg().contains(">rain</text>"));
//! # Ok::<(), npvar::Error>(())
//! ```

pub mod axis;
pub mod chart;
pub mod curve;
mod font;
mod graph;
mod label;
pub mod layout;
mod pdf;
mod picture;
mod png;
pub mod style;
mod svg;
mod verdict;

/// Colours for light and dark, letters and headings: what every page that shows these pictures begins with.
pub const STYLE_SHEET: &str = include_str!("../style/base.css");

pub use graph::{Drawing, DrawnEdge};
pub use label::Label;
pub use picture::{Colour, Picture, PictureFormat};
pub use svg::escaped;
pub use verdict::{Verdict, verdicts};
