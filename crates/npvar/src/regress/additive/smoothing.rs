//! How smoothing parameters are chosen.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How smoothing parameters are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Smoothing {
    /// One fixed parameter for every term, as the paper.
    #[default]
    Fixed,
    /// Generalised cross-validation, one parameter per term.
    Gcv,
    /// Restricted maximum likelihood, one parameter per term.
    Reml,
}

/// Where the search for a regression's smoothing parameters begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SmoothingSearch {
    /// Where the node's last regressions with the same terms ended, which leaves two or three Newton steps.
    Continued,
    /// From scratch, as mgcv.
    Afresh,
}
