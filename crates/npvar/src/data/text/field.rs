//! The meaning of one field.

/// The number a trimmed field stands for: NaN where it is missing, 1 and 0 for true and false, `None` where it is text.
/// `inf` is a number here; whether it is welcome is not decided by the field.
pub(super) fn number(field: &[u8]) -> Option<f64> {
    let text = std::str::from_utf8(field).ok()?;
    text.parse().ok().or_else(|| word(text))
}

/// Whether the field would be a number if its one comma were a point.
pub(super) fn has_decimal_comma(field: &[u8]) -> bool {
    std::str::from_utf8(field).is_ok_and(|text| {
        text.matches(',').count() == 1 && !text.contains('.') && text.replace(',', ".").parse::<f64>().is_ok()
    })
}

fn word(text: &str) -> Option<f64> {
    const MISSING: [&str; 7] = ["", "NA", "N/A", "null", "None", "?", "."]; // NaN is parsed as a number
    let is = |word: &str| text.eq_ignore_ascii_case(word);
    if MISSING.iter().any(|missing| is(missing)) {
        Some(f64::NAN)
    } else if is("true") {
        Some(1.0)
    } else if is("false") {
        Some(0.0)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_every_usual_form() {
        let forms =
            [("1", 1.0), ("-2.5", -2.5), ("+.5", 0.5), ("5.", 5.0), ("1e3", 1000.0), ("1E-3", 0.001), ("TRUE", 1.0)];
        for (text, value) in forms {
            assert_eq!(number(text.as_bytes()), Some(value), "{text}");
        }
        assert_eq!(number(b"false"), Some(0.0));
        assert_eq!(number(b"-Inf"), Some(f64::NEG_INFINITY));
    }

    #[test]
    fn missing_in_every_usual_form() {
        for text in ["", "NA", "na", "NaN", "nan", "N/A", "n/a", "null", "NULL", "None", "?", "."] {
            assert!(number(text.as_bytes()).is_some_and(f64::is_nan), "{text}");
        }
    }

    #[test]
    fn text_is_no_number() {
        for text in ["x", "1 2", "1,5", "1_000", "0x1f", "--1", "..", "2020-01-01"] {
            assert_eq!(number(text.as_bytes()), None, "{text}");
        }
        assert_eq!(number(&[0xff]), None);
    }

    #[test]
    fn a_decimal_comma_is_told_from_other_text() {
        assert!(has_decimal_comma(b"1,5") && has_decimal_comma(b"-0,25e3") && has_decimal_comma(b",5"));
        assert!(!has_decimal_comma(b"1,234.5") && !has_decimal_comma(b"1,2,3") && !has_decimal_comma(b"a,b"));
    }
}
