//! Parquet files, read block by block.

use parquet::basic::Type as PhysicalType;
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader, RowGroupMetaData};
use parquet::file::statistics::Statistics;

use super::damaged::{caught, unreadable};
use super::numbers::numbers;
use super::page_sizes;
use super::parquet_batches::{ParquetBatches, words_of};
use super::parquet_numbers::Numbers;
use super::parquet_schema::{only_leaf, schema};
use super::selection::{ColumnSelection, Size, Words};
use super::words::{Cells, MOST_VALUES, written};
use crate::data::filler::{Emit, Lacking, RowCounts, Wanted};
use crate::data::intake::IntakeEntry;
use crate::data::paths::open_file;
use crate::data::{Missing, ReadOptions};
use crate::error::{Error, Result};

/// A Parquet file whose footer has been read.
#[derive(Debug)]
pub(in crate::data) struct ParquetFile {
    metadata: Box<ParquetMetaData>,
    selection: ColumnSelection,
    /// The leaves of `selection.in_file`, and how their values are numbers.
    leaves: Vec<(usize, Numbers)>,
    /// The leaves of the columns of text.
    words: Vec<usize>,
}

impl ParquetFile {
    /// Reads the footer, and the pages' headers of the chosen columns.
    ///
    /// # Errors
    /// When the file cannot be read, the chosen columns are not there or not numeric, or a page cannot be what it claims.
    pub(in crate::data) fn open(path: &str, options: &ReadOptions) -> Result<ParquetFile> {
        let file = open_file(path)?;
        let load = || {
            let metadata = ParquetMetaDataReader::new().parse_and_finish(&file).map_err(|e| unreadable(path, &e))?;
            let schema = schema(metadata.file_metadata());
            Ok((metadata, schema))
        };
        let (metadata, schema) = caught(path, load)?;
        let rows = usize::try_from(metadata.file_metadata().num_rows()).unwrap_or(usize::MAX);
        let size = if rows.saturating_mul(schema.fields().len()) <= MOST_VALUES { Size::Held } else { Size::Large };
        let mut selection = ColumnSelection::new(&schema, path, options, size)?;
        let description = metadata.file_metadata().schema_descr();
        let leaf = |&root: &usize| {
            let leaf = only_leaf(metadata.file_metadata(), root).expect("columns of numbers have one leaf");
            (leaf, Numbers::of(&description.column(leaf)))
        };
        let leaves: Vec<(usize, Numbers)> = selection.in_file.iter().map(leaf).collect();
        // A file that says that nothing is missing keeps what it says of its rows and ranges.
        let is_complete = |&(leaf, _): &(usize, Numbers)| {
            let nulls = |group: &RowGroupMetaData| group.column(leaf).statistics().and_then(Statistics::null_count_opt);
            metadata.row_groups().iter().all(|group| nulls(group) == Some(0))
        };
        if options.missing == Missing::Auto && leaves.iter().all(is_complete) {
            selection.wanted.lacking = Lacking::Refused;
        }
        let text = |words: &Words| {
            let leaf = only_leaf(metadata.file_metadata(), words.position).filter(|&leaf| {
                let column = description.column(leaf);
                column.physical_type() == PhysicalType::BYTE_ARRAY && column.max_rep_level() == 0
            });
            leaf.ok_or_else(|| Error::Format {
                path: path.to_owned(),
                problem: format!(
                    "column `{0}` is said to hold text and holds none; leave it out with `--exclude {0}`",
                    words.name
                ),
            })
        };
        let words = selection.words.iter().map(text).collect::<Result<Vec<usize>>>()?;
        let read: Vec<usize> = leaves.iter().map(|&(leaf, _)| leaf).chain(words.iter().copied()).collect();
        page_sizes::check(open_file(path)?, metadata.row_groups(), &read).map_err(|error| unreadable(path, &error))?;
        Ok(ParquetFile { metadata: Box::new(metadata), selection, leaves, words })
    }

