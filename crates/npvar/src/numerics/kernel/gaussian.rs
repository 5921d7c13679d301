//! Gaussian kernel matrices `K_ij = exp(−|x_i − x_j|²/(2 width²))`, their widths, and centring.
//!
//! Matrices are full and symmetric to the bit. Columns are filled in parallel, each by one thread in a fixed order, so the
//! result does not depend on the number of threads.

use std::sync::atomic::{AtomicBool, Ordering};

use faer::{Mat, MatRef};
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::run::{Run, Seed};

/// Below this many rows the work is not worth waking other threads for.
const PARALLEL_FROM: usize = 200;
/// Columns filled between two questions whether to go on.
const COLUMNS_AT_ONCE: usize = 32;
/// Beyond this many rows a median of distances is taken over this many, evenly spaced.
const MOST_ROWS: usize = 1000;
/// lingam's: "the median is only a heuristic".
const FIRST_ROWS: usize = 100;

/// How the width of a Gaussian kernel is chosen. Both are `√(median/2)` of squared distances, so that the kernel at the median
/// distance is `1/e`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Width {
    /// Over all pairs of rows (beyond 1000 rows, over 1000 of them, evenly spaced), as in Peters et al. 2014 (who draw the
    /// 1000 at random). Where most pairs coincide, so that this median is zero, the median of the distances that are not.
    #[default]
    Median,
    /// Over the pairs of the first 100 rows that do not coincide, as in the Python package lingam.
    #[serde(rename = "first-100")]
    First100,
}

impl Width {
    /// The width for these rows; `None` when all of them coincide.
    pub fn of(self, x: MatRef<'_, f64>) -> Option<f64> {
        let median = match self {
            Width::Median => {
                let rows = x.nrows().min(MOST_ROWS);
                let spaced = Mat::from_fn(rows, x.ncols(), |i, j| x[(i * x.nrows() / rows, j)]);
                median_squared_distance(spaced.as_ref(), Zeros::Count)
                    .filter(|&median| median > 0.0)
                    .or_else(|| median_squared_distance(spaced.as_ref(), Zeros::Leave))
                    // The rows taken may coincide where others do not.
                    .or_else(|| first_difference(x))
            }
            Width::First100 => {
                let first = x.get(..x.nrows().min(FIRST_ROWS), ..);
                median_squared_distance(first, Zeros::Leave).or_else(|| first_difference(x))
            }
        };
        median.map(|median| (0.5 * median).sqrt()).filter(|&width| width > 0.0)
    }
}

/// `|x_i − x_0|²` for the first row that differs from the first of all.
fn first_difference(x: MatRef<'_, f64>) -> Option<f64> {
    let distance = |i: usize| (0..x.ncols()).map(|j| (x[(i, j)] - x[(0, j)]).powi(2)).sum::<f64>();
    (1..x.nrows()).map(distance).find(|&distance| distance > 0.0)
}

/// What becomes of pairs of equal rows in a median.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Zeros {
    /// They count.
    Count,
    /// They are left out.
    Leave,
}

/// The median of `|x_i − x_j|²` over `i < j`; `None` when there is no pair.
pub(crate) fn median_squared_distance(x: MatRef<'_, f64>, zeros: Zeros) -> Option<f64> {
    median(x, zeros, |square| square)
}

/// The median of `|x_i − x_j|` over `i < j`; `None` when there is no pair. Not the root of the median square: the two middle
/// ones of an even number are averaged.
pub(crate) fn median_distance(x: MatRef<'_, f64>, zeros: Zeros) -> Option<f64> {
    median(x, zeros, f64::sqrt)
}

fn median(x: MatRef<'_, f64>, zeros: Zeros, value: impl Fn(f64) -> f64) -> Option<f64> {
    let rows = row_major(x);
    let (n, p) = (x.nrows(), x.ncols());
    let mut distances: Vec<f64> = (0..n)
        .flat_map(|i| {
            let rows = &rows;
            (0..i).map(move |j| squared_distance(&rows[i * p..(i + 1) * p], &rows[j * p..(j + 1) * p]))
        })
        .filter(|&distance| zeros == Zeros::Count || distance > 0.0)
        .map(value)
        .collect();
    let middle = distances.len() / 2;
    if distances.is_empty() {
        return None;
    }
    let even = distances.len().is_multiple_of(2);
    let (below, &mut upper, _) = distances.select_nth_unstable_by(middle, f64::total_cmp);
    Some(if even { 0.5 * (upper + below.iter().copied().fold(f64::MIN, f64::max)) } else { upper })
}

/// The Gaussian kernel matrix of the rows of `x`.
pub(crate) fn gaussian_matrix(x: MatRef<'_, f64>, width: f64) -> Mat<f64> {
    gaussian_matrix_during(x, width, &Run::new(Seed(0))).expect("nobody is there to stop it")
}

