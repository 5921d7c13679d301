//! One file, or several one below the other.

use super::loaded::Loaded;
use super::one_file::{Kind, check_same, open_one, planned};
use super::opened::Source;
use crate::data::intake::IntakeEntry;
use crate::data::paths::expand;
#[cfg(test)]
use crate::data::text::TextInput;
use crate::data::text::TextTable;
use crate::data::{ColumnChoice, ReadOptions, RowBlocks};
use crate::error::{Error, Result};
use crate::run::Diagnostic;

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
    Diagnostic::add_new(&mut diagnostics, files.iter().flat_map(Source::diagnostics));
    let mut intake: Vec<IntakeEntry> = Vec::new();
    for entry in files.iter().flat_map(Source::intake) {
        if !intake.contains(entry) {
            intake.push(entry.clone());
        }
    }
    Ok(Source::of_many(written, files, diagnostics, intake))
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

#[cfg(test)]
pub(in crate::data) fn read_text(
    input: impl std::io::Read,
    source_name: &str,
    options: &ReadOptions,
) -> Result<Loaded> {
    let table = TextTable::open(TextInput::read_once(input, source_name)?, options)?;
    planned(vec![table], source_name, options)?.remove(0).load()
}
