//! Tables and numbers for people.

/// Columns of a text table: how they are aligned.
#[derive(Clone, Copy)]
pub(crate) enum Align {
    Left,
    Right,
}

/// Lays rows out in columns two spaces apart, indented by two. The first row is the heading; a column with nothing below it is
/// left out.
pub(crate) fn table(align: &[Align], rows: &[Vec<String>]) -> String {
    let holds_something = |j: &usize| rows.len() < 2 || rows[1..].iter().any(|row| !row[*j].is_empty());
    let width = |j: usize| rows.iter().map(|row| row[j].chars().count()).max().unwrap_or(0);
    let columns: Vec<(usize, usize)> = (0..align.len()).filter(holds_something).map(|j| (j, width(j))).collect();
    let mut text = String::new();
    for row in rows {
        let cells: Vec<String> = (columns.iter())
            .map(|&(j, width)| match align[j] {
                Align::Left => format!("{:<width$}", row[j]),
                Align::Right => format!("{:>width$}", row[j]),
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
    fn a_column_with_nothing_below_its_heading_is_left_out() {
        let rows = [row(["from", "p-value", "to"]), row(["a", "", "b"])];
        assert_eq!(table(&[Align::Left, Align::Right, Align::Left], &rows), "  from  to\n  a     b\n");
    }

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
