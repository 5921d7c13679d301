//! From residual variances to an order: the searches, which have never heard of splines.

mod bottom_up;
mod eta;
mod greedy_edges;
mod top_down;

pub use bottom_up::{Sink, bottom_up};
pub use eta::{Comparison, Eta, LastNode};
pub use greedy_edges::{GreedyEdges, Inclusion, greedy_edges};
pub use top_down::{LayerRule, Search, Step, layers, search};
