//! What judges an answer: reasons to doubt it, evidence for it, and the document in which it is handed over. Nothing here
//! changes what was learned. `answer` is the way every shell takes.

mod advised;
mod answer;
mod belief;
mod call;
mod diagnose;
mod document;
mod doubt;
mod evidence;
mod stopwatch;
mod verdict;

pub use answer::{Answer, AskedEvidence, Question, answer, answer_from_sums};
pub use belief::{Belief, Verdict};
pub use call::{Call, Caller, OrderGiven, quoted};
pub use diagnose::{ColumnDiagnosis, Diagnosis, Margin, diagnose};
pub use document::{
    BootstrapDocument, ConsensusDocument, CurveDocument, EdgeDocument, FrequencyDocument, GraphDocument,
    MarginDocument, StepDocument, TestDocument, edge_list,
};
pub use doubt::{doubts, units};
pub use evidence::{
    BAND, Bootstrap, CONSENSUS, Curve, Curves, Evidence, FittedModel, Frequency, Origin, Places, Resampling, Stability,
    StepError, StepErrors, StepMargin, bootstrap, curves, step_errors,
};
pub use stopwatch::{Clock, Stopwatch, Timing};
