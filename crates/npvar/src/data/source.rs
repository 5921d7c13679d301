//! Files and standard input as tables.

use std::io::Read;
use std::ops::ControlFlow;
use std::sync::OnceLock;

use super::ahead::{read_ahead, read_all_ahead};
#[cfg(feature = "parquet")]
use super::columnar::{IpcFile, ParquetFile};
use super::filler::{Emit, OwnedBlock, RowCounts};
use super::format::{Format, format};
use super::paths::{expand, open_file};
use super::recut::Recut;
use super::stamp::{Stamp, changed};
use super::text::TextTable;
use super::{Block, ColumnChoice, Dataset, ReadOptions, RowBlocks, checks};
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
    let mut files = vec![open_one(first, options)?];
    for path in rest {
        let file = open_one(path, options)?;
        files.push(with_columns(file, path, (files[0].names(), first), options)?);
    }
    let mut diagnostics: Vec<Diagnostic> = Vec::new();
    Diagnostic::add_new(&mut diagnostics, files.iter().flat_map(|file| file.diagnostics.clone()));
    let origin = Origin::Many { written: written.to_owned(), files };
    Ok(Source { origin, diagnostics, stamp: None, counts: OnceLock::new() })
}

/// The file, with its columns in the order of the first file's.
fn with_columns(file: Source, path: &str, first: (&[String], &str), options: &ReadOptions) -> Result<Source> {
    let (names, first_path) = first;
    if file.names() == names {
        return Ok(file);
    }
    let only = |ours: &[String], theirs: &[String]| -> Option<String> {
        ours.iter().find(|name| !theirs.contains(name)).map(|name| format!("`{name}`"))
    };
    let problem = match (only(file.names(), names), only(names, file.names())) {
        (Some(name), _) => format!("has a column {name} that {first_path} has not"),
        (None, Some(name)) => format!("has no column {name}, which {first_path} has"),
        (None, None) => {
            let columns = ColumnChoice::Only(names.to_vec());
            return open_one(path, &ReadOptions { columns, ..options.clone() });
        }
    };
    Err(Error::Format { path: path.to_owned(), problem })
}

fn open_one(path: &str, options: &ReadOptions) -> Result<Source> {
    if path == "-" {
        return Ok(Source::in_memory(read_text(std::io::stdin(), "standard input", options)?));
    }
    let file = open_file(path)?;
    let metadata = file.metadata().map_err(|source| Error::Io { path: path.to_owned(), source })?;
    if !metadata.is_file() {
        return Ok(Source::in_memory(read_text(file, path, options)?));
    }
    let stamp = Some(Stamp::of(path)?);
    let (origin, diagnostics) = match format(path, &file)? {
        Format::Text => {
            let TextTable { wanted, diagnostics, .. } = TextTable::begin(file, path, options)?;
            let text = TextFile { path: path.to_owned(), names: wanted.names, options: options.clone() };
            (Origin::Text(text), diagnostics)
        }
        #[cfg(feature = "parquet")]
        Format::Parquet => (Origin::Parquet(ParquetFile::open(path, options)?), Vec::new()),
        #[cfg(feature = "parquet")]
        Format::Arrow => (Origin::Arrow(IpcFile::open(path, options)?), Vec::new()),
        #[cfg(not(feature = "parquet"))]
        Format::Parquet | Format::Arrow => {
            let problem = "this build does not read Parquet or Arrow files".to_owned();
            return Err(Error::Format { path: path.to_owned(), problem });
        }
    };
    Ok(Source { origin, diagnostics, stamp, counts: OnceLock::new() })
}

/// An opened table: its columns are known, its rows are read when asked for, as often as asked for, and never held in
/// memory all at once. A file that changes between or during two readings is an error.
#[derive(Debug)]
pub struct Source {
    origin: Origin,
    /// What was noticed in opening.
    diagnostics: Vec<Diagnostic>,
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
    Memory(Loaded),
    /// Files one below the other, all with the same columns.
    Many {
        written: String,
        files: Vec<Source>,
    },
}

/// A text file to be opened anew for each reading.
#[derive(Debug)]
struct TextFile {
    path: String,
    names: Vec<String>,
    options: ReadOptions,
}

