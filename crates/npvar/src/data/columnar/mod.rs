//! Parquet and Arrow files: columns of typed values.

mod damaged;
mod ipc;
mod page_sizes;
mod parquet;
mod parquet_writer;

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Array, ArrayRef, Float64Array, RecordBatch};
use arrow_cast::cast;
use arrow_schema::{ArrowError, DataType, Schema};

pub(super) use self::ipc::IpcFile;
pub(super) use self::parquet::ParquetFile;
pub use self::parquet_writer::ParquetWriter;
use super::ReadOptions;
use super::filler::{Emit, Filler, RowCounts, Wanted};
use crate::error::{Error, Result};

/// The numeric columns to read from batches of typed columns.
#[derive(Debug, Clone)]
struct Selection {
    wanted: Wanted,
    /// Positions in the file, increasing: the columns a batch has.
    in_file: Vec<usize>,
    /// For each wanted column, its position in a batch.
    in_batch: Vec<usize>,
}

impl Selection {
    /// Chooses columns and makes sure that they hold numbers.
    fn new(schema: &Schema, path: &str, options: &ReadOptions) -> Result<Selection> {
        let names: Vec<String> = schema.fields().iter().map(|field| field.name().clone()).collect();
        let positions = options.columns.positions(&names, path)?;
        for &position in &positions {
            let field = schema.field(position);
            if let Some(kind) = kind_unless_numeric(field.data_type()) {
                let (name, data_type) = (field.name(), field.data_type());
                let problem = format!(
                    "column `{name}` holds {kind} ({data_type}), not numbers; leave it out with `--exclude {name}`"
                );
                return Err(Error::Format { path: path.to_owned(), problem });
            }
        }
        let mut in_file = positions.clone();
        in_file.sort_unstable();
        let in_batch = positions.iter().map(|position| in_file.partition_point(|other| other < position)).collect();
        let names = positions.iter().map(|&position| names[position].clone()).collect();
        let wanted = Wanted { source_name: path.to_owned(), names, missing: options.missing };
        Ok(Selection { wanted, in_file, in_batch })
    }

    /// Turns batches of any size into blocks.
    fn decode(
        &self,
        mut batches: impl Iterator<Item = Result<RecordBatch, ArrowError>>,
        emit: &mut Emit<'_>,
    ) -> Result<RowCounts> {
        let mut filler = Filler::new(&self.wanted, emit);
        let path = &self.wanted.source_name;
        let mut next = || -> Result<Option<Vec<Float64Array>>> {
            let batch = batches.next().transpose().map_err(|error| unreadable(path, &error))?;
            let columns = |batch: RecordBatch| self.in_batch.iter().map(|&j| numbers(batch.column(j))).collect();
            batch.map(columns).transpose().map_err(|error| unreadable(path, &error))
        };
        while let Some(columns) = damaged::caught(path, &mut next)? {
            let slices: Vec<&[f64]> = columns.iter().map(|column| &column.values()[..]).collect();
            if filler.rows(&slices)?.is_break() {
                break;
            }
        }
        Ok(filler.finish())
    }
}

/// The values of a numeric column, NaN for null.
fn numbers(column: &ArrayRef) -> Result<Float64Array, ArrowError> {
    let column = cast(column, &DataType::Float64)?;
    let column = column.as_primitive::<Float64Type>();
    Ok(match column.null_count() {
        0 => column.clone(),
        _ => column.iter().map(|value| value.unwrap_or(f64::NAN)).collect::<Vec<f64>>().into(),
    })
}

/// What a column that cannot be used holds, in words.
fn kind_unless_numeric(data_type: &DataType) -> Option<&'static str> {
    match data_type {
        DataType::Boolean => None,
        numeric if numeric.is_numeric() => None,
        DataType::Dictionary(_, values) => match kind_unless_numeric(values)? {
            "text" => Some("categories"),
            kind => Some(kind),
        },
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Some("text"),
        DataType::Date32 | DataType::Date64 => Some("dates"),
        DataType::Timestamp(_, _) => Some("timestamps"),
        DataType::Time32(_) | DataType::Time64(_) => Some("times of day"),
        DataType::Duration(_) | DataType::Interval(_) => Some("durations"),
        DataType::Null => Some("nothing"),
        _ => Some("values"),
    }
}

fn unreadable(path: &str, error: &dyn std::error::Error) -> Error {
    Error::Format { path: path.to_owned(), problem: format!("the file cannot be read ({error})") }
}

#[cfg(test)]
mod tests;
