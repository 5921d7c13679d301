//! Whole systems: from a table to a graph. NPVAR and EqVar are "an order, then the same selection", as the paper
//! evaluates them.

mod config;
mod diagnose;
mod document;
mod eqvar;
mod npvar;
mod options;
mod reports;

pub use config::{
    Direction, EqvarConfig, EstimatorConfig, GamConfig, NegativeVariance, NoOptions, NpvarConfig, SampleSplit,
};
pub use diagnose::{ColumnDiagnosis, Diagnosis, Margin, diagnose};
pub use document::{EdgeDocument, GraphDocument, StepDocument, TestDocument, Timing};
pub use options::Setting;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::data::RowBlocks;
use crate::error::{Error, Result};
use crate::graph::{Layers, Order, Pdag};
use crate::order::Step;
use crate::run::{Diagnostic, Run, Seed};
use crate::select::Test;

/// What a learner learns from.
#[derive(Clone)]
pub struct Input<'a> {
    /// The sample.
    pub rows: &'a dyn RowBlocks,
    /// A second sample of the same columns, for an adaptive `η`.
    pub second_sample: Option<&'a dyn RowBlocks>,
    /// An order to take as given; only parents are selected then.
    pub order: Option<Order>,
}

impl<'a> Input<'a> {
    /// One sample and nothing else.
    pub fn new(rows: &'a dyn RowBlocks) -> Self {
        Input { rows, second_sample: None, order: None }
    }
}

/// What was learned, with everything a reader needs to judge it.
#[derive(Debug, Clone, PartialEq)]
pub struct Learned {
    /// The columns' names.
    pub names: Vec<String>,
    /// The number of samples.
    pub n: usize,
    /// The graph.
    pub graph: Pdag,
    /// The order behind it, source first.
    pub order: Option<Order>,
    /// The layers behind the order.
    pub layers: Option<Layers>,
    /// Every step of the order search.
    pub steps: Option<Vec<Step>>,
    /// Every test of the parent selection.
    pub tests: Option<Vec<Test>>,
    /// What a reader should know.
    pub diagnostics: Vec<Diagnostic>,
    /// The full configuration.
    pub config: LearnerConfig,
    /// The seed every random choice derived from.
    pub seed: Seed,
}

/// A system that learns a graph from a table.
pub trait StructureLearner {
    /// Learns.
    ///
    /// # Errors
    /// When the input cannot be used or read, or the run is cancelled.
    fn learn(&self, input: &Input<'_>, run: &Run<'_>) -> Result<Learned>;
}

/// Any learner's options; `algorithm` names it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "algorithm", rename_all = "kebab-case")]
pub enum LearnerConfig {
    /// NPVAR.
    Npvar(NpvarConfig),
    /// EqVar.
    Eqvar(EqvarConfig),
}

/// A learner's name, what it is, and what it assumes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct LearnerInfo {
    /// The name.
    pub name: &'static str,
    /// What it does.
    pub summary: &'static str,
    /// When its answer is right.
    pub assumes: &'static str,
}

/// The learners there are.
pub const LEARNERS: [LearnerInfo; 2] = [
    LearnerInfo {
        name: "npvar",
        summary: "NPVAR (Gao, Ding & Aragam 2020): order by residual variances of an additive model, parents by significance",
        assumes: "all variables observed, residual variances E var(X | parents) about equal, measured on their natural scale",
    },
    LearnerInfo {
        name: "eqvar",
        summary: "EqVar (Chen, Drton & Wang 2019): order from the covariance matrix, parents by significance",
        assumes: "linear relations with equal error variances (the parents may be nonlinear)",
    },
];

impl LearnerConfig {
    fn preset(algorithm: &str, preset: Option<&str>) -> Result<Self> {
        let reference = match preset {
            None | Some("paper") => false,
            Some("reference") => true,
            Some(other) => {
                return Err(Error::Options {
                    option: "`preset`".to_owned(),
                    problem: format!("unknown preset `{other}`; the presets are `paper` and `reference`"),
                });
            }
        };
        match (algorithm, reference) {
            ("npvar", false) => Ok(LearnerConfig::Npvar(NpvarConfig::default())),
            ("npvar", true) => Ok(LearnerConfig::Npvar(NpvarConfig::reference())),
            ("eqvar", false) => Ok(LearnerConfig::Eqvar(EqvarConfig::default())),
            ("eqvar", true) => Ok(LearnerConfig::Eqvar(EqvarConfig::reference())),
            _ => {
                let known: Vec<String> = LEARNERS.iter().map(|learner| format!("`{}`", learner.name)).collect();
                Err(Error::Options {
                    option: "`learner`".to_owned(),
                    problem: format!("unknown learner `{algorithm}`; the learners are {}", known.join(", ")),
                })
            }
        }
    }

    fn check(&self) -> Result<()> {
        match self {
            LearnerConfig::Npvar(config) => config.check(),
            LearnerConfig::Eqvar(config) => config.check(),
        }
    }

    /// The learner with these options.
    ///
    /// # Errors
    /// [`Error::InvalidOption`] when one is out of range.
    pub fn build(&self) -> Result<Box<dyn StructureLearner>> {
        self.check()?;
        Ok(match self {
            LearnerConfig::Npvar(config) => Box::new(InPool(npvar::Npvar(config.clone()))),
            LearnerConfig::Eqvar(config) => Box::new(InPool(eqvar::Eqvar(config.clone()))),
        })
    }
}

/// Runs a learner on a thread of the pool: its many short parallel steps then need no hand-over from outside, which at
/// 20 nodes would cost more than the work.
struct InPool<L>(L);

impl<L: StructureLearner + Sync> StructureLearner for InPool<L> {
    fn learn(&self, input: &Input<'_>, run: &Run<'_>) -> Result<Learned> {
        rayon::scope(|_| self.0.learn(input, run))
    }
}

/// NPVAR as the paper ran it, on a table in memory.
///
/// ```
/// use npvar::simulate::{SimulateOptions, simulate};
/// use npvar::{Run, Seed};
/// let simulated = simulate("MC-SIN".parse()?, &SimulateOptions { nodes: Some(4), ..Default::default() }, Seed(1))?;
/// let learned = npvar::learn(&simulated.data, &Run::new(Seed(1)))?;
/// assert_eq!(learned.graph.to_dag(), Some(simulated.truth));
/// # Ok::<(), npvar::Error>(())
/// ```
///
/// # Errors
/// When the table cannot be used, or the run is cancelled.
pub fn learn(rows: &dyn RowBlocks, run: &Run<'_>) -> Result<Learned> {
    LearnerConfig::Npvar(NpvarConfig::default()).build()?.learn(&Input::new(rows), run)
}
