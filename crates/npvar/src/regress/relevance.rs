//! What an adaptive estimator finds out about a column.

use faer::MatRef;
use serde::Serialize;

use crate::error::Result;
use crate::run::Run;

/// How the mean depends on a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Relevance {
    /// Not so that it could be told.
    Irrelevant,
    /// As a line, as far as could be told.
    Linear,
    /// Not as a line.
    Nonlinear,
}

/// An estimator that selects columns while it fits.
pub trait SelectsVariables {
    /// How the mean depends on each column.
    fn relevance(&self) -> &[Relevance];

    /// The columns the mean depends on, increasing.
    fn relevant_variables(&self) -> Vec<usize> {
        let relevant = |column: &usize| self.relevance()[*column] != Relevance::Irrelevant;
        (0..self.relevance().len()).filter(relevant).collect()
    }
}

/// Options of an estimator whose choice of columns can stand for a selection of parents.
pub trait ChoosesColumns: Sync {
    /// The columns of `z` that the mean of `y` depends on, increasing.
    ///
    /// # Errors
    /// When the sample is too small for the estimator, or the run is cancelled.
    fn relevant(&self, z: MatRef<'_, f64>, y: &[f64], run: &Run<'_>) -> Result<Vec<usize>>;
}

impl<T: ChoosesColumns + ?Sized> ChoosesColumns for &T {
    fn relevant(&self, z: MatRef<'_, f64>, y: &[f64], run: &Run<'_>) -> Result<Vec<usize>> {
        (**self).relevant(z, y, run)
    }
}
