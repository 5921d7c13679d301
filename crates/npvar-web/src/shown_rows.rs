//! A few rows of the data, for the points behind a fitted curve.

use npvar::Result;
use npvar::data::RowBlocks;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Points in a plot: more would cover each other.
const MOST_ROWS: usize = 500;
/// Values in all, so that a report of many columns stays small.
const MOST_VALUES: usize = 60_000;

/// Every `n / 500`-th row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ShownRows {
    /// How many rows there are.
    pub rows: usize,
    /// Values by column, to five digits.
    pub columns: Map<String, Value>,
}

impl ShownRows {
    /// Takes rows at equal distances out of `n`.
    ///
    /// # Errors
    /// What reading came upon.
    pub fn of(rows: &dyn RowBlocks, n: usize) -> Result<ShownRows> {
        let names = rows.names();
        let most = MOST_ROWS.min(MOST_VALUES / names.len().max(1)).max(1);
        let stride = n.div_ceil(most).max(1);
        let mut columns: Vec<Vec<Value>> = vec![Vec::new(); names.len()];
        rows.for_each_block(&mut |block| {
            let first = block.first_row.next_multiple_of(stride) - block.first_row;
            for (kept, values) in columns.iter_mut().zip(&block.columns) {
                kept.extend(values.iter().skip(first).step_by(stride).map(|&value| Value::from(rounded(value))));
            }
            Ok(())
        })?;
        let rows = columns.first().map_or(0, Vec::len);
        Ok(ShownRows { rows, columns: names.iter().cloned().zip(columns.into_iter().map(Value::from)).collect() })
    }
}

/// To five significant digits: finer than a pixel.
fn rounded(value: f64) -> f64 {
    format!("{value:.4e}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use npvar::data::Dataset;

    fn counting(n: usize, d: usize) -> Dataset {
        let column: Vec<f64> = (0..n).map(|row| row as f64).collect();
        Dataset::new((0..d).map(|j| format!("X{j}")).collect(), vec![column; d]).unwrap()
    }

    #[test]
    fn rows_are_taken_at_equal_distances() {
        let sample = ShownRows::of(&counting(40_000, 2), 40_000).unwrap();
        assert_eq!(sample.rows, 500);
        assert_eq!(sample.columns["X1"][499], 39_920.0);
    }

    #[test]
    fn few_rows_are_all_taken_and_many_columns_mean_fewer_rows() {
        assert_eq!(ShownRows::of(&counting(7, 2), 7).unwrap().rows, 7);
        assert_eq!(ShownRows::of(&counting(1000, 400), 1000).unwrap().rows, 143);
    }
}
