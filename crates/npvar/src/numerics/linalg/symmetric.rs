//! Inverses and squares of symmetric matrices of ten to a few hundred rows, on the calling thread alone.
//!
//! The inverse comes by halves, so that nearly all work is in matrix products: at these sizes twice as fast as by a Cholesky
//! factor of the whole. With `W = A₂₁ A₁₁⁻¹` and the complement `S = A₂₂ − W A₂₁'`:
//!
//! ```text
//! V₂₂ = S⁻¹      V₂₁ = −V₂₂ W      V₁₁ = A₁₁⁻¹ − W'V₂₁
//! ```
//!
//! Only the smallest pieces are factored; their pivots are those of the whole matrix.

use std::cell::Cell;

use faer::linalg::matmul::triangular::{BlockStructure, matmul as triangular_matmul};
use faer::reborrow::{Reborrow, ReborrowMut};
use faer::{Accum, Mat, MatMut, MatRef, Par};

use super::{Into, multiply_here};
use crate::error::{Error, Result};
use crate::run::Run;

/// Matrices of at most this many rows are not halved.
const SMALL: usize = 12;
/// From this many rows on, inverting takes long enough to be stopped in the middle.
const LARGE: usize = 256;
/// Halves end at whole vectors.
const LANES: usize = 4;

/// [`positive_inverse_during`] where nobody can stop it.
#[cfg(test)]
pub(crate) fn positive_inverse(matrix: &Mat<f64>) -> Option<(Mat<f64>, Vec<f64>)> {
    positive_inverse_during(matrix, &Run::new(crate::run::Seed(0))).expect("nobody is there to stop it")
}

/// The inverse of a symmetric matrix given by its lower triangle, and its Cholesky pivots, as part of a run that can be stopped in
/// the middle; nothing where a pivot is not positive.
///
/// # Errors
/// [`Error::Cancelled`].
pub(crate) fn positive_inverse_during(matrix: &Mat<f64>, run: &Run<'_>) -> Result<Option<(Mat<f64>, Vec<f64>)>> {
    let mut inverse = matrix.clone();
    let mut pivots = Vec::with_capacity(matrix.nrows());
    let stopped = Cell::new(false);
    let goes_on = || {
        stopped.set(stopped.get() || run.check().is_err());
        !stopped.get()
    };
    let found = invert(inverse.as_mut(), &mut pivots, &goes_on);
    if stopped.get() {
        return Err(Error::Cancelled);
    }
    mirror_lower(inverse.as_mut());
    Ok(found.map(|()| (inverse, pivots)))
}

/// `A A` of a symmetric matrix.
pub(crate) fn symmetric_square(matrix: &Mat<f64>) -> Mat<f64> {
    let mut square = Mat::zeros(matrix.nrows(), matrix.nrows());
    add_to_lower(square.as_mut(), matrix.as_ref(), matrix.as_ref(), 1.0);
    mirror_lower(square.as_mut());
    square
}

/// Inverts a symmetric matrix in its place, lower triangle; a large one asks `goes_on` before each of its halves.
fn invert(a: MatMut<'_, f64>, pivots: &mut Vec<f64>, goes_on: &dyn Fn() -> bool) -> Option<()> {
    let n = a.nrows();
    if n <= SMALL {
        return invert_small(a, pivots);
    }
    if n > LARGE && !goes_on() {
        return None;
    }
    let half = (n / 2).next_multiple_of(LANES);
    let (mut first, _, mut corner, mut second) = a.split_at_mut(half, half);
    invert(first.rb_mut(), pivots, goes_on)?;
    mirror_lower(first.rb_mut());
    let mut w = Mat::zeros(n - half, half);
    multiply_here(w.as_mut(), Into::Replace, corner.rb(), first.rb(), 1.0);
    add_to_lower(second.rb_mut(), w.as_ref(), corner.rb().transpose(), -1.0);
    invert(second.rb_mut(), pivots, goes_on)?;
    mirror_lower(second.rb_mut());
    multiply_here(corner.rb_mut(), Into::Replace, second.rb(), w.as_ref(), -1.0);
    add_to_lower(first, w.transpose(), corner.rb(), -1.0);
    Some(())
}

