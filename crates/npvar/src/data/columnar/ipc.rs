//! Arrow IPC files (Feather version 2), read block by block.

use std::fs::File;
use std::io::BufReader;

use arrow_ipc::reader::FileReader;

use super::damaged::{caught, check_blocks, unreadable};
use super::selection::ColumnSelection;
use crate::data::ReadOptions;
use crate::data::intake::IntakeEntry;
use crate::data::filler::{Emit, RowCounts, Wanted};
use crate::data::paths::open_file;
use crate::error::Result;

/// An Arrow IPC file whose schema has been read.
#[derive(Debug)]
pub(in crate::data) struct IpcFile {
    selection: ColumnSelection,
}

impl IpcFile {
    /// Reads the schema.
    ///
    /// # Errors
    /// When the file cannot be read, or the chosen columns are not there or not numeric.
    pub(in crate::data) fn open(path: &str, options: &ReadOptions) -> Result<IpcFile> {
        let schema = reader(path, None)?.schema();
        Ok(IpcFile { selection: ColumnSelection::new(&schema, path, options)? })
    }

    /// What was left out.
    pub(in crate::data) fn entries(&self) -> &[IntakeEntry] {
        &self.selection.entries
    }

    pub(in crate::data) fn wanted(&self) -> &Wanted {
        &self.selection.wanted
    }

    /// Reads the rows.
    ///
    /// # Errors
    /// When the file cannot be read, or a value is infinite, or missing where that is not allowed.
    pub(in crate::data) fn decode(&self, emit: &mut Emit<'_>) -> Result<RowCounts> {
        let batches = reader(&self.wanted().source_name, Some(self.selection.in_file.clone()))?;
        self.selection.decode(batches, emit)
    }
}

fn reader(path: &str, columns: Option<Vec<usize>>) -> Result<FileReader<BufReader<File>>> {
    let file = open_file(path)?;
    check_blocks(path, &file)?;
    caught(path, || FileReader::try_new_buffered(file, columns).map_err(|error| unreadable(path, &error)))
}
