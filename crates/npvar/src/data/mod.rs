//! Tables of numbers with named columns.

mod blocks;
mod dataset;

pub use blocks::{Block, RowBlocks};
pub use dataset::{ColumnKind, Dataset, FEW_VALUES};
