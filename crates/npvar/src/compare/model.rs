//! Models that every graph is valued under.

use serde::{Deserialize, Serialize};

/// What the mean of a node given its parents may look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mean {
    /// A sum of straight lines.
    Linear,
    /// A sum of smooth functions (P-splines, smoothing by REML).
    Additive,
    /// Any smooth function of all parents together (a Gaussian process).
    Joint,
}

/// What the noise of the nodes may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Law {
    /// Gaussian, with one variance for all nodes.
    Shared,
    /// Gaussian, each node with a variance of its own.
    Own,
    /// Whatever the residuals look like, node by node.
    Any,
}

/// A model: a node's mean given its parents, and its noise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Model {
    /// The mean.
    pub mean: Mean,
    /// The noise.
    pub law: Law,
}

impl Mean {
    /// From the most special to the most general.
    pub const ALL: [Mean; 3] = [Mean::Linear, Mean::Additive, Mean::Joint];

    /// As a person says it.
    pub fn words(self) -> &'static str {
        match self {
            Mean::Linear => "linear effects",
            Mean::Additive => "effects that add up",
            Mean::Joint => "effects of several columns together",
        }
    }
}

impl Law {
    /// From the most special to the most general.
    pub const ALL: [Law; 3] = [Law::Shared, Law::Own, Law::Any];

    /// As a person says it.
    pub fn words(self) -> &'static str {
        match self {
            Law::Shared => "Gaussian noise of one variance",
            Law::Own => "Gaussian noise",
            Law::Any => "noise of any law",
        }
    }
}

impl Model {
    /// As a person says it.
    ///
    /// ```
    /// use npvar::compare::{Law, Mean, Model};
    /// assert_eq!(Model { mean: Mean::Linear, law: Law::Any }.words(), "linear effects, noise of any law");
    /// ```
    pub fn words(self) -> String {
        format!("{}, {}", self.mean.words(), self.law.words())
    }
}
