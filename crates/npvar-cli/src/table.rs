//! The table to learn from, opened as the arguments say.

use anyhow::Result;
use npvar::data::{Loaded, Table, open_all};

use crate::args::ReadArguments;

/// Opens the table at `paths`, which is read as the arguments say.
pub(crate) fn open(paths: &[String], arguments: &ReadArguments) -> Result<Table> {
    Table::open(paths, &arguments.options()).map_err(|error| readable(error, paths))
}

/// The table read whole.
pub(crate) fn load(arguments: &ReadArguments) -> Result<Loaded> {
    let paths = &arguments.data;
    open_all(paths, &arguments.options()).and_then(|source| source.load()).map_err(|error| readable(error, paths))
}

/// Names the file where the library could only say "the table".
pub(crate) fn readable(error: npvar::Error, paths: &[impl AsRef<str>]) -> anyhow::Error {
    let source_name = || {
        let paths: Vec<&str> = paths.iter().map(AsRef::as_ref).collect();
        if paths == ["-"] { "standard input".to_owned() } else { paths.join(", ") }
    };
    match error {
        npvar::Error::NoRows { .. } => npvar::Error::NoRows { source_name: source_name() }.into(),
        error => error.into(),
    }
}
