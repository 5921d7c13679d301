//! Means over seeds, with their standard errors.

use crate::file::Measure;
use crate::row::Row;

/// A mean over cells.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Average {
    pub(super) mean: f64,
    /// Standard error; nothing for a single cell.
    pub(super) error: Option<f64>,
    /// Cells that have the measure.
    pub(super) count: usize,
    /// Cells that were tried.
    pub(super) tried: usize,
}

impl Average {
    /// The average of a measure; nothing when no cell has it.
    pub(super) fn of(rows: &[&Row], measure: Measure) -> Option<Average> {
        let values: Vec<f64> = rows.iter().filter_map(|row| row.value(measure)).collect();
        Average::over(&values, rows.len())
    }

    pub(super) fn over(values: &[f64], tried: usize) -> Option<Average> {
        if values.is_empty() {
            return None;
        }
        let count = values.len();
        let mean = values.iter().sum::<f64>() / count as f64;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let error = (count > 1).then(|| (squares / (count - 1) as f64 / count as f64).sqrt());
        Some(Average { mean, error, count, tried })
    }

    /// Whether cells are missing from the mean.
    pub(super) fn is_partial(&self) -> bool {
        self.count < self.tried
    }

    /// `3.2 ± 0.4`, and `(8/10)` where cells are missing.
    pub(super) fn text(&self) -> String {
        let mut text = number(self.mean);
        if let Some(error) = self.error {
            text += &format!(" ± {}", number(error));
        }
        if self.is_partial() {
            text += &format!(" ({}/{})", self.count, self.tried);
        }
        text
    }
}

/// A number with three significant digits, and without an exponent where that is readable.
pub(super) fn number(value: f64) -> String {
    match value.abs() {
        0.0 => "0".to_owned(),
        size if size >= 100.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        size if size >= 0.1 => format!("{value:.2}"),
        size if size >= 1e-4 => {
            let digits = (2.0 - size.log10().floor()).max(0.0) as usize;
            format!("{value:.digits$}")
        }
        _ => format!("{value:.1e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_standard_error_is_that_of_a_mean() {
        // 1, 2, 3: mean 2, standard deviation 1, divided by the root of 3.
        let average = Average::over(&[1.0, 2.0, 3.0], 4).unwrap();
        assert_eq!(average.mean, 2.0);
        assert!((average.error.unwrap() - 1.0 / 3.0_f64.sqrt()).abs() < 1e-15);
        assert_eq!(average.text(), "2.00 ± 0.58 (3/4)");
        assert_eq!(Average::over(&[5.0], 1).unwrap().text(), "5.00");
        assert_eq!(Average::over(&[], 3), None);
    }

    #[test]
    fn numbers_have_three_digits() {
        let shown = [0.0, 1234.5, 12.34, 0.1234, 0.001_234, 1e-7].map(number);
        assert_eq!(shown, ["0", "1234", "12.3", "0.12", "0.00123", "1.0e-7"]);
    }
}
