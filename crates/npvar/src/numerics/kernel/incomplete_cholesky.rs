//! Low-rank factors of Gaussian kernel matrices: incomplete Cholesky with pivoting (Fine & Scheinberg 2001; Bach &
//! Jordan 2002).
//!
//! ```text
//! K ≈ Λ Λ'      Λ: n × m, m ≪ n      tr(K − ΛΛ') ≤ tolerance · n
//! ```
//!
//! Each step takes the row whose diagonal entry is approximated worst (the first of equals), so `m` kernel columns are
//! all that is ever computed: `O(n m²)` time and `O(n m)` memory. `K − ΛΛ'` is positive semidefinite, so its trace bounds
//! every entry. The eigenvalues of a Gaussian kernel fall off faster than geometrically, so `m` hardly grows with `n`.

use faer::{Mat, MatRef};
use rayon::prelude::*;

use crate::error::Result;
use crate::run::{Run, Seed};

/// Rows one thread handles at a time.
const CHUNK: usize = 4096;

/// `Λ` of `K ≈ ΛΛ'`.
#[derive(Debug, Clone)]
pub(crate) struct LowRank {
    /// `Λ`, `n × m`.
    pub(crate) factor: Mat<f64>,
    /// The rows whose kernel columns span the approximation, in the order they were taken.
    pub(crate) pivots: Vec<usize>,
    /// `tr(K − ΛΛ')/n`, what the approximation misses.
    pub(crate) missed: f64,
}

impl LowRank {
    /// `m`, the number of columns.
    pub(crate) fn rank(&self) -> usize {
        self.pivots.len()
    }

    /// `HΛ` with `H = I − 11'/n`: the factor of the centred kernel matrix `HKH`.
    pub(crate) fn centred(&self) -> Mat<f64> {
        let mut factor = self.factor.clone();
        let n = factor.nrows().max(1) as f64;
        for j in 0..factor.ncols() {
            let column = factor.col_as_slice_mut(j);
            let mean = column.iter().sum::<f64>() / n;
            column.iter_mut().for_each(|entry| *entry -= mean);
        }
        factor
    }
}

/// Factors the kernel matrix `exp(−|x_i − x_j|²/(2 width²))` of the rows of `x` until at most `tolerance` of its trace is
/// missed, or with `most` columns. The result does not depend on the number of threads.
pub(crate) fn incomplete_cholesky(x: MatRef<'_, f64>, width: f64, tolerance: f64, most: usize) -> LowRank {
    let nobody = Run::new(Seed(0));
    incomplete_cholesky_during(x, width, tolerance, most, &nobody).expect("nobody is there to stop it")
}

