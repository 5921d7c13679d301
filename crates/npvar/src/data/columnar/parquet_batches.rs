//! The rows of a Parquet file as batches of doubles, row group after row group.

use std::fs::File;
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, RecordBatch};
use arrow_schema::ArrowError;
use parquet::column::reader::{ColumnReader, get_column_reader};
use parquet::errors::Result;
use parquet::file::metadata::{ParquetMetaData, RowGroupMetaData};
use parquet::file::serialized_reader::SerializedPageReader;

use super::parquet_numbers::Numbers;
use super::words::{Cells, cells_of_parquet};
use crate::data::BLOCK_ROWS;

pub(super) struct ParquetBatches<'a> {
    file: Arc<File>,
    metadata: &'a ParquetMetaData,
    /// The leaves that are read.
    leaves: Vec<(usize, Numbers)>,
    next_group: usize,
    /// The columns of the group before the next, and how many of its rows are left.
    columns: Vec<ColumnReader>,
    left: usize,
}

impl<'a> ParquetBatches<'a> {
    pub(super) fn new(file: File, metadata: &'a ParquetMetaData, leaves: Vec<(usize, Numbers)>) -> ParquetBatches<'a> {
        ParquetBatches { file: Arc::new(file), metadata, leaves, next_group: 0, columns: Vec::new(), left: 0 }
    }

    fn next_batch(&mut self) -> Result<Option<Vec<Vec<f64>>>> {
        while self.left == 0 {
            let Some(group) = self.metadata.row_groups().get(self.next_group) else { return Ok(None) };
            self.next_group += 1;
            self.left = usize::try_from(group.num_rows()).unwrap_or(0);
            self.columns = self.leaves.iter().map(|&(leaf, _)| self.column(group, leaf)).collect::<Result<_>>()?;
        }
        let rows = self.left.min(BLOCK_ROWS);
        self.left -= rows;
        let columns = self.columns.iter_mut().zip(&self.leaves);
        columns.map(|(column, (_, numbers))| numbers.read(column, rows)).collect::<Result<_>>().map(Some)
    }

    fn column(&self, group: &RowGroupMetaData, leaf: usize) -> Result<ColumnReader> {
        self.column_of(group, leaf, self.left)
    }

    fn column_of(&self, group: &RowGroupMetaData, leaf: usize, rows: usize) -> Result<ColumnReader> {
        let chunk = group.column(leaf);
        let pages = SerializedPageReader::new(Arc::clone(&self.file), chunk, rows, None)?;
        Ok(get_column_reader(group.schema_descr().column(leaf), Box::new(pages)))
    }
}

/// All cells of a column of text.
pub(super) fn words_of(file: File, metadata: &ParquetMetaData, leaf: usize) -> Result<Cells> {
    let batches = ParquetBatches::new(file, metadata, Vec::new());
    let mut cells = Vec::new();
    for group in metadata.row_groups() {
        let rows = usize::try_from(group.num_rows()).unwrap_or(0);
        if rows > 0 {
            let mut column = batches.column_of(group, leaf, rows)?;
            cells.extend(cells_of_parquet(&mut column, rows)?);
        }
    }
    Ok(cells)
}

impl Iterator for ParquetBatches<'_> {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let batch = |columns: Vec<Vec<f64>>| {
            let array = |column: Vec<f64>| Arc::new(Float64Array::from(column)) as ArrayRef;
            RecordBatch::try_from_iter(columns.into_iter().map(|column| ("", array(column))))
        };
        match self.next_batch() {
            Ok(columns) => columns.map(batch),
            Err(error) => Some(Err(ArrowError::ParquetError(error.to_string()))),
        }
    }
}
