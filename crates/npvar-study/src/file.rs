//! A study as it is written: one struct for the whole TOML file.

use npvar::simulate::Setting;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::Dimension;

/// A study file. Lists multiply: every setting × d × n × σ² × learner × seed is a cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct StudyFile {
    /// The heading of the report.
    pub title: String,
    /// What the study shows; a paragraph of the report.
    #[serde(default)]
    pub about: String,
    /// Graphs and models in the paper's shorthand (`ER-SIN-4`), or examples by name.
    pub settings: Vec<Setting>,
    /// `d`; not needed where every setting fixes it.
    #[serde(default)]
    pub nodes: Vec<usize>,
    /// `n`.
    pub samples: Vec<usize>,
    /// `σ²`, for the settings that have one; left out, the setting's own.
    #[serde(default)]
    pub noise_variances: Vec<f64>,
    /// `p`, for the settings that have one; left out, the setting's own.
    #[serde(default)]
    pub p: Vec<f64>,
    /// How many data sets of each kind.
    pub seeds: usize,
    /// Seconds after which a cell is given up, and recorded so.
    #[serde(default = "an_hour")]
    pub time_limit: f64,
    /// GiB that all cells together may take; left out, three quarters of what the machine has free.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_gib: Option<f64>,
    /// Cells at once; left out, one per processor. A study of run times says 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jobs: Option<usize>,
    /// Who is compared.
    pub learners: Vec<LearnerFile>,
    /// What is different with `--quick`.
    #[serde(default)]
    pub quick: QuickFile,
    /// What is drawn.
    #[serde(default)]
    pub figures: Vec<FigureFile>,
    /// Layer decompositions that are drawn.
    #[serde(default)]
    pub pictures: Vec<PictureFile>,
    /// What is tabulated, beside the summary.
    #[serde(default)]
    pub tables: Vec<TableFile>,
}

fn an_hour() -> f64 {
    3600.0
}

/// A learner with its options.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct LearnerFile {
    /// Its name, as in `npvar learners`.
    pub name: String,
    /// What figures and tables call it; left out, its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Its options, as in a `--config` file.
    #[serde(default)]
    pub options: Map<String, Value>,
    /// It is left out of cells with more nodes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes_at_most: Option<usize>,
    /// It is left out of cells with more samples.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub samples_at_most: Option<usize>,
    /// Other bounds with `--quick`.
    #[serde(default)]
    pub quick: QuickBounds,
}

/// A learner's bounds with `--quick`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct QuickBounds {
    /// Instead of the learner's own.
    pub nodes_at_most: Option<usize>,
    /// Instead of the learner's own.
    pub samples_at_most: Option<usize>,
}

/// What is different with `--quick`; what is left out stays as it is.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct QuickFile {
    /// Instead of the study's.
    pub settings: Option<Vec<Setting>>,
    /// Instead of the study's.
    pub nodes: Option<Vec<usize>>,
    /// Instead of the study's.
    pub samples: Option<Vec<usize>>,
    /// Instead of the study's.
    pub noise_variances: Option<Vec<f64>>,
    /// Instead of the study's.
    pub p: Option<Vec<f64>>,
    /// Instead of the study's.
    pub seeds: Option<usize>,
    /// Instead of the study's.
    pub time_limit: Option<f64>,
}

/// A figure: a panel per value of one dimension, a line per learner.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct FigureFile {
    /// The name of its file.
    pub name: String,
    /// Its caption.
    pub caption: String,
    /// What is drawn, averaged.
    pub measure: Measure,
    /// What runs along the horizontal axis.
    #[serde(default = "samples")]
    pub x: Dimension,
    /// What has a panel each.
    #[serde(default = "setting")]
    pub panels: Dimension,
    /// What has a figure each: `["nodes"]`.
    #[serde(default)]
    pub each: Vec<Dimension>,
    /// Only these settings.
    #[serde(default)]
    pub settings: Vec<Setting>,
    /// Only these `d`.
    #[serde(default)]
    pub nodes: Vec<usize>,
    /// Only these `n`.
    #[serde(default)]
    pub samples: Vec<usize>,
    /// Learners that are left out, by label.
    #[serde(default)]
    pub without: Vec<String>,
    /// Panels side by side.
    #[serde(default = "four")]
    pub columns: usize,
}

fn samples() -> Dimension {
    Dimension::Samples
}

fn setting() -> Dimension {
    Dimension::Setting
}

fn four() -> usize {
    4
}

/// A picture of layers: the true graph of the first data set of every setting.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct PictureFile {
    /// The name of its file.
    pub name: String,
    /// Its caption.
    pub caption: String,
}

/// A table: learners down, a dimension across.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct TableFile {
    /// The name of its files.
    pub name: String,
    /// Its caption.
    pub caption: String,
    /// What is tabulated.
    pub measure: Measure,
    /// What runs across.
    #[serde(default = "samples")]
    pub columns: Dimension,
    /// What, beside the learner, runs down: `["setting"]`.
    #[serde(default)]
    pub rows: Vec<Dimension>,
}

/// What can be drawn and tabulated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Measure {
    /// Structural Hamming distance in the paper's convention.
    Shd,
    /// Distance between equivalence classes.
    ClassShd,
    /// The share of orders that are correct.
    OrderRecovery,
    /// True edges against the order.
    ViolatedEdges,
    /// Precision of directed edges.
    Precision,
    /// Recall of directed edges.
    Recall,
    /// F1 of directed edges.
    F1,
    /// Structural intervention distance.
    Sid,
    /// Seconds of learning.
    Seconds,
    /// Peak memory in MiB.
    Memory,
}
