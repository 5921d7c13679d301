//! How a text is laid out: its encoding, what stands before the header, the separator, the names, a row of units.

use std::io::Read;

use super::encoding::Encoding;
use super::input::TextInput;
use super::records::Records;
use super::separator::{BEGINNING, Divider, Line, count, lines, most_common, resolve};
use crate::data::intake::{Cell, IntakeEntry, clean, decoded, shown};
use crate::data::options::{Decimal, Header, ReadOptions, Separator, Strictness};
use crate::error::{Error, Result};
use crate::run::Diagnostic;

/// Rows that are looked at to find the header and what stands around it.
const HEAD: usize = 40;
/// Lines that may stand before the header.
const MOST_TITLES: usize = 30;

/// How a text is laid out.
#[derive(Debug, Clone)]
pub(super) struct Dialect {
    pub(super) encoding: Encoding,
    /// Lines before the header.
    pub(super) skipped: usize,
    pub(super) divider: Divider,
    /// Rows before the data: the header, and one of units.
    pub(super) before_data: usize,
    /// The name of every field of a row.
    pub(super) names: Vec<String>,
    /// Whether the names are those of the file.
    pub(super) is_named: bool,
    /// The fields of the header as they stand there, by which a later reading knows it.
    pub(super) header: Vec<Vec<u8>>,
    pub(super) entries: Vec<IntakeEntry>,
    pub(super) diagnostics: Vec<Diagnostic>,
}

impl Dialect {
    /// Looks at the beginning of a text.
    ///
    /// # Errors
    /// When it cannot be read, is empty, or is no text.
    pub(super) fn of(input: &TextInput, options: &ReadOptions) -> Result<Dialect> {
        let source_name = &input.source_name;
        let format = |problem: &str| Error::Format { path: source_name.clone(), problem: problem.to_owned() };
        let (encoding, beginning) = beginning(input)?;
        if beginning.iter().take(1024).any(|&byte| byte == 0) {
            return Err(format("the file is no text"));
        }
        let is_strict = options.strictness == Strictness::Strict;
        let mut lines = lines(&beginning);
        let mut entries = Vec::new();
        let mut separator = options.separator;
        let mut skipped = options.skip_rows.unwrap_or(0);
        lines.retain(|line| line.at >= skipped);
        if options.skip_rows.is_none() {
            if let Some(sign) = lines.first().and_then(|line| separator_line(&beginning, line)) {
                if separator == Separator::Detect {
                    separator = Separator::Byte(sign);
                }
                lines.remove(0);
                skipped = lines.first().map_or(skipped + 1, |line| line.at);
            }
            let comments = comments(&lines);
            lines.drain(..comments);
            let divider = resolve(separator, &lines);
            let titles = titles(&lines, divider);
            if comments + titles > 0 {
                skipped = lines[titles].at;
                let did = format!("skipped the first {skipped} lines");
                entries.push(IntakeEntry::table(did, "the header stands below them; `--skip-rows 0` keeps them"));
            }
            lines.drain(..titles);
        }
        let divider = resolve(separator, &lines);
        let head = head(input, encoding, skipped, divider)?;
        let Some(first) = head.first() else { return Err(format("the file is empty")) };
        let mut dialect = Dialect {
            encoding,
            skipped,
            divider,
            before_data: 0,
            names: Vec::new(),
            is_named: true,
            header: Vec::new(),
            entries,
            diagnostics: Vec::new(),
        };
        let numbers: Vec<Option<f64>> = first.iter().map(|field| plain(field)).collect();
        let all_numbers = numbers.iter().zip(first).all(|(number, field)| number.is_some() || field.is_empty());
        let all_numbers = all_numbers && numbers.iter().any(Option::is_some);
        let are_names = |numbers: &[Option<f64>]| {
            let mut whole: Vec<f64> = numbers.iter().flatten().copied().collect();
            let count = whole.len();
            whole.sort_unstable_by(f64::total_cmp);
            whole.dedup();
            whole.len() == count && whole.iter().all(|number| number.fract() == 0.0)
        };
        dialect.is_named = match options.header {
            Header::Yes => true,
            Header::No => false,
            Header::Detect => is_strict || !all_numbers || are_names(&numbers),
        };
        if dialect.is_named {
            dialect.read_names(&head);
            dialect.before_data = 1;
            dialect.header = first.clone();
            if all_numbers {
                dialect.diagnostics.push(Diagnostic::warning(
                    "numeric-header",
                    format!(
                        "the first row of {source_name} holds only numbers and was read as column names; if it is data, use `--no-header`"
                    ),
                ));
            }
            if let Some(units) = units(&head).filter(|_| !is_strict) {
                dialect.before_data = 2;
                let why = format!("it holds units or notes ({units}), no numbers");
                dialect.entries.push(IntakeEntry::table("left out the row below the header", why));
            }
        } else {
            let fields = head.iter().map(Vec::len).max().unwrap_or(0);
            dialect.names = (1..=fields).map(|j| format!("X{j}")).collect();
            if options.header == Header::Detect {
                let why = "the first row holds numbers as the others do: there is no header";
                dialect.entries.push(IntakeEntry::table("called the columns X1, X2, …", why));
            }
        }
        Ok(dialect)
    }

