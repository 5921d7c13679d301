//! Orders from derivatives of the log density, estimated by Stein's identity: SCORE, DAS, NoGAM and CaPS.

mod candidates;
mod derivatives;
mod exact;
mod inducing;
mod means;
mod residuals;
mod rule;
mod score;
mod sinks;

pub use candidates::{CandidateRule, Candidates, stein_candidates};
pub use means::{CapsStep, caps_within, parent_scores};
pub use residuals::{NogamStep, RidgeRule, nogam_within};
pub use rule::{SteinRows, SteinRule};
pub use score::{SteinStep, stein, stein_within};
