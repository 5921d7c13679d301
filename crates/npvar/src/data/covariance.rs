//! Means and centred cross products of columns, in one pass over row blocks.

use faer::Mat;

use super::blocks::RowBlocks;
use super::dataset::Dataset;
use super::gaps::Gaps;
use crate::error::Result;
use crate::numerics::linalg::{Into, eigen_during, multiply};
use crate::run::{Event, Run};

/// The covariance matrix of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Covariance {
    n: usize,
    /// Centred cross products divided by `n − 1`.
    matrix: Mat<f64>,
}

impl Covariance {
    /// Reads all rows; columns are shifted by their mean over the first block, so that large means cost no digits.
    ///
    /// # Errors
    /// What reading the source came upon, or cancelling.
    pub fn of(source: &dyn RowBlocks, run: &Run<'_>) -> Result<Self> {
        let d = source.names().len();
        let (mut n, total) = (0, source.row_count());
        let mut pilot = vec![0.0; d];
        let (mut sums, mut products) = (vec![0.0; d], Mat::<f64>::zeros(d, d));
        source.for_each_counted_block(&mut |block, counts| {
            let rows = block.rows();
            if block.first_row == 0 {
                pilot = block.columns.iter().map(|column| column.iter().sum::<f64>() / rows as f64).collect();
            }
            let mut shifted = Mat::from_fn(rows, d, |i, j| block.columns[j][i] - pilot[j]);
            match counts {
                None => {
                    (0..d).for_each(|j| sums[j] += shifted.col_as_slice(j).iter().sum::<f64>());
                    n += rows;
                }
                Some(counts) => {
                    // Both factors of a product carry the root of the count.
                    for (j, sum) in sums.iter_mut().enumerate() {
                        for (value, &count) in shifted.col_as_slice_mut(j).iter_mut().zip(counts) {
                            *sum += f64::from(count) * *value;
                            *value *= f64::from(count).sqrt();
                        }
                    }
                    n += counts.iter().map(|&count| count as usize).sum::<usize>();
                }
            }
            multiply(products.as_mut(), Into::Add, shifted.transpose(), shifted.as_ref(), 1.0);
            run.report(&Event::Rows { done: n, total })
        })?;
        let matrix = Mat::from_fn(d, d, |i, j| {
            // The mean of the two halves: products of equal columns differ in the last bit by position.
            let product = 0.5 * (products[(i, j)] + products[(j, i)]);
            (product - sums[i] * sums[j] / n as f64) / (n as f64 - 1.0).max(1.0)
        });
        Ok(Covariance { n, matrix })
    }

    /// From the cells that are there: each variance from all values of its column, each correlation from the rows that have
    /// both columns. Where these correlations are not those of any table, the nearest ones along their eigenvectors are taken
    /// (negative eigenvalues become zero, and the diagonal one again). `n` is [`Gaps::rows_of_pairs`].
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`].
    pub fn pairwise(data: &Dataset, gaps: &Gaps, run: &Run<'_>) -> Result<Self> {
        let d = data.d();
        let moments = |i: usize, j: usize| {
            let rows = gaps.complete(&[i, j]);
            let (x, y) = (data.column(i), data.column(j));
            let mean = |column: &[f64]| rows.iter().map(|&row| column[row]).sum::<f64>() / rows.len().max(1) as f64;
            let (mean_x, mean_y) = (mean(x), mean(y));
            let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
            for &row in &rows {
                let (a, b) = (x[row] - mean_x, y[row] - mean_y);
                (xx, xy, yy) = (xx + a * a, xy + a * b, yy + b * b);
            }
            (rows.len(), xx, xy, yy)
        };
        let deviations: Vec<f64> = (0..d)
            .map(|j| {
                let (n, square, ..) = moments(j, j);
                (square / (n as f64 - 1.0).max(1.0)).sqrt()
            })
            .collect();
        let mut correlation = Mat::<f64>::identity(d, d);
        for i in 0..d {
            run.check()?;
            for j in 0..i {
                let (_, xx, xy, yy) = moments(j, i);
                let r = xy / (xx * yy).sqrt();
                let r = if r.is_finite() { r.clamp(-1.0, 1.0) } else { 0.0 };
                (correlation[(i, j)], correlation[(j, i)]) = (r, r);
            }
        }
        let (values, vectors) = eigen_during(correlation.clone(), run)?;
        if values.iter().any(|&value| value < 0.0) {
            let scaled = Mat::from_fn(d, d, |i, k| vectors[(i, k)] * values[k].max(0.0).sqrt());
            let raw = Mat::from_fn(d, d, |i, j| (0..d).map(|k| scaled[(i, k)] * scaled[(j, k)]).sum::<f64>());
            correlation = Mat::from_fn(d, d, |i, j| match i == j {
                true => 1.0,
                false => raw[(i, j)] / (raw[(i, i)] * raw[(j, j)]).sqrt(),
            });
        }
        let matrix = Mat::from_fn(d, d, |i, j| correlation[(i, j)] * deviations[i] * deviations[j]);
        Ok(Covariance { n: gaps.rows_of_pairs(), matrix })
    }

    /// Of columns whose gaps were filled: what was filled says nothing new, so `n` is [`Gaps::rows_of_pairs`].
    ///
    /// # Errors
    /// As [`Covariance::of`].
    pub fn imputed(rows: &dyn RowBlocks, gaps: &Gaps, run: &Run<'_>) -> Result<Self> {
        Ok(Covariance { n: gaps.rows_of_pairs(), ..Covariance::of(rows, run)? })
    }

    /// A covariance known otherwise: a population's, for instance.
    pub fn known(matrix: Mat<f64>, n: usize) -> Self {
        Covariance { n, matrix }
    }

    /// The number of rows behind it.
    pub fn n(&self) -> usize {
        self.n
    }

    /// The matrix.
    pub fn matrix(&self) -> &Mat<f64> {
        &self.matrix
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::GapUse;
    use crate::numerics::linalg::eigen;
    use crate::run::Seed;

    #[test]
    fn pairs_of_columns_use_the_rows_that_have_both() {
        let nan = f64::NAN;
        let columns = [vec![1.0, 2.0, 4.0, nan, 0.0], vec![2.0, nan, 8.0, 1.0, 0.0], vec![1.0, 3.0, 2.0, 5.0, 4.0]];
        let gaps = Gaps::of(&columns, GapUse::Skipped).unwrap();
        // Whatever stands in the gaps does not count.
        let filled =
            columns.map(|column| column.iter().map(|value| if value.is_nan() { 77.0 } else { *value }).collect());
        let data = Dataset::new(["a", "b", "c"].map(str::to_owned).into(), filled.into()).unwrap();
        let covariance = Covariance::pairwise(&data, &gaps, &Run::new(Seed(0))).unwrap();
        // Rows 1, 3 and 5 have both: b = 2 a, a correlation of one. Variances: (1,2,4,0) about 1.75; (2,8,1,0) about 2.75.
        let (var_a, var_b) = (8.75 / 3.0, 38.75 / 3.0);
        let near = |x: f64, y: f64| assert!((x - y).abs() < 1e-12, "{x} instead of {y}");
        near(covariance.matrix()[(0, 0)], var_a);
        near(covariance.matrix()[(1, 1)], var_b);
        // The pairs have 3, 4 and 4 rows.
        assert_eq!(covariance.n(), (3.0_f64 / (1.0 / 3.0 + 0.25 + 0.25)).round() as usize);
        let (values, _) = eigen(covariance.matrix().as_ref());
        assert!(values.iter().all(|&value| value > -1e-12), "{values:?}");
    }
}
