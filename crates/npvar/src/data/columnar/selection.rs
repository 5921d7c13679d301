//! Which columns of a typed file are read, and batches of them as blocks.

use arrow_array::{Float64Array, RecordBatch};
use arrow_schema::{ArrowError, DataType, Schema};

use super::damaged::{caught, unreadable};
use super::numbers::numbers;
use crate::data::GapUse;
use crate::data::filler::{Emit, Filler, Lacking, RowCounts, Wanted};
use crate::data::intake::{IntakeEntry, clean};
use crate::data::options::{ColumnChoice, Missing, ReadOptions, Strictness};
use crate::error::{Error, Result};

/// The numeric columns to read from batches of typed columns.
#[derive(Debug, Clone)]
pub(super) struct ColumnSelection {
    pub(super) wanted: Wanted,
    /// Positions in the file, increasing: the columns a batch has.
    pub(super) in_file: Vec<usize>,
    /// For each wanted column, its position in a batch.
    pub(super) in_batch: Vec<usize>,
    /// Columns of text, which make the file one that is read as a text is.
    pub(super) words: Vec<Words>,
    /// What was left out.
    pub(super) entries: Vec<IntakeEntry>,
}

/// A column of text.
#[derive(Debug, Clone)]
pub(super) struct Words {
    /// How many of the chosen columns of numbers stand before it.
    pub(super) before: usize,
    /// Its position in the file.
    pub(super) position: usize,
    pub(super) name: String,
}

/// Whether all values of a file can be held in memory at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Size {
    /// They can.
    Held,
    /// They are too many.
    Large,
}

fn is_text(kind: &str) -> bool {
    matches!(kind, "text" | "categories")
}

impl ColumnSelection {
    /// Chooses columns of numbers, and says what became of the others.
    ///
    /// # Errors
    /// When a column does not exist, one that was asked for holds no numbers, or fewer than two do.
    pub(super) fn new(schema: &Schema, path: &str, options: &ReadOptions, size: Size) -> Result<ColumnSelection> {
        let names: Vec<String> = schema.fields().iter().map(|field| clean(field.name())).collect();
        if options.missing == Missing::DropColumns {
            let problem = "`--missing drop-columns` is for text files; name the columns with `--exclude`".to_owned();
            return Err(Error::Format { path: path.to_owned(), problem });
        }
        let chosen = options.columns.positions(&names, path)?;
        let (mut positions, mut words, mut entries) = (Vec::new(), Vec::new(), Vec::new());
        for position in chosen {
            let field = schema.field(position);
            match kind_unless_numeric(field.data_type()) {
                None => positions.push(position),
                Some("text" | "categories") if size == Size::Held => words.push((positions.len(), position)),
                Some(kind) => {
                    let large = if is_text(kind) { ", and the file is too large to look at them all" } else { "" };
                    let why = format!("it holds {kind} ({}), not numbers{large}", field.data_type());
                    entries.push(IntakeEntry::column(&names[position], "left out", why));
                }
            }
        }
        let asked = matches!(options.columns, ColumnChoice::Only(_)) || options.strictness == Strictness::Strict;
        if !entries.is_empty() && asked || positions.len() + words.len() < 2 {
            let usable: Vec<String> = positions.iter().map(|&position| names[position].clone()).collect();
            let instead = ReadOptions { columns: ColumnChoice::Only(usable), ..options.clone() };
            return Err(Error::Unusable {
                source_name: path.to_owned(),
                problems: entries.iter().map(IntakeEntry::to_string).collect(),
                instead: (positions.len() >= 2).then(|| instead.words()),
            });
        }
        let mut in_file = positions.clone();
        in_file.sort_unstable();
        let in_batch = positions.iter().map(|position| in_file.partition_point(|other| other < position)).collect();
        let all = names.clone();
        let names = positions.iter().map(|&position| names[position].clone()).collect();
        let lacking = match options.missing {
            Missing::Error => Lacking::Refused,
            Missing::Impute | Missing::Pairwise => Lacking::Kept,
            Missing::Auto | Missing::DropRows | Missing::DropColumns => Lacking::Dropped,
        };
        let gaps = if options.missing == Missing::Pairwise { GapUse::Skipped } else { GapUse::Imputed };
        let wanted = Wanted { source_name: path.to_owned(), names, lacking, gaps };
        let words = words
            .into_iter()
            .map(|(before, position)| Words { before, position, name: all[position].clone() })
            .collect();
        Ok(ColumnSelection { wanted, in_file, in_batch, words, entries })
    }

    /// Turns batches of any size into blocks.
    pub(super) fn decode(
        &self,
        mut batches: impl Iterator<Item = Result<RecordBatch, ArrowError>>,
        emit: &mut Emit<'_>,
    ) -> Result<RowCounts> {
        let mut filler = Filler::new(&self.wanted, emit);
        let path = &self.wanted.source_name;
        let mut next = || -> Result<Option<Vec<Float64Array>>> {
            let batch = batches.next().transpose().map_err(|error| unreadable(path, &error))?;
            let columns = |batch: RecordBatch| self.in_batch.iter().map(|&j| numbers(batch.column(j))).collect();
            batch.map(columns).transpose().map_err(|error| unreadable(path, &error))
        };
        while let Some(columns) = caught(path, &mut next)? {
            let slices: Vec<&[f64]> = columns.iter().map(|column| &column.values()[..]).collect();
            if filler.rows(&slices)?.is_break() {
                break;
            }
        }
        Ok(filler.finish())
    }
}

/// What a column that cannot be used holds, in words.
pub(super) fn kind_unless_numeric(data_type: &DataType) -> Option<&'static str> {
    match data_type {
        DataType::Boolean => None,
        numeric if numeric.is_numeric() => None,
        DataType::Dictionary(_, values) => match kind_unless_numeric(values)? {
            "text" => Some("categories"),
            kind => Some(kind),
        },
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Some("text"),
        DataType::Date32 | DataType::Date64 => Some("dates"),
        DataType::Timestamp(_, _) => Some("timestamps"),
        DataType::Time32(_) | DataType::Time64(_) => Some("times of day"),
        DataType::Duration(_) | DataType::Interval(_) => Some("durations"),
        DataType::Null => Some("nothing"),
        _ => Some("values"),
    }
}
