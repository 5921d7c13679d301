//! One finished cell: a line of the log and of the table.

use npvar::simulate::Setting;
use serde::{Deserialize, Serialize};

use crate::file::Measure;

/// How a cell ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// The learner answered.
    Ok,
    /// It was given up after the study's time limit.
    TimeLimit,
    /// Alone it took more memory than the study may.
    MemoryLimit,
    /// The learner refused the data or failed, with a sentence.
    Error,
    /// The process broke down, which is a bug or a lack of memory.
    Crash,
}

impl Status {
    /// Its name in the table.
    pub fn name(self) -> &'static str {
        match self {
            Status::Ok => "ok",
            Status::TimeLimit => "time-limit",
            Status::MemoryLimit => "memory-limit",
            Status::Error => "error",
            Status::Crash => "crash",
        }
    }
}

/// A finished cell. Columns of the log and the table, in this order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Graph and model.
    pub setting: Setting,
    /// `d`.
    pub nodes: usize,
    /// `n`.
    pub samples: usize,
    /// `σ²`, where the setting has one and the study chose it.
    pub noise_variance: Option<f64>,
    /// `p`, likewise.
    pub p: Option<f64>,
    /// Which of the study's seeds, from 1.
    pub seed: usize,
    /// The seed for `npvar simulate --seed` (and `learn --seed`) that repeats this cell.
    pub data_seed: u64,
    /// The learner's label.
    pub learner: String,
    /// The learner's name.
    pub algorithm: String,
    /// A hash of its full configuration, which `study.json` spells out.
    pub configuration: String,
    /// The version of this program.
    pub version: String,
    /// How it ended.
    pub status: Status,
    /// Structural Hamming distance in the paper's convention: an undirected edge between truly adjacent nodes counts as right.
    pub shd: Option<usize>,
    /// Distance between the equivalence classes.
    pub class_shd: Option<usize>,
    /// Whether the order is a topological order of the truth; empty for learners that return an equivalence class.
    pub order_recovered: Option<bool>,
    /// True edges whose child stands before its parent in the order.
    pub violated_edges: Option<usize>,
    /// Precision of directed edges (undirected ones counted as for `shd`).
    pub precision: Option<f64>,
    /// Recall of directed edges.
    pub recall: Option<f64>,
    /// Their harmonic mean.
    pub f1: Option<f64>,
    /// Structural intervention distance, of a DAG.
    pub sid: Option<usize>,
    /// Its smallest value over an equivalence class.
    pub sid_lower: Option<usize>,
    /// Its largest value over an equivalence class.
    pub sid_upper: Option<usize>,
    /// Edges of the estimate.
    pub estimated_edges: Option<usize>,
    /// Edges of the truth.
    pub true_edges: Option<usize>,
    /// How well sorting by variance orders the truth. The log's column keeps its first name, so that logs begun before can be
    /// gone on with.
    #[serde(rename = "varsortability")]
    pub var_sortability: Option<f64>,
    /// How well sorting by R² orders the truth.
    pub r2_sortability: Option<f64>,
    /// Seconds of learning, on one thread, without the simulation.
    pub seconds: Option<f64>,
    /// The largest resident memory of the process during the cell, in MiB.
    pub peak_memory_mib: Option<f64>,
    /// What went wrong.
    pub message: String,
}

impl Row {
    /// A measure's value; nothing when the cell has none.
    pub fn value(&self, measure: Measure) -> Option<f64> {
        let count = |value: Option<usize>| value.map(|value| value as f64);
        match measure {
            Measure::Shd => count(self.shd),
            Measure::ClassShd => count(self.class_shd),
            Measure::OrderRecovery => self.order_recovered.map(|recovered| f64::from(u8::from(recovered))),
            Measure::ViolatedEdges => count(self.violated_edges),
            Measure::Precision => self.precision,
            Measure::Recall => self.recall,
            Measure::F1 => self.f1,
            Measure::Sid => count(self.sid),
            Measure::Seconds => self.seconds.filter(|_| self.status == Status::Ok),
            Measure::Memory => self.peak_memory_mib.filter(|_| self.status == Status::Ok),
        }
    }

    /// The same but for what may differ between two runs: time and memory.
    pub(crate) fn without_timing(&self) -> Row {
        Row { seconds: None, peak_memory_mib: None, ..self.clone() }
    }
}

impl Measure {
    /// The words of an axis.
    pub fn axis(self) -> &'static str {
        match self {
            Measure::Shd => "SHD",
            Measure::ClassShd => "SHD of classes",
            Measure::OrderRecovery => "P(correct order)",
            Measure::ViolatedEdges => "violated edges",
            Measure::Precision => "precision",
            Measure::Recall => "recall",
            Measure::F1 => "F1",
            Measure::Sid => "SID",
            Measure::Seconds => "seconds",
            Measure::Memory => "peak memory (MiB)",
        }
    }
}
