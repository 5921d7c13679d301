//! Numbers in sentences: no more digits than are known, and no zero where a number is only too small to be written.

/// Below this, what a p-value is has no meaning any more.
const SMALLEST: f64 = 1e-300;

/// `p = 0.012`, `p = 2.5e-16`, `p < 1e-300`.
pub(crate) fn p_value(p: f64) -> String {
    if p < SMALLEST { "p < 1e-300".to_owned() } else { format!("p = {}", rounded(p, 2)) }
}

/// A number to this many significant digits, without an exponent where that is readable.
pub(crate) fn rounded(value: f64, digits: usize) -> String {
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    let written = format!("{value:.*e}", digits.max(1) - 1);
    let Some((_, exponent)) = written.split_once('e') else { return written };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if !(-4..7).contains(&exponent) {
        return written;
    }
    let decimals = (digits as i32 - 1 - exponent).max(0) as usize;
    // What the digits leave of it: 86,123 becomes 86,000.
    let number: f64 = written.parse().unwrap_or(value);
    thousands(&format!("{number:.decimals$}"))
}

/// How many times as much: `1.4`, `86,000`, `1.4e8`.
pub(crate) fn times(ratio: f64) -> String {
    rounded(ratio, 2)
}

/// `1 column`, `2 columns`.
pub(crate) fn count(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// Commas between thousands, from five digits on.
fn thousands(number: &str) -> String {
    let (sign, digits) = number.strip_prefix('-').map_or(("", number), |digits| ("-", digits));
    let (whole, rest) = digits.find('.').map_or((digits, ""), |point| digits.split_at(point));
    if whole.len() < 5 {
        return number.to_owned();
    }
    let mut shown = String::new();
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at).is_multiple_of(3) {
            shown.push(',');
        }
        shown.push(digit);
    }
    format!("{sign}{shown}{rest}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_digits_that_are_known() {
        let shown = [86_123.4, 144_205_740.14, 1.352, 0.05, 0.000_012, 9.99, 999.6, 4321.0, -12_345.0].map(times);
        assert_eq!(shown, ["86,000", "1.4e8", "1.4", "0.050", "1.2e-5", "10", "1000", "4300", "-12,000"]);
        assert_eq!([0.0, 2.0, 15360.8].map(|x| rounded(x, 3)), ["0", "2.00", "15,400"]);
    }

    #[test]
    fn a_p_value_is_never_zero() {
        assert_eq!(
            [0.0, 1e-310, 2.53e-16, 0.0123].map(p_value),
            ["p < 1e-300", "p < 1e-300", "p = 2.5e-16", "p = 0.012"]
        );
    }
}
