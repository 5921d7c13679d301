//! What a learner's answer rests on.

use crate::learner::{EstimatorConfig, GesScore, IndependenceConfig, LearnerConfig};

/// What would make a learner's answer wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Assumptions {
    /// Residual variances are equal (Condition 2 of the paper).
    pub(super) equal_variances: bool,
    /// The columns are on the scale they were measured on.
    pub(super) natural_scale: bool,
    /// The effects of the parents add up.
    pub(super) additivity: bool,
}

impl Assumptions {
    pub(super) fn of(config: &LearnerConfig) -> Self {
        let on =
            |equal_variances, natural_scale, additivity| Assumptions { equal_variances, natural_scale, additivity };
        match config {
            LearnerConfig::Npvar(npvar) => {
                let additive = matches!(npvar.estimator, EstimatorConfig::Gam(_) | EstimatorConfig::Linear(_));
                on(true, true, additive)
            }
            LearnerConfig::Eqvar(_) | LearnerConfig::Notears(_) | LearnerConfig::Gds(_) => on(true, true, true),
            LearnerConfig::NotearsMlp(_) => on(true, true, false),
            LearnerConfig::VarSortRegress(_) => on(false, true, true),
            LearnerConfig::Cam(_) | LearnerConfig::Resit(_) | LearnerConfig::R2SortRegress(_) => on(false, false, true),
            LearnerConfig::Ges(ges) => on(false, false, matches!(ges.score, GesScore::GaussianBic(_))),
            LearnerConfig::Pc(pc) => {
                let additive = matches!(pc.test, IndependenceConfig::FisherZ(_) | IndependenceConfig::Hsic(_));
                on(false, false, additive)
            }
            LearnerConfig::Gsges(_) | LearnerConfig::Score(_) => on(false, false, false),
        }
    }
}