    /// The names of the header, cleaned and made different from one another.
    fn read_names(&mut self, head: &[Vec<Vec<u8>>]) {
        let mut raw: Vec<Vec<u8>> = head[0].clone();
        if let Some(first) = raw.first_mut()
            && first.starts_with(b"#")
        {
            *first = first[1..].trim_ascii().to_vec();
            if first.is_empty() && head.get(1).is_some_and(|row| row.len() + 1 == head[0].len()) {
                raw.remove(0);
            }
        }
        let rows = &head[1..];
        let has_row_names = !rows.is_empty()
            && rows.iter().all(|row| row.len() == raw.len() + 1)
            && rows.iter().any(|row| row.last().is_some_and(|field| !field.is_empty()));
        if has_row_names {
            raw.insert(0, b"row.names".to_vec());
            let why = "the header has one name fewer than the rows have fields, as R writes it";
            self.entries.push(IntakeEntry::table("called the first column `row.names`", why));
        }
        if raw.iter().any(|name| std::str::from_utf8(name).is_err()) {
            self.entries.push(not_utf8());
        }
        for (j, name) in raw.iter().enumerate() {
            let (text, cleaned) = (decoded(name), clean(&decoded(name)));
            let mut called = if name.is_empty() { format!("unnamed_{}", j + 1) } else { cleaned };
            if called != text && !name.is_empty() {
                let why = "its name holds characters that cannot be shown";
                self.entries.push(IntakeEntry::column(&called, "renamed", why));
            }
            if self.names.contains(&called) {
                let first = called.clone();
                let other = (1..).map(|k| format!("{first}.{k}")).find(|name| !self.names.contains(name));
                called = other.unwrap_or(first.clone());
                let why = format!("there is another column `{first}`");
                self.entries.push(IntakeEntry::column(&called, "renamed", why));
            }
            self.names.push(called);
        }
    }
}

/// What is told of a text that is not UTF-8.
pub(super) fn not_utf8() -> IntakeEntry {
    IntakeEntry::table("read as Windows-1252", "the text is not UTF-8")
}

/// The first bytes of the text as ASCII and what extends it.
fn beginning(input: &TextInput) -> Result<(Encoding, Vec<u8>)> {
    let in_file = |source| Error::Io { path: input.source_name.clone(), source };
    let mut bytes = [0; 4];
    let mut raw = input.open()?;
    let mut first = 0;
    while first < bytes.len() {
        match raw.read(&mut bytes[first..]).map_err(in_file)? {
            0 => break,
            read => first += read,
        }
    }
    let encoding = Encoding::of(&bytes[..first]);
    let mut beginning = Vec::new();
    input.text(encoding, 0)?.take(BEGINNING as u64).read_to_end(&mut beginning).map_err(in_file)?;
    Ok((encoding, beginning))
}

