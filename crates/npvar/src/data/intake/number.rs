//! Numbers as people write them: with signs between thousands, a decimal comma, a per cent or currency sign.

use crate::data::Decimal;

/// Which sign stands before the decimals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DecimalSign {
    Point,
    Comma,
    /// `1,234` or `1.234`: the sign may as well stand between thousands.
    Unclear,
    /// There is neither point nor comma.
    None,
}

/// How a number is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) decimal: DecimalSign,
    pub(crate) percent: bool,
    pub(crate) currency: Option<&'static str>,
}

/// What may stand before or behind an amount of money.
const CURRENCIES: [&str; 15] =
    ["US$", "$", "€", "£", "¥", "₹", "USD", "EUR", "GBP", "CHF", "JPY", "CNY", "INR", "CAD", "AUD"];

/// The shape of a number, and the digits that a computer reads once the decimal sign is settled.
struct Written<'t> {
    negative: bool,
    core: &'t str,
    percent: bool,
    currency: Option<&'static str>,
}

/// How the number is written; nothing when the text is no number, or not one with this decimal sign.
pub(crate) fn shape(text: &str, decimal: Decimal) -> Option<Shape> {
    let written = taken_apart(text)?;
    let found = sign_of(written.core)?;
    let decimal = match (decimal, found) {
        (Decimal::Detect, found) | (_, found @ DecimalSign::None) => found,
        (Decimal::Comma, DecimalSign::Comma | DecimalSign::Unclear) => DecimalSign::Comma,
        (Decimal::Point, DecimalSign::Point | DecimalSign::Unclear) => DecimalSign::Point,
        _ => return None,
    };
    Some(Shape { decimal, percent: written.percent, currency: written.currency })
}

/// The value of a number whose decimals stand behind `sign`; a per cent sign counts for nothing.
pub(crate) fn value(text: &str, sign: char) -> Option<f64> {
    let written = taken_apart(text)?;
    let group = if sign == ',' { '.' } else { ',' };
    let core = written.core;
    let (mantissa, exponent) = core.split_at(core.find(['e', 'E']).unwrap_or(core.len()));
    let (whole, decimals) = match mantissa.split_once(sign) {
        Some((whole, decimals)) => (whole, Some(decimals)),
        None => (mantissa, None),
    };
    let between = whole.chars().find(|c| !c.is_ascii_digit());
    let is_grouped = between.is_none_or(|c| (c == group || is_space(c)) && in_threes(whole, c));
    let are_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if !is_grouped || !decimals.is_none_or(are_digits) {
        return None;
    }
    let whole: String = whole.chars().filter(char::is_ascii_digit).collect();
    let value: f64 = format!("{whole}.{}{exponent}", decimals.unwrap_or_default()).parse().ok()?;
    value.is_finite().then_some(if written.negative { -value } else { value })
}

/// Takes off sign, currency and per cent.
fn taken_apart(text: &str) -> Option<Written<'_>> {
    let (mut core, mut negative, mut currency) = (text.trim(), false, None);
    for _ in 0..2 {
        if let Some(rest) = core.strip_prefix(['-', '−']) {
            if negative {
                return None;
            }
            (negative, core) = (true, rest);
        } else if let Some(rest) = core.strip_prefix('+') {
            core = rest;
        }
        let before = || CURRENCIES.iter().find_map(|&sign| Some((sign, core.strip_prefix(sign)?.trim_start())));
        if currency.is_none()
            && let Some((sign, rest)) = before()
        {
            (currency, core) = (Some(sign), rest);
        }
    }
    if currency.is_none()
        && let Some((sign, rest)) =
            CURRENCIES.iter().find_map(|&sign| Some((sign, core.strip_suffix(sign)?.trim_end())))
    {
        (currency, core) = (Some(sign), rest);
    }
    let percent = core.ends_with('%');
    if percent {
        core = core[..core.len() - 1].trim_end();
    }
    let begins = core.starts_with(|c: char| c.is_ascii_digit() || ".,".contains(c));
    (begins && core.ends_with(|c: char| c.is_ascii_digit() || ".,".contains(c))).then_some(Written {
        negative,
        core,
        percent,
        currency,
    })
}

