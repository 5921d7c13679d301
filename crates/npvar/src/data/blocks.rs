//! Rows that arrive in blocks, so that a file need not fit in memory.

use std::ops::ControlFlow;

use super::gaps::Gaps;
use crate::error::Result;

/// How many rows a block has; only the last may have fewer. Fixed, so that sums over blocks come out the same for every
/// source, file layout and number of threads. At 20 columns a block is 2.6 MB: large enough to amortise the work per
/// block, small enough that the few in flight stay near the cache.
pub const BLOCK_ROWS: usize = 16_384;

/// Consecutive rows, column by column.
#[derive(Debug, Clone)]
pub struct Block<'a> {
    /// 0-based index of the block's first row in the whole table.
    pub first_row: usize,
    /// One slice per column, all of the same length, all values finite.
    pub columns: Vec<&'a [f64]>,
}

impl Block<'_> {
    /// How many rows the block has.
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, |column| column.len())
    }
}

/// What is done with a block and how often each of its rows counts; without counts, once.
pub type VisitCounted<'v> = dyn FnMut(&Block<'_>, Option<&[u32]>) -> Result<()> + 'v;

/// A table that can be read from its first row to its last, any number of times, with the same result.
///
/// ```
/// use npvar::data::{Dataset, RowBlocks};
/// let data = Dataset::new(vec!["a".into(), "b".into()], vec![vec![1.0, 2.0], vec![0.5, 0.25]])?;
/// let mut sum = 0.0;
/// data.for_each_block(&mut |block| {
///     sum += block.columns[0].iter().sum::<f64>();
///     Ok(())
/// })?;
/// assert_eq!(sum, 3.0);
/// # Ok::<(), npvar::Error>(())
/// ```
pub trait RowBlocks: Sync {
    /// The column names.
    fn names(&self) -> &[String];

    /// The number of rows, where it is known without reading them.
    fn row_count(&self) -> Option<usize>;

    /// Reads rows in order until the end, or until `visit` answers [`ControlFlow::Break`]. Every block but the last has
    /// [`BLOCK_ROWS`] rows. Values that are missing or not finite end the reading with an error.
    ///
    /// # Errors
    /// What reading or `visit` came upon.
    fn visit_blocks(&self, visit: &mut dyn FnMut(&Block<'_>) -> Result<ControlFlow<()>>) -> Result<()>;

    /// Reads all rows in order.
    ///
    /// # Errors
    /// What reading or `visit` came upon.
    fn for_each_block(&self, visit: &mut dyn FnMut(&Block<'_>) -> Result<()>) -> Result<()> {
        self.visit_blocks(&mut |block| visit(block).map(ControlFlow::Continue))
    }

    /// Reads all rows in order, a row that occurs several times perhaps only once with how often it counts; without
    /// counts each row counts once. For readers that only form sums.
    ///
    /// # Errors
    /// What reading or `visit` came upon.
    fn for_each_counted_block(&self, visit: &mut VisitCounted<'_>) -> Result<()> {
        self.for_each_block(&mut |block| visit(block, None))
    }

    /// The columns whose values are codes of three or more words, in increasing order.
    fn categories(&self) -> Vec<usize> {
        Vec::new()
    }

    /// The cells that were missing, where values were drawn for them.
    fn gaps(&self) -> Option<&Gaps> {
        None
    }

    /// The exact smallest and largest value of every column, where the source knows them without reading the rows.
    ///
    /// # Errors
    /// When the source's own record of them cannot be read.
    fn known_ranges(&self) -> Result<Option<Vec<(f64, f64)>>> {
        Ok(None)
    }
}
