//! Cholesky factors and products of symmetric matrices, of which the lower triangle is all that is read or written: large
//! ones panel by panel, with a look at the stop flag between panels; small ones inside parallel loops.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor;
use faer::linalg::matmul::triangular::{BlockStructure, matmul};
use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::{Accum, Mat, MatMut, MatRef, Par, Side, Spec};

use super::product::columns_at_once;
use crate::error::Result;
use crate::run::Run;

/// Columns factored together: about 10 ms of work at 5,000 rows.
const PANEL: usize = 192;

/// Replaces the lower triangle of a positive definite matrix by its Cholesky factor; `false` when it is not positive
/// definite. The strict upper triangle is neither read nor written. The result does not depend on the number of threads.
///
/// # Errors
/// [`crate::Error::Cancelled`].
pub(crate) fn cholesky_in_place(mut matrix: MatMut<'_, f64>, run: &Run<'_>) -> Result<bool> {
    let size = matrix.nrows();
    for start in (0..size).step_by(PANEL) {
        run.check()?;
        let end = size.min(start + PANEL);
        let trailing = matrix.as_mut().submatrix_mut(start, start, size - start, size - start);
        let (mut diagonal, _, mut below, mut rest) = trailing.split_at_mut(end - start, end - start);
        let Ok(factor) = diagonal.as_ref().llt(Side::Lower) else {
            return Ok(false);
        };
        for j in 0..end - start {
            (j..end - start).for_each(|i| diagonal[(i, j)] = factor.L()[(i, j)]);
        }
        // A₂₁ ← A₂₁ L₁₁⁻ᵀ, then A₂₂ ← A₂₂ − A₂₁A₂₁'.
        solve_lower_triangular_in_place(factor.L(), below.as_mut().transpose_mut(), Par::rayon(0));
        matmul(
            rest.as_mut(),
            BlockStructure::TriangularLower,
            Accum::Add,
            below.as_ref(),
            BlockStructure::Rectangular,
            below.as_ref().transpose(),
            BlockStructure::Rectangular,
            -1.0,
            Par::rayon(0),
        );
    }
    Ok(true)
}

/// `L` of `matrix = L L'` in the lower triangle, on the calling thread alone; what stands above it is not to be read.
/// `None` when the matrix is not positive definite.
pub(crate) fn cholesky_here(matrix: MatMut<'_, f64>) -> Option<()> {
    let mut memory =
        MemBuffer::new(factor::cholesky_in_place_scratch::<f64>(matrix.nrows(), Par::Seq, Spec::default()));
    let stack = MemStack::new(&mut memory);
    factor::cholesky_in_place(matrix, Default::default(), Par::Seq, stack, Spec::default()).ok().map(drop)
}

/// `(L L')⁻¹ x` in place of `x`, with `L` the lower triangle of `factor`.
pub(crate) fn cholesky_solve(factor: MatRef<'_, f64>, mut x: MatMut<'_, f64>) {
    forward_solve(factor, x.as_mut());
    backward_solve(factor, x);
}

/// [`cholesky_solve`] on the calling thread, as part of a run that can be stopped between parts of the columns.
///
/// # Errors
/// [`crate::Error::Cancelled`].
pub(crate) fn cholesky_solve_during(factor: MatRef<'_, f64>, mut x: MatMut<'_, f64>, run: &Run<'_>) -> Result<()> {
    let (columns, width) = (x.ncols(), columns_at_once(2 * factor.nrows() * factor.nrows()));
    for start in (0..columns).step_by(width) {
        run.check()?;
        let mut part = x.as_mut().subcols_mut(start, width.min(columns - start));
        solve_lower_triangular_in_place(factor, part.as_mut(), Par::Seq);
        solve_upper_triangular_in_place(factor.transpose(), part, Par::Seq);
    }
    Ok(())
}

/// `L⁻¹ x` in place of `x`.
pub(crate) fn forward_solve(factor: MatRef<'_, f64>, x: MatMut<'_, f64>) {
    solve_lower_triangular_in_place(factor, x, Par::rayon(0));
}

/// `L⁻ᵀ x` in place of `x`.
pub(crate) fn backward_solve(factor: MatRef<'_, f64>, x: MatMut<'_, f64>) {
    solve_upper_triangular_in_place(factor.transpose(), x, Par::rayon(0));
}

/// `target = A x` for a symmetric `A` given by its lower triangle.
pub(crate) fn symmetric_multiply(mut target: MatMut<'_, f64>, a: MatRef<'_, f64>, x: MatRef<'_, f64>) {
    let mut product = |accum, part: MatRef<'_, f64>, structure| {
        let whole = BlockStructure::Rectangular;
        matmul(target.as_mut(), whole, accum, part, structure, x, whole, 1.0, Par::rayon(0));
    };
    product(Accum::Replace, a, BlockStructure::TriangularLower);
    product(Accum::Add, a.transpose(), BlockStructure::StrictTriangularUpper);
}

