//! GSGES: greedy equivalence search over the generalised scores.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::facts::{LearnerInfo, Options, RestsOn, Uses};
use super::found::{Found, StructureLearner};
use super::ges::{known_members, many_cliques};
use super::input::Task;
use crate::data::Dataset;
use crate::equivalence::ges::{GesOptions as Search, Phases, ges_within};
use crate::error::{Result, within};
use crate::local_score::{Approximation, Cached, CrossValidated, LocalScore, MarginalLikelihood};
use crate::run::{Diagnostic, Run};

/// Up to this many rows `auto` factors kernel matrices down to rounding: a score then takes a few milliseconds at most.
const EXACT_ROWS: usize = 100;
/// Past this many rows a search takes hours whatever the factors.
const MANY_ROWS: usize = 20_000;

/// The cross-validated likelihood.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct CrossValidatedConfig {
    /// The number of folds: consecutive rows, so shuffle rows that are sorted.
    pub folds: usize,
    /// λ: the ridge of the kernel regression, per row.
    pub lambda: f64,
    /// γ: what is added to the covariance of the residual features.
    pub gamma: f64,
}

impl Default for CrossValidatedConfig {
    /// The paper's and the authors' code's: 10 folds, λ = 0.01; γ = 0.01 is fixed in that code.
    fn default() -> Self {
        CrossValidatedConfig { folds: 10, lambda: 0.01, gamma: 0.01 }
    }
}

/// The marginal likelihood.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct MarginalConfig {
    /// λ: the ratio of signal to noise is at least 1/(nλ) where there are parents, so that needless ones cost.
    pub lambda: f64,
}

impl Default for MarginalConfig {
    /// The ridge of the cross-validated score.
    fn default() -> Self {
        MarginalConfig { lambda: 0.01 }
    }
}

/// What GSGES maximises.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum GsgesScore {
    /// The likelihood of held-out rows.
    CrossValidated(CrossValidatedConfig),
    /// The marginal likelihood of a Gaussian process.
    Marginal(MarginalConfig),
}

impl Default for GsgesScore {
    fn default() -> Self {
        GsgesScore::CrossValidated(CrossValidatedConfig::default())
    }
}

/// Whether kernel matrices of two or more columns are approximated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LowRankUse {
    /// From 101 rows on.
    #[default]
    Auto,
    /// Always.
    On,
    /// Never.
    Off,
}

/// GSGES (Huang et al. 2018): GES over scores of regressions between kernel features, for relations of any form.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct GsgesConfig {
    /// The score: `cross-validated` or `marginal` (likelihood).
    pub score: GsgesScore,
    /// Low-rank factors of kernel matrices: `auto` (above 100 rows), `on` or `off` (exact).
    pub low_rank: LowRankUse,
    /// The share of a kernel matrix's trace that a low-rank factor may miss (the marginal likelihood of data with little
    /// noise needs less, about 1e-7).
    pub tolerance: f64,
    /// The most columns of a low-rank factor.
    pub rank: usize,
    /// `forward-backward` (as the authors' code) or `turning` (forward, backward and turning until none improves).
    pub phases: Phases,
    /// No node gets more parents than this; no limit when left out.
    pub max_parents: Option<usize>,
}

impl Default for GsgesConfig {
    /// The score and phases as the paper ran them. Tolerance and rank: scores of the reference cases move by less than
    /// one part in 10⁵.
    fn default() -> Self {
        GsgesConfig {
            score: GsgesScore::default(),
            low_rank: LowRankUse::Auto,
            tolerance: 1e-4,
            rank: 200,
            phases: Phases::ForwardBackward,
            max_parents: None,
        }
    }
}

impl Options for GsgesConfig {
    const INFO: LearnerInfo = LearnerInfo {
        name: "gsges",
        title: "GSGES",
        summary: "GSGES (Huang et al. 2018): GES over the likelihood of kernel regressions",
        assumes: "all variables observed, faithfulness; relations and noise of any form; edges that the class leaves open stay \
                  undirected",
    };

    fn reference() -> Option<Self> {
        Some(GsgesConfig { low_rank: LowRankUse::Off, ..GsgesConfig::default() })
    }

    fn check(&self) -> Result<()> {
        // Smaller ones vanish beside the rounding of the kernel's Gram matrix.
        let large_enough = |value: f64| value >= CrossValidated::SMALLEST && value.is_finite();
        let lambda = match self.score {
            GsgesScore::CrossValidated(CrossValidatedConfig { folds, lambda, gamma }) => {
                within("folds", folds >= 2, "must be at least 2", folds)?;
                within("gamma", large_enough(gamma), "must be at least 1e-10", gamma)?;
                lambda
            }
            GsgesScore::Marginal(MarginalConfig { lambda }) => lambda,
        };
        within("lambda", large_enough(lambda), "must be at least 1e-10", lambda)?;
        within("tolerance", (0.0..1.0).contains(&self.tolerance), "must be at least 0 and below 1", self.tolerance)?;
        within("rank", self.rank > 0, "must be above 0", self.rank)
    }

    fn uses(&self) -> Uses {
        Uses::ROWS
    }

    fn rests_on(&self) -> RestsOn {
        RestsOn { equal_variances: false, natural_scale: false, units: false, additivity: false }
    }

    fn is_misled_by_copies(&self) -> bool {
        matches!(self.score, GsgesScore::CrossValidated(_))
    }
}

impl StructureLearner for GsgesConfig {
    fn find(&self, task: &Task<'_>, run: &Run<'_>) -> Result<Found> {
        let n = task.n();
        let mut diagnostics = Vec::from_iter((n > MANY_ROWS).then(|| many_rows(n)));
        let data = Dataset::of(task.rows, run)?;
        let low_rank = match self.low_rank {
            LowRankUse::Auto => n > EXACT_ROWS,
            LowRankUse::On => true,
            LowRankUse::Off => false,
        };
        let approximation = match low_rank {
            true => Approximation::LowRank { tolerance: self.tolerance, rank: self.rank },
            false => Approximation::Exact,
        };
        let score: Box<dyn LocalScore> = match self.score {
            GsgesScore::CrossValidated(CrossValidatedConfig { folds, lambda, gamma }) => {
                Box::new(Cached::new(CrossValidated::new(&data, folds, lambda, gamma, approximation, run)?))
            }
            GsgesScore::Marginal(MarginalConfig { lambda }) => {
                Box::new(Cached::new(MarginalLikelihood::new(&data, lambda, approximation, run)?))
            }
        };
        let search = Search { phases: self.phases, max_parents: self.max_parents };
        let found = ges_within(&*score, &search, task.knowledge, run)?;
        diagnostics.extend(many_cliques(task.names(), &found.incomplete));
        Ok(Found::class(known_members(&found, task.knowledge), diagnostics))
    }
}

fn many_rows(n: usize) -> Diagnostic {
    let message = format!(
        "{n} rows are many for kernel scores, whose cost grows with each row; a sample of a few thousand may do"
    );
    Diagnostic::info("many-rows", message)
}
