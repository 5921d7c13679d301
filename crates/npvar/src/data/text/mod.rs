//! Comma-, semicolon-, tab- and whitespace-separated text.

mod field;
mod records;
mod separator;

use std::io::Read;

use self::field::{has_decimal_comma, number};
use self::records::{Records, Unread};
use self::separator::BEGINNING;
use super::filler::{Emit, Filler, RowCounts, Wanted};
use super::{Header, ReadOptions};
use crate::error::{Error, Result};
use crate::run::Diagnostic;

/// A text whose header has been read and whose rows are to come.
pub(super) struct TextTable<'r> {
    pub(super) wanted: Wanted,
    pub(super) diagnostics: Vec<Diagnostic>,
    records: Records<Box<dyn Read + Send + 'r>>,
    header: Header,
    /// Fields in each row.
    fields: usize,
    /// Which fields are wanted.
    positions: Vec<usize>,
}

impl<'r> TextTable<'r> {
    /// Finds the separator and the column names.
    ///
    /// # Errors
    /// When the text is empty or not UTF-8, or the names do not fit the choice of columns.
    pub(super) fn begin(
        mut input: impl Read + Send + 'r,
        source_name: &str,
        options: &ReadOptions,
    ) -> Result<TextTable<'r>> {
        let in_file = |source| Error::Io { path: source_name.to_owned(), source };
        let format = |problem: &str| Error::Format { path: source_name.to_owned(), problem: problem.to_owned() };

        let mut beginning = Vec::new();
        input.by_ref().take(BEGINNING as u64).read_to_end(&mut beginning).map_err(in_file)?;
        if beginning.starts_with(&[0xff, 0xfe]) || beginning.starts_with(&[0xfe, 0xff]) {
            return Err(format("the text is encoded as UTF-16; save it as UTF-8"));
        }
        let divider = separator::resolve(options.separator, &beginning);
        let byte_order_mark = if beginning.starts_with("\u{feff}".as_bytes()) { 3 } else { 0 };
        beginning.drain(..byte_order_mark);
        let whole: Box<dyn Read + Send + 'r> = Box::new(std::io::Cursor::new(beginning).chain(input));
        let mut records = Records::new(whole, divider);
        if !records.advance().map_err(|unread| unread.at("the first line", source_name))? {
            return Err(format("the file is empty"));
        }

        let mut diagnostics = Vec::new();
        let fields = records.len();
        let names = names(&records, options.header);
        let numeric = options.header == Header::Yes
            && (0..fields).all(|j| number(records.field(j)).is_some_and(|value| !value.is_nan()));
        let positions = match options.columns.positions(&names, source_name) {
            Err(Error::DuplicateName { name, .. }) if numeric => {
                return Err(format(&format!(
                    "the header repeats `{name}`; if the file has no header, use `--no-header`"
                )));
            }
            positions => positions?,
        };
        if numeric {
            diagnostics.push(Diagnostic::warning(
                "numeric-header",
                format!(
                    "the first row of {source_name} holds only numbers and was read as column names; if it is data, use `--no-header`"
                ),
            ));
        }
        let wanted = Wanted {
            source_name: source_name.to_owned(),
            names: positions.iter().map(|&j| names[j].clone()).collect(),
            missing: options.missing,
        };
        Ok(TextTable { wanted, diagnostics, records, header: options.header, fields, positions })
    }

    /// Reads the rows. The counts, or those so far if `emit` broke the reading off.
    ///
    /// # Errors
    /// When a row has too few or too many fields, or a wanted field is not a finite number.
    pub(super) fn decode(mut self, emit: &mut Emit<'_>) -> Result<RowCounts> {
        let wanted = &self.wanted;
        let mut filler = Filler::new(wanted, emit);
        let mut row = vec![0.0; self.positions.len()];
        let mut first_row_waits = self.header == Header::No;
        let row_at = |row: usize| move |unread: Unread| unread.at(&format!("row {row}"), &wanted.source_name);
        while first_row_waits || self.records.advance().map_err(row_at(filler.next_row()))? {
            first_row_waits = false;
            if self.records.len() != self.fields {
                return Err(ragged(wanted, filler.next_row(), self.records.len(), self.header, self.fields));
            }
            for (j, (value, &position)) in row.iter_mut().zip(&self.positions).enumerate() {
                let field = self.records.field(position);
                *value = number(field).ok_or_else(|| not_a_number(wanted, filler.next_row(), j, field))?;
            }
            if filler.row(&row)?.is_break() {
                break;
            }
        }
        Ok(filler.finish())
    }
}

fn names<R: Read>(records: &Records<R>, header: Header) -> Vec<String> {
    (0..records.len())
        .map(|j| match header {
            Header::No => format!("X{}", j + 1),
            // Row names written without a heading, as by pandas.
            Header::Yes if records.field(j).is_empty() => format!("unnamed_{}", j + 1),
            Header::Yes => String::from_utf8_lossy(records.field(j)).into_owned(),
        })
        .collect()
}

fn ragged(wanted: &Wanted, row: usize, got: usize, header: Header, expected: usize) -> Error {
    let has = if got == 1 { "1 field".to_owned() } else { format!("{got} fields") };
    let model = match header {
        Header::Yes => "the header",
        Header::No => "the first row",
    };
    Error::Format { path: wanted.source_name.clone(), problem: format!("row {row} has {has}, {model} has {expected}") }
}

fn not_a_number(wanted: &Wanted, row: usize, j: usize, field: &[u8]) -> Error {
    const SHOWN: usize = 40;
    let (source_name, column) = (wanted.source_name.clone(), wanted.names[j].clone());
    let mut value = String::from_utf8_lossy(field).into_owned();
    if has_decimal_comma(field) {
        let problem =
            format!("row {row}, column `{column}`: `{value}` has a decimal comma, but a decimal point is expected");
        return Error::Format { path: source_name, problem };
    }
    if let Some((cut, _)) = value.char_indices().nth(SHOWN) {
        value.truncate(cut);
        value.push('…');
    }
    Error::NotANumber { source_name, row, column, value }
}

#[cfg(test)]
mod tests;
