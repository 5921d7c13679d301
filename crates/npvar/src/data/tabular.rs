//! What can be learned from: rows, and what was noticed in reading them.

use super::blocks::RowBlocks;
use super::dataset::Dataset;
use super::intake::IntakeEntry;
use super::source::Loaded;
use super::table::Table;
use crate::run::Diagnostic;

/// A table, wherever it is held.
pub trait Tabular {
    /// Its rows.
    fn rows(&self) -> &dyn RowBlocks;

    /// What was noticed in reading; for a stream, complete once all rows have been read.
    fn diagnostics(&self) -> Vec<Diagnostic>;

    /// What was done to the table to read it as numbers.
    fn intake(&self) -> Vec<IntakeEntry> {
        Vec::new()
    }
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

    fn intake(&self) -> Vec<IntakeEntry> {
        self.intake.clone()
    }
}

impl Tabular for Table {
    fn rows(&self) -> &dyn RowBlocks {
        match self {
            Table::Memory(loaded) => &loaded.data,
            Table::Stream(source, _) => source.as_ref(),
        }
    }

    fn diagnostics(&self) -> Vec<Diagnostic> {
        match self {
            Table::Memory(loaded) => loaded.diagnostics.clone(),
            Table::Stream(source, first_rows) => source.diagnostics().into_iter().chain(first_rows.clone()).collect(),
        }
    }

    fn intake(&self) -> Vec<IntakeEntry> {
        match self {
            Table::Memory(loaded) => loaded.intake.clone(),
            Table::Stream(source, _) => source.intake().to_vec(),
        }
    }
}
