//! What one cell of a text is.

use super::number::{Shape, shape};
use crate::data::Decimal;

/// What a cell is, before anything is known of its column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Cell {
    /// One of the usual ways to write that there is no value.
    Missing,
    /// A finite number as it stands.
    Plain(f64),
    /// A number that is written with more than digits and a point.
    Written(Shape),
    /// `inf` and the like, or a number too large for a double.
    Infinite,
    /// `true` or `false`.
    Logical(bool),
    /// A date, a time, or both.
    Time,
    /// Anything else.
    Text,
}

/// Spellings of a missing value. `Na` is sodium, and a level like any other.
const MISSING: [&str; 28] = [
    "", "NA", "na", "N/A", "n/a", "N/a", "NaN", "nan", "NAN", "-nan", "-NaN", "#N/A", "#NA", "#NUM!", "#DIV/0!",
    "#VALUE!", "#REF!", "<NA>", "null", "NULL", "Null", "None", "none", "NONE", "?", ".", "-", "--",
];

impl Cell {
    /// What a trimmed cell is, where the decimal sign may be known.
    pub(crate) fn of(field: &[u8], decimal: Decimal) -> Cell {
        let Ok(text) = std::str::from_utf8(field) else { return Cell::Text };
        if decimal != Decimal::Comma
            && let Some(plain) = plain(text)
        {
            return plain;
        }
        if is_missing(text) {
            return Cell::Missing;
        }
        match shape(text, decimal) {
            Some(shape) => return Cell::Written(shape),
            None if text.bytes().any(|byte| byte.is_ascii_digit()) => {}
            None => match text.parse::<f64>() {
                Ok(value) if value.is_nan() => return Cell::Missing,
                Ok(_) => return Cell::Infinite,
                Err(_) => {}
            },
        }
        match logical(text) {
            Some(value) => Cell::Logical(value),
            None if is_time(text) => Cell::Time,
            None => Cell::Text,
        }
    }

    /// Whether the cell is a finite number in whatever form.
    pub(crate) fn is_number(&self) -> bool {
        matches!(self, Cell::Plain(_) | Cell::Written(_))
    }
}

/// The quick way for what most cells are.
fn plain(text: &str) -> Option<Cell> {
    if !text.bytes().next()?.is_ascii_digit() && !text.starts_with(['-', '+', '.']) {
        return None;
    }
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() => Some(Cell::Plain(value)),
        Ok(value) if value.is_nan() => Some(Cell::Missing),
        Ok(_) => Some(Cell::Infinite),
        Err(_) => None,
    }
}

/// Whether a trimmed cell is one of the usual spellings of a missing value.
pub(crate) fn is_missing(text: &str) -> bool {
    text.len() <= 7 && MISSING.contains(&text)
}

fn logical(text: &str) -> Option<bool> {
    if text.eq_ignore_ascii_case("true") {
        Some(true)
    } else if text.eq_ignore_ascii_case("false") {
        Some(false)
    } else {
        None
    }
}

/// Whether the text is a date (`2020-01-31`, `31.1.2020`, `1/31/20`, `2020Q1`, `2020-01`, `5 Jan 2020`), a time of day
/// (`13:05`, `1:05:30 PM`), or both.
fn is_time(text: &str) -> bool {
    let text = text.trim_end_matches(['Z', 'z']);
    let (first, rest) = text.split_once(['T', ' ']).unwrap_or((text, ""));
    if is_date(first) {
        return rest.is_empty() || is_clock(rest);
    }
    is_clock(text) || is_quarter(text) || is_named_month(text)
}

fn is_date(text: &str) -> bool {
    let Some(sign) = text.chars().find(|c| !c.is_ascii_digit()) else { return false };
    if !matches!(sign, '-' | '/' | '.') {
        return false;
    }
    let parts: Vec<&str> = text.split(sign).collect();
    let between = |part: &str, low: u32, high: u32| {
        part.len() <= 2 && part.parse::<u32>().is_ok_and(|value| (low..=high).contains(&value))
    };
    let year = |part: &str| part.len() == 4 && part.bytes().all(|byte| byte.is_ascii_digit());
    match parts[..] {
        [y, m, d] if year(y) => between(m, 1, 12) && between(d, 1, 31),
        [a, b, y] if year(y) || y.len() == 2 && y.bytes().all(|byte| byte.is_ascii_digit()) => {
            between(a, 1, 31) && between(b, 1, 31) && (between(a, 1, 12) || between(b, 1, 12))
        }
        [y, m] if sign != '.' => year(y) && m.len() == 2 && between(m, 1, 12),
        _ => false,
    }
}

