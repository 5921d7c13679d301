//! Files and standard input as tables.

use std::ops::ControlFlow;
use std::sync::{Arc, OnceLock};

use super::ahead::{read_ahead, read_all_ahead};
#[cfg(feature = "parquet")]
use super::columnar::{IpcFile, ParquetFile};
use super::filler::{Emit, RowCounts};
use super::format::{Format, format};
use super::intake::{IntakeEntry, Plan, Surroundings, TableLook};
use super::options::Strictness;
use super::paths::{expand, open_file};
use super::recut::Recut;
use super::spreadsheet;
use super::stamp::{Stamp, changed};
use super::text::{TextInput, TextTable};
use super::{Block, ColumnChoice, Dataset, Decimal, ReadOptions, RowBlocks, checks};
use crate::error::{Error, Result};
use crate::run::Diagnostic;

/// A table that has been read whole.
#[derive(Debug, Clone, PartialEq)]
pub struct Loaded {
    /// The table.
    pub data: Dataset,
    /// How many rows were left out because values were missing.
    pub dropped_rows: usize,
    /// What was noticed in reading, and by [`checks::diagnostics`].
    pub diagnostics: Vec<Diagnostic>,
    /// What was done to the table while it was read.
    pub intake: Vec<IntakeEntry>,
}

/// Opens a table and reads it whole.
///
/// ```
/// use npvar::data::{ReadOptions, read};
/// let file = tempfile::NamedTempFile::new().unwrap();
/// std::fs::write(file.path(), "a,b\n1,2\n3,4.5\n").unwrap();
/// let loaded = read(file.path().to_str().unwrap(), &ReadOptions::default())?;
/// assert_eq!(loaded.data.column(1), [2.0, 4.5]);
/// # Ok::<(), npvar::Error>(())
/// ```
///
/// # Errors
/// As [`open`], and when a row or value is not as it should be; the message names the file, row and column.
pub fn read(path: &str, options: &ReadOptions) -> Result<Loaded> {
    open(path, options)?.load()
}

/// Opens a table. The ending of the file's name tells its format: `csv`, `tsv`, `txt`, `dat` are text, `parquet`, `pq`
/// are Parquet, `arrow`, `ipc`, `feather` are Arrow; otherwise its first bytes do. `-` is text from standard input.
///
/// Standard input and pipes, which cannot be read twice, are read into memory at once. A folder or a pattern (`big/*.parquet`)
/// is the table of all its files, one below the other in the order of their names; see [`open_all`].
///
/// ```
/// use npvar::data::{ReadOptions, RowBlocks, open};
/// let file = tempfile::NamedTempFile::new().unwrap();
/// std::fs::write(file.path(), "a b\n1 2\n3 4.5\n").unwrap();
/// let source = open(file.path().to_str().unwrap(), &ReadOptions::default())?;
/// assert_eq!(source.names(), ["a", "b"]);
/// # Ok::<(), npvar::Error>(())
/// ```
///
/// # Errors
/// When the file cannot be opened, is not in its format, or has not the columns asked for.
pub fn open(path: &str, options: &ReadOptions) -> Result<Source> {
    match expand(path)? {
        Some(files) => open_files(&files, path, options),
        None => open_one(path, options),
    }
}

/// Opens several files, folders or patterns as one table, one below the other. Blocks are cut anew, so that the answer does
/// not depend on how the rows are divided into files.
///
/// ```
/// use npvar::data::{ReadOptions, RowBlocks, open_all};
/// let folder = tempfile::tempdir().unwrap();
/// let file = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
/// std::fs::write(file("1.csv"), "a,b\n1,2\n").unwrap();
/// std::fs::write(file("2.csv"), "b,a\n4,3\n").unwrap();
/// let loaded = open_all(&[file("*.csv")], &ReadOptions::default())?.load()?;
/// assert_eq!(loaded.data.column(0), [1.0, 3.0]);
/// # Ok::<(), npvar::Error>(())
/// ```
///
/// # Errors
/// As [`open`], and when a file has other columns than the first.
pub fn open_all(paths: &[String], options: &ReadOptions) -> Result<Source> {
    if let [path] = paths {
        return open(path, options);
    }
    let mut files = Vec::new();
    for path in paths {
        match expand(path)? {
            Some(more) => files.extend(more),
            None => files.push(path.clone()),
        }
    }
    open_files(&files, &paths.join(", "), options)
}

