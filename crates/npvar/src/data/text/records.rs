//! A text divided into rows, and rows into fields.
//!
//! A row is held in memory before anything is known of it, so its length and the number of its fields are bounded while
//! they are read: a file that is no table (one endless line, a quote that never closes) is refused at the bound, not when
//! the memory is full.

use std::io::{self, BufRead, BufReader, Read};
use std::ops::Range;

use csv_core::{ReadRecordResult, Reader, ReaderBuilder};

use super::separator::Divider;
use crate::error::Error;

/// The most bytes of a row, its separators included.
pub(super) const ROW_BYTES: usize = 32 << 20;

/// The most fields of a row, and so the most columns of a text.
pub(super) const ROW_FIELDS: usize = 1 << 20;

/// Large reads, since files are read from end to end.
const BUFFER: usize = 1 << 18;

/// Walks over the rows of a text; blank lines are no rows. A field in double quotes may hold separators and, except in
/// whitespace-separated text, line breaks.
pub(super) struct Records<R> {
    input: BufReader<R>,
    divided: Divided,
    row: Row,
    bounds: Bounds,
}

enum Divided {
    ByByte(Box<Reader>),
    ByBlanks,
}

/// The row that was read last. Both lists keep their length from row to row; what counts is `fields` of them.
#[derive(Default)]
struct Row {
    bytes: Vec<u8>,
    /// By byte: where each field ends. By blanks: where each begins and ends.
    ends: Vec<usize>,
    spans: Vec<Range<usize>>,
    fields: usize,
}

/// What a row may have.
#[derive(Clone, Copy)]
struct Bounds {
    bytes: usize,
    fields: usize,
}

/// Why there is no next row.
#[derive(Debug)]
pub(super) enum Unread {
    Io(io::Error),
    /// The row is longer than a row may be: what it "is" or "has".
    TooLong(String),
}

impl Unread {
    /// The error, where `row` of the file could not be read.
    pub(super) fn at(self, row: &str, path: &str) -> Error {
        let path = path.to_owned();
        match self {
            Unread::Io(source) => Error::Io { path, source },
            Unread::TooLong(problem) => Error::Format { path, problem: format!("{row} {problem}") },
        }
    }
}

impl From<io::Error> for Unread {
    fn from(error: io::Error) -> Self {
        Unread::Io(error)
    }
}

impl<R: Read> Records<R> {
    pub(super) fn new(input: R, divider: Divider) -> Self {
        Records::bounded(input, divider, Bounds { bytes: ROW_BYTES, fields: ROW_FIELDS })
    }

    fn bounded(input: R, divider: Divider, bounds: Bounds) -> Self {
        let divided = match divider {
            Divider::Byte(delimiter) => Divided::ByByte(Box::new(ReaderBuilder::new().delimiter(delimiter).build())),
            Divider::Whitespace => Divided::ByBlanks,
        };
        Records { input: BufReader::with_capacity(BUFFER, input), divided, row: Row::default(), bounds }
    }

    /// Goes to the next row; false at the end.
    pub(super) fn advance(&mut self) -> Result<bool, Unread> {
        loop {
            let found = match &mut self.divided {
                Divided::ByByte(reader) => self.row.read(&mut self.input, reader, self.bounds)?,
                Divided::ByBlanks => self.row.read_line(&mut self.input, self.bounds)?,
            };
            if !found {
                return Ok(false);
            }
            if self.len() > 1 || (self.len() == 1 && !self.field(0).is_empty()) {
                return Ok(true);
            }
        }
    }

    /// How many fields the row has.
    pub(super) fn len(&self) -> usize {
        self.row.fields
    }

    /// One field of the row, without surrounding blanks.
    pub(super) fn field(&self, j: usize) -> &[u8] {
        let Row { bytes, ends, spans, .. } = &self.row;
        match self.divided {
            Divided::ByByte(_) => unquoted(&bytes[if j == 0 { 0 } else { ends[j - 1] }..ends[j]]),
            Divided::ByBlanks => bytes[spans[j].clone()].trim_ascii(),
        }
    }
}

impl Row {
    /// Reads a row divided by a byte; false at the end. The lists grow as the row does, up to the bounds.
    fn read(&mut self, input: &mut impl BufRead, reader: &mut Reader, bounds: Bounds) -> Result<bool, Unread> {
        let (mut bytes, mut fields) = (0, 0);
        loop {
            let available = input.fill_buf()?;
            let (result, taken, written, ended) =
                reader.read_record(available, &mut self.bytes[bytes..], &mut self.ends[fields..]);
            input.consume(taken);
            (bytes, fields) = (bytes + written, fields + ended);
            if fields > bounds.fields {
                return Err(too_many_fields(bounds.fields));
            }
            if bytes + fields > bounds.bytes {
                return Err(too_many_bytes(bounds.bytes));
            }
            match result {
                ReadRecordResult::InputEmpty => {}
                ReadRecordResult::OutputFull => grow(&mut self.bytes, bounds.bytes + 1),
                ReadRecordResult::OutputEndsFull => grow(&mut self.ends, bounds.fields + 1),
                ReadRecordResult::Record => {
                    self.fields = fields;
                    return Ok(true);
                }
                ReadRecordResult::End => return Ok(false),
            }
        }
    }

    /// Reads a line and finds the fields between its blanks; false at the end.
    fn read_line(&mut self, input: &mut impl BufRead, bounds: Bounds) -> Result<bool, Unread> {
        self.bytes.clear();
        if input.take(bounds.bytes as u64 + 1).read_until(b'\n', &mut self.bytes)? == 0 {
            return Ok(false);
        }
        if self.bytes.len() > bounds.bytes {
            return Err(too_many_bytes(bounds.bytes));
        }
        split(&self.bytes, &mut self.spans, bounds.fields + 1);
        self.fields = self.spans.len();
        if self.fields > bounds.fields {
            return Err(too_many_fields(bounds.fields));
        }
        Ok(true)
    }
}

