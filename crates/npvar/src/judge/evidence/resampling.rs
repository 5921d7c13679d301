//! How rows are drawn for a bootstrap sample.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How rows are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Resampling {
    /// `n` rows with replacement.
    #[default]
    WithReplacement,
    /// Half of the rows without replacement: no copies, for learners that predict some rows from others (Meinshausen &
    /// Bühlmann 2010). Half as many rows find fewer edges, so frequencies come out lower.
    Half,
}
