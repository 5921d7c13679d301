//! How good an estimate is.

mod edges;
mod order_recovery;
mod shd;

pub use edges::{EdgeScores, directed_edges, skeleton_edges};
pub use order_recovery::{OrderRecovery, order_recovery};
pub use shd::shd;