/// The same as part of a run that can be stopped before every column.
///
/// # Errors
/// [`Error::Cancelled`](crate::Error::Cancelled).
pub(crate) fn incomplete_cholesky_during(
    x: MatRef<'_, f64>,
    width: f64,
    tolerance: f64,
    most: usize,
    run: &Run<'_>,
) -> Result<LowRank> {
    let n = x.nrows();
    let coordinates: Vec<Vec<f64>> = (0..x.ncols()).map(|k| x.col(k).iter().copied().collect()).collect();
    let exponent = -0.5 / (width * width);
    let mut columns: Vec<Vec<f64>> = Vec::new();
    let mut pivots = Vec::new();
    let mut left = vec![1.0; n];
    loop {
        run.check()?;
        let trace: f64 = left.iter().sum();
        let pivot = (0..n).reduce(|best, i| if left[i] > left[best] { i } else { best });
        let Some(pivot) = pivot.filter(|&pivot| {
            trace > tolerance * n as f64 && columns.len() < most.min(n) && left[pivot] > n as f64 * f64::EPSILON
        }) else {
            let factor = Mat::from_fn(n, columns.len(), |i, j| columns[j][i]);
            return Ok(LowRank { factor, pivots, missed: trace.max(0.0) / n.max(1) as f64 });
        };
        let scale = left[pivot].sqrt();
        let here: Vec<f64> = coordinates.iter().map(|coordinate| coordinate[pivot]).collect();
        let before: Vec<f64> = columns.iter().map(|column| column[pivot]).collect();
        let mut column = vec![0.0; n];
        column.par_chunks_mut(CHUNK).zip(left.par_chunks_mut(CHUNK)).enumerate().for_each(|(chunk, (column, left))| {
            let rows = chunk * CHUNK..chunk * CHUNK + column.len();
            for (coordinate, here) in coordinates.iter().zip(&here) {
                for (entry, value) in column.iter_mut().zip(&coordinate[rows.clone()]) {
                    *entry += (value - here) * (value - here);
                }
            }
            column.iter_mut().for_each(|entry| *entry = (exponent * *entry).exp());
            for (earlier, factor) in columns.iter().zip(&before) {
                for (entry, value) in column.iter_mut().zip(&earlier[rows.clone()]) {
                    *entry -= factor * value;
                }
            }
            for (entry, left) in column.iter_mut().zip(left) {
                *entry /= scale;
                *left = (*left - *entry * *entry).max(0.0);
            }
        });
        left[pivot] = 0.0;
        columns.push(column);
        pivots.push(pivot);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(n: usize, p: usize) -> Mat<f64> {
        Mat::from_fn(n, p, |i, k| ((i * (7 + k)) as f64 * 0.37).sin() * 2.0 + (i % 5) as f64 * 0.3)
    }

    fn kernel(x: &Mat<f64>, i: usize, j: usize, width: f64) -> f64 {
        let distance: f64 = (0..x.ncols()).map(|k| (x[(i, k)] - x[(j, k)]).powi(2)).sum();
        (-0.5 * distance / (width * width)).exp()
    }

    #[test]
    fn no_entry_is_off_by_more_than_the_trace_that_is_missed() {
        for (p, tolerance) in [(1, 1e-3), (1, 1e-9), (3, 1e-5)] {
            let x = points(150, p);
            let low_rank = incomplete_cholesky(x.as_ref(), 0.9, tolerance, 150);
            assert!(low_rank.missed <= tolerance && low_rank.rank() < 150, "rank {}", low_rank.rank());
            let product = &low_rank.factor * low_rank.factor.transpose();
            for i in 0..150 {
                for j in 0..150 {
                    let error = (kernel(&x, i, j, 0.9) - product[(i, j)]).abs();
                    assert!(error <= 150.0 * low_rank.missed + 1e-12, "{error} at ({i}, {j})");
                }
            }
        }
    }

    #[test]
    fn the_worst_row_comes_next_and_columns_are_zero_above_it() {
        let x = points(60, 2);
        let low_rank = incomplete_cholesky(x.as_ref(), 0.5, 0.0, 60);
        assert_eq!(low_rank.pivots[0], 0, "all rows are equally bad at first");
        for (j, &pivot) in low_rank.pivots.iter().enumerate() {
            for later in j + 1..low_rank.rank() {
                assert!(low_rank.factor[(pivot, later)].abs() < 1e-7);
            }
        }
    }

    #[test]
    fn the_rank_counts_distinct_rows_and_respects_its_limit() {
        let binary = Mat::from_fn(40, 1, |i, _| (i % 2) as f64);
        let low_rank = incomplete_cholesky(binary.as_ref(), 0.7, 0.0, 40);
        assert_eq!(low_rank.rank(), 2);
        assert!(low_rank.missed < 1e-15);
        assert_eq!(incomplete_cholesky(points(40, 2).as_ref(), 0.1, 0.0, 5).rank(), 5);
        assert_eq!(incomplete_cholesky(Mat::full(9, 1, 2.0).as_ref(), 1.0, 1e-9, 9).rank(), 1);
    }

    #[test]
    fn centred_factors_give_the_centred_matrix() {
        let low_rank = incomplete_cholesky(points(80, 1).as_ref(), 1.0, 1e-8, 80);
        let centred = low_rank.centred();
        for j in 0..centred.ncols() {
            assert!(centred.col_as_slice(j).iter().sum::<f64>().abs() < 1e-12);
        }
    }

    #[test]
    fn a_smooth_kernel_has_a_small_rank() {
        let x = Mat::from_fn(500, 1, |i, _| (i as f64 * 0.7).sin());
        let kernel = incomplete_cholesky(x.as_ref(), 1.0, 1e-6, 100);
        assert!(kernel.rank() < 10 && kernel.missed <= 1e-6);
    }
}
