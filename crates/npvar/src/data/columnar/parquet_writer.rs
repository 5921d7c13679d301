//! Tables written to Parquet block by block.

use std::fs::File;
use std::io::BufWriter;
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;

use crate::data::Block;
use crate::error::{Error, Result};

/// Writes a table of numbers to a Parquet file, block by block, so that it may be larger than memory.
///
/// ```
/// use npvar::data::{Dataset, ParquetWriter, ReadOptions, RowBlocks, read};
/// let directory = tempfile::tempdir().unwrap();
/// let path = directory.path().join("data.parquet");
/// let path = path.to_str().unwrap();
/// let data = Dataset::new(vec!["a".into(), "b".into()], vec![vec![0.1, 0.2], vec![1.0, 0.0]])?;
/// let mut writer = ParquetWriter::create(path, data.names())?;
/// data.for_each_block(&mut |block| writer.write(block))?;
/// writer.finish()?;
/// assert_eq!(read(path, &ReadOptions::default())?.data, data);
/// # Ok::<(), npvar::Error>(())
/// ```
pub struct ParquetWriter {
    path: String,
    schema: Arc<Schema>,
    writer: ArrowWriter<BufWriter<File>>,
}

impl ParquetWriter {
    /// Begins a file with these columns, replacing one that exists.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn create(path: &str, names: &[String]) -> Result<ParquetWriter> {
        let file = File::create(path).map_err(|source| Error::Io { path: path.to_owned(), source })?;
        let fields: Vec<Field> = names.iter().map(|name| Field::new(name, DataType::Float64, false)).collect();
        let schema = Arc::new(Schema::new(fields));
        // Measurements seldom repeat: a dictionary would be built in vain.
        let properties = WriterProperties::builder().set_dictionary_enabled(false).build();
        let writer = ArrowWriter::try_new(BufWriter::new(file), Arc::clone(&schema), Some(properties))
            .map_err(|error| unwritable(path, error))?;
        Ok(ParquetWriter { path: path.to_owned(), schema, writer })
    }

    /// Appends the block's rows.
    ///
    /// # Errors
    /// When the block has other columns than the file, or the file cannot be written.
    pub fn write(&mut self, block: &Block<'_>) -> Result<()> {
        let column = |values: &&[f64]| Arc::new(Float64Array::from(values.to_vec())) as ArrayRef;
        RecordBatch::try_new(Arc::clone(&self.schema), block.columns.iter().map(column).collect())
            .map_err(ParquetError::from)
            .and_then(|batch| self.writer.write(&batch))
            .map_err(|error| unwritable(&self.path, error))
    }

    /// Writes the footer; without it the file cannot be read.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn finish(self) -> Result<()> {
        let ParquetWriter { path, writer, .. } = self;
        let buffer = writer.into_inner().map_err(|error| unwritable(&path, error))?;
        buffer.into_inner().map(drop).map_err(|error| Error::Io { path, source: error.into_error() })
    }
}

fn unwritable(path: &str, error: ParquetError) -> Error {
    Error::Io { path: path.to_owned(), source: std::io::Error::other(error) }
}
