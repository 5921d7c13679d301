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
}

/// First bytes of files that people take for tables, and what to do about them.
const NOT_READ: [(&[u8], &str); 3] = [
    (
        b"\x1f\x8b",
        "the file is compressed with gzip; decompress it first, or pipe it in: `gzip -dc FILE | npvar learn -`",
    ),
    (b"PK\x03\x04", "the file is a zip archive or a spreadsheet; save the table as CSV"),
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
    let ending = Path::new(path).extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
    Ok(match ending.as_deref() {
        Some("csv" | "tsv" | "txt" | "dat") => Format::Text,
        Some("parquet" | "pq") => Format::Parquet,
        Some("arrow" | "ipc" | "feather") => Format::Arrow,
        _ if first.starts_with(b"PAR1") => Format::Parquet,
        _ if first.starts_with(b"ARROW1") => Format::Arrow,
        _ => Format::Text,
    })
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
        assert_eq!(
            format_of("t.csv", b"PK\x03\x04.."),
            Err("t.csv: the file is a zip archive or a spreadsheet; save the table as CSV".into())
        );
        assert!(format_of("t.csv.gz", b"\x1f\x8b\x08").unwrap_err().starts_with("t.csv.gz: the file is compressed"));
        assert!(format_of("t.feather", b"FEA1").unwrap_err().ends_with("save it in version 2"));
    }
}
