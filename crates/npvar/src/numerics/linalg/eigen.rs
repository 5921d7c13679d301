//! Eigenvalues of symmetric matrices, of a few rows at once, of many beside a run that can be stopped.

use faer::diag::Diag;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};
use faer::{Mat, MatRef, Par};

use crate::error::Result;
use crate::run::Run;

/// From this many rows on a problem may take too long to be waited for.
const LARGE: usize = 500;

/// The same as [`eigen`], as part of a run that can be stopped in the middle.
///
/// # Errors
/// [`crate::Error::Cancelled`].
pub(crate) fn eigen_during(matrix: Mat<f64>, run: &Run<'_>) -> Result<(Vec<f64>, Mat<f64>)> {
    if matrix.nrows() < LARGE {
        run.check()?;
        return Ok(eigen(matrix.as_ref()));
    }
    run.aside(move || eigen(matrix.as_ref()))
}

/// Eigenvalues, increasing, and eigenvectors (columns) of a symmetric matrix given by its lower triangle.
pub(crate) fn eigen(matrix: MatRef<'_, f64>) -> (Vec<f64>, Mat<f64>) {
    let n = matrix.nrows();
    if n == 0 {
        return (Vec::new(), Mat::zeros(0, 0));
    }
    let (mut values, mut vectors) = (Diag::<f64>::zeros(n), Mat::zeros(n, n));
    let scratch = self_adjoint_evd_scratch::<f64>(n, ComputeEigenvectors::Yes, Par::Seq, Default::default());
    self_adjoint_evd(
        matrix,
        values.as_mut(),
        Some(vectors.as_mut()),
        Par::Seq,
        MemStack::new(&mut MemBuffer::new(scratch)),
        Default::default(),
    )
    .expect("the eigenvalues of a finite symmetric matrix can be found");
    ((0..n).map(|i| values[i]).collect(), vectors)
}
