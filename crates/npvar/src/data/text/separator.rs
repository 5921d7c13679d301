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
/// stand in the numbers of a semicolon- or tab-separated file (which is then an error with a helpful message).
const CANDIDATES: [Divider; 4] = [Divider::Byte(b'\t'), Divider::Byte(b';'), Divider::Byte(b','), Divider::Whitespace];

/// The separator asked for, or the one that divides the most of the first lines into as many fields (two at least) as
/// the first.
pub(super) fn resolve(separator: Separator, beginning: &[u8]) -> Divider {
    match separator {
        Separator::Detect => detect(&lines(beginning)),
        Separator::Comma => Divider::Byte(b','),
        Separator::Semicolon => Divider::Byte(b';'),
        Separator::Tab => Divider::Byte(b'\t'),
        Separator::Whitespace => Divider::Whitespace,
    }
}

fn detect(lines: &[Vec<u8>]) -> Divider {
    let Some(first) = lines.first() else { return Divider::Byte(b',') };
    let agreeing = |divider: Divider| match count(first, divider) {
        1 => 0,
        fields => lines.iter().filter(|line| count(line, divider) == fields).count(),
    };
    // The first of the best.
    let best = CANDIDATES.into_iter().rev().max_by_key(|&divider| agreeing(divider));
    if let Some(divider) = best.filter(|&divider| 2 * agreeing(divider) > lines.len()) {
        return divider;
    }
    // Nothing fits: the separator of the first line, so that the error is about the rows that differ from it.
    let separates = |divider: &Divider| *divider != Divider::Whitespace && count(first, *divider) > 1;
    CANDIDATES.into_iter().find(separates).unwrap_or(Divider::Byte(b','))
}

fn count(line: &[u8], divider: Divider) -> usize {
    match divider {
        Divider::Byte(separator) => 1 + line.iter().filter(|&&byte| byte == separator).count(),
        Divider::Whitespace => line.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty()).count(),
    }
}

/// The lines that are not blank, with `"` in place of every quoted field; without the last where the text was cut off in
/// the middle of it.
fn lines(text: &[u8]) -> Vec<Vec<u8>> {
    let (mut lines, mut line) = (Vec::new(), Vec::new());
    let mut quoted = false;
    for &byte in text {
        let starts_field = line.last().is_none_or(|last| b",;\t \"".contains(last));
        match byte {
            b'"' if quoted => quoted = false,
            b'"' if starts_field => {
                quoted = true;
                line.push(b'"');
            }
            _ if quoted => {}
            b'\n' | b'\r' => lines.push(std::mem::take(&mut line)),
            _ => line.push(byte),
        }
    }
    if lines.is_empty() || text.len() < BEGINNING {
        lines.push(line);
    }
    lines.retain(|line| !line.trim_ascii().is_empty());
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn detected(text: &str) -> Divider {
        resolve(Separator::Detect, text.as_bytes())
    }

    #[test]
    fn each_separator_is_found() {
        assert_eq!(detected("a,b\n1,2\n"), Divider::Byte(b','));
        assert_eq!(detected("a;b\n1;2\n"), Divider::Byte(b';'));
        assert_eq!(detected("a\tb\n1\t2\n"), Divider::Byte(b'\t'));
        assert_eq!(detected("a b\n 1   2\n"), Divider::Whitespace);
        assert_eq!(detected("a b"), Divider::Whitespace);
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
    fn a_ragged_file_keeps_the_separator_of_its_header() {
        assert_eq!(detected("a;b;c\n1;2\n3;4\n"), Divider::Byte(b';'));
        assert_eq!(detected("the only column\n1"), Divider::Byte(b','));
    }
}
