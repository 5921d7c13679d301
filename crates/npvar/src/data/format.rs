//! Which format a file has.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use crate::error::{Error, Result};

/// The formats that can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Text,
    Parquet,
    Arrow,
    /// A zip archive, which a spreadsheet is.
    Spreadsheet,
}

/// The first bytes of a gzip stream.
pub(super) const GZIP: [u8; 2] = [0x1f, 0x8b];

const ZIP: &[u8] = b"PK\x03\x04";
const PARQUET: &[u8] = b"PAR1";
const ARROW: &[u8] = b"ARROW1";

/// First bytes of files that people take for tables, and what to do about them.
const NOT_READ: [(&[u8], &str); 2] = [
    (
        b"\xff\xff\xff\xff",
        "the file is an Arrow stream; write it as an Arrow file (Feather), which has its columns at the end",
    ),
    (b"FEA1", "the file is in version 1 of the Feather format; save it in version 2"),
];

/// The format by the ending of the name, otherwise by the first bytes. Leaves the file at its beginning.
///
/// # Errors
/// When the file cannot be read, or its first bytes are those of a format that is known and not read.
pub(super) fn format(path: &str, mut file: &File) -> Result<Format> {
    let in_file = |source| Error::Io { path: path.to_owned(), source };
    let mut first = Vec::new();
    file.take(8).read_to_end(&mut first).map_err(in_file)?;
    file.seek(SeekFrom::Start(0)).map_err(in_file)?;
    if let Some((_, problem)) = NOT_READ.iter().find(|(magic, _)| first.starts_with(magic)) {
        return Err(Error::Format { path: path.to_owned(), problem: (*problem).to_owned() });
    }
    if first.starts_with(&GZIP) {
        return Ok(Format::Text);
    }
    if first.starts_with(ZIP) {
        return Ok(Format::Spreadsheet);
    }
    let ending = Path::new(path).extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
    Ok(match ending.as_deref() {
        Some("csv" | "tsv" | "txt" | "dat") => Format::Text,
        Some("parquet" | "pq") => Format::Parquet,
        Some("arrow" | "ipc" | "feather") => Format::Arrow,
        _ if first.starts_with(PARQUET) => Format::Parquet,
        _ if first.starts_with(ARROW) => Format::Arrow,
        _ => Format::Text,
    })
}

/// Why what begins with these bytes cannot be read from a pipe.
pub(super) fn not_from_a_pipe(first: &[u8]) -> Option<String> {
    let kind = if first.starts_with(PARQUET) {
        "Parquet"
    } else if first.starts_with(ARROW) {
        "Arrow"
    } else if first.starts_with(ZIP) {
        "zip"
    } else {
        let problem = NOT_READ.iter().find(|(magic, _)| first.starts_with(magic));
        return problem.map(|(_, problem)| (*problem).to_owned());
    };
    Some(format!("a file in {kind} format has its directory at the end and cannot be read from a pipe; name the file"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn format_of(name: &str, content: &[u8]) -> std::result::Result<Format, String> {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(name);
        std::fs::write(&path, content).unwrap();
        format(name, &File::open(path).unwrap()).map_err(|error| error.to_string())
    }

    #[test]
    fn the_ending_decides_before_the_first_bytes() {
        for name in ["t.csv", "t.TSV", "t.txt", "t.dat"] {
            assert_eq!(format_of(name, b"PAR1"), Ok(Format::Text));
        }
        for name in ["t.parquet", "t.pq"] {
            assert_eq!(format_of(name, b""), Ok(Format::Parquet));
        }
        for name in ["t.arrow", "t.ipc", "t.feather"] {
            assert_eq!(format_of(name, b""), Ok(Format::Arrow));
        }
        assert_eq!(format_of("t", b"PAR1...."), Ok(Format::Parquet));
        assert_eq!(format_of("t.data", b"ARROW1\0\0"), Ok(Format::Arrow));
        assert_eq!(format_of("t.data", b"a,b\n"), Ok(Format::Text));
    }

    #[test]
    fn what_is_no_table_is_said_so() {
        assert_eq!(format_of("t.csv", b"PK\x03\x04.."), Ok(Format::Spreadsheet), "it may be one");
        assert_eq!(format_of("t.csv.gz", b"\x1f\x8b\x08"), Ok(Format::Text), "it is unpacked");
        assert!(format_of("t.arrow", b"\xff\xff\xff\xff\x10\0\0\0").unwrap_err().contains("an Arrow stream"));
        assert!(not_from_a_pipe(b"PAR1...").is_some_and(|problem| problem.contains("from a pipe")));
        assert_eq!(not_from_a_pipe(b"a,b\n"), None);
        assert!(format_of("t.feather", b"FEA1").unwrap_err().ends_with("save it in version 2"));
    }
}