impl Source {
    /// What has been noticed so far: in opening, and, once all rows have been read, how many were dropped.
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        let dropped = self.counts.get().and_then(|&counts| rows_dropped(counts));
        self.diagnostics.iter().cloned().chain(dropped).collect()
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
            Origin::Text(_) | Origin::Memory(_) => false,
            Origin::Many { files, .. } => files.iter().all(Source::is_columnar),
            #[cfg(feature = "parquet")]
            Origin::Parquet(_) | Origin::Arrow(_) => true,
        }
    }

    /// The size of the text files among its files, in bytes.
    pub fn text_bytes(&self) -> u64 {
        match &self.origin {
            Origin::Text(file) => std::fs::metadata(&file.path).map_or(0, |metadata| metadata.len()),
            Origin::Many { files, .. } => files.iter().map(Source::text_bytes).sum(),
            _ => 0,
        }
    }

    /// Reads all rows into memory.
    ///
    /// # Errors
    /// When a row or value is not as it should be; the message names the file, row and column.
    pub fn load(self) -> Result<Loaded> {
        if let Origin::Memory(loaded) = self.origin {
            return Ok(loaded);
        }
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
        loaded(Dataset::new(names, columns)?, dropped_rows, self.diagnostics())
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
            Origin::Text(file) => {
                let table = TextTable::begin(open_file(&file.path)?, &file.path, &file.options)?;
                if table.wanted.names != file.names {
                    return Err(changed(&file.path, "its columns are others"));
                }
                table.decode(emit)
            }
            #[cfg(feature = "parquet")]
            Origin::Parquet(file) => file.decode(emit),
            #[cfg(feature = "parquet")]
            Origin::Arrow(file) => file.decode(emit),
            Origin::Memory(loaded) => {
                loaded.data.visit_blocks(&mut |block| Ok(emit(OwnedBlock::of(block))))?;
                Ok(RowCounts { kept: loaded.data.n(), dropped: loaded.dropped_rows })
            }
            Origin::Many { .. } => unreachable!("files are not nested: `open_one` opens each"),
        }
    }

    fn source_name(&self) -> &str {
        match &self.origin {
            Origin::Text(file) => &file.path,
            #[cfg(feature = "parquet")]
            Origin::Parquet(file) => &file.wanted().source_name,
            #[cfg(feature = "parquet")]
            Origin::Arrow(file) => &file.wanted().source_name,
            Origin::Memory(_) => "the table",
            Origin::Many { written, .. } => written,
        }
    }

    fn in_memory(loaded: Loaded) -> Source {
        let diagnostics = loaded.diagnostics.clone();
        Source { diagnostics, origin: Origin::Memory(loaded), stamp: None, counts: OnceLock::new() }
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
            Origin::Memory(loaded) => loaded.data.names(),
            Origin::Many { files, .. } => files[0].names(),
        }
    }

    fn row_count(&self) -> Option<usize> {
        let counted = self.counts.get().map(|counts| counts.kept);
        match &self.origin {
            #[cfg(feature = "parquet")]
            Origin::Parquet(file) => file.row_count().or(counted),
            Origin::Memory(loaded) => loaded.data.row_count(),
            Origin::Many { files, .. } => counted.or_else(|| files.iter().map(Source::row_count).sum()),
            _ => counted,
        }
    }

    fn visit_blocks(&self, visit: &mut dyn FnMut(&Block<'_>) -> Result<ControlFlow<()>>) -> Result<()> {
        let counts = match &self.origin {
            Origin::Memory(loaded) => return loaded.data.visit_blocks(visit),
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

/// Reads a whole text that can be read only once.
pub(super) fn read_text(input: impl Read + Send, source_name: &str, options: &ReadOptions) -> Result<Loaded> {
    let mut table = TextTable::begin(input, source_name, options)?;
    let names = table.wanted.names.clone();
    let mut diagnostics = std::mem::take(&mut table.diagnostics);
    let mut columns = vec![Vec::new(); names.len()];
    let counts = table.decode(&mut |block| {
        append(&mut columns, &block.view());
        ControlFlow::Continue(())
    })?;
    let counts = counts.some(source_name)?;
    diagnostics.extend(rows_dropped(counts));
    loaded(Dataset::new(names, columns)?, counts.dropped, diagnostics)
}

fn loaded(data: Dataset, dropped_rows: usize, mut diagnostics: Vec<Diagnostic>) -> Result<Loaded> {
    diagnostics.extend(checks::diagnostics(&data));
    Ok(Loaded { data, dropped_rows, diagnostics })
}

fn append(columns: &mut [Vec<f64>], block: &Block<'_>) {
    for (column, values) in columns.iter_mut().zip(&block.columns) {
        column.extend_from_slice(values);
    }
}

fn rows_dropped(counts: RowCounts) -> Option<Diagnostic> {
    let RowCounts { kept, dropped } = counts;
    let message = format!("dropped {dropped} of {} rows with missing values", kept + dropped);
    (dropped > 0).then(|| Diagnostic::warning("rows-dropped", message))
}

#[cfg(test)]
mod tests;
