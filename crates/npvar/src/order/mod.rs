//! From residual variances to an order: the searches, which have never heard of splines.

mod bottom_up;
mod eta;
mod greedy_edges;
mod resit;
mod stein;
mod top_down;

pub use bottom_up::{Sink, bottom_up};
pub use eta::{Comparison, Eta, LastNode};
pub use greedy_edges::{GreedyEdges, Inclusion, greedy_edges};
pub use resit::{Dependence, PreparedTest, ResitRemoval, ResitStep, Weakest, resit_order, resit_parents};
pub use stein::{SteinRows, SteinRule, SteinStep, stein};
pub use top_down::{LayerRule, Search, Step, layers, search};