    /// What was left out.
    pub(in crate::data) fn entries(&self) -> &[IntakeEntry] {
        &self.selection.entries
    }

    pub(in crate::data) fn wanted(&self) -> &Wanted {
        &self.selection.wanted
    }

    /// The file as a text, where it has columns of text.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub(in crate::data) fn as_text(&self) -> Result<Option<Vec<u8>>> {
        if self.words.is_empty() {
            return Ok(None);
        }
        let path = &self.wanted().source_name;
        let file = open_file(path)?;
        let read = || {
            let mut columns: Vec<Vec<f64>> = vec![Vec::new(); self.selection.in_batch.len()];
            for batch in ParquetBatches::new(file, &self.metadata, self.leaves.clone()) {
                let batch = batch.map_err(|error| unreadable(path, &error))?;
                for (column, &j) in columns.iter_mut().zip(&self.selection.in_batch) {
                    let values = numbers(batch.column(j)).map_err(|error| unreadable(path, &error))?;
                    column.extend_from_slice(values.values());
                }
            }
            let mut cells: Vec<Cells> = Vec::new();
            for &leaf in &self.words {
                cells.push(words_of(open_file(path)?, &self.metadata, leaf).map_err(|error| unreadable(path, &error))?);
            }
            Ok(written(&self.selection, &columns, &cells))
        };
        caught(path, read).map(Some)
    }

    /// The number of rows, unless rows with missing values are dropped.
    pub(in crate::data) fn row_count(&self) -> Option<usize> {
        match self.wanted().lacking {
            Lacking::Refused => usize::try_from(self.metadata.file_metadata().num_rows()).ok(),
            Lacking::Dropped | Lacking::Kept => None,
        }
    }

    /// The number of rows that the file says it has; where its parts disagree, the larger.
    pub(in crate::data) fn stated_rows(&self) -> usize {
        let metadata = &self.metadata;
        let groups = metadata.row_groups().iter().map(|group| usize::try_from(group.num_rows()).unwrap_or(0));
        let whole = usize::try_from(metadata.file_metadata().num_rows()).unwrap_or(0);
        whole.max(groups.fold(0, usize::saturating_add))
    }

    /// Reads the rows, row group after row group; the batches are cut anew into blocks.
    ///
    /// # Errors
    /// When the file cannot be read, or a value is infinite, or missing where that is not allowed.
    pub(in crate::data) fn decode(&self, emit: &mut Emit<'_>) -> Result<RowCounts> {
        let file = open_file(&self.wanted().source_name)?;
        self.selection.decode(ParquetBatches::new(file, &self.metadata, self.leaves.clone()), emit)
    }

    /// Each column's range from the statistics of the row groups, where every one has them, exact and without nulls.
    /// Never when rows may be dropped: the extremes could stand in a dropped row.
    ///
    /// # Errors
    /// When the statistics cannot be decoded.
    pub(in crate::data) fn known_ranges(&self) -> Result<Option<Vec<(f64, f64)>>> {
        if self.wanted().lacking != Lacking::Refused {
            return Ok(None);
        }
        let ranges = || Ok(self.selection.in_batch.iter().map(|&j| self.known_range(self.leaves[j])).collect());
        caught(&self.wanted().source_name, ranges)
    }

    fn known_range(&self, (leaf, numbers): (usize, Numbers)) -> Option<(f64, f64)> {
        let mut range: Option<(f64, f64)> = None;
        for group in self.metadata.row_groups().iter().filter(|group| group.num_rows() > 0) {
            let statistics = group.column(leaf).statistics().filter(|_| has_exact_range(group, leaf))?;
            let (min, max) = numbers.range(statistics)?;
            if !min.is_finite() || !max.is_finite() {
                return None; // not decoded, or an infinity that reading will report with its row
            }
            range = Some(range.map_or((min, max), |(least, most)| (least.min(min), most.max(max))));
        }
        range
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