/// The first rows.
fn head(input: &TextInput, encoding: Encoding, skipped: usize, divider: Divider) -> Result<Vec<Vec<Vec<u8>>>> {
    let mut records = Records::new(input.text(encoding, skipped)?, divider);
    let (mut head, mut bytes) = (Vec::new(), 0);
    while head.len() < HEAD && bytes < (1 << 22) {
        let row = if head.is_empty() { "the first line".to_owned() } else { format!("row {}", head.len()) };
        if !records.advance().map_err(|unread| unread.at(&row, &input.source_name))? {
            break;
        }
        let fields: Vec<Vec<u8>> = (0..records.len()).map(|j| records.field(j).to_vec()).collect();
        bytes += fields.iter().map(|field| field.len() + 24).sum::<usize>();
        head.push(fields);
    }
    Ok(head)
}

/// The sign of a first line `sep=;`, as spreadsheets write it.
fn separator_line(beginning: &[u8], line: &Line) -> Option<u8> {
    let raw =
        beginning.split(|&byte| byte == b'\n' || byte == b'\r').nth(if line.at == 0 { 0 } else { return None })?;
    let raw = raw.strip_prefix(b"\"").map_or(raw, |rest| rest.strip_suffix(b"\"").unwrap_or(rest));
    match raw {
        [s, e, p, b'=', sign] if [*s, *e, *p].eq_ignore_ascii_case(b"sep") => Some(*sign),
        _ => None,
    }
}

/// How many lines at the beginning are comments; the last is the header where it has as many fields as the next.
fn comments(lines: &[Line]) -> usize {
    let comments = lines.iter().take_while(|line| line.squeezed.starts_with(b"#")).count();
    if comments == 0 || comments >= lines.len() {
        return 0;
    }
    let (last, next) = (&lines[comments - 1].squeezed[1..], &lines[comments].squeezed);
    let divider = resolve(Separator::Detect, &lines[comments..]);
    if count(next, divider) > 1 && count(last, divider) == count(next, divider) { comments - 1 } else { comments }
}

/// How many lines at the beginning are titles: far fewer fields than the lines below have.
fn titles(lines: &[Line], divider: Divider) -> usize {
    let (fields, agreeing) = most_common(lines, divider);
    if 2 * agreeing <= lines.len() {
        return 0;
    }
    let filled = |line: &Line| match divider {
        Divider::Byte(byte) => {
            line.squeezed.split(|&b| b == byte).filter(|field| !field.trim_ascii().is_empty()).count()
        }
        Divider::Whitespace => count(&line.squeezed, divider),
    };
    let is_title = |line: &&Line| {
        let has = count(&line.squeezed, divider);
        has + 1 < fields || has == 1 || fields > 2 && filled(line) <= 1
    };
    let titles = lines.iter().take_while(is_title).count();
    if titles > MOST_TITLES || titles == lines.len() { 0 } else { titles }
}

fn plain(field: &[u8]) -> Option<f64> {
    match Cell::of(field, Decimal::Detect) {
        Cell::Plain(value) => Some(value),
        _ => None,
    }
}

/// The cells of the row below the header, where it holds units: words where all rows below hold numbers.
fn units(head: &[Vec<Vec<u8>>]) -> Option<String> {
    let (first, rows) = head.get(1..)?.split_first()?;
    if rows.len() < 2 || rows.iter().any(|row| row.len() != first.len()) {
        return None;
    }
    let cell = |field: &Vec<u8>| Cell::of(field, Decimal::Detect);
    let is_numeric = |&j: &usize| {
        let mut numbers = 0;
        let fits = |row: &Vec<Vec<u8>>| {
            let cell = cell(&row[j]);
            numbers += usize::from(cell.is_number());
            cell.is_number() || cell == Cell::Missing
        };
        rows.iter().all(fits) && numbers > 0
    };
    let numeric: Vec<usize> = (0..first.len()).filter(is_numeric).collect();
    let words: Vec<usize> = numeric.iter().copied().filter(|&j| cell(&first[j]) == Cell::Text).collect();
    let any_number = first.iter().any(|field| cell(field).is_number());
    if any_number || words.is_empty() || 2 * words.len() < numeric.len() {
        return None;
    }
    let shown: Vec<String> = words.iter().take(3).map(|&j| format!("`{}`", shown(&first[j]))).collect();
    Some(shown.join(", "))
}
