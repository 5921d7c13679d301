//! SCORE: order by the variance of the estimated second derivatives of the log density, then the common selection.

use rand::seq::index::sample;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::along_order::{Ordered, Significance};
use super::facts::{LearnerInfo, Options, RestsOn, Uses};
use super::found::{Found, StructureLearner};
use super::input::Task;
use crate::data::Dataset;
use crate::error::{Result, within};
use crate::graph::{Knowledge, Order};
use crate::order::{SteinRows, SteinRule, SteinStep, stein_within};
use crate::regress::GamConfig;
use crate::run::{Diagnostic, Run};
use crate::smooth::FewValued;

/// The ridge should be small beside the kernel's height: above this share it decides the derivatives.
const RIDGE_DECIDES: f64 = 0.1;
/// The fewest inducing rows an estimate can rest on.
const FEWEST_INDUCING: usize = 10;

/// The units of the columns in the order search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Units {
    /// As they are, as the authors do.
    #[default]
    AsGiven,
    /// Every column divided by its standard deviation.
    Standardised,
}

/// SCORE (Rolland et al. 2022): the node whose second derivative of the log density varies least is the next sink; then the
/// same selection as NPVAR.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ScoreConfig {
    /// The ridge of the first derivatives' estimate.
    pub eta_g: f64,
    /// The ridge of the second derivatives' estimate.
    pub eta_h: f64,
    /// The units of the columns in the order search: `as-given` (one kernel width for all, as the authors) or `standardised`.
    pub units: Units,
    /// Up to this many samples the estimate rests on all rows (memory grows with the square of their number, time with the cube).
    pub exact_up_to: usize,
    /// With more samples: how many inducing rows, chosen at random, carry the estimate.
    pub inducing: usize,
    /// The level of the parent selection.
    pub cutoff: f64,
    /// The additive model of the parent selection.
    pub selection: GamConfig,
}

impl Default for ScoreConfig {
    /// The authors' ridges, and the paper's common selection. 5,000 rows take 200 MB.
    fn default() -> Self {
        ScoreConfig {
            eta_g: 0.001,
            eta_h: 0.001,
            units: Units::AsGiven,
            exact_up_to: 5000,
            inducing: 1000,
            cutoff: 0.001,
            selection: GamConfig::default(),
        }
    }
}

impl Options for ScoreConfig {
    const INFO: LearnerInfo = LearnerInfo {
        name: "score",
        title: "SCORE",
        summary: "SCORE (Rolland et al. 2022): order by the second derivatives of the log density, parents by significance",
        assumes: "nonlinear relations with additive Gaussian noise, all variables observed",
    };

    /// The public implementation's order, and mgcv's basis for every column in the selection.
    fn reference() -> Option<Self> {
        let selection = GamConfig { few_valued: FewValued::Spline, ..GamConfig::default() };
        Some(ScoreConfig { selection, ..ScoreConfig::default() })
    }

    fn check(&self) -> Result<()> {
        for (option, ridge) in [("eta-g", self.eta_g), ("eta-h", self.eta_h)] {
            within(option, ridge > 0.0 && ridge.is_finite(), "must be a positive number", ridge)?;
        }
        let requirement = format!("must be at least {FEWEST_INDUCING}");
        within("inducing", self.inducing >= FEWEST_INDUCING, &requirement, self.inducing)?;
        self.significance().check()
    }

    fn uses(&self) -> Uses {
        Uses::ORDER
    }

    fn rests_on(&self) -> RestsOn {
        RestsOn { equal_variances: false, natural_scale: false, additivity: false }
    }

    fn selection(&self) -> Option<GamConfig> {
        Some(self.selection)
    }
}

impl StructureLearner for ScoreConfig {
    fn find(&self, task: &Task<'_>, run: &Run<'_>) -> Result<Found> {
        let mut diagnostics = Vec::new();
        let order = match task.order {
            Some(order) => order.clone(),
            None => self.search(&Dataset::of(task.rows, run)?, task.knowledge, &mut diagnostics, run)?,
        };
        Ordered::new(order, diagnostics).select(task, self.significance(), run)
    }
}

impl ScoreConfig {
    fn significance(&self) -> Significance<'_> {
        Significance { selection: &self.selection, cutoff: self.cutoff }
    }

    fn search(
        &self,
        data: &Dataset,
        knowledge: &Knowledge,
        diagnostics: &mut Vec<Diagnostic>,
        run: &Run<'_>,
    ) -> Result<Order> {
        let n = data.n();
        let rows = match n <= self.exact_up_to.max(self.inducing) {
            true => SteinRows::All,
            false => {
                let mut rows = sample(&mut run.seed.child("inducing rows", 0).rng(), n, self.inducing).into_vec();
                rows.sort_unstable();
                diagnostics.push(Diagnostic::info(
                    "inducing-rows",
                    format!(
                        "the order rests on {} inducing rows of the {n} samples (`exact-up-to` is {})",
                        rows.len(),
                        self.exact_up_to
                    ),
                ));
                SteinRows::Inducing(rows)
            }
        };
        let scaled: Vec<Vec<f64>> = match self.units {
            Units::AsGiven => Vec::new(),
            Units::Standardised => (0..data.d()).map(|node| standardised(data.column(node))).collect(),
        };
        let columns: Vec<&[f64]> = match self.units {
            Units::AsGiven => (0..data.d()).map(|node| data.column(node)).collect(),
            Units::Standardised => scaled.iter().map(|column| &column[..]).collect(),
        };
        let rule = SteinRule { eta_g: self.eta_g, eta_h: self.eta_h, rows };
        let (order, steps) = stein_within(&columns, &rule, knowledge, run)?;
        diagnostics.extend(self.ridge_decides(&steps));
        Ok(order)
    }

    /// Columns in large units make the kernel low beside its ridge.
    fn ridge_decides(&self, steps: &[SteinStep]) -> Option<Diagnostic> {
        let ridge = self.eta_g.max(self.eta_h);
        let widest = steps.iter().map(|step| step.width).fold(0.0, f64::max);
        (ridge * widest > RIDGE_DECIDES).then(|| {
            Diagnostic::warning(
                "ridge-decides",
                format!(
                    "rows are {widest:.3e} apart, so that the kernel's height {:.3e} is not large beside the ridge {ridge}: \
                     the order depends on the units; `units=standardised` takes them away",
                    1.0 / widest
                ),
            )
        })
    }
}

fn standardised(column: &[f64]) -> Vec<f64> {
    let n = column.len() as f64;
    let mean = column.iter().sum::<f64>() / n;
    let deviation = (column.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0)).sqrt();
    // A constant column stays as it is: the search leaves it out.
    let scale = if deviation > 0.0 { deviation } else { 1.0 };
    column.iter().map(|value| (value - mean) / scale).collect()
}
