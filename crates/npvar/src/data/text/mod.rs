//! Text that is divided into rows and fields by any separator.

mod dialect;
mod encoding;
mod input;
mod records;
mod separator;

use std::io::BufRead;

use self::dialect::{Dialect, not_utf8};
use self::encoding::Encoding;
pub(super) use self::input::TextInput;
use self::records::Records;
use self::separator::Divider;
use super::ReadOptions;
use super::filler::{Emit, Filler, RowCounts, Wanted};
use super::intake::{IntakeEntry, Plan, Reading, TableLook};
use super::options::Strictness;
#[cfg(feature = "parquet")]
use super::options::{Header, Separator};
use super::stamp::changed;
use crate::error::{Error, Result};
use crate::run::Diagnostic;

/// Rows of another length are left out while there is one in this many at most.
const ROWS_PER_RAGGED: usize = 20;

/// The rows of a text that is being read.
type TextRecords<'r> = Records<Box<dyn BufRead + Send + 'r>>;

/// A text whose layout is known.
#[derive(Debug, Clone)]
pub(super) struct TextTable {
    pub(super) input: TextInput,
    dialect: Dialect,
    /// Whether it was written from typed columns that had been chosen.
    pub(super) is_written: bool,
}

/// Rows that have another number of fields than they should.
#[derive(Debug, Default)]
struct Ragged {
    rows: usize,
    /// The first: its number and its fields.
    first: Option<(usize, usize)>,
}

impl TextTable {
    /// Finds the layout.
    ///
    /// # Errors
    /// When the text cannot be read, is empty, or is no text.
    pub(super) fn open(input: TextInput, options: &ReadOptions) -> Result<TextTable> {
        let dialect = Dialect::of(&input, options)?;
        Ok(TextTable { input, dialect, is_written: false })
    }

    /// The same table, with what was done before it was a text.
    pub(super) fn with_entries(mut self, mut entries: Vec<IntakeEntry>) -> TextTable {
        entries.append(&mut self.dialect.entries);
        self.dialect.entries = entries;
        self
    }

    /// A text written from typed columns that have been chosen: plain numbers, words in quotes, commas between.
    ///
    /// # Errors
    /// As [`TextTable::open`].
    #[cfg(feature = "parquet")]
    pub(super) fn written(text: Vec<u8>, path: &str, options: &ReadOptions) -> Result<TextTable> {
        let plain = ReadOptions {
            header: Header::Yes,
            skip_rows: Some(0),
            separator: Separator::Byte(b','),
            ..options.clone()
        };
        Ok(TextTable { is_written: true, ..TextTable::open(TextInput::bytes(text, path), &plain)? })
    }

    /// The names of all columns.
    pub(super) fn names(&self) -> &[String] {
        &self.dialect.names
    }

    /// Whether commas stand between the fields.
    pub(super) fn has_commas_between(&self) -> bool {
        self.dialect.divider == Divider::Byte(b',')
    }

    /// What was done to find the layout.
    pub(super) fn entries(&self) -> Vec<IntakeEntry> {
        let mut entries = self.dialect.entries.clone();
        if self.dialect.encoding != Encoding::Utf8 {
            entries.push(IntakeEntry::table("read as UTF-16", "its first bytes are those of UTF-16"));
        }
        entries
    }

    /// What was noticed.
    pub(super) fn diagnostics(&self) -> &[Diagnostic] {
        &self.dialect.diagnostics
    }

