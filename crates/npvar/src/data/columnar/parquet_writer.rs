//! Tables written to Parquet block by block.

use std::fs::File;
use std::io::BufWriter;
use std::sync::Arc;

use parquet::basic::{Repetition, Type as PhysicalType};
use parquet::data_type::DoubleType;
use parquet::errors::{ParquetError, Result as Written};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;

use crate::data::Block;
use crate::error::{Error, Result};

/// Rows of a row group, which is held in memory until it is written: a megabyte a column.
const GROUP_ROWS: usize = 1 << 17;

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
    writer: SerializedFileWriter<BufWriter<File>>,
    /// The columns of the group to be written.
    group: Vec<Vec<f64>>,
}

impl ParquetWriter {
    /// Begins a file with these columns, replacing one that exists.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn create(path: &str, names: &[String]) -> Result<ParquetWriter> {
        let file = File::create(path).map_err(|source| Error::Io { path: path.to_owned(), source })?;
        let begin = || {
            let column = |name: &String| {
                let column = Type::primitive_type_builder(name, PhysicalType::DOUBLE);
                column.with_repetition(Repetition::REQUIRED).build().map(Arc::new)
            };
            let columns = names.iter().map(column).collect::<Written<Vec<_>>>()?;
            let schema = Type::group_type_builder("schema").with_fields(columns).build()?;
            // Measurements seldom repeat: a dictionary would be built in vain.
            let properties = WriterProperties::builder().set_dictionary_enabled(false).build();
            SerializedFileWriter::new(BufWriter::new(file), Arc::new(schema), Arc::new(properties))
        };
        let writer = begin().map_err(|error| unwritable(path, error))?;
        Ok(ParquetWriter { path: path.to_owned(), writer, group: vec![Vec::new(); names.len()] })
    }

    /// Appends the block's rows.
    ///
    /// # Errors
    /// When the block has other columns than the file, or the file cannot be written.
    pub fn write(&mut self, block: &Block<'_>) -> Result<()> {
        if block.columns.len() != self.group.len() {
            let problem = format!("a block of {} columns for a file of {}", block.columns.len(), self.group.len());
            return Err(unwritable(&self.path, ParquetError::General(problem)));
        }
        for (column, values) in self.group.iter_mut().zip(&block.columns) {
            column.extend_from_slice(values);
        }
        if self.group.first().is_some_and(|column| column.len() >= GROUP_ROWS) { self.write_group() } else { Ok(()) }
    }

    fn write_group(&mut self) -> Result<()> {
        let mut write = || -> Written<()> {
            let mut group = self.writer.next_row_group()?;
            for values in &mut self.group {
                let mut column = group.next_column()?.expect("the group has a column for each of the file's");
                column.typed::<DoubleType>().write_batch(values, None, None)?;
                column.close()?;
                values.clear();
            }
            group.close().map(drop)
        };
        write().map_err(|error| unwritable(&self.path, error))
    }

    /// Writes the footer; without it the file cannot be read.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn finish(mut self) -> Result<()> {
        if self.group.first().is_some_and(|column| !column.is_empty()) {
            self.write_group()?;
        }
        let ParquetWriter { path, writer, .. } = self;
        let buffer = writer.into_inner().map_err(|error| unwritable(&path, error))?;
        buffer.into_inner().map(drop).map_err(|error| Error::Io { path, source: error.into_error() })
    }
}

fn unwritable(path: &str, error: ParquetError) -> Error {
    Error::Io { path: path.to_owned(), source: std::io::Error::other(error) }
}