/// Which decimal sign a number without its decoration has; nothing when it is no number.
fn sign_of(core: &str) -> Option<DecimalSign> {
    let mantissa = match core.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => {
            let digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
            if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
                return None;
            }
            mantissa
        }
        None => core,
    };
    if !mantissa.bytes().any(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let (points, commas) = (mantissa.matches('.').count(), mantissa.matches(',').count());
    let readable = |sign: char| value(core, sign).is_some();
    match (points, commas) {
        (0, 0) => readable('.').then_some(DecimalSign::None),
        (1, 0) | (0, 1) => {
            let sign = if points == 1 { '.' } else { ',' };
            let other = if points == 1 { ',' } else { '.' };
            match (readable(sign), readable(other) && !mantissa.starts_with('0')) {
                (true, true) => Some(DecimalSign::Unclear),
                (true, false) if points == 1 => Some(DecimalSign::Point),
                (true, false) => Some(DecimalSign::Comma),
                _ => None,
            }
        }
        _ if readable('.') => Some(DecimalSign::Point),
        _ if readable(',') => Some(DecimalSign::Comma),
        _ => None,
    }
}

/// Whether the sign stands between groups of three digits, one to three before the first.
fn in_threes(whole: &str, sign: char) -> bool {
    let mut groups = whole.split(sign);
    let digits = |group: &str| !group.is_empty() && group.bytes().all(|byte| byte.is_ascii_digit());
    let first = groups.next().unwrap_or_default();
    digits(first) && first.len() <= 3 && groups.all(|group| group.len() == 3 && digits(group))
}

/// Blanks and the apostrophe stand between thousands in some countries.
fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\'' | '’' | '\u{a0}' | '\u{2009}' | '\u{202f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(text: &str) -> Option<DecimalSign> {
        shape(text, Decimal::Detect).map(|shape| shape.decimal)
    }

    #[test]
    fn the_decimal_sign_is_found_where_it_can_be() {
        use DecimalSign::{Comma, None as Neither, Point, Unclear};
        for (text, sign) in [
            ("1,5", Comma),
            ("0,125", Comma),
            (",5", Comma),
            ("-0,25e3", Comma),
            ("1.234,5", Comma),
            ("1.234.567", Comma),
            ("1,234", Unclear),
            ("1.234", Unclear),
            ("1,234.5", Point),
            ("1,234,567", Point),
            ("0.125", Point),
            ("1 234", Neither),
            ("12'345", Neither),
            ("12", Neither),
        ] {
            assert_eq!(decimal(text), Some(sign), "{text}");
        }
        for text in ["1,2,3", "a,b", "1,23,456", "1.2.3", "1,234.5.6", "12,34.5", ",", "1 23", "1,5,", "2020-01-01"] {
            assert_eq!(decimal(text), None, "{text}");
        }
    }

    #[test]
    fn values_follow_the_sign() {
        for (text, sign, expected) in [
            ("1,5", ',', 1.5),
            ("1,234", ',', 1.234),
            ("1,234", '.', 1234.0),
            ("1.234.567,25", ',', 1_234_567.25),
            ("-$1,234.50", '.', -1234.5),
            ("$-3", '.', -3.0),
            ("12.5 %", '.', 12.5),
            ("1'234.5", '.', 1234.5),
            ("€ 3,20", ',', 3.2),
            ("7 EUR", '.', 7.0),
            ("−4", '.', -4.0),
            ("1,5e-3", ',', 0.0015),
        ] {
            assert_eq!(value(text, sign), Some(expected), "{text}");
        }
        assert_eq!(value("1,5", '.'), None);
        assert_eq!(value("1.5", ','), None);
    }

    #[test]
    fn a_given_decimal_sign_settles_what_is_unclear() {
        assert_eq!(shape("1,234", Decimal::Comma).map(|shape| shape.decimal), Some(DecimalSign::Comma));
        assert_eq!(
            shape("1,234", Decimal::Point),
            Some(Shape { decimal: DecimalSign::Point, percent: false, currency: None })
        );
        assert_eq!(shape("1.5", Decimal::Comma), None);
        assert_eq!(shape("1,5", Decimal::Point), None);
    }
}
