//! Pearson's χ² and the likelihood-ratio G² test for discrete columns (Spirtes, Glymour & Scheines 2000, section 5.5).
//!
//! ```text
//! one table of x by y for every combination w of values of S that occurs; E = row total · column total / table total
//! χ² = Σ (N − E)²/E      G² = 2 Σ N log(N/E)
//! p  = P(χ²_df > statistic)
//! ```
//!
//! **Degrees of freedom.** `df = Σ_w (r_w − 1)(c_w − 1)`, where `r_w` and `c_w` count the values of `x` and `y` that occur in
//! table `w`: an empty row or column tells nothing and is left out, a combination of `S` that never occurs has no table.
//! This is causal-learn's rule (and pcalg's with `adaptDF`, nearly). An empty cell in a row and column that do occur counts as
//! a zero. With `df = 0` there is nothing to compare: p = 1.

use super::independence_test::IndependenceTest;
use crate::data::{Dataset, Discrete};
use crate::error::Result;
use crate::numerics::distribution::chi_square_upper_tail;

/// What is summed over the cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Discrepancy {
    /// Pearson's χ².
    ChiSquare,
    /// The likelihood ratio G².
    GSquare,
}

/// A contingency-table test on discrete columns.
///
/// ```
/// use npvar::data::Dataset;
/// use npvar::independence::{Contingency, Discrepancy, IndependenceTest};
/// let a: Vec<f64> = (0..40).map(|i| f64::from(i % 2)).collect();
/// let b: Vec<f64> = (0..40).map(|i| f64::from(i / 20)).collect();
/// let data = Dataset::new(vec!["a".into(), "b".into(), "c".into()], vec![a.clone(), b, a])?;
/// let test = Contingency::new(&data, Discrepancy::ChiSquare)?;
/// assert_eq!(test.p_value(0, 1, &[])?, 1.0);
/// assert!(test.p_value(0, 2, &[])? < 1e-9);
/// # Ok::<(), npvar::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Contingency {
    discrepancy: Discrepancy,
    columns: Discrete,
}

impl Contingency {
    /// The test for these columns.
    ///
    /// # Errors
    /// [`crate::Error::NotDiscrete`] when a column has too many distinct values.
    pub fn new(data: &Dataset, discrepancy: Discrepancy) -> Result<Self> {
        let method = match discrepancy {
            Discrepancy::ChiSquare => "chi-square",
            Discrepancy::GSquare => "g-square",
        };
        Ok(Contingency { discrepancy, columns: Discrete::of(data, method)? })
    }

    /// The statistic and its degrees of freedom.
    pub fn statistic(&self, x: usize, y: usize, given: &[usize]) -> (f64, usize) {
        let (x, y) = (x.min(y), x.max(y));
        let (rows, columns) = (self.columns.levels(x), self.columns.levels(y));
        let (stratum, strata) = self.columns.combinations(given);
        let (x_codes, y_codes) = (self.columns.codes(x), self.columns.codes(y));
        let (mut statistic, mut df) = (0.0, 0);
        let mut table = vec![0_u32; rows * columns];
        let (mut row_totals, mut column_totals) = (vec![0_u32; rows], vec![0_u32; columns]);
        // One table at a time: all of them together could be 4096 times as large as the data.
        for members in grouped(&stratum, strata).iter() {
            table.fill(0);
            for &row in members {
                table[x_codes[row as usize] as usize * columns + y_codes[row as usize] as usize] += 1;
            }
            row_totals.fill(0);
            column_totals.fill(0);
            for (row, total) in table.chunks_exact(columns).zip(&mut row_totals) {
                for (&count, column_total) in row.iter().zip(&mut column_totals) {
                    *total += count;
                    *column_total += count;
                }
            }
            let total: u32 = row_totals.iter().sum();
            let seen = |totals: &[u32]| totals.iter().filter(|&&total| total > 0).count();
            df += (seen(&row_totals) - 1) * (seen(&column_totals) - 1);
            for (row, &row_total) in table.chunks_exact(columns).zip(&row_totals) {
                for (&count, &column_total) in row.iter().zip(&column_totals) {
                    let expected = f64::from(row_total) * f64::from(column_total) / f64::from(total);
                    statistic += self.discrepancy.of(f64::from(count), expected);
                }
            }
        }
        (statistic, df)
    }
}

