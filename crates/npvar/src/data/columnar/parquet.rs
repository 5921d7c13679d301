//! Parquet files, read block by block.

use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::statistics::StatisticsConverter;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder};
use parquet::basic::Type as PhysicalType;
use parquet::file::metadata::RowGroupMetaData;

use super::damaged::{caught, unreadable};
use super::numbers::numbers;
use super::page_sizes;
use super::selection::ColumnSelection;
use crate::data::filler::{Emit, RowCounts, Wanted};
use crate::data::paths::open_file;
use crate::data::{BLOCK_ROWS, Missing, ReadOptions};
use crate::error::Result;

/// A Parquet file whose footer has been read.
#[derive(Debug)]
pub(in crate::data) struct ParquetFile {
    metadata: ArrowReaderMetadata,
    selection: ColumnSelection,
}

impl ParquetFile {
    /// Reads the footer, and the pages' headers of the chosen columns.
    ///
    /// # Errors
    /// When the file cannot be read, the chosen columns are not there or not numeric, or a page cannot be what it claims.
    pub(in crate::data) fn open(path: &str, options: &ReadOptions) -> Result<ParquetFile> {
        let file = open_file(path)?;
        let load = || ArrowReaderMetadata::load(&file, ArrowReaderOptions::new()).map_err(|e| unreadable(path, &e));
        let metadata = caught(path, load)?;
        let selection = ColumnSelection::new(metadata.schema(), path, options)?;
        let schema = metadata.parquet_schema();
        let is_read = |leaf: &usize| selection.in_file.contains(&schema.get_column_root_idx(*leaf));
        let leaves: Vec<usize> = (0..schema.num_columns()).filter(is_read).collect();
        page_sizes::check(open_file(path)?, metadata.metadata().row_groups(), &leaves)
            .map_err(|error| unreadable(path, &error))?;
        Ok(ParquetFile { metadata, selection })
    }

    pub(in crate::data) fn wanted(&self) -> &Wanted {
        &self.selection.wanted
    }

    /// The number of rows, unless rows with missing values are dropped.
    pub(in crate::data) fn row_count(&self) -> Option<usize> {
        match self.wanted().missing {
            Missing::Error => usize::try_from(self.metadata.metadata().file_metadata().num_rows()).ok(),
            Missing::Drop => None,
        }
    }

    /// The number of rows that the file says it has; where its parts disagree, the larger.
    pub(in crate::data) fn stated_rows(&self) -> usize {
        let metadata = self.metadata.metadata();
        let groups = metadata.row_groups().iter().map(|group| usize::try_from(group.num_rows()).unwrap_or(0));
        let whole = usize::try_from(metadata.file_metadata().num_rows()).unwrap_or(0);
        whole.max(groups.fold(0, usize::saturating_add))
    }

    /// Reads the rows. One decoder follows the row groups in order; its batches are cut anew into blocks.
    ///
    /// # Errors
    /// When the file cannot be read, or a value is infinite, or missing where that is not allowed.
    pub(in crate::data) fn decode(&self, emit: &mut Emit<'_>) -> Result<RowCounts> {
        let path = &self.wanted().source_name;
        let roots = self.selection.in_file.iter().copied();
        let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(open_file(path)?, self.metadata.clone())
            .with_projection(ProjectionMask::roots(self.metadata.parquet_schema(), roots))
            .with_batch_size(BLOCK_ROWS);
        let reader = caught(path, || builder.build().map_err(|error| unreadable(path, &error)))?;
        self.selection.decode(reader, emit)
    }

    /// Each column's range from the statistics of the row groups, where every one has them, exact and without nulls.
    /// Never when rows may be dropped: the extremes could stand in a dropped row.
    ///
    /// # Errors
    /// When the statistics cannot be decoded.
    pub(in crate::data) fn known_ranges(&self) -> Result<Option<Vec<(f64, f64)>>> {
        if self.wanted().missing == Missing::Drop {
            return Ok(None);
        }
        let range = |j: usize| self.known_range(self.selection.in_file[j]);
        caught(&self.wanted().source_name, || self.selection.in_batch.iter().map(|&j| range(j)).collect())
    }

    fn known_range(&self, root: usize) -> Result<Option<(f64, f64)>> {
        let schema = self.metadata.parquet_schema();
        let Some(leaf) = (0..schema.num_columns()).find(|&leaf| schema.get_column_root_idx(leaf) == root) else {
            return Ok(None);
        };
        let groups: Vec<&RowGroupMetaData> =
            self.metadata.metadata().row_groups().iter().filter(|group| group.num_rows() > 0).collect();
        if groups.is_empty() || !groups.iter().all(|group| has_exact_range(group, leaf)) {
            return Ok(None);
        }
        let values = || {
            let field = self.metadata.schema().field(root);
            let converter = StatisticsConverter::from_column_index(leaf, field, schema)?;
            let mins = numbers(&converter.row_group_mins(groups.iter().copied())?)?;
            let maxes = numbers(&converter.row_group_maxes(groups.iter().copied())?)?;
            Ok(mins.values().iter().chain(maxes.values().iter()).copied().collect::<Vec<f64>>())
        };
        let values: Vec<f64> =
            values().map_err(|error: parquet::errors::ParquetError| unreadable(&self.wanted().source_name, &error))?;
        if values.iter().any(|value| !value.is_finite()) {
            return Ok(None); // not decoded, or an infinity that reading will report with its row
        }
        Ok(Some(values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(min, max), &v| (min.min(v), max.max(v)))))
    }
}

/// Only byte arrays are ever shortened in statistics, and many writers of numbers set no flag that says "exact".
fn has_exact_range(group: &RowGroupMetaData, leaf: usize) -> bool {
    use PhysicalType::{BOOLEAN, DOUBLE, FLOAT, INT32, INT64};
    let column = group.column(leaf);
    let never_shortened = matches!(column.column_type(), BOOLEAN | INT32 | INT64 | FLOAT | DOUBLE);
    column.statistics().is_some_and(|statistics| {
        !statistics.is_min_max_deprecated()
            && statistics.null_count_opt() == Some(0)
            && (never_shortened || (statistics.min_is_exact() && statistics.max_is_exact()))
    })
}