/// The same by Cholesky, `A = LL'`.
fn invert_small(mut a: MatMut<'_, f64>, pivots: &mut Vec<f64>) -> Option<()> {
    let n = a.nrows();
    let mut l = [[0.0; SMALL]; SMALL];
    for j in 0..n {
        for i in j..n {
            let rest = a[(i, j)] - (0..j).map(|k| l[i][k] * l[j][k]).sum::<f64>();
            if i > j {
                l[i][j] = rest / l[j][j];
            } else if rest > 0.0 {
                l[j][j] = rest.sqrt();
                pivots.push(rest);
            } else {
                return None;
            }
        }
    }
    let mut inverse = [[0.0; SMALL]; SMALL];
    for j in 0..n {
        inverse[j][j] = 1.0 / l[j][j];
        for i in j + 1..n {
            let sum: f64 = (j..i).map(|k| l[i][k] * inverse[k][j]).sum();
            inverse[i][j] = -sum / l[i][i];
        }
    }
    for j in 0..n {
        for i in j..n {
            a[(i, j)] = (i..n).map(|k| inverse[k][i] * inverse[k][j]).sum();
        }
    }
    Some(())
}

/// Adds `factor · left right` to the lower triangle of a matrix.
fn add_to_lower(target: MatMut<'_, f64>, left: MatRef<'_, f64>, right: MatRef<'_, f64>, factor: f64) {
    let (whole, lower) = (BlockStructure::Rectangular, BlockStructure::TriangularLower);
    triangular_matmul(target, lower, Accum::Add, left, whole, right, whole, factor, Par::Seq);
}

/// Copies the lower triangle to the upper one.
fn mirror_lower(mut matrix: MatMut<'_, f64>) {
    for j in 0..matrix.ncols() {
        for i in 0..j {
            matrix[(i, j)] = matrix[(j, i)];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A positive definite matrix of no special shape.
    fn example(n: usize) -> Mat<f64> {
        let root = Mat::from_fn(n, n, |i, j| ((7 * i + 3 * j * j) as f64).sin());
        &root * root.transpose() + Mat::<f64>::identity(n, n)
    }

    fn largest(matrix: &Mat<f64>) -> f64 {
        (0..matrix.ncols()).flat_map(|j| matrix.col_as_slice(j)).fold(0.0, |largest: f64, x| largest.max(x.abs()))
    }

    #[test]
    fn inverses_and_squares_equal_their_definitions_at_every_size() {
        for n in (0..40).chain([63, 90, 171]) {
            let a = example(n);
            let (inverse, pivots) = positive_inverse(&a).unwrap();
            assert!(largest(&(&a * &inverse - Mat::<f64>::identity(n, n))) < 1e-9, "{n}");
            assert_eq!(largest(&(&inverse - inverse.transpose())), 0.0, "{n}");
            assert!(largest(&(symmetric_square(&a) - &a * &a)) <= 1e-13 * largest(&(&a * &a)), "{n}");
            let factor = a.llt(faer::Side::Lower).unwrap();
            for (i, pivot) in pivots.iter().enumerate() {
                assert!((pivot / factor.L()[(i, i)].powi(2) - 1.0).abs() < 1e-9, "{n}, {i}");
            }
        }
    }

    #[test]
    fn only_the_lower_triangle_is_read() {
        let whole = example(13);
        let lower = Mat::from_fn(13, 13, |i, j| if i >= j { whole[(i, j)] } else { f64::NAN });
        assert_eq!(positive_inverse(&lower), positive_inverse(&whole));
    }

    #[test]
    fn a_matrix_that_is_not_positive_has_no_inverse_here() {
        for at in [0, 5, 11] {
            let mut a = example(12);
            a[(at, at)] = -1.0;
            assert!(positive_inverse(&a).is_none(), "{at}");
            a[(at, at)] = f64::NAN;
            assert!(positive_inverse(&a).is_none(), "{at}");
        }
    }
}