/// The rows of every stratum, in increasing order.
fn grouped(stratum: &[u32], strata: usize) -> Vec<Vec<u32>> {
    let mut groups = vec![Vec::new(); strata];
    for (row, &stratum) in stratum.iter().enumerate() {
        groups[stratum as usize].push(row as u32);
    }
    groups
}

impl Discrepancy {
    fn of(self, count: f64, expected: f64) -> f64 {
        match self {
            _ if expected == 0.0 => 0.0,
            Discrepancy::ChiSquare => (count - expected).powi(2) / expected,
            Discrepancy::GSquare if count == 0.0 => 0.0,
            Discrepancy::GSquare => 2.0 * count * (count / expected).ln(),
        }
    }
}

impl IndependenceTest for Contingency {
    fn nodes(&self) -> usize {
        self.columns.d()
    }

    fn p_value(&self, x: usize, y: usize, given: &[usize]) -> Result<f64> {
        let (statistic, df) = self.statistic(x, y, given);
        Ok(if df == 0 { 1.0 } else { chi_square_upper_tail(statistic, df as f64) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data(columns: Vec<Vec<f64>>) -> Dataset {
        Dataset::new((0..columns.len()).map(|j| format!("c{j}")).collect(), columns).unwrap()
    }

    /// The 2 × 2 table 10, 20 / 30, 5.
    #[test]
    fn a_table_by_hand() {
        let cells = [(0.0, 0.0, 10), (0.0, 1.0, 20), (1.0, 0.0, 30), (1.0, 1.0, 5)];
        let column = |pick: fn(&(f64, f64, usize)) -> f64| -> Vec<f64> {
            cells.iter().flat_map(|cell| vec![pick(cell); cell.2]).collect()
        };
        let data = data(vec![column(|cell| cell.0), column(|cell| cell.1)]);
        let n = 65.0_f64;
        let chi = n * (10.0_f64 * 5.0 - 20.0 * 30.0).powi(2) / (30.0 * 35.0 * 40.0 * 25.0);
        let (statistic, df) = Contingency::new(&data, Discrepancy::ChiSquare).unwrap().statistic(0, 1, &[]);
        assert!((statistic - chi).abs() < 1e-12 && df == 1);
        let g = 2.0
            * [(10.0_f64, 30.0, 40.0), (20.0, 30.0, 25.0), (30.0, 35.0, 40.0), (5.0, 35.0, 25.0)]
                .iter()
                .map(|(count, row, column)| count * (count * n / (row * column)).ln())
                .sum::<f64>();
        let (statistic, df) = Contingency::new(&data, Discrepancy::GSquare).unwrap().statistic(1, 0, &[]);
        assert!((statistic - g).abs() < 1e-12 && df == 1);
    }

    /// In the stratum c2 = 1 only one value of c0 occurs: its table has no degrees of freedom.
    #[test]
    fn empty_rows_and_columns_are_left_out_of_the_degrees_of_freedom() {
        let a: Vec<f64> = (0..60).map(|i| if i < 40 { f64::from(i % 3) } else { 2.0 }).collect();
        let b: Vec<f64> = (0..60).map(|i| f64::from(i / 5 % 2)).collect();
        let c: Vec<f64> = (0..60).map(|i| f64::from(u8::from(i >= 40))).collect();
        let test = Contingency::new(&data(vec![a, b, c]), Discrepancy::ChiSquare).unwrap();
        assert_eq!(test.statistic(0, 1, &[]).1, 2);
        assert_eq!(test.statistic(0, 1, &[2]).1, 2);
        assert!((0.0..=1.0).contains(&test.p_value(0, 1, &[2]).unwrap()));
    }

    #[test]
    fn a_constant_column_and_a_row_of_its_own_are_independent_of_everything() {
        let values = |f: fn(u32) -> u32| (0..20).map(|i| f64::from(f(i))).collect::<Vec<f64>>();
        let test = Contingency::new(
            &data(vec![values(|_| 7), values(|i| i % 2), values(|i| i % 5), values(|i| i / 4)]),
            Discrepancy::GSquare,
        )
        .unwrap();
        assert_eq!(test.p_value(0, 1, &[]).unwrap(), 1.0);
        // Every combination of the set occurs once: no degrees of freedom.
        assert_eq!(test.p_value(0, 1, &[2, 3]).unwrap(), 1.0);
    }
}
