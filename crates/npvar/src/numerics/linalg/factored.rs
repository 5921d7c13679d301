//! A positive definite matrix by its Cholesky factor, on the calling thread: solutions, determinant, inverse. The factor
//! keeps the matrix's storage, so that evaluating one matrix after another allocates nothing.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::inverse::{inverse, inverse_scratch};
use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::{Mat, MatMut, Par};

use super::{cholesky_here, columns_at_once};
use crate::error::Result;
use crate::run::Run;

/// From this many rows on a factor or an inverse may take too long to be waited for.
const LARGE: usize = 1000;

/// `L` with `LL' = K`, for `K` given by its lower triangle.
#[derive(Debug, Clone)]
pub(crate) struct Cholesky {
    factor: Mat<f64>,
}

impl Cholesky {
    /// Factors a matrix in place; none when it is not positive definite.
    pub(crate) fn new(mut matrix: Mat<f64>) -> Option<Self> {
        cholesky_here(matrix.as_mut())?;
        Some(Cholesky { factor: matrix })
    }

    /// The same as part of a run that can be stopped in the middle.
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`].
    pub(crate) fn new_during(matrix: Mat<f64>, run: &Run<'_>) -> Result<Option<Self>> {
        if matrix.nrows() < LARGE {
            run.check()?;
            return Ok(Cholesky::new(matrix));
        }
        run.aside(move || Cholesky::new(matrix))
    }

    /// The matrix's storage, to be filled anew.
    pub(crate) fn into_storage(self) -> Mat<f64> {
        self.factor
    }

    /// `log det K`.
    pub(crate) fn log_determinant(&self) -> f64 {
        2.0 * (0..self.factor.nrows()).map(|i| self.factor[(i, i)].ln()).sum::<f64>()
    }

    /// `K⁻¹ b`.
    pub(crate) fn solve(&self, b: &[f64]) -> Vec<f64> {
        let mut solution = Mat::from_fn(b.len(), 1, |i, _| b[i]);
        self.forward(solution.as_mut());
        self.backward(solution.as_mut());
        solution.col_as_slice(0).to_vec()
    }

    /// `L⁻¹`, as part of a run that can be stopped between parts of its columns.
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`].
    pub(crate) fn inverse_factor(&self, run: &Run<'_>) -> Result<Mat<f64>> {
        let n = self.factor.nrows();
        let (mut inverse, width) = (Mat::<f64>::identity(n, n), columns_at_once(n * n));
        for start in (0..n).step_by(width) {
            run.check()?;
            // Above its diagonal a column is zero.
            let rest = n - start;
            let corner = self.factor.as_ref().submatrix(start, start, rest, rest);
            let columns = inverse.as_mut().submatrix_mut(start, start, rest, width.min(rest));
            solve_lower_triangular_in_place(corner, columns, Par::Seq);
        }
        Ok(inverse)
    }

    /// `B ← L⁻¹B`.
    pub(crate) fn forward(&self, b: MatMut<'_, f64>) {
        solve_lower_triangular_in_place(self.factor.as_ref(), b, Par::Seq);
    }

    /// `B ← L⁻ᵀB`.
    pub(crate) fn backward(&self, b: MatMut<'_, f64>) {
        solve_upper_triangular_in_place(self.factor.transpose(), b, Par::Seq);
    }

    /// The lower triangle of `K⁻¹`; what stands above the diagonal is left alone.
    pub(crate) fn inverse_into(&self, out: MatMut<'_, f64>) {
        let scratch = inverse_scratch::<f64>(self.factor.nrows(), Par::Seq);
        inverse(out, self.factor.as_ref(), Par::Seq, MemStack::new(&mut MemBuffer::new(scratch)));
    }

    /// The same in storage of any size that is given, as part of a run that can be stopped in the middle.
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`].
    pub(crate) fn inverse_during(self, storage: Mat<f64>, run: &Run<'_>) -> Result<(Self, Mat<f64>)> {
        let n = self.factor.nrows();
        let invert = move || {
            let mut inverse = if storage.nrows() == n { storage } else { Mat::zeros(n, n) };
            self.inverse_into(inverse.as_mut());
            (self, inverse)
        };
        if n < LARGE {
            run.check()?;
            return Ok(invert());
        }
        run.aside(invert)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;
    use crate::error::Error;
    use crate::run::Seed;

    #[test]
    fn solutions_determinants_and_inverses_agree_with_the_matrix() {
        for n in [1, 2, 5, 40, 131] {
            let root =
                Mat::from_fn(n, n, |i, j| ((i * 7 + j * 13) as f64 * 0.61).sin() + if i == j { 3.0 } else { 0.0 });
            let matrix = &root * root.transpose() + Mat::<f64>::identity(n, n);
            let factor = Cholesky::new(matrix.clone()).expect("positive definite");
            let b: Vec<f64> = (0..n).map(|i| (i as f64).cos()).collect();
            let x = factor.solve(&b);
            let mut inverse = Mat::zeros(n, n);
            factor.inverse_into(inverse.as_mut());
            for i in 0..n {
                let product: f64 = (0..n).map(|j| matrix[(i, j)] * x[j]).sum();
                assert!((product - b[i]).abs() < 1e-10);
                let by_inverse: f64 = (0..n).map(|j| inverse[(i.max(j), i.min(j))] * b[j]).sum();
                assert!((by_inverse - x[i]).abs() < 1e-10);
            }
            let (values, _) = crate::numerics::linalg::eigen(matrix.as_ref());
            let expected: f64 = values.iter().map(|value| value.ln()).sum();
            assert!((factor.log_determinant() - expected).abs() < 1e-9 * (1.0 + expected.abs()));
        }
    }

    #[test]
    fn what_is_done_aside_is_the_same_and_can_be_stopped() {
        let n = LARGE;
        let matrix = Mat::from_fn(n, n, |i, j| if i == j { 2.0 } else { 0.5_f64.powi(i.abs_diff(j).min(60) as i32) });
        let (run, expected) = (Run::new(Seed(0)), Cholesky::new(matrix.clone()).expect("positive definite"));
        let factor = Cholesky::new_during(matrix.clone(), &run).unwrap().expect("positive definite");
        let mut inverse = Mat::zeros(n, n);
        expected.inverse_into(inverse.as_mut());
        let (factor, aside) = factor.inverse_during(Mat::new(), &run).unwrap();
        assert!(factor.factor == expected.factor && aside == inverse);
        let lower = Mat::from_fn(n, n, |i, j| if i < j { 0.0 } else { factor.factor[(i, j)] });
        let unit = lower * factor.inverse_factor(&run).unwrap();
        assert!((&unit - Mat::<f64>::identity(n, n)).norm_max() < 1e-10);
        let stop = AtomicBool::new(true);
        let stopped = run.stopped_by(&stop);
        assert!(matches!(factor.inverse_during(Mat::new(), &stopped), Err(Error::Cancelled)));
        assert!(matches!(Cholesky::new_during(matrix, &stopped), Err(Error::Cancelled)));
    }

    #[test]
    fn an_indefinite_matrix_has_no_factor() {
        assert!(Cholesky::new(Mat::from_fn(3, 3, |i, j| if i == j { -1.0 } else { 0.0 })).is_none());
    }
}
