//! The table to learn from: in memory when it is small, otherwise read block by block.

use anyhow::Result;
use npvar::Diagnostic;
use npvar::data::{Loaded, RowBlocks, Source, checks, open};

use crate::args::ReadArguments;

/// Text files larger than this are read block by block, in memory that does not grow with them. Smaller ones are parsed
/// once and held.
const LARGE_TEXT_BYTES: u64 = 256 << 20;

pub(crate) enum Table {
    Memory(Loaded),
    /// With what its first rows showed.
    Stream(Source, Vec<Diagnostic>),
}

impl Table {
    /// Opens the table at `path`, which is read as the arguments say.
    pub(crate) fn open(path: &str, arguments: &ReadArguments) -> Result<Table> {
        let source = open(path, &arguments.options()).map_err(|error| readable(error, path))?;
        if source.is_columnar() || is_large(path) {
            let first_rows = checks::first_rows(&source).map_err(|error| readable(error, path))?;
            return Ok(Table::Stream(source, first_rows));
        }
        Ok(Table::Memory(source.load().map_err(|error| readable(error, path))?))
    }

    pub(crate) fn rows(&self) -> &dyn RowBlocks {
        match self {
            Table::Memory(loaded) => &loaded.data,
            Table::Stream(source, _) => source,
        }
    }

    /// What was noticed in reading; for a stream, complete once all rows have been read.
    pub(crate) fn diagnostics(&self) -> Vec<Diagnostic> {
        match self {
            Table::Memory(loaded) => loaded.diagnostics.clone(),
            Table::Stream(source, first_rows) => source.diagnostics().into_iter().chain(first_rows.clone()).collect(),
        }
    }
}

/// The table read whole.
pub(crate) fn load(arguments: &ReadArguments) -> Result<Loaded> {
    let path = &arguments.data;
    npvar::data::read(path, &arguments.options()).map_err(|error| readable(error, path))
}

fn is_large(path: &str) -> bool {
    path != "-" && std::fs::metadata(path).is_ok_and(|metadata| metadata.is_file() && metadata.len() > LARGE_TEXT_BYTES)
}

/// Names the file where the library could only say "the table".
pub(crate) fn readable(error: npvar::Error, path: &str) -> anyhow::Error {
    let source_name = || if path == "-" { "standard input".to_owned() } else { path.to_owned() };
    match error {
        npvar::Error::NoRows { .. } => npvar::Error::NoRows { source_name: source_name() }.into(),
        error => error.into(),
    }
}