fn open_files(paths: &[String], written: &str, options: &ReadOptions) -> Result<Source> {
    let Some((first, rest)) = paths.split_first() else {
        return Err(Error::Format { path: written.to_owned(), problem: "no file to read".to_owned() });
    };
    if let Some(twice) = given_twice(paths) {
        let problem = "the file is given twice; its rows would count double".to_owned();
        return Err(Error::Format { path: twice.to_owned(), problem });
    }
    let texts = paths.iter().map(|path| Kind::of(path, options)).collect::<Result<Vec<_>>>()?;
    let all_text: Option<Vec<TextTable>> =
        texts.into_iter().map(|kind| if let Kind::Text(table) = kind { Some(table) } else { None }).collect();
    let files = match all_text {
        Some(tables) => planned(tables, written, options)?,
        None => {
            let mut files = vec![open_one(first, options)?];
            for path in rest {
                let file = open_one(path, options)?;
                files.push(with_columns(file, path, (files[0].names(), first), options)?);
            }
            files
        }
    };
    let mut diagnostics: Vec<Diagnostic> = Vec::new();
    Diagnostic::add_new(&mut diagnostics, files.iter().flat_map(|file| file.diagnostics.clone()));
    let mut intake: Vec<IntakeEntry> = Vec::new();
    for entry in files.iter().flat_map(|file| &file.intake) {
        if !intake.contains(entry) {
            intake.push(entry.clone());
        }
    }
    let origin = Origin::Many { written: written.to_owned(), files };
    Ok(Source { origin, diagnostics, intake, stamp: None, counts: OnceLock::new() })
}

/// A path that leads to a file that an earlier one leads to.
fn given_twice(paths: &[String]) -> Option<&str> {
    let mut seen = std::collections::HashSet::new();
    let is_old = |path: &&String| {
        let place = std::fs::canonicalize(path).unwrap_or_else(|_| std::path::PathBuf::from(path));
        !seen.insert(place)
    };
    paths.iter().find(is_old).map(String::as_str)
}

/// The file, with its columns in the order of the first file's.
fn with_columns(file: Source, path: &str, first: (&[String], &str), options: &ReadOptions) -> Result<Source> {
    if file.names() == first.0 {
        return Ok(file);
    }
    check_same(file.names(), path, first)?;
    let columns = ColumnChoice::Only(first.0.to_vec());
    open_one(path, &ReadOptions { columns, ..options.clone() })
}

