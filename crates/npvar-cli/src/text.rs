//! Tables and numbers for people.

/// Columns of a text table: how they are aligned.
#[derive(Clone, Copy)]
pub(crate) enum Align {
    Left,
    Right,
}

/// Lays rows out in columns two spaces apart, indented by two.
pub(crate) fn table(align: &[Align], rows: &[Vec<String>]) -> String {
    let width = |j: usize| rows.iter().map(|row| row[j].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..align.len()).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let cells: Vec<String> = (align.iter().zip(&widths).zip(row))
            .map(|((align, &width), cell)| match align {
                Align::Left => format!("{cell:<width$}"),
                Align::Right => format!("{cell:>width$}"),
            })
            .collect();
        text += format!("  {}", cells.join("  ")).trim_end();
        text.push('\n');
    }
    text
}

/// A row of a table.
pub(crate) fn row<const N: usize>(cells: [&str; N]) -> Vec<String> {
    cells.map(str::to_owned).to_vec()
}

/// A p-value to two digits.
pub(crate) fn p_value(p: f64) -> String {
    match p {
        0.0 => "<1e-300".to_owned(),
        p if p < 1e-3 => format!("{p:.1e}"),
        p => format!("{p:.4}"),
    }
}

/// A number to four significant digits, without an exponent where that is readable.
pub(crate) fn number(value: f64) -> String {
    if value != 0.0 && !(1e-3..1e6).contains(&value.abs()) {
        return format!("{value:.3e}");
    }
    let before = if value == 0.0 { 0 } else { value.abs().log10().floor() as i32 };
    format!("{value:.*}", (3 - before).clamp(0, 6) as usize)
}

/// Seconds, in the unit a person would use.
pub(crate) fn seconds(seconds: f64) -> String {
    match seconds {
        s if s < 0.1 => format!("{:.1} ms", 1e3 * s),
        s if s < 60.0 => format!("{s:.2} s"),
        s => format!("{:.0} min {:.0} s", (s / 60.0).floor(), s % 60.0),
    }
}

/// `1 edge`, `2 edges`.
pub(crate) fn count(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// `yes` or `no`.
pub(crate) fn yes_no(yes: bool) -> String {
    if yes { "yes" } else { "no" }.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_four_digits() {
        let shown: Vec<String> = [0.0, 0.51234, 12.3456, 123456.7, 1.5e-7, -2.0].map(number).to_vec();
        assert_eq!(shown, ["0.000", "0.5123", "12.35", "123457", "1.500e-7", "-2.000"]);
    }

    #[test]
    fn p_values_below_the_smallest_number_say_so() {
        assert_eq!([0.0, 2.5e-16, 0.04].map(p_value), ["<1e-300", "2.5e-16", "0.0400"]);
    }
}
