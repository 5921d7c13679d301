//! The `npvar-graph/1` object: what `learn --json` prints, and what every shell speaks.

mod edge_list;
mod evidence;
mod graph;

pub use edge_list::edge_list;
pub use evidence::{BootstrapDocument, ConsensusDocument, CurveDocument, FrequencyDocument, MarginDocument};
pub use graph::{EdgeDocument, GraphDocument, StepDocument, TestDocument};
