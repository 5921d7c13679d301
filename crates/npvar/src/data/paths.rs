//! Files by their paths; folders and patterns as lists of files.

use std::fs::File;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// The endings of files that a folder is searched for.
const ENDINGS: [&str; 12] =
    ["csv", "tsv", "txt", "dat", "gz", "xlsx", "ods", "parquet", "pq", "arrow", "ipc", "feather"];

/// What `npvar simulate` calls the graph that it writes beside the data; its rows would pass for the table's.
const TRUTH: &str = "truth.csv";

/// The files that are read for `path`: those of a folder or a pattern, or the one it names.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
/// std::fs::write(path("a.csv"), "x,y\n1,2\n")?;
/// assert_eq!(npvar::data::table_files(&path("*.csv"))?, [path("a.csv")]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When a folder cannot be read, or there is no such file.
pub fn table_files(path: &str) -> Result<Vec<String>> {
    Ok(expand(path)?.unwrap_or_else(|| vec![path.to_owned()]))
}

/// Opens a file for reading.
pub(super) fn open_file(path: &str) -> Result<File> {
    File::open(path).map_err(|source| Error::Io { path: path.to_owned(), source })
}

/// The files that a folder or a pattern (`*` is any run of characters, `?` any one, within one name) stands for, sorted by
/// name; `None` for anything else, such as an ordinary file. Names that begin with `.` or `_` are not looked at: engines
/// write their own records under such names.
///
/// # Errors
/// When a folder cannot be read, or there is no such file.
pub(super) fn expand(path: &str) -> Result<Option<Vec<String>>> {
    let as_written = Path::new(path);
    let (files, kind): (Vec<PathBuf>, &str) = if as_written.is_dir() {
        let is_table = |file: &PathBuf| {
            let ending = file.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
            file.is_file() && ending.is_some_and(|ending| ENDINGS.contains(&ending.as_str()))
        };
        (entries(as_written)?.into_iter().filter(is_table).collect(), "folder")
    } else if path.contains(['*', '?']) && !as_written.exists() {
        (matching(as_written)?, "pattern")
    } else {
        return Ok(None);
    };
    if files.is_empty() {
        let problem = match kind {
            "folder" => format!("the folder holds no file that ends in .{}", ENDINGS.join(", .")),
            _ => "no file has such a name".to_owned(),
        };
        return Err(Error::Format { path: path.to_owned(), problem });
    }
    if kind == "folder" && files.len() > 1 && files.iter().any(|file| file.ends_with(TRUTH)) {
        let problem = format!("the folder holds {TRUTH}, a graph and no rows of the table; name the files to read");
        return Err(Error::Format { path: path.to_owned(), problem });
    }
    let text = |file: PathBuf| match file.into_os_string().into_string() {
        Ok(text) => Ok(text),
        Err(file) => Err(Error::Format {
            path: file.to_string_lossy().into_owned(),
            problem: "the file's name is not Unicode".to_owned(),
        }),
    };
    files.into_iter().map(text).collect::<Result<Vec<_>>>().map(Some)
}

/// Expands one part of the path after the other.
fn matching(pattern: &Path) -> Result<Vec<PathBuf>> {
    let mut found = vec![PathBuf::new()];
    for part in pattern.components() {
        let name = part.as_os_str().to_string_lossy();
        if !name.contains(['*', '?']) {
            found.iter_mut().for_each(|path| path.push(part));
            continue;
        }
        let mut next = Vec::new();
        for folder in found {
            let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder.as_path() };
            if folder.is_dir() {
                let is_match =
                    |path: &PathBuf| path.file_name().is_some_and(|file| fits(&name, &file.to_string_lossy()));
                next.extend(entries(folder)?.into_iter().filter(is_match));
            }
        }
        found = next;
    }
    found.retain(|path| path.is_file());
    Ok(found)
}

/// What a folder holds, sorted by name.
fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let in_folder = |source| Error::Io { path: folder.display().to_string(), source };
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(in_folder)? {
        let entry = entry.map_err(in_folder)?;
        if !entry.file_name().to_string_lossy().starts_with(['.', '_']) {
            found.push(entry.path());
        }
    }
    found.sort();
    Ok(found)
}

fn fits(pattern: &str, name: &str) -> bool {
    match pattern.chars().next() {
        None => name.is_empty(),
        Some('*') => name.char_indices().map(|(i, _)| i).chain([name.len()]).any(|i| fits(&pattern[1..], &name[i..])),
        Some(first) => {
            let mut rest = name.chars();
            rest.next().is_some_and(|c| first == '?' || first == c) && fits(&pattern[first.len_utf8()..], rest.as_str())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(files: &[&str]) -> (tempfile::TempDir, String) {
        let folder = tempfile::tempdir().unwrap();
        for file in files {
            let path = folder.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "a,b\n1,2\n").unwrap();
        }
        let path = folder.path().to_str().unwrap().to_owned();
        (folder, path)
    }

    fn names(path: &str, folder: &str) -> Vec<String> {
        let files = expand(path).unwrap().unwrap();
        files.iter().map(|file| file.strip_prefix(folder).unwrap()[1..].to_owned()).collect()
    }

    #[test]
    fn the_graph_of_simulated_data_is_not_read_as_rows() {
        let (_folder, path) = folder(&["data.csv", "truth.csv"]);
        assert!(expand(&path).unwrap_err().to_string().contains("name the files to read"));
    }

    #[test]
    fn a_folder_is_its_tables_by_name() {
        let (_folder, path) = folder(&["b.csv", "a.PARQUET", "_SUCCESS", ".a.csv.crc", "_x.csv", "notes.md"]);
        assert_eq!(names(&path, &path), ["a.PARQUET", "b.csv"]);
    }

    #[test]
    fn patterns_match_any_part_of_a_path() {
        let (_folder, path) = folder(&["x/1.csv", "x/2.csv", "y/10.csv", "y/1.txt", "z.csv"]);
        assert_eq!(names(&format!("{path}/*/?.csv"), &path), ["x/1.csv", "x/2.csv"]);
        assert_eq!(names(&format!("{path}/*/1*"), &path), ["x/1.csv", "y/1.txt", "y/10.csv"]);
        let error = expand(&format!("{path}/*.feather")).unwrap_err().to_string();
        assert!(error.ends_with("*.feather: no file has such a name"), "{error}");
    }

    #[test]
    fn an_ordinary_file_is_itself() {
        let (_folder, path) = folder(&["what?.csv"]);
        assert_eq!(expand(&format!("{path}/what?.csv")).unwrap(), None);
        assert_eq!(expand("-").unwrap(), None);
        assert_eq!(expand("no/such.csv").unwrap(), None);
    }

    #[test]
    fn an_empty_folder_is_no_table() {
        let (_folder, path) = folder(&["notes.md"]);
        assert!(expand(&path).unwrap_err().to_string().contains("the folder holds no file that ends in .csv, .tsv"));
    }
}
