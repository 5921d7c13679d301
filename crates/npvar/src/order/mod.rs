//! From residual variances to an order: the searches, which have never heard of splines.

mod eta;
mod top_down;

pub use eta::{Comparison, Eta, LastNode};
pub use top_down::{LayerRule, Search, Step, layers, search};
