//! Cholesky factors inside parallel loops.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{cholesky_in_place, cholesky_in_place_scratch};
use faer::{MatMut, Par, Spec};

/// `L` of `matrix = L L'` in the lower triangle, on the calling thread alone; what stands above it is not to be read.
/// `None` when the matrix is not positive definite.
///
/// ```
/// let mut matrix = faer::mat![[4.0, 0.0], [2.0, 5.0]];
/// npvar::linalg::cholesky_here(matrix.as_mut()).unwrap();
/// assert_eq!([matrix[(0, 0)], matrix[(1, 0)], matrix[(1, 1)]], [2.0, 1.0, 2.0]);
/// ```
pub fn cholesky_here(matrix: MatMut<'_, f64>) -> Option<()> {
    let mut memory = MemBuffer::new(cholesky_in_place_scratch::<f64>(matrix.nrows(), Par::Seq, Spec::default()));
    let stack = MemStack::new(&mut memory);
    cholesky_in_place(matrix, Default::default(), Par::Seq, stack, Spec::default()).ok().map(drop)
}
