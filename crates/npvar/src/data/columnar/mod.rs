//! Parquet and Arrow files: columns of typed values.

mod damaged;
mod ipc;
mod numbers;
mod page_sizes;
mod parquet;
mod parquet_batches;
mod parquet_numbers;
mod parquet_schema;
mod parquet_writer;
mod selection;
mod words;

pub(super) use self::ipc::IpcFile;
pub(super) use self::parquet::ParquetFile;
pub use self::parquet_writer::ParquetWriter;

#[cfg(test)]
mod tests;
