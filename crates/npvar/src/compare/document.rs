//! The `npvar-compare/1` object: what `npvar compare --json` prints.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::model::Model;
use crate::data::IntakeEntry;
use crate::graph::EdgeKind;
use crate::judge::Verdict;
use crate::learner::LearnerConfig;
use crate::run::Diagnostic;

/// What became of a learner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// It found a graph.
    Learned,
    /// It refused the table, or failed.
    Failed,
    /// It was not begun: it would have taken too long, or nothing called for it.
    Skipped,
    /// The time was up before it came to an end.
    Stopped,
}

/// What the data say about an assumption.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Assessment {
    /// Nothing in the data speaks against it.
    Kept,
    /// The data speak against it.
    Rejected,
    /// It was not looked at, or the data cannot tell.
    Undecided,
}

impl Assessment {
    /// As a person says it.
    pub fn words(self) -> &'static str {
        match self {
            Assessment::Kept => "kept",
            Assessment::Rejected => "rejected",
            Assessment::Undecided => "undecided",
        }
    }
}

/// A graph's log likelihood of rows it has not seen, under the model of the choice.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HeldOut {
    /// The log likelihood in nats.
    pub nats: f64,
    /// By how much it is behind the best graph's.
    pub behind: f64,
    /// The standard error of that difference over the rows.
    pub error: f64,
}

/// Tests of a graph's residuals.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ResidualRow {
    /// How many tests there are.
    pub tests: usize,
    /// How many say that residuals depend on parents or on each other, after Holm's correction.
    pub dependent: usize,
    /// The smallest corrected p-value.
    pub smallest_p_value: Option<f64>,
    /// What depends on what, most clearly.
    pub clearest: Option<String>,
}

/// A learner.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LearnerRow {
    /// The learner with the options that differ from its defaults.
    pub name: String,
    /// All its options.
    pub learner: LearnerConfig,
    /// What it takes for granted.
    pub assumes: String,
    /// What became of it.
    pub status: Status,
    /// How long it took; outside every promise of identical bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// Its edges.
    pub edges: Option<Vec<ConsensusEdge>>,
    /// Its graph's held-out log likelihood; none where no DAG agrees with the graph.
    pub held_out: Option<HeldOut>,
    /// Tests of its graph's residuals.
    pub residuals: Option<ResidualRow>,
    /// What to make of it.
    pub sentence: String,
}

/// The best graph under a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelRow {
    /// The model.
    #[serde(flatten)]
    pub model: Model,
    /// The learner whose graph is best under it.
    pub best: String,
    /// That graph's held-out log likelihood in nats.
    pub nats: f64,
}

/// An assumption, and what the data say about it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AssumptionRow {
    /// `linear`, `additive`, `gaussian`, `equal-variances`, `common-units`, `independent-noise`, `faithful`.
    pub name: String,
    /// Kept, rejected or undecided.
    pub verdict: Assessment,
    /// By how many nats doing without the assumption is better, where that was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nats: Option<f64>,
    /// The standard error of that difference.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<f64>,
    /// The evidence, in a sentence.
    pub evidence: String,
}

/// Two columns that at least one learner joined.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ComparedEdge {
    /// The parent by most votes.
    pub from: String,
    /// The child by most votes.
    pub to: String,
    /// By learner: `forward`, `backward`, `undirected`, `bidirected` or `absent`.
    pub votes: BTreeMap<String, String>,
}

/// An edge, and how much stands behind it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ConsensusEdge {
    /// The parent (or one end).
    pub from: String,
    /// The child (or the other end).
    pub to: String,
    /// `directed`, `undirected` or `bidirected`.
    pub kind: EdgeKind,
    /// The share of the voices that join the two, in the consensus.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub support: Option<f64>,
}

/// Everything that was compared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// `npvar-compare/1`.
    pub format: String,
    /// Which learner to believe, how far, and the command that learns with it.
    pub verdict: Verdict,
    /// The learner that the data support best, as [`LearnerRow::name`]; none where no graph could be valued.
    pub chosen: Option<String>,
    /// The model that makes every assumption that is not rejected: the yardstick of the choice.
    pub model: Model,
    /// The columns.
    pub nodes: Vec<String>,
    /// The number of rows.
    pub n: usize,
    /// A row for every learner, whatever became of it.
    pub learners: Vec<LearnerRow>,
    /// A row for every model that graphs were valued under.
    pub models: Vec<ModelRow>,
    /// A row for every assumption.
    pub assumptions: Vec<AssumptionRow>,
    /// Every two columns that some learner joined.
    pub edges: Vec<ComparedEdge>,
    /// What the believable graphs have in common; acyclic.
    pub consensus: Vec<ConsensusEdge>,
    /// The learners that have a voice in the consensus.
    pub voices: Vec<String>,
    /// What was done to the table to read it as numbers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub intake: Vec<IntakeEntry>,
    /// What a reader should know.
    pub diagnostics: Vec<Diagnostic>,
    /// The seed.
    pub seed: u64,
    /// The version that compared.
    pub version: String,
}

impl Comparison {
    /// The chosen learner with its options.
    pub fn chosen_learner(&self) -> Option<&LearnerConfig> {
        let name = self.chosen.as_ref()?;
        self.learners.iter().find(|row| row.name == *name).map(|row| &row.learner)
    }

    /// The same without how long anything took.
    pub fn without_timing(mut self) -> Self {
        self.learners.iter_mut().for_each(|row| row.seconds = None);
        self
    }
}
