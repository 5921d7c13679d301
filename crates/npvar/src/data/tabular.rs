//! What can be learned from: rows, and what was noticed in reading them.

use super::blocks::RowBlocks;
use super::dataset::Dataset;
use super::source::Loaded;
use super::table::Table;
use crate::run::Diagnostic;

/// A table, wherever it is held.
pub trait Tabular {
    /// Its rows.
    fn rows(&self) -> &dyn RowBlocks;

    /// What was noticed in reading; for a stream, complete once all rows have been read.
    fn diagnostics(&self) -> Vec<Diagnostic>;
}

impl Tabular for Dataset {
    fn rows(&self) -> &dyn RowBlocks {
        self
    }

    /// Nothing was read.
    fn diagnostics(&self) -> Vec<Diagnostic> {
        Vec::new()
    }
}

impl Tabular for Loaded {
    fn rows(&self) -> &dyn RowBlocks {
        &self.data
    }

    fn diagnostics(&self) -> Vec<Diagnostic> {
        self.diagnostics.clone()
    }
}

impl Tabular for Table {
    fn rows(&self) -> &dyn RowBlocks {
        match self {
            Table::Memory(loaded) => &loaded.data,
            Table::Stream(source, _) => source,
        }
    }

    fn diagnostics(&self) -> Vec<Diagnostic> {
        match self {
            Table::Memory(loaded) => loaded.diagnostics.clone(),
            Table::Stream(source, first_rows) => source.diagnostics().into_iter().chain(first_rows.clone()).collect(),
        }
    }
}
