//! What NPVAR learns from: rows, or sums over them.

use crate::data::{ColumnSummary, Dataset, RowBlocks};
use crate::error::{Error, Result};
use crate::graph::{Knowledge, Order};
use crate::learner::input::Task;
use crate::regress::gp::Standardised;
use crate::run::Run;
use crate::smooth::{AdditiveGram, SmoothSpec};

/// The sample, and what is given beside it.
pub(super) struct Source<'a> {
    pub(super) names: &'a [String],
    pub(super) columns: &'a [ColumnSummary],
    /// The Gram matrix with the bases of the selection.
    pub(super) gram: AdditiveGram,
    /// The rows, where they are not summed already.
    pub(super) rows: Option<&'a dyn RowBlocks>,
    pub(super) second_sample: Option<&'a dyn RowBlocks>,
    pub(super) order: Option<&'a Order>,
    pub(super) knowledge: &'a Knowledge,
}

impl<'a> Source<'a> {
    /// Rows, summed with the bases of the selection.
    pub(super) fn of(task: &Task<'a>, selection: SmoothSpec, run: &Run<'_>) -> Result<Self> {
        let &Task { rows, columns, second_sample, order, knowledge } = task;
        let gram = task.gram(selection, run)?;
        Ok(Source { names: rows.names(), columns, gram, rows: Some(rows), second_sample, order, knowledge })
    }

    /// The rows.
    ///
    /// # Errors
    /// [`Error::InvalidOption`] where only sums are left.
    pub(super) fn rows(&self) -> Result<&'a dyn RowBlocks> {
        self.rows.ok_or_else(|| Error::InvalidOption {
            option: "estimator",
            requirement: "must need nothing but sums where only sums over the rows are left".to_owned(),
            got: "one that needs the rows".to_owned(),
        })
    }

    /// The standardised columns.
    pub(super) fn standardised(&self, run: &Run<'_>) -> Result<Standardised> {
        Ok(standardised(&Dataset::of(self.rows()?, run)?))
    }
}

/// The standardised columns of a table in memory.
pub(super) fn standardised(data: &Dataset) -> Standardised {
    Standardised::new((0..data.d()).map(|j| data.column(j)))
}
