//! What one path leads to, and the one plan by which texts are read.

use std::sync::Arc;

use super::opened::{Origin, Source, TextFile};
#[cfg(feature = "parquet")]
use crate::data::columnar::{IpcFile, ParquetFile};
use crate::data::format::{Format, format};
use crate::data::intake::{IntakeEntry, Surroundings, TableLook};
use crate::data::options::Strictness;
use crate::data::paths::open_file;
use crate::data::spreadsheet;
use crate::data::stamp::Stamp;
use crate::data::text::{TextInput, TextTable};
use crate::data::{Decimal, ReadOptions};
use crate::error::{Error, Result};

/// What a path leads to.
pub(super) enum Kind {
    Text(TextTable),
    #[cfg(feature = "parquet")]
    Columns(Box<Origin>, Vec<IntakeEntry>),
}

impl Kind {
    /// Opens the file as far as is needed to know its format; of a text, its layout.
    pub(super) fn of(path: &str, options: &ReadOptions) -> Result<Kind> {
        if path == "-" {
            let input = TextInput::read_once(std::io::stdin(), "standard input")?;
            return TextTable::open(input, options).map(Kind::Text);
        }
        let file = open_file(path)?;
        let metadata = file.metadata().map_err(|source| Error::Io { path: path.to_owned(), source })?;
        if !metadata.is_file() {
            return TextTable::open(TextInput::read_once(file, path)?, options).map(Kind::Text);
        }
        match format(path, &file)? {
            Format::Text => TextTable::open(TextInput::file(path), options).map(Kind::Text),
            Format::Spreadsheet => {
                let (text, entries) = spreadsheet::to_text(path)?;
                let table = TextTable::open(TextInput::bytes(text, path), options)?;
                Ok(Kind::Text(table.with_entries(entries)))
            }
            #[cfg(feature = "parquet")]
            Format::Parquet => {
                let file = ParquetFile::open(path, options)?;
                Kind::of_columns(file.as_text()?, file.entries().to_vec(), path, options, || Origin::Parquet(file))
            }
            #[cfg(feature = "parquet")]
            Format::Arrow => {
                let file = IpcFile::open(path, options)?;
                Kind::of_columns(file.as_text()?, file.entries().to_vec(), path, options, || Origin::Arrow(file))
            }
            #[cfg(not(feature = "parquet"))]
            Format::Parquet | Format::Arrow => {
                let problem = "this build does not read Parquet or Arrow files".to_owned();
                Err(Error::Format { path: path.to_owned(), problem })
            }
        }
    }
}

#[cfg(feature = "parquet")]
impl Kind {
    /// A file of typed columns: read in place, or as a text where some of them are words.
    fn of_columns(
        text: Option<Vec<u8>>,
        entries: Vec<IntakeEntry>,
        path: &str,
        options: &ReadOptions,
        in_place: impl FnOnce() -> Origin,
    ) -> Result<Kind> {
        let Some(text) = text else { return Ok(Kind::Columns(Box::new(in_place()), entries)) };
        TextTable::written(text, path, options).map(|table| Kind::Text(table.with_entries(entries)))
    }
}

pub(super) fn open_one(path: &str, options: &ReadOptions) -> Result<Source> {
    let stamp = if path == "-" { None } else { Some(Stamp::of(path)?) };
    let (origin, intake) = match Kind::of(path, options)? {
        Kind::Text(table) => {
            let files = planned(vec![table], path, options)?;
            return files.into_iter().next().ok_or_else(|| Error::NoRows { source_name: path.to_owned() });
        }
        #[cfg(feature = "parquet")]
        Kind::Columns(origin, entries) => (*origin, entries),
    };
    Ok(Source::new(origin, Vec::new(), intake, stamp))
}

/// One look over all texts, and one plan by which all of them are read.
pub(super) fn planned(tables: Vec<TextTable>, written: &str, options: &ReadOptions) -> Result<Vec<Source>> {
    let mut stamps = Vec::new();
    for table in &tables {
        stamps.push(table.input.is_file().then(|| Stamp::of(&table.input.source_name)).transpose()?);
    }
    let chosen = |table: &TextTable| -> Result<Vec<String>> {
        if table.is_written {
            return Ok(table.names().to_vec());
        }
        let positions = options.columns.positions(table.names(), &table.input.source_name)?;
        Ok(positions.into_iter().map(|position| table.names()[position].clone()).collect())
    };
    let names = chosen(&tables[0])?;
    for table in &tables[1..] {
        check_same(&chosen(table)?, &table.input.source_name, (&names, &tables[0].input.source_name))?;
    }
    // Numbers that we wrote ourselves have points.
    let decimal = if tables.iter().any(|table| table.is_written) { Decimal::Point } else { options.decimal };
    let options = &ReadOptions { decimal, ..options.clone() };
    let mut look = TableLook::new(names, options.decimal);
    let mut done = Vec::new();
    for table in &tables {
        let mut entries = table.entries();
        entries.extend(table.look(&mut look, options)?);
        done.push(entries);
    }
    let source_name = if let [table] = &tables[..] { &table.input.source_name } else { written };
    let commas_between = tables.iter().all(TextTable::has_commas_between);
    let plan = look.plan(source_name, options, Surroundings { commas_between })?;
    if options.strictness == Strictness::Strict
        && let Some(entries) = done.iter().find(|entries| !entries.is_empty())
    {
        let instead = ReadOptions { strictness: Strictness::Forgiving, ..options.clone() };
        return Err(Error::Unusable {
            source_name: source_name.to_owned(),
            problems: entries.iter().map(IntakeEntry::to_string).collect(),
            instead: Some(instead.words()),
        });
    }
    let plan = Arc::new(plan);
    let source = |((table, stamp), mut intake): ((TextTable, Option<Stamp>), Vec<IntakeEntry>)| {
        intake.extend(plan.entries.iter().cloned());
        let names = plan.columns.iter().map(|column| column.name.clone()).collect();
        let diagnostics = table.diagnostics().to_vec();
        let origin = Origin::Text(TextFile { table, plan: plan.clone(), names });
        Source::new(origin, diagnostics, intake, stamp)
    };
    Ok(tables.into_iter().zip(stamps).zip(done).map(source).collect())
}

/// Checks that a file has the columns of the first, in whatever order.
pub(super) fn check_same(names: &[String], path: &str, first: (&[String], &str)) -> Result<()> {
    let (first_names, first_path) = first;
    let only = |ours: &[String], theirs: &[String]| -> Option<String> {
        ours.iter().find(|name| !theirs.contains(name)).map(|name| format!("`{name}`"))
    };
    let problem = match (only(names, first_names), only(first_names, names)) {
        (Some(name), _) => format!("has a column {name} that {first_path} has not"),
        (None, Some(name)) => format!("has no column {name}, which {first_path} has"),
        (None, None) => return Ok(()),
    };
    Err(Error::Format { path: path.to_owned(), problem })
}