fn is_clock(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let text = lower.trim_end_matches("am").trim_end_matches("pm").trim_end();
    // What stands behind the seconds is a time zone.
    let text = text.split_once(['+', '-']).map_or(text, |(clock, _)| clock).trim_end();
    let parts: Vec<&str> = text.split(':').collect();
    let digits = |part: &&str| !part.is_empty() && part.len() <= 2 && part.bytes().all(|byte| byte.is_ascii_digit());
    match parts[..] {
        [h, m] => [h, m].iter().all(digits),
        [h, m, s] => {
            let seconds = s.split_once(['.', ',']).map_or(s, |(whole, _)| whole);
            [h, m, seconds].iter().all(digits)
        }
        _ => false,
    }
}

fn is_quarter(text: &str) -> bool {
    let Some((year, rest)) = text.split_at_checked(4) else { return false };
    let rest = rest.trim_start_matches(['-', ' ']);
    let year = year.bytes().all(|byte| byte.is_ascii_digit());
    let after = |sign: char, most: u32| {
        rest.strip_prefix(sign).is_some_and(|digits| digits.parse().is_ok_and(|value: u32| (1..=most).contains(&value)))
    };
    year && (after('Q', 4) || after('q', 4) || after('M', 12))
}

fn is_named_month(text: &str) -> bool {
    const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let words: Vec<&str> = text.split([' ', '-', ',', '/']).filter(|word| !word.is_empty()).collect();
    let is_month = |word: &&&str| {
        let lower = word.to_ascii_lowercase();
        MONTHS.iter().any(|month| lower.starts_with(month)) && lower.bytes().all(|byte| byte.is_ascii_lowercase())
    };
    let is_number = |word: &&&str| word.len() <= 4 && word.bytes().all(|byte| byte.is_ascii_digit());
    (2..=3).contains(&words.len())
        && words.iter().filter(is_month).count() == 1
        && words.iter().filter(is_number).count() == words.len() - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(text: &str) -> Cell {
        Cell::of(text.as_bytes(), Decimal::Detect)
    }

    #[test]
    fn numbers_in_every_usual_form() {
        let forms = [("1", 1.0), ("-2.5", -2.5), ("+.5", 0.5), ("5.", 5.0), ("1e3", 1000.0), ("1E-3", 0.001)];
        for (text, value) in forms {
            assert_eq!(cell(text), Cell::Plain(value), "{text}");
        }
        for text in ["-Inf", "inf", "Infinity", "1e999"] {
            assert_eq!(cell(text), Cell::Infinite, "{text}");
        }
    }

    #[test]
    fn missing_in_every_usual_form() {
        for text in ["", "NA", "na", "NaN", "nan", "N/A", "n/a", "null", "NULL", "None", "?", ".", "-", "#N/A"] {
            assert_eq!(cell(text), Cell::Missing, "{text}");
        }
        assert_eq!(cell("Na"), Cell::Text, "sodium");
    }

    #[test]
    fn text_is_no_number() {
        for text in ["x", "1 2", "1_000", "0x1f", "--1", "..", "1.2.3", "12 Main Street", "1-2", "A1", "3:7 b", "May"] {
            assert_eq!(cell(text), Cell::Text, "{text}");
        }
        assert_eq!(Cell::of(&[0xff], Decimal::Detect), Cell::Text);
        assert_eq!((cell("TRUE"), cell("false")), (Cell::Logical(true), Cell::Logical(false)));
    }

    #[test]
    fn dates_and_times_of_the_usual_kinds() {
        for text in [
            "2020-01-31",
            "2020/1/3",
            "31.01.2020",
            "1/31/20",
            "2020-01-31T13:05:00Z",
            "2020-01-31 13:05:00.123+01:00",
            "13:05",
            "1:05:30 PM",
            "1959Q1",
            "1959-Q4",
            "2020-07",
            "5 Jan 2020",
            "Jan-99",
            "March 5, 2020",
        ] {
            assert_eq!(cell(text), Cell::Time, "{text}");
        }
    }
}
