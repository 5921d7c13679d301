//! What a learner learns from.

use crate::data::{ColumnSummary, RowBlocks, summarise};
use crate::error::{Error, Result};
use crate::graph::{Knowledge, Order};
use crate::run::Run;
use crate::smooth::{AdditiveGram, RawGram, SmoothSpec};

/// The fewest samples a variance, a regression and a split can be formed from.
const FEWEST_SAMPLES: usize = 4;
/// Sums of squares of larger values could overflow.
const LARGEST_VALUE: f64 = 1e140;
/// Squares of smaller differences could vanish.
const SMALLEST_RANGE: f64 = 1e-140;

/// What a caller gives.
#[derive(Clone)]
pub struct Input<'a> {
    /// The sample.
    pub rows: &'a dyn RowBlocks,
    /// A second sample of the same columns, for an adaptive `η`.
    pub second_sample: Option<&'a dyn RowBlocks>,
    /// An order to take as given; only parents are selected then.
    pub order: Option<Order>,
    /// What is known about the graph beforehand; learners that cannot use it refuse it.
    pub knowledge: Option<&'a Knowledge>,
}

impl<'a> Input<'a> {
    /// One sample and nothing else.
    pub fn new(rows: &'a dyn RowBlocks) -> Self {
        Input { rows, second_sample: None, order: None, knowledge: None }
    }
}

/// What a learner is handed: input that has been looked through and that it can use.
pub(crate) struct Task<'a> {
    /// The sample.
    pub(crate) rows: &'a dyn RowBlocks,
    /// Its columns, summarised.
    pub(crate) columns: &'a [ColumnSummary],
    /// A second sample, for learners that use one.
    pub(crate) second_sample: Option<&'a dyn RowBlocks>,
    /// An order to select parents along, for learners that do.
    pub(crate) order: Option<&'a Order>,
    /// What is known beforehand; nothing, where nothing was given.
    pub(crate) knowledge: &'a Knowledge,
}

impl<'a> Task<'a> {
    /// The columns' names.
    pub(crate) fn names(&self) -> &'a [String] {
        self.rows.names()
    }

    /// The number of samples.
    pub(crate) fn n(&self) -> usize {
        self.columns[0].n
    }

    /// The Gram matrix of the whole sample.
    pub(crate) fn gram(&self, spec: SmoothSpec, run: &Run<'_>) -> Result<AdditiveGram> {
        Ok(AdditiveGram::new(&RawGram::of(self.rows, spec, self.columns, run)?))
    }
}

/// Summaries of the columns, which must be long enough and not too large for `learner`.
pub(crate) fn usable_columns(learner: &'static str, rows: &dyn RowBlocks, run: &Run<'_>) -> Result<Vec<ColumnSummary>> {
    let columns = summarise(rows, run)?;
    check_columns(learner, rows.names(), &columns)?;
    Ok(columns)
}

/// Whether columns are long enough and not too large for `learner`.
pub(super) fn check_columns(learner: &'static str, names: &[String], columns: &[ColumnSummary]) -> Result<()> {
    let n = columns.first().map_or(0, |column| column.n);
    if n < FEWEST_SAMPLES {
        return Err(Error::TooFewSamples { what: learner, needed: FEWEST_SAMPLES, n });
    }
    for (name, column) in names.iter().zip(columns) {
        let largest = column.min.abs().max(column.max.abs());
        if largest > LARGEST_VALUE {
            return Err(Error::TooLarge { column: name.clone(), largest });
        }
        let range = column.max - column.min;
        if range > 0.0 && range < SMALLEST_RANGE {
            return Err(Error::TooSmall { column: name.clone(), range });
        }
    }
    Ok(())
}
