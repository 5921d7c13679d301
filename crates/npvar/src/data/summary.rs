//! What must be known of each column before a second pass can accumulate: range, pilot mean, levels.

use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};

use super::levels::Levels;
use super::{Block, MOST_LEVELS, RowBlocks};
use crate::error::{Error, Result};
use crate::run::{Event, Run};

/// One column in brief.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ColumnSummary {
    /// `n`, the number of rows.
    pub n: usize,
    /// The smallest value.
    pub min: f64,
    /// The largest value.
    pub max: f64,
    /// The mean of the first block: near enough to the column's to be subtracted before squares are summed.
    pub pilot_mean: f64,
    /// The distinct values in increasing order when there are at most [`FEW_VALUES`](super::FEW_VALUES), or at most
    /// [`MOST_LEVELS`](super::MOST_LEVELS) codes of words (one value: the column is constant).
    pub levels: Option<Vec<f64>>,
}

/// Summarises every column in one pass, reporting [`Event::Rows`]. Only the first block is read when the source knows
/// its ranges and row count and every column has more than few values there.
///
/// ```
/// use npvar::data::{Dataset, summarise};
/// use npvar::{Run, Seed};
/// let data = Dataset::new(vec!["a".into(), "b".into()], vec![vec![1.0, 0.0, 1.0], vec![0.5, 2.5, 3.0]])?;
/// let summaries = summarise(&data, &Run::new(Seed(1)))?;
/// assert_eq!(summaries[0].levels, Some(vec![0.0, 1.0]));
/// assert_eq!((summaries[1].min, summaries[1].max, summaries[1].pilot_mean), (0.5, 3.0, 2.0));
/// # Ok::<(), npvar::Error>(())
/// ```
///
/// # Errors
/// What reading came upon; [`Error::Cancelled`] when the run is stopped.
pub fn summarise(source: &dyn RowBlocks, run: &Run<'_>) -> Result<Vec<ColumnSummary>> {
    let total = source.row_count();
    let known = source.known_ranges()?.zip(total);
    let mut columns = vec![Column::default(); source.names().len()];
    source.categories().into_iter().for_each(|node| columns[node].levels = Levels::up_to(MOST_LEVELS));
    let mut done = 0;
    let mut stopped_early = false;
    source.visit_blocks(&mut |block: &Block<'_>| {
        for (column, values) in columns.iter_mut().zip(&block.columns) {
            column.add(values, block.first_row == 0);
        }
        done += block.rows();
        run.report(&Event::Rows { done, total })?;
        stopped_early = known.is_some() && block.first_row == 0 && columns.iter().all(|c| c.levels.are_many());
        Ok(if stopped_early { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    })?;
    if let Some((ranges, n)) = known.filter(|_| stopped_early) {
        for (column, (min, max)) in columns.iter_mut().zip(ranges) {
            (column.min, column.max) = (min, max);
        }
        done = n;
    }
    if done == 0 {
        return Err(Error::NoRows { source_name: "the table".to_owned() });
    }
    Ok(columns.into_iter().map(|column| column.finish(done)).collect())
}

/// A summary in the making.
#[derive(Debug, Clone)]
struct Column {
    min: f64,
    max: f64,
    pilot_mean: f64,
    levels: Levels,
}

impl Default for Column {
    fn default() -> Self {
        Column { min: f64::INFINITY, max: f64::NEG_INFINITY, pilot_mean: 0.0, levels: Levels::default() }
    }
}

impl Column {
    fn add(&mut self, values: &[f64], first_block: bool) {
        if first_block {
            self.pilot_mean = values.iter().sum::<f64>() / values.len() as f64;
        }
        for &value in values {
            self.min = if value < self.min { value } else { self.min };
            self.max = if value > self.max { value } else { self.max };
        }
        self.levels.add(values);
    }

    fn finish(self, n: usize) -> ColumnSummary {
        ColumnSummary { n, min: self.min, max: self.max, pilot_mean: self.pilot_mean, levels: self.levels.few() }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::data::{BLOCK_ROWS, Dataset};
    use crate::run::{Flow, Observer, Seed};

    /// A data set that knows its ranges, and counts the blocks it hands out.
    struct Knowing {
        data: Dataset,
        ranges: Vec<(f64, f64)>,
        blocks: Mutex<usize>,
    }

    impl Knowing {
        fn new(columns: Vec<Vec<f64>>) -> Self {
            let ranges = vec![(-7.0, 7.0); columns.len()];
            let names = (0..columns.len()).map(|j| format!("X{j}")).collect();
            Knowing { data: Dataset::new(names, columns).unwrap(), ranges, blocks: Mutex::new(0) }
        }
    }

    impl RowBlocks for Knowing {
        fn names(&self) -> &[String] {
            self.data.names()
        }

        fn row_count(&self) -> Option<usize> {
            self.data.row_count()
        }

        fn visit_blocks(&self, visit: &mut dyn FnMut(&Block<'_>) -> Result<ControlFlow<()>>) -> Result<()> {
            self.data.visit_blocks(&mut |block| {
                *self.blocks.lock().unwrap() += 1;
                visit(block)
            })
        }

        fn known_ranges(&self) -> Result<Option<Vec<(f64, f64)>>> {
            Ok(Some(self.ranges.clone()))
        }
    }

    const ROWS: usize = 2 * BLOCK_ROWS + 1;

    fn ramp() -> Vec<f64> {
        (0..ROWS).map(|i| i as f64).collect()
    }

    #[test]
    fn a_source_that_knows_its_ranges_is_read_for_one_block_only() {
        let source = Knowing::new(vec![ramp(), ramp()]);
        let summaries = summarise(&source, &Run::new(Seed(1))).unwrap();
        assert_eq!(*source.blocks.lock().unwrap(), 1);
        let expected =
            ColumnSummary { n: ROWS, min: -7.0, max: 7.0, pilot_mean: (BLOCK_ROWS - 1) as f64 / 2.0, levels: None };
        assert_eq!(summaries, vec![expected; 2]);
    }

    #[test]
    fn a_column_that_may_be_few_valued_needs_the_whole_pass() {
        let mut late = vec![3.0; ROWS];
        late[ROWS - 1] = -1.0;
        let source = Knowing::new(vec![ramp(), late]);
        let summaries = summarise(&source, &Run::new(Seed(1))).unwrap();
        assert_eq!(*source.blocks.lock().unwrap(), 3);
        assert_eq!(summaries[0].max, (ROWS - 1) as f64);
        assert_eq!(
            summaries[1],
            ColumnSummary { n: ROWS, min: -1.0, max: 3.0, pilot_mean: 3.0, levels: Some(vec![-1.0, 3.0]) }
        );
    }

    #[test]
    fn one_level_is_a_constant_column() {
        let data = Dataset::new(vec!["a".into(), "b".into()], vec![vec![0.0, -0.0], vec![1.0, 2.0]]).unwrap();
        let summaries = summarise(&data, &Run::new(Seed(1))).unwrap();
        assert_eq!(summaries[0].levels, Some(vec![0.0]));
    }

    #[test]
    fn rows_are_reported_and_the_observer_may_stop() {
        struct Watch(Mutex<Vec<(usize, Option<usize>)>>);
        impl Observer for Watch {
            fn on(&self, event: &Event<'_>) -> Flow {
                let mut seen = self.0.lock().unwrap();
                if let Event::Rows { done, total } = event {
                    seen.push((*done, *total));
                }
                if seen.len() == 2 { Flow::Stop } else { Flow::Continue }
            }
        }
        let data = Dataset::new(vec!["a".into(), "b".into()], vec![ramp(), ramp()]).unwrap();
        let watch = Watch(Mutex::default());
        let result = summarise(&data, &Run::new(Seed(1)).observed(&watch));
        assert!(matches!(result, Err(Error::Cancelled)));
        let seen = watch.0.into_inner().unwrap();
        assert_eq!(seen, [(BLOCK_ROWS, Some(ROWS)), (2 * BLOCK_ROWS, Some(ROWS))]);
    }
}
