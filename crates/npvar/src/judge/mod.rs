//! What judges an answer: reasons to doubt it, evidence for it, and the document in which it is handed over. Nothing here
//! changes what was learned.

mod call;
mod diagnose;
mod document;
mod doubt;
mod evidence;

pub use call::{Call, OrderGiven};
pub use diagnose::{ColumnDiagnosis, Diagnosis, Margin, diagnose};
pub use document::{EdgeDocument, GraphDocument, StepDocument, TestDocument, Timing};
pub use doubt::doubts;
pub use evidence::{
    BAND, Bootstrap, BootstrapDocument, CONSENSUS, ConsensusDocument, Curve, CurveDocument, Curves, Evidence,
    FittedModel, Frequency, FrequencyDocument, MarginDocument, ModelKind, Origin, Places, Resampling, Stability,
    StepError, StepErrors, StepMargin, bootstrap, curves, step_errors,
};
