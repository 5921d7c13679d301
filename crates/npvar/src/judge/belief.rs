//! Whether an answer can be believed, as it is handed over.

use serde::{Deserialize, Serialize};

/// How far an answer can be believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Belief {
    /// Nothing in the data speaks against what the learner assumes.
    Believable,
    /// Something speaks against the directions.
    DirectionsDoubtful,
    /// The data cannot answer the question.
    NotUsable,
}

impl Belief {
    /// As a person says it.
    pub fn words(self) -> &'static str {
        match self {
            Belief::Believable => "Believable",
            Belief::DirectionsDoubtful => "Directions doubtful",
            Belief::NotUsable => "Not usable",
        }
    }
}

/// Whether to believe an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    /// How far.
    pub level: Belief,
    /// That and why, in one sentence.
    pub sentence: String,
    /// The command to go on with, where one helps.
    pub next: Option<String>,
}