/// `L L' x`, with `L` the lower triangle of `factor`.
pub(crate) fn factored_multiply(factor: MatRef<'_, f64>, x: MatRef<'_, f64>) -> Mat<f64> {
    let (mut half, mut product) = (Mat::zeros(x.nrows(), x.ncols()), Mat::zeros(x.nrows(), x.ncols()));
    let multiply = |target: MatMut<'_, f64>, a, structure, b: MatRef<'_, f64>| {
        let rectangle = BlockStructure::Rectangular;
        matmul(target, rectangle, Accum::Replace, a, structure, b, rectangle, 1.0, Par::rayon(0));
    };
    multiply(half.as_mut(), factor.transpose(), BlockStructure::TriangularUpper, x);
    multiply(product.as_mut(), factor, BlockStructure::TriangularLower, half.as_ref());
    product
}

/// `target += x x'`, lower triangle only.
pub(crate) fn add_outer(target: MatMut<'_, f64>, x: MatRef<'_, f64>) {
    let whole = BlockStructure::Rectangular;
    matmul(target, BlockStructure::TriangularLower, Accum::Add, x, whole, x.transpose(), whole, 1.0, Par::rayon(0));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Seed;
    use rand::RngExt;

    /// Products of a few hundred terms of size one.
    const ALGEBRA: f64 = 1e-9;

    fn positive(size: usize) -> Mat<f64> {
        let mut rng = Seed(2).rng();
        let root = Mat::from_fn(size, size, |_, _| rng.random_range(-1.0..1.0));
        &root * root.transpose() + Mat::<f64>::identity(size, size)
    }

    fn threads<T: Send>(count: usize, work: impl FnOnce() -> T + Send) -> T {
        rayon::ThreadPoolBuilder::new().num_threads(count).build().unwrap().install(work)
    }

    #[test]
    fn factor_solution_and_product_keep_to_the_lower_triangle() {
        for size in [1, 2, 191, 192, 193, 400] {
            let whole = positive(size);
            let mut lower = whole.clone();
            for j in 0..size {
                (0..j).for_each(|i| lower[(i, j)] = f64::NAN);
            }
            let x = Mat::from_fn(size, 3, |i, j| ((i + 7 * j) as f64).sin());
            let mut product = Mat::zeros(size, 3);
            symmetric_multiply(product.as_mut(), lower.as_ref(), x.as_ref());
            assert!((&product - &whole * &x).norm_max() < ALGEBRA);
            let mut outer = Mat::zeros(size, size);
            add_outer(outer.as_mut(), x.as_ref());
            let expected = &x * x.transpose();
            assert!((0..size).all(|j| (j..size).all(|i| (outer[(i, j)] - expected[(i, j)]).abs() < ALGEBRA)));
            assert!(cholesky_in_place(lower.as_mut(), &Run::new(Seed(0))).unwrap());
            assert!(size == 1 || lower[(0, 1)].is_nan());
            let mut again = product.clone();
            cholesky_solve(lower.as_ref(), product.as_mut());
            assert!((&product - &x).norm_max() < ALGEBRA);
            cholesky_solve_during(lower.as_ref(), again.as_mut(), &Run::new(Seed(0))).unwrap();
            assert!((&again - &x).norm_max() < ALGEBRA);
        }
    }

    #[test]
    fn a_matrix_that_is_not_positive_definite_is_noticed() {
        let mut matrix = positive(300);
        matrix[(250, 250)] = -1.0;
        assert!(!cholesky_in_place(matrix.as_mut(), &Run::new(Seed(0))).unwrap());
    }

    #[test]
    fn the_number_of_threads_does_not_change_a_bit() {
        let matrix = positive(700);
        let x = Mat::from_fn(700, 41, |i, j| ((i * 41 + j) as f64).cos());
        let result = |count| {
            threads(count, || {
                let mut factor = matrix.clone();
                let mut solved = Mat::zeros(700, 41);
                symmetric_multiply(solved.as_mut(), matrix.as_ref(), x.as_ref());
                assert!(cholesky_in_place(factor.as_mut(), &Run::new(Seed(0))).unwrap());
                cholesky_solve(factor.as_ref(), solved.as_mut());
                let mut outer = Mat::zeros(700, 700);
                add_outer(outer.as_mut(), solved.as_ref());
                (factor, solved, outer)
            })
        };
        let one = result(1);
        for count in [2, 3] {
            assert!(result(count) == one, "{count} threads");
        }
    }

    #[test]
    fn a_factor_by_hand() {
        let mut matrix = faer::mat![[4.0, 0.0], [2.0, 5.0]];
        cholesky_here(matrix.as_mut()).unwrap();
        assert_eq!([matrix[(0, 0)], matrix[(1, 0)], matrix[(1, 1)]], [2.0, 1.0, 2.0]);
    }
}
