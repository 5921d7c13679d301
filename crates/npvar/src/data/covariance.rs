//! Means and centred cross products of columns, in one pass over row blocks.

use faer::Mat;

use super::blocks::RowBlocks;
use crate::error::Result;
use crate::numerics::linalg::{Into, multiply};
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
