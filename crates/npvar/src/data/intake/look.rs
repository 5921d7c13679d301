//! One look over all rows of a table.

use super::cell::Cell;
use super::column_look::ColumnLook;
use super::missing::Patterns;
use crate::data::Decimal;

/// A cell of a table that a program holds.
pub(crate) enum HeldCell<'f> {
    /// A trimmed text.
    Field(&'f [u8]),
    /// A number; NaN is a missing one.
    Value(f64),
}

/// What a look over the chosen columns of a table shows.
#[derive(Debug, Clone)]
pub(crate) struct TableLook {
    pub(crate) names: Vec<String>,
    pub(super) columns: Vec<ColumnLook>,
    pub(super) patterns: Patterns,
    pub(crate) rows: usize,
    decimal: Decimal,
    /// Whether a cell was not UTF-8.
    pub(crate) is_not_utf8: bool,
}

impl TableLook {
    pub(crate) fn new(names: Vec<String>, decimal: Decimal) -> Self {
        let columns = names.iter().map(|name| ColumnLook::new(name)).collect();
        let patterns = Patterns::new(names.len());
        TableLook { names, columns, patterns, rows: 0, decimal, is_not_utf8: false }
    }

    /// Takes a row: the trimmed cell of every column.
    pub(crate) fn row<'f>(&mut self, field: impl Fn(usize) -> &'f [u8]) {
        self.row_of(|j| HeldCell::Field(field(j)));
    }

    /// Takes a row, some of whose cells are numbers already.
    pub(crate) fn row_of<'f>(&mut self, cell: impl Fn(usize) -> HeldCell<'f>) {
        self.rows += 1;
        for (j, column) in self.columns.iter_mut().enumerate() {
            let found = match cell(j) {
                HeldCell::Field(field) => {
                    let found = column.add(field, self.rows, self.decimal);
                    self.is_not_utf8 |= !found.is_number() && std::str::from_utf8(field).is_err();
                    found
                }
                HeldCell::Value(value) => column.add_value(value),
            };
            if !found.is_number() {
                self.patterns.mark(j, found == Cell::Missing);
            }
        }
        self.patterns.end_row();
    }
}