/// Checks that a file has the columns of the first, in whatever order.
fn check_same(names: &[String], path: &str, first: (&[String], &str)) -> Result<()> {
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

/// What a path leads to.
enum Kind {
    Text(TextTable),
    #[cfg(feature = "parquet")]
    Columns(Box<Origin>, Vec<IntakeEntry>),
}

impl Kind {
    /// Opens the file as far as is needed to know its format; of a text, its layout.
    fn of(path: &str, options: &ReadOptions) -> Result<Kind> {
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

fn open_one(path: &str, options: &ReadOptions) -> Result<Source> {
    let stamp = if path == "-" { None } else { Some(Stamp::of(path)?) };
    let (origin, intake) = match Kind::of(path, options)? {
        Kind::Text(table) => {
            let files = planned(vec![table], path, options)?;
            return files.into_iter().next().ok_or_else(|| Error::NoRows { source_name: path.to_owned() });
        }
        #[cfg(feature = "parquet")]
        Kind::Columns(origin, entries) => (*origin, entries),
    };
    Ok(Source { origin, diagnostics: Vec::new(), intake, stamp, counts: OnceLock::new() })
}

/// One look over all texts, and one plan by which all of them are read.
fn planned(tables: Vec<TextTable>, written: &str, options: &ReadOptions) -> Result<Vec<Source>> {
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
        Source { origin, diagnostics, intake, stamp, counts: OnceLock::new() }
    };
    Ok(tables.into_iter().zip(stamps).zip(done).map(source).collect())
}

/// An opened table: its columns are known, its rows are read when asked for, as often as asked for, and never held in
/// memory all at once. A file that changes between or during two readings is an error.
#[derive(Debug)]
pub struct Source {
    origin: Origin,
    /// What was noticed in opening.
    diagnostics: Vec<Diagnostic>,
    /// What was done to the table.
    intake: Vec<IntakeEntry>,
    /// The file's, taken before anything was read from it; none for a table in memory and for several files.
    stamp: Option<Stamp>,
    /// Learned in the first complete reading.
    counts: OnceLock<RowCounts>,
}

#[derive(Debug)]
enum Origin {
    Text(TextFile),
    #[cfg(feature = "parquet")]
    Parquet(ParquetFile),
    #[cfg(feature = "parquet")]
    Arrow(IpcFile),
    /// Files one below the other, all with the same columns.
    Many {
        written: String,
        files: Vec<Source>,
    },
}

/// A text file to be opened anew for each reading.
#[derive(Debug)]
struct TextFile {
    table: TextTable,
    plan: Arc<Plan>,
    names: Vec<String>,
}

impl Source {
    /// What has been noticed so far: in opening, and, once all rows have been read, how many were dropped.
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        let dropped = self.counts.get().and_then(|&counts| rows_dropped(counts));
        self.diagnostics.iter().cloned().chain(dropped).collect()
    }

    /// What was done to the table to read it as numbers.
    pub fn intake(&self) -> &[IntakeEntry] {
        &self.intake
    }

    /// How many rows the file says it has, those included that will be dropped; for a limit before anything is read.
    pub fn stated_rows(&self) -> Option<usize> {
        match &self.origin {
            #[cfg(feature = "parquet")]
            Origin::Parquet(file) => Some(file.stated_rows()),
            _ => self.row_count(),
        }
    }

    /// Whether the file stores its columns in binary form (Parquet, Arrow), so that reading it again costs little.
    pub fn is_columnar(&self) -> bool {
        match &self.origin {
            Origin::Text(_) => false,
            Origin::Many { files, .. } => files.iter().all(Source::is_columnar),
            #[cfg(feature = "parquet")]
            Origin::Parquet(_) | Origin::Arrow(_) => true,
        }
    }

    /// The size of the text files among its files, in bytes.
    pub fn text_bytes(&self) -> u64 {
        match &self.origin {
            Origin::Text(file) => file.table.input.file_bytes(),
            Origin::Many { files, .. } => files.iter().map(Source::text_bytes).sum(),
            _ => 0,
        }
    }

    /// Reads all rows into memory.
    ///
    /// # Errors
    /// When a row or value is not as it should be; the message names the file, row and column.
    pub fn load(self) -> Result<Loaded> {
        let names = self.names().to_vec();
        let mut columns = vec![Vec::new(); names.len()];
        if let Some(rows) = self.row_count() {
            // Only a hint: a damaged file may claim more rows than any memory holds.
            columns.iter_mut().for_each(|column| drop(column.try_reserve_exact(rows)));
        }
        self.for_each_block(&mut |block| {
            append(&mut columns, block);
            Ok(())
        })?;
        let dropped_rows = self.counts.get().map_or(0, |counts| counts.dropped);
        let data = Dataset::new(names, columns)?.with_categories(self.categories());
        loaded(data, dropped_rows, self.diagnostics(), self.intake)
    }

    /// Hands out the rows of one file, which must be as it was before and after.
    fn decode(&self, emit: &mut Emit<'_>) -> Result<RowCounts> {
        let unchanged = || self.stamp.map_or(Ok(()), |stamp| stamp.check(self.source_name()));
        unchanged()?;
        let counts = self.decode_now(emit);
        // A file that was cut short or overwritten is damaged in any number of ways: that it changed is the reason.
        unchanged().and(counts)
    }

    fn decode_now(&self, emit: &mut Emit<'_>) -> Result<RowCounts> {
        match &self.origin {
            Origin::Text(file) => file.table.decode(&file.plan, emit),
            #[cfg(feature = "parquet")]
            Origin::Parquet(file) => file.decode(emit),
            #[cfg(feature = "parquet")]
            Origin::Arrow(file) => file.decode(emit),
            Origin::Many { .. } => unreachable!("files are not nested: `open_one` opens each"),
        }
    }

    fn source_name(&self) -> &str {
        match &self.origin {
            Origin::Text(file) => &file.table.input.source_name,
            #[cfg(feature = "parquet")]
            Origin::Parquet(file) => &file.wanted().source_name,
            #[cfg(feature = "parquet")]
            Origin::Arrow(file) => &file.wanted().source_name,
            Origin::Many { written, .. } => written,
        }
    }
}

impl RowBlocks for Source {
    fn names(&self) -> &[String] {
        match &self.origin {
            Origin::Text(file) => &file.names,
            #[cfg(feature = "parquet")]
            Origin::Parquet(file) => &file.wanted().names,
            #[cfg(feature = "parquet")]
            Origin::Arrow(file) => &file.wanted().names,
            Origin::Many { files, .. } => files[0].names(),
        }
    }

    fn row_count(&self) -> Option<usize> {
        let counted = self.counts.get().map(|counts| counts.kept);
        match &self.origin {
            #[cfg(feature = "parquet")]
            Origin::Parquet(file) => file.row_count().or(counted),
            Origin::Many { files, .. } => counted.or_else(|| files.iter().map(Source::row_count).sum()),
            _ => counted,
        }
    }

    fn visit_blocks(&self, visit: &mut dyn FnMut(&Block<'_>) -> Result<ControlFlow<()>>) -> Result<()> {
        let counts = match &self.origin {
            Origin::Many { files, .. } => {
                let mut recut = Recut::new(files[0].names().len(), visit);
                let decoders = files.iter().map(|file| move |emit: &mut Emit<'_>| file.decode(emit));
                match read_all_ahead(decoders, &mut |block| recut.add(block))? {
                    Some(counts) => recut.finish()?.is_continue().then_some(counts),
                    None => None,
                }
            }
            _ => read_ahead(|emit| self.decode(emit), visit)?,
        };
        let counts = counts.map(|counts| counts.some(self.source_name())).transpose()?;
        let Some(counts) = counts else { return Ok(()) };
        let before = *self.counts.get_or_init(|| counts);
        if before != counts {
            let rows = |counts: RowCounts| counts.kept + counts.dropped;
            let change = format!("it had {} rows and has {}", rows(before), rows(counts));
            return Err(changed(self.source_name(), &change));
        }
        Ok(())
    }

    fn categories(&self) -> Vec<usize> {
        match &self.origin {
            Origin::Text(file) => file.plan.categories(),
            Origin::Many { files, .. } => files[0].categories(),
            #[cfg(feature = "parquet")]
            Origin::Parquet(_) | Origin::Arrow(_) => Vec::new(),
        }
    }

    fn known_ranges(&self) -> Result<Option<Vec<(f64, f64)>>> {
        match &self.origin {
            #[cfg(feature = "parquet")]
            Origin::Parquet(file) => file.known_ranges(),
            Origin::Many { files, .. } => {
                let mut all: Option<Vec<(f64, f64)>> = None;
                for file in files.iter().filter(|file| file.row_count() != Some(0)) {
                    let Some(ranges) = file.known_ranges()? else { return Ok(None) };
                    all = Some(match all {
                        None => ranges,
                        Some(all) => {
                            all.iter().zip(ranges).map(|(all, one)| (all.0.min(one.0), all.1.max(one.1))).collect()
                        }
                    });
                }
                Ok(all)
            }
            _ => Ok(None),
        }
    }
}

#[cfg(test)]
pub(super) fn read_text(input: impl std::io::Read, source_name: &str, options: &ReadOptions) -> Result<Loaded> {
    let table = TextTable::open(TextInput::read_once(input, source_name)?, options)?;
    planned(vec![table], source_name, options)?.remove(0).load()
}

pub(super) fn loaded(
    data: Dataset,
    dropped_rows: usize,
    mut diagnostics: Vec<Diagnostic>,
    intake: Vec<IntakeEntry>,
) -> Result<Loaded> {
    diagnostics.extend(checks::diagnostics(&data));
    Ok(Loaded { data, dropped_rows, diagnostics, intake })
}

fn append(columns: &mut [Vec<f64>], block: &Block<'_>) {
    for (column, values) in columns.iter_mut().zip(&block.columns) {
        column.extend_from_slice(values);
    }
}

pub(super) fn rows_dropped(counts: RowCounts) -> Option<Diagnostic> {
    let RowCounts { kept, dropped } = counts;
    let message = format!("dropped {dropped} of {} rows with missing values", kept + dropped);
    (dropped > 0).then(|| Diagnostic::warning("rows-dropped", message))
}

#[cfg(test)]
mod tests;
