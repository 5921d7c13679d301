//! Which basis a column gets.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::basis::{Basis, PSpline};

/// The basis of a column with few distinct values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FewValued {
    /// One unpenalised indicator per value: E[Y | X] exactly.
    #[default]
    Saturated,
    /// A P-spline as for any other column, as mgcv would fit it.
    Spline,
}

/// How columns are turned into smooth terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SmoothSpec {
    /// `k`, the number of B-splines before the constraint.
    pub dimension: usize,
    /// What columns with few values get.
    pub few_valued: FewValued,
}

impl SmoothSpec {
    /// The basis of a column with this range, and these sorted distinct values if they are few.
    pub fn basis(&self, min: f64, max: f64, levels: Option<&[f64]>) -> Basis {
        match levels {
            _ if min >= max => Basis::Constant,
            Some(levels) if self.few_valued == FewValued::Saturated => Basis::Saturated(levels.to_vec()),
            _ => Basis::PSpline(PSpline::over(min, max, self.dimension)),
        }
    }
}
