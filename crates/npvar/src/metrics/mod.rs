//! How good an estimate is, and how easy the data made it.
//!
//! [`shd`], [`order_recovery`], [`directed_edges`], [`skeleton_edges`] and [`sid`] compare an estimate with the truth;
//! [`Evaluation`] collects them for two graphs whose nodes are matched by name. [`var_sortability`] and [`r2_sortability`] tell
//! how far the truth can be read off the scale or the predictability of the columns alone.

mod edges;
mod evaluation;
mod marks;
mod order_recovery;
mod shd;
mod sid;
mod sid_bounds;
mod sortability;

pub use edges::{EdgeScores, directed_edges, skeleton_edges};
pub use evaluation::{Evaluation, TruthKind};
pub use marks::{MarkScores, marks};
pub use order_recovery::{OrderRecovery, order_recovery};
pub use shd::{class_shd, shd};
pub use sid::sid;
pub use sid_bounds::{SidBounds, sid_bounds};
pub use sortability::{r2_sortability, sortability, var_sortability};
