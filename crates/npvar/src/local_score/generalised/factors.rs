//! Centred factors `Λ` of kernel matrices, `HKH = ΛΛ'`.

use std::borrow::Cow;

use faer::{Mat, MatRef};
use rayon::prelude::*;

use crate::data::Dataset;
use crate::error::Result;
use crate::graph::Node;
use crate::numerics::kernel::{Zeros, incomplete_cholesky_during, median_squared_distance};
use crate::run::Run;

/// Past this many rows the median distance is that of as many rows, evenly spaced.
pub const MEDIAN_ROWS: usize = 2000;

/// How far kernel matrices are factored.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Approximation {
    /// Down to rounding.
    Exact,
    /// Until this share of the trace is missed, or with this many columns.
    LowRank {
        /// The share of the trace that may be missed.
        tolerance: f64,
        /// The largest number of columns.
        rank: usize,
    },
}

/// The factors of a table's columns, and what is needed for those of sets of columns.
#[derive(Debug, Clone)]
pub(super) struct Factors {
    n: usize,
    approximation: Approximation,
    /// Each column in units in which its kernel is `exp(−(a − b)²/2)`; nothing for a constant column, whose kernel is one.
    scaled: Vec<Option<Vec<f64>>>,
    single: Vec<Mat<f64>>,
}

impl Factors {
    pub(super) fn new(data: &Dataset, approximation: Approximation, run: &Run<'_>) -> Result<Self> {
        let scaled: Vec<Option<Vec<f64>>> = (0..data.d())
            .into_par_iter()
            .map(|node| {
                run.check()?;
                let column = data.column(node);
                let unit = median(column).map(|median| (2.0 * median).sqrt());
                Ok(unit.map(|unit| column.iter().map(|value| value / unit).collect()))
            })
            .collect::<Result<_>>()?;
        let mut factors = Factors { n: data.n(), approximation, scaled, single: Vec::new() };
        let single = (0..data.d()).into_par_iter().map(|node| factors.factor(&[node], Approximation::Exact, run));
        factors.single = single.collect::<Result<_>>()?;
        Ok(factors)
    }

    pub(super) fn n(&self) -> usize {
        self.n
    }

    pub(super) fn nodes(&self) -> usize {
        self.single.len()
    }

    /// `Λ` of one column.
    pub(super) fn of(&self, node: Node) -> MatRef<'_, f64> {
        self.single[node].as_ref()
    }

    /// `Λ` of a set of columns.
    pub(super) fn of_set(&self, nodes: &[Node], run: &Run<'_>) -> Result<Cow<'_, Mat<f64>>> {
        let varying: Vec<Node> = nodes.iter().copied().filter(|&node| self.scaled[node].is_some()).collect();
        Ok(match varying.as_slice() {
            [node] => Cow::Borrowed(&self.single[*node]),
            varying => Cow::Owned(self.factor(varying, self.approximation, run)?),
        })
    }

    fn factor(&self, nodes: &[Node], approximation: Approximation, run: &Run<'_>) -> Result<Mat<f64>> {
        let coordinates: Vec<&Vec<f64>> = nodes.iter().filter_map(|&node| self.scaled[node].as_ref()).collect();
        if coordinates.is_empty() {
            return Ok(Mat::zeros(self.n, 0));
        }
        let x = Mat::from_fn(self.n, coordinates.len(), |i, j| coordinates[j][i]);
        let (tolerance, rank) = match approximation {
            Approximation::Exact => (0.0, self.n),
            Approximation::LowRank { tolerance, rank } => (tolerance, rank),
        };
        Ok(incomplete_cholesky_during(x.as_ref(), 1.0, tolerance, rank, run)?.centred())
    }
}

/// The median of `(a − b)²` over pairs of rows that differ; nothing for a constant column.
fn median(column: &[f64]) -> Option<f64> {
    let rows = column.len().min(MEDIAN_ROWS);
    let spaced = Mat::from_fn(rows, 1, |i, _| column[i * column.len() / rows]);
    // The rows taken may coincide where others do not.
    let differing = || column.iter().find(|&&value| value != column[0]).map(|value| (value - column[0]).powi(2));
    median_squared_distance(spaced.as_ref(), Zeros::Leave).or_else(differing)
}

/// The definition: `HKH` with dense matrices.
#[cfg(test)]
pub(super) fn centred_kernel(columns: &[&[f64]]) -> Mat<f64> {
    let n = columns[0].len();
    let medians: Vec<f64> = columns.iter().map(|column| median(column).expect("not constant")).collect();
    let kernel = Mat::from_fn(n, n, |i, j| {
        let squares =
            columns.iter().zip(&medians).map(|(column, median)| (column[i] - column[j]).powi(2) / (4.0 * median));
        (-squares.sum::<f64>()).exp()
    });
    let centring = Mat::from_fn(n, n, |i, j| f64::from(u8::from(i == j)) - 1.0 / n as f64);
    &centring * kernel * &centring
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Seed;

    #[test]
    fn the_median_leaves_out_pairs_that_coincide() {
        assert_eq!(median(&[0.0, 0.0, 1.0, 3.0]), Some(4.0)); // 1, 1, 4, 9, 9 without the 0
        assert_eq!(median(&[0.0, 1.0, 1.0]), Some(1.0));
        assert_eq!(median(&[2.0; 5]), None);
    }

    #[test]
    fn a_column_of_which_the_rows_taken_coincide_still_has_a_width() {
        let mut column = vec![0.0; 3 * MEDIAN_ROWS];
        column[1] = 2.0;
        assert_eq!(median(&column), Some(4.0));
    }

    #[test]
    fn a_factor_multiplies_out_to_the_centred_product_kernel() {
        let n = 25;
        let columns: Vec<Vec<f64>> =
            (0..2).map(|k| (0..n).map(|i| ((i * (3 + k)) as f64).sin() * 4.0).collect()).collect();
        let data = Dataset::new(vec!["a".into(), "b".into()], columns.clone()).unwrap();
        let run = Run::new(Seed(0));
        let factors = Factors::new(&data, Approximation::Exact, &run).unwrap();
        let factor = factors.factor(&[0, 1], Approximation::Exact, &run).unwrap();
        let kernel = centred_kernel(&[&columns[0], &columns[1]]);
        for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
            let product: f64 = (0..factor.ncols()).map(|k| factor[(i, k)] * factor[(j, k)]).sum();
            assert!((product - kernel[(i, j)]).abs() < 1e-11);
        }
    }
}
