//! A positive definite matrix by its Cholesky factor, on the calling thread: solutions, determinant, inverse. The factor
//! keeps the matrix's storage, so that evaluating one matrix after another allocates nothing.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::inverse::{inverse, inverse_scratch};
use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::{Mat, MatMut, Par};

use super::cholesky_here;

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
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn an_indefinite_matrix_has_no_factor() {
        assert!(Cholesky::new(Mat::from_fn(3, 3, |i, j| if i == j { -1.0 } else { 0.0 })).is_none());
    }
}