    /// Shows every row to the look, which is over columns of these names; what was done to rows of another length.
    ///
    /// # Errors
    /// When the text cannot be read, or too many rows have another number of fields than the header.
    pub(super) fn look(&self, look: &mut TableLook, options: &ReadOptions) -> Result<Vec<IntakeEntry>> {
        let places = self.places(&look.names);
        let before = look.rows;
        let was_utf8 = !std::mem::take(&mut look.is_not_utf8);
        let ragged = self.rows(&mut |records| {
            look.row(|j| records.field(places[j]));
            Ok(true)
        })?;
        let mut entries = Vec::new();
        if look.is_not_utf8 && !self.dialect.entries.contains(&not_utf8()) {
            entries.push(not_utf8());
        }
        look.is_not_utf8 |= !was_utf8;
        let Some((row, fields)) = ragged.first else { return Ok(entries) };
        let all = look.rows - before + ragged.rows;
        let has = if fields == 1 { "1 field".to_owned() } else { format!("{fields} fields") };
        let model = if self.dialect.is_named { "the header" } else { "the longest row" };
        let problem = format!("row {row} has {has}, {model} has {}", self.dialect.names.len());
        if ragged.rows * ROWS_PER_RAGGED > all || options.strictness == Strictness::Strict {
            return Err(Error::Format { path: self.input.source_name.clone(), problem });
        }
        entries.push(IntakeEntry::table(format!("left out {} of {all} rows", ragged.rows), problem));
        Ok(entries)
    }

    /// Reads the rows by the plan. The counts, or those so far if `emit` broke the reading off.
    ///
    /// # Errors
    /// When the text cannot be read, or a value is missing that was there before.
    pub(super) fn decode(&self, plan: &Plan, emit: &mut Emit<'_>) -> Result<RowCounts> {
        let names: Vec<String> = plan.columns.iter().map(|column| column.name.clone()).collect();
        let fields: Vec<(usize, &Reading)> =
            self.places(&names).into_iter().zip(plan.columns.iter().map(|column| &column.reading)).collect();
        let source_name = self.input.source_name.clone();
        let wanted = Wanted { source_name, names, lacking: plan.lacking, gaps: plan.gap_use };
        let mut filler = Filler::new(&wanted, emit);
        let mut row = vec![0.0; fields.len()];
        self.rows(&mut |records| {
            for (value, (place, reading)) in row.iter_mut().zip(&fields) {
                *value = reading.value(records.field(*place));
            }
            Ok(filler.row(&row)?.is_continue())
        })?;
        Ok(filler.finish())
    }

    /// Where the columns of these names stand in a row.
    fn places(&self, names: &[String]) -> Vec<usize> {
        let place = |name: &String| self.names().iter().position(|known| known == name);
        names.iter().map(|name| place(name).expect("the columns of all files were compared")).collect()
    }

    /// Visits the rows that have as many fields as they should, or empty ones beyond, until the visitor wants no more.
    fn rows(&self, visit: &mut dyn FnMut(&TextRecords<'_>) -> Result<bool>) -> Result<Ragged> {
        let Dialect { encoding, skipped, divider, before_data, .. } = self.dialect;
        let expected = self.dialect.names.len();
        let mut records = Records::new(self.input.text(encoding, skipped)?, divider);
        let (mut ragged, mut number) = (Ragged::default(), 0_usize);
        loop {
            let at = |unread: records::Unread| {
                let row = if number < before_data {
                    "the first line".to_owned()
                } else {
                    format!("row {}", number + 1 - before_data)
                };
                unread.at(&row, &self.input.source_name)
            };
            if !records.advance().map_err(at)? {
                return Ok(ragged);
            }
            number += 1;
            if number == 1 && self.dialect.is_named {
                let header = &self.dialect.header;
                let is_same = records.len() == header.len() && (0..header.len()).all(|j| records.field(j) == header[j]);
                if !is_same {
                    return Err(changed(&self.input.source_name, "its columns are others"));
                }
            }
            if number <= before_data {
                continue;
            }
            let has = records.len();
            if has < expected || (expected..has).any(|j| !records.field(j).is_empty()) {
                ragged.rows += 1;
                ragged.first.get_or_insert((number - before_data, has));
            } else if !visit(&records)? {
                return Ok(ragged);
            }
        }
    }
}

#[cfg(test)]
mod tests;
