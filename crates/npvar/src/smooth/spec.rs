//! Which basis a column gets.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::basis::{Basis, NullSpace, PSpline};
use crate::data::ColumnSummary;

/// The basis of a column with few distinct values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FewValued {
    /// One unpenalised indicator per value: E[Y | X] exactly (where there are at least two rows per value).
    #[default]
    Saturated,
    /// A P-spline as for any other column, as mgcv would fit it.
    Spline,
}

/// How columns are turned into terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SmoothSpec {
    /// Smooth functions.
    Spline {
        /// `k`, the number of B-splines before the constraint.
        dimension: usize,
        /// What columns with few values get.
        few_valued: FewValued,
        /// Whether straight functions are penalised.
        null_space: NullSpace,
    },
    /// Straight lines.
    Line,
}

impl SmoothSpec {
    /// Splines whose straight parts are free.
    pub const fn spline(dimension: usize, few_valued: FewValued) -> Self {
        SmoothSpec::Spline { dimension, few_valued, null_space: NullSpace::Free }
    }

    /// The basis of a column.
    pub fn basis(&self, column: &ColumnSummary) -> Basis {
        let (min, max) = (column.min, column.max);
        match (*self, &column.levels) {
            _ if min >= max => Basis::Constant,
            (SmoothSpec::Line, _) => Basis::Line { min, max },
            // Below two rows per value an indicator per value would fit anything.
            (SmoothSpec::Spline { few_valued: FewValued::Saturated, .. }, Some(levels))
                if 2 * levels.len() <= column.n =>
            {
                Basis::Saturated(levels.clone())
            }
            (SmoothSpec::Spline { dimension, null_space, .. }, _) => {
                Basis::PSpline(PSpline::over(min, max, dimension).with_null_space(null_space))
            }
        }
    }

    /// The bases of all columns.
    pub fn bases(&self, columns: &[ColumnSummary]) -> Arc<[Basis]> {
        columns.iter().map(|column| self.basis(column)).collect()
    }
}