/// The same as part of a run that can be stopped in the middle.
///
/// # Errors
/// [`Error::Cancelled`].
pub(crate) fn gaussian_matrix_during(x: MatRef<'_, f64>, width: f64, run: &Run<'_>) -> Result<Mat<f64>> {
    let factor = -0.5 / (width * width);
    symmetric(x, |distance| (factor * distance).exp(), run)
}

/// `K ← HKH` with `H = I − 11'/n`, for a symmetric `K`.
pub(crate) fn centre(kernel: &mut Mat<f64>) {
    let n = kernel.nrows();
    if n == 0 {
        return;
    }
    let means: Vec<f64> = (0..n).map(|j| kernel.col_as_slice(j).iter().sum::<f64>() / n as f64).collect();
    let mean = means.iter().sum::<f64>() / n as f64;
    let column = |j: usize, column: &mut [f64]| {
        for (entry, row_mean) in column.iter_mut().zip(&means) {
            // This order of operations keeps the matrix symmetric to the bit.
            *entry = (*entry - (row_mean + means[j])) + mean;
        }
    };
    each_column(kernel, column);
}

fn symmetric(x: MatRef<'_, f64>, entry: impl Fn(f64) -> f64 + Sync, run: &Run<'_>) -> Result<Mat<f64>> {
    let (n, p) = (x.nrows(), x.ncols());
    let rows = row_major(x);
    let mut matrix = Mat::<f64>::zeros(n, n);
    let stopped = AtomicBool::new(false);
    each_column(&mut matrix, |j, column| {
        if j % COLUMNS_AT_ONCE == 0 && run.check().is_err() {
            stopped.store(true, Ordering::Relaxed);
        }
        if stopped.load(Ordering::Relaxed) {
            return;
        }
        let here = &rows[j * p..(j + 1) * p];
        for (i, target) in column.iter_mut().enumerate().skip(j) {
            *target = entry(squared_distance(&rows[i * p..(i + 1) * p], here));
        }
    });
    if stopped.into_inner() {
        return Err(Error::Cancelled);
    }
    for j in 0..n {
        for i in j + 1..n {
            matrix[(j, i)] = matrix[(i, j)];
        }
    }
    Ok(matrix)
}

fn each_column(matrix: &mut Mat<f64>, work: impl Fn(usize, &mut [f64]) + Sync) {
    if matrix.nrows() < PARALLEL_FROM {
        for j in 0..matrix.ncols() {
            work(j, matrix.col_as_slice_mut(j));
        }
    } else {
        matrix.as_mut().par_col_iter_mut().enumerate().for_each(|(j, column)| {
            work(j, column.try_as_col_major_mut().expect("an owned matrix is column-major").as_slice_mut());
        });
    }
}

fn row_major(x: MatRef<'_, f64>) -> Vec<f64> {
    (0..x.nrows()).flat_map(|i| (0..x.ncols()).map(move |j| x[(i, j)])).collect()
}

fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(n: usize, p: usize) -> Mat<f64> {
        Mat::from_fn(n, p, |i, j| ((i * 37 + j * 11) % 101) as f64 / 10.0 + (i as f64).sqrt())
    }

    #[test]
    fn medians_by_hand() {
        // Squared distances of 0, 1, 3, 3: 1, 9, 9, 4, 4, 0.
        let x = faer::mat![[0.0], [1.0], [3.0], [3.0]];
        assert_eq!(median_squared_distance(x.as_ref(), Zeros::Count), Some(4.0));
        assert_eq!(median_squared_distance(x.as_ref(), Zeros::Leave), Some(4.0));
        assert_eq!(median_squared_distance(x.get(..1, ..), Zeros::Count), None);
        assert_eq!(Width::Median.of(x.as_ref()), Some(2.0_f64.sqrt()));
    }

    #[test]
    fn a_column_that_is_mostly_one_value_has_a_width_and_a_constant_has_none() {
        let rare = Mat::from_fn(150, 1, |i, _| if i == 140 { 2.0 } else { 0.0 });
        for width in [Width::Median, Width::First100] {
            assert_eq!(width.of(rare.as_ref()), Some(2.0_f64.sqrt()), "{width:?}");
            assert_eq!(width.of(Mat::full(50, 2, 1.5).as_ref()), None);
        }
    }

    #[test]
    fn matrices_are_symmetric_to_the_bit_and_centred() {
        for n in [5, 260] {
            let mut kernel = gaussian_matrix(rows(n, 3).as_ref(), 1.7);
            centre(&mut kernel);
            for j in 0..n {
                for i in 0..n {
                    assert_eq!(kernel[(i, j)].to_bits(), kernel[(j, i)].to_bits());
                }
                assert!(kernel.col_as_slice(j).iter().sum::<f64>().abs() < 1e-11);
            }
        }
    }

    #[test]
    fn entries_by_hand() {
        let kernel = gaussian_matrix(faer::mat![[0.0], [1.0], [3.0]].as_ref(), 1.0);
        assert_eq!((kernel[(0, 0)], kernel[(0, 1)]), (1.0, (-0.5_f64).exp()));
    }
}
