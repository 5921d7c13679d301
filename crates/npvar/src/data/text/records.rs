//! A text divided into rows, and rows into fields.

use std::io::{self, BufRead, BufReader, Read};
use std::ops::Range;

use csv::{ByteRecord, Reader, ReaderBuilder};

use super::separator::Divider;

/// Large reads, since files are read from end to end.
const BUFFER: usize = 1 << 18;

/// Walks over the rows of a text; blank lines are no rows. A field in double quotes may hold separators and, except in
/// whitespace-separated text, line breaks.
pub(super) enum Records<R> {
    Delimited { reader: Reader<R>, record: ByteRecord },
    Spaced { reader: BufReader<R>, line: Vec<u8>, fields: Vec<Range<usize>> },
}

impl<R: Read> Records<R> {
    pub(super) fn new(input: R, divider: Divider) -> Self {
        match divider {
            Divider::Byte(delimiter) => Records::Delimited {
                reader: ReaderBuilder::new()
                    .delimiter(delimiter)
                    .has_headers(false)
                    .flexible(true)
                    .buffer_capacity(BUFFER)
                    .from_reader(input),
                record: ByteRecord::new(),
            },
            Divider::Whitespace => Records::Spaced {
                reader: BufReader::with_capacity(BUFFER, input),
                line: Vec::new(),
                fields: Vec::new(),
            },
        }
    }

    /// Goes to the next row; false at the end.
    pub(super) fn advance(&mut self) -> io::Result<bool> {
        match self {
            Records::Delimited { reader, record } => loop {
                if !reader.read_byte_record(record)? {
                    return Ok(false);
                }
                if record.len() > 1 || record.iter().any(|field| !field.trim_ascii().is_empty()) {
                    return Ok(true);
                }
            },
            Records::Spaced { reader, line, fields } => loop {
                line.clear();
                if reader.read_until(b'\n', line)? == 0 {
                    return Ok(false);
                }
                split(line, fields);
                if !fields.is_empty() {
                    return Ok(true);
                }
            },
        }
    }

    /// How many fields the row has.
    pub(super) fn len(&self) -> usize {
        match self {
            Records::Delimited { record, .. } => record.len(),
            Records::Spaced { fields, .. } => fields.len(),
        }
    }

    /// One field of the row, without surrounding blanks.
    pub(super) fn field(&self, j: usize) -> &[u8] {
        match self {
            Records::Delimited { record, .. } => unquoted(&record[j]),
            Records::Spaced { line, fields, .. } => line[fields[j].clone()].trim_ascii(),
        }
    }
}

/// The field without surrounding blanks, nor quotes that the parser left because a blank stands before them.
fn unquoted(field: &[u8]) -> &[u8] {
    let trimmed = field.trim_ascii();
    match trimmed {
        [b'"', inner @ .., b'"'] if field.starts_with(b" ") => inner,
        _ => trimmed,
    }
}

/// Finds the fields between runs of blanks.
fn split(line: &[u8], fields: &mut Vec<Range<usize>>) {
    fields.clear();
    let mut at = 0;
    while at < line.len() {
        if line[at].is_ascii_whitespace() {
            at += 1;
            continue;
        }
        let quoted = line[at] == b'"';
        let start = at + usize::from(quoted);
        let ends = |byte: &u8| if quoted { *byte == b'"' } else { byte.is_ascii_whitespace() };
        let end = line[start..].iter().position(ends).map_or(line.len(), |length| start + length);
        fields.push(start..end);
        at = end + usize::from(quoted);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str, divider: Divider) -> Vec<Vec<String>> {
        let mut records = Records::new(text.as_bytes(), divider);
        let mut rows = Vec::new();
        while records.advance().unwrap() {
            rows.push((0..records.len()).map(|j| String::from_utf8_lossy(records.field(j)).into_owned()).collect());
        }
        rows
    }

    #[test]
    fn quotes_blanks_and_line_ends_of_every_kind() {
        let text = "a, \"b\" ,c\r\n\r\n \n1,2,\"x,\ny\"\n3,,";
        assert_eq!(rows(text, Divider::Byte(b',')), [vec!["a", "b", "c"], vec!["1", "2", "x,\ny"], vec!["3", "", ""]]);
    }

    #[test]
    fn runs_of_blanks_separate_once() {
        let text = "  \"my x\"   y\tz \r\n\n1 2\t\t3\r\n";
        assert_eq!(rows(text, Divider::Whitespace), [["my x", "y", "z"], ["1", "2", "3"]]);
    }
}
