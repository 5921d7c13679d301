//! Tables of numbers with named columns: read from files whole or block by block, checked, summarised and written.
//!
//! A table is either a [`Dataset`] in memory or a [`Source`] on disk. Both hand out their rows as [`RowBlocks`] of
//! [`BLOCK_ROWS`] rows, so whatever is computed from blocks does not depend on how the table is stored, how its file
//! is divided, or how many threads work.

mod ahead;
mod blocks;
pub mod checks;
mod coefficients;
#[cfg(feature = "parquet")]
mod columnar;
mod covariance;
mod dataset;
mod discrete;
mod filler;
mod format;
mod gaps;
mod held;
mod impute;
mod intake;
mod levels;
mod options;
mod paths;
mod r_squared;
mod recut;
mod resampled;
mod residuals;
mod source;
mod split;
mod spreadsheet;
mod stamp;
mod summary;
mod table;
mod tabular;
mod text;
mod whole_file;
mod write_csv;

pub use blocks::{BLOCK_ROWS, Block, RowBlocks, VisitCounted};
#[cfg(feature = "parquet")]
pub use columnar::ParquetWriter;
pub use covariance::Covariance;
pub use dataset::{ColumnKind, Dataset};
pub use discrete::Discrete;
pub use gaps::{GapUse, Gaps};
pub use held::{HeldColumn, take_in};
pub use intake::IntakeEntry;
pub use levels::{FEW_VALUES, MOST_LEVELS};
pub use options::{
    Categories, ColumnChoice, Decimal, Header, Missing, ReadArgument, ReadOptions, Separator, Strictness,
};
pub use paths::table_files;
pub use resampled::Resampled;
pub use residuals::Residuals;
pub use source::{Loaded, Source, open, open_all, read};
pub use split::{random_folds, random_half};
pub use summary::{ColumnSummary, summarise};
pub use table::Table;
pub use tabular::Tabular;
pub use whole_file::{WholeFile, can_be_replaced, remove_abandoned, write_whole};
pub use write_csv::write_csv;
