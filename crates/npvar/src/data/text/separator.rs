//! Which separator a text uses.

use super::super::Separator;

/// How many bytes are looked at to find the separator.
pub(super) const BEGINNING: usize = 1 << 16;

/// How a row is divided into fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Divider {
    /// By this byte.
    Byte(u8),
    /// By any run of blanks.
    Whitespace,
}

/// In order of preference where several divide the lines equally well: blanks may follow any separator, and a comma may
/// stand in the numbers of a semicolon- or tab-separated file.
const CANDIDATES: [Divider; 7] = [
    Divider::Byte(b'\t'),
    Divider::Byte(b';'),
    Divider::Byte(b','),
    Divider::Byte(b'|'),
    Divider::Whitespace,
    Divider::Byte(b'^'),
    Divider::Byte(b'~'),
];

/// The separator asked for, or the one that divides the most of the first lines into the same number of fields (two at
/// least).
pub(super) fn resolve(separator: Separator, lines: &[Line]) -> Divider {
    match separator {
        Separator::Detect => detect(lines),
        Separator::Byte(byte) => Divider::Byte(byte),
        Separator::Whitespace => Divider::Whitespace,
    }
}

fn detect(lines: &[Line]) -> Divider {
    let agreeing = |divider: Divider| most_common(lines, divider).1;
    // The first of the best.
    let best = CANDIDATES.into_iter().rev().max_by_key(|&divider| agreeing(divider));
    if let Some(divider) = best.filter(|&divider| 2 * agreeing(divider) > lines.len()) {
        return divider;
    }
    // Nothing fits: the separator of the first line, so that the error is about the rows that differ from it.
    let Some(first) = lines.first() else { return Divider::Byte(b',') };
    let separates = |divider: &Divider| *divider != Divider::Whitespace && count(&first.squeezed, *divider) > 1;
    CANDIDATES.into_iter().find(separates).unwrap_or(Divider::Byte(b','))
}

/// The number of fields, two at least, that the most lines have, and how many have it; the larger number among equals.
pub(super) fn most_common(lines: &[Line], divider: Divider) -> (usize, usize) {
    let mut counts = std::collections::BTreeMap::new();
    for line in lines {
        *counts.entry(count(&line.squeezed, divider)).or_insert(0) += 1;
    }
    counts
        .into_iter()
        .filter(|&(fields, _)| fields > 1)
        .max_by_key(|&(fields, lines)| (lines, fields))
        .unwrap_or((1, 0))
}

/// A line of the beginning: as it is, and with `"` in place of every quoted field.
pub(super) struct Line {
    pub(super) squeezed: Vec<u8>,
    /// How many line ends stand before it.
    pub(super) at: usize,
}

/// How many fields a squeezed line has.
pub(super) fn count(line: &[u8], divider: Divider) -> usize {
    match divider {
        Divider::Byte(separator) => 1 + line.iter().filter(|&&byte| byte == separator).count(),
        Divider::Whitespace => line.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty()).count(),
    }
}

/// The lines that are not blank; without the last where the text was cut off in the middle of it.
pub(super) fn lines(text: &[u8]) -> Vec<Line> {
    let (mut lines, mut squeezed) = (Vec::new(), Vec::new());
    let (mut quoted, mut at, mut ends, mut last) = (false, 0, 0, 0);
    for &byte in text {
        let starts_field = squeezed.last().is_none_or(|last| b",;\t|: \"".contains(last));
        if byte == b'\r' || byte == b'\n' && last != b'\r' {
            ends += 1;
        }
        match byte {
            b'"' if quoted => quoted = false,
            b'"' if starts_field => {
                quoted = true;
                squeezed.push(b'"');
            }
            _ if quoted => {}
            b'\n' if last == b'\r' => at = ends,
            b'\n' | b'\r' => {
                lines.push(Line { squeezed: std::mem::take(&mut squeezed), at });
                at = ends;
            }
            _ => squeezed.push(byte),
        }
        last = byte;
    }
    if lines.is_empty() || text.len() < BEGINNING {
        lines.push(Line { squeezed, at });
    }
    lines.retain(|line| !line.squeezed.trim_ascii().is_empty());
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn detected(text: &str) -> Divider {
        resolve(Separator::Detect, &lines(text.as_bytes()))
    }

    #[test]
    fn each_separator_is_found() {
        assert_eq!(detected("a,b\n1,2\n"), Divider::Byte(b','));
        assert_eq!(detected("a;b\n1;2\n"), Divider::Byte(b';'));
        assert_eq!(detected("a\tb\n1\t2\n"), Divider::Byte(b'\t'));
        assert_eq!(detected("a b\n 1   2\n"), Divider::Whitespace);
        assert_eq!(detected("a b"), Divider::Whitespace);
        assert_eq!(detected("a|b\n1|2\n"), Divider::Byte(b'|'));
    }

    #[test]
    fn blanks_after_commas_and_decimal_commas_do_not_mislead() {
        assert_eq!(detected("a, b, c\n1, 2, 3\n"), Divider::Byte(b','));
        assert_eq!(detected("a;b\n1,5;2,5\n"), Divider::Byte(b';'));
        assert_eq!(detected("1,5;2,5\n1,5;2,5\n"), Divider::Byte(b';'));
        assert_eq!(detected("first name,b\n1,2\n3,4\n"), Divider::Byte(b','));
    }

    #[test]
    fn quoted_separators_do_not_count() {
        assert_eq!(detected("\"a;x\ty;\",b\n\"1;2\n;\",3\n"), Divider::Byte(b','));
        assert_eq!(detected("\"a \"\"b;c\"\" d\",e\n1,3\n"), Divider::Byte(b','));
    }

    #[test]
    fn lines_know_where_they_stand() {
        let at = |text: &str| lines(text.as_bytes()).iter().map(|line| line.at).collect::<Vec<_>>();
        assert_eq!(at("a\n\nb\n\"c\nd\"\ne"), [0, 2, 3, 5]);
        assert_eq!(at("a\r\n\r\nb\r\nc"), [0, 2, 3]);
        assert_eq!(at("a\rb"), [0, 1]);
    }

    #[test]
    fn a_ragged_file_keeps_the_separator_of_its_header() {
        assert_eq!(detected("a;b;c\n1;2\n3;4\n"), Divider::Byte(b';'));
        assert_eq!(detected("the only column\n1"), Divider::Byte(b','));
    }
}