fn too_many_bytes(most: usize) -> Unread {
    let most = if most >> 20 > 0 { format!("{} MiB", most >> 20) } else { format!("{most} bytes") };
    Unread::TooLong(format!(
        "is longer than {most}, the most that is read; is the file a table, and does every quote close?"
    ))
}

fn too_many_fields(most: usize) -> Unread {
    let most = in_thousands(most);
    Unread::TooLong(format!("has more than {most} fields, the most that are read; is every row on a line of its own?"))
}

/// Makes room for twice as much, and for `most` at most.
fn grow<T: Default + Clone>(list: &mut Vec<T>, most: usize) {
    let length = (2 * list.len()).clamp(64, most.max(64));
    list.resize(length, T::default());
}

/// The number with commas, as in 1,048,576.
fn in_thousands(number: usize) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().filter_map(|group| std::str::from_utf8(group).ok()).collect();
    groups.join(",")
}

/// The field without surrounding blanks, nor quotes that the parser left because a blank stands before them.
fn unquoted(field: &[u8]) -> &[u8] {
    let trimmed = field.trim_ascii();
    match trimmed {
        [b'"', inner @ .., b'"'] if field.starts_with(b" ") => inner,
        _ => trimmed,
    }
}

/// Finds the fields between runs of blanks, the first `most` of them.
fn split(line: &[u8], fields: &mut Vec<Range<usize>>, most: usize) {
    fields.clear();
    let mut at = 0;
    while at < line.len() && fields.len() < most {
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

    const COMMA: Divider = Divider::Byte(b',');

    fn all<R: Read>(mut records: Records<R>) -> Result<Vec<Vec<String>>, String> {
        let mut rows = Vec::new();
        while records.advance().map_err(|unread| unread.at("the row", "t").to_string())? {
            rows.push((0..records.len()).map(|j| String::from_utf8_lossy(records.field(j)).into_owned()).collect());
        }
        Ok(rows)
    }

    fn rows(text: &str, divider: Divider) -> Vec<Vec<String>> {
        all(Records::new(text.as_bytes(), divider)).unwrap()
    }

    fn bounded(text: &str, divider: Divider) -> Result<usize, String> {
        all(Records::bounded(text.as_bytes(), divider, Bounds { bytes: 100, fields: 10 })).map(|rows| rows.len())
    }

    #[test]
    fn quotes_blanks_and_line_ends_of_every_kind() {
        let text = "a, \"b\" ,c\r\n\r\n \n1,2,\"x,\ny\"\n3,,";
        assert_eq!(rows(text, COMMA), [vec!["a", "b", "c"], vec!["1", "2", "x,\ny"], vec!["3", "", ""]]);
    }

    #[test]
    fn runs_of_blanks_separate_once() {
        let text = "  \"my x\"   y\tz \r\n\n1 2\t\t3\r\n";
        assert_eq!(rows(text, Divider::Whitespace), [["my x", "y", "z"], ["1", "2", "3"]]);
    }

    #[test]
    fn rows_longer_than_the_buffers_are_read_whole() {
        let long = "x".repeat(BUFFER + 7);
        let text = format!("{long},\"{long}\"\n{}\n1,2", vec!["3"; 5000].join(","));
        let found = rows(&text, COMMA);
        assert_eq!(found.iter().map(Vec::len).collect::<Vec<_>>(), [2, 5000, 2]);
        assert_eq!((&found[0][1], &found[2][1]), (&long, &"2".to_owned()));
    }

    #[test]
    fn a_row_is_read_up_to_its_bounds_and_no_further() {
        let fields = |n: usize, between: &str| format!("a{between}b\n\n{}\n", vec!["1"; n].join(between));
        for (divider, between) in [(COMMA, ","), (Divider::Whitespace, " ")] {
            assert_eq!(bounded(&fields(10, between), divider), Ok(2));
            let error = bounded(&fields(11, between), divider).unwrap_err();
            assert!(error.starts_with("t: the row has more than 10 fields"), "{error}");
            assert_eq!(bounded(&"y".repeat(99), divider), Ok(1));
            let error = bounded(&"y".repeat(101), divider).unwrap_err();
            assert!(error.starts_with("t: the row is longer than 100 bytes"), "{error}");
        }
        // A quote that never closes takes the lines below into its row.
        let error = bounded(&format!("a,b\n\"1,{}", "2\n3,".repeat(40)), COMMA).unwrap_err();
        assert!(error.ends_with("does every quote close?"), "{error}");
        assert_eq!(bounded(&"\n \n".repeat(100), COMMA), Ok(0));
    }

    /// Endless, and counts what was asked of it.
    struct Endless<'a>(u8, &'a std::cell::Cell<usize>);

    impl Read for Endless<'_> {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            into.fill(self.0);
            self.1.set(self.1.get() + into.len());
            Ok(into.len())
        }
    }

    #[test]
    fn an_endless_line_is_refused_when_the_bound_is_reached() {
        for (byte, problem, divider) in [
            (0, "longer than 32 MiB", COMMA),
            (b',', "more than 1,048,576 fields", COMMA),
            (0, "longer than 32 MiB", Divider::Whitespace),
        ] {
            let read = std::cell::Cell::new(0);
            let error = all(Records::new(Endless(byte, &read), divider)).unwrap_err();
            assert!(error.contains(problem), "{error}");
            assert!(read.get() <= ROW_BYTES + 2 * BUFFER, "{} bytes", read.get());
        }
    }
}
