//! The table that R gives: paths of files, or columns of numbers and words.

use npvar::Diagnostic;
use npvar::data::{HeldColumn, IntakeEntry, Loaded, ReadOptions, RowBlocks, Table, Tabular, take_in};

/// A table as R gave it, copied, so that another thread may read it.
#[derive(Default)]
pub(crate) struct Given {
    /// Without any, the table stands in the columns.
    pub(crate) files: Vec<String>,
    pub(crate) names: Vec<String>,
    pub(crate) columns: Vec<Column>,
}

/// The values of one column; NaN and nothing stand for a missing one.
pub(crate) enum Column {
    Numbers(Vec<f64>),
    Words(Vec<Option<String>>),
}

impl Given {
    /// # Errors
    /// What the table or its values came upon.
    pub(crate) fn open(&self, options: &ReadOptions) -> npvar::Result<Opened> {
        if !self.files.is_empty() {
            return Table::open(&self.files, options).map(Opened::File);
        }
        let columns: Vec<HeldColumn<'_>> = self.columns.iter().map(Column::held).collect();
        take_in(&self.names, &columns, options).map(Opened::Columns)
    }
}

impl Column {
    fn held(&self) -> HeldColumn<'_> {
        match self {
            Column::Numbers(values) => HeldColumn::Numbers(values),
            Column::Words(words) => HeldColumn::Words(words),
        }
    }
}

/// A table that is ready to be read.
pub(crate) enum Opened {
    File(Table),
    Columns(Loaded),
}

impl Opened {
    fn tabular(&self) -> &dyn Tabular {
        match self {
            Opened::File(table) => table,
            Opened::Columns(loaded) => loaded,
        }
    }
}

impl Tabular for Opened {
    fn rows(&self) -> &dyn RowBlocks {
        self.tabular().rows()
    }

    fn diagnostics(&self) -> Vec<Diagnostic> {
        self.tabular().diagnostics()
    }

    fn intake(&self) -> Vec<IntakeEntry> {
        self.tabular().intake()
    }
}
