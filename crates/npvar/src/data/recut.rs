//! Blocks of any size, cut anew into blocks of the fixed size.

use std::ops::ControlFlow;

use super::{BLOCK_ROWS, Block};
use crate::error::Result;

/// Takes consecutive blocks of any size and hands them on in blocks of [`BLOCK_ROWS`] rows. A block that fits is passed on
/// without a copy.
pub(super) struct Recut<'a> {
    visit: &'a mut dyn FnMut(&Block<'_>) -> Result<ControlFlow<()>>,
    columns: Vec<Vec<f64>>,
    first_row: usize,
}

impl<'a> Recut<'a> {
    pub(super) fn new(columns: usize, visit: &'a mut dyn FnMut(&Block<'_>) -> Result<ControlFlow<()>>) -> Self {
        Recut { visit, columns: vec![Vec::new(); columns], first_row: 0 }
    }

    /// Takes a block, whose first row follows the last one taken.
    ///
    /// # Errors
    /// Those of the visitor.
    pub(super) fn add(&mut self, block: &Block<'_>) -> Result<ControlFlow<()>> {
        let rows = block.rows();
        if self.waiting() == 0 && rows == BLOCK_ROWS {
            let whole = Block { first_row: self.first_row, columns: block.columns.clone() };
            self.first_row += rows;
            return (self.visit)(&whole);
        }
        let mut start = 0;
        while start < rows {
            let end = rows.min(start + BLOCK_ROWS - self.waiting());
            for (column, values) in self.columns.iter_mut().zip(&block.columns) {
                column.extend_from_slice(&values[start..end]);
            }
            start = end;
            if self.waiting() == BLOCK_ROWS && self.flush()?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Hands on what is left.
    ///
    /// # Errors
    /// Those of the visitor.
    pub(super) fn finish(mut self) -> Result<ControlFlow<()>> {
        if self.waiting() == 0 { Ok(ControlFlow::Continue(())) } else { self.flush() }
    }

    fn waiting(&self) -> usize {
        self.columns.first().map_or(0, Vec::len)
    }

    fn flush(&mut self) -> Result<ControlFlow<()>> {
        let block = Block { first_row: self.first_row, columns: self.columns.iter().map(Vec::as_slice).collect() };
        let flow = (self.visit)(&block)?;
        self.first_row += self.waiting();
        self.columns.iter_mut().for_each(Vec::clear);
        Ok(flow)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_do_not_depend_on_the_portions() {
        let values: Vec<f64> = (0..2 * BLOCK_ROWS + 7).map(|i| i as f64).collect();
        for portion in [1000, BLOCK_ROWS - 1, BLOCK_ROWS, BLOCK_ROWS + 1, values.len()] {
            let (mut sizes, mut seen) = (Vec::new(), Vec::new());
            let mut visit = |block: &Block<'_>| {
                assert_eq!(block.first_row, seen.len());
                sizes.push(block.rows());
                seen.extend_from_slice(block.columns[0]);
                Ok(ControlFlow::Continue(()))
            };
            let mut recut = Recut::new(1, &mut visit);
            for values in values.chunks(portion) {
                // Blocks of a file begin at its own first row.
                assert!(recut.add(&Block { first_row: 0, columns: vec![values] }).unwrap().is_continue());
            }
            assert!(recut.finish().unwrap().is_continue());
            assert_eq!(sizes, [BLOCK_ROWS, BLOCK_ROWS, 7]);
            assert_eq!(seen, values);
        }
    }
}
