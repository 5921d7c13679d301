//! Tables of numbers with named columns, checked and summarised.

mod blocks;
pub mod checks;
mod dataset;
mod levels;
mod summary;

pub use blocks::{BLOCK_ROWS, Block, RowBlocks};
pub use dataset::{ColumnKind, Dataset, FEW_VALUES};
pub use summary::{ColumnSummary, summarise};
