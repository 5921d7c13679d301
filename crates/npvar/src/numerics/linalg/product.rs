//! Products of matrices, and row-major slices as matrices.

use faer::linalg::matmul::matmul as faer_matmul;
use faer::{Accum, MatMut, MatRef, Par};

use crate::error::Result;
use crate::run::Run;

/// Work below this many multiplications is not worth waking other threads for.
const PARALLEL_FROM: usize = 1 << 22;

/// Whether a product replaces its target or is added to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Into {
    /// `target = factor · a b`
    Replace,
    /// `target += factor · a b`
    Add,
}

/// `target = factor · a b`, or added to it; on all threads when large enough. The result does not depend on their number.
pub(crate) fn multiply(target: MatMut<'_, f64>, into: Into, a: MatRef<'_, f64>, b: MatRef<'_, f64>, factor: f64) {
    let work = a.nrows() * a.ncols() * b.ncols();
    multiply_with(target, into, a, b, factor, if work >= PARALLEL_FROM { Par::rayon(0) } else { Par::Seq });
}

/// The same on the calling thread alone, for use inside parallel loops.
pub(crate) fn multiply_here(target: MatMut<'_, f64>, into: Into, a: MatRef<'_, f64>, b: MatRef<'_, f64>, factor: f64) {
    multiply_with(target, into, a, b, factor, Par::Seq);
}

/// [`multiply`] as part of a run that can be stopped between parts: of the rows that are summed over where they are many, of the
/// target's columns otherwise.
///
/// # Errors
/// [`crate::Error::Cancelled`].
pub(crate) fn multiply_during(
    mut target: MatMut<'_, f64>,
    into: Into,
    a: MatRef<'_, f64>,
    b: MatRef<'_, f64>,
    factor: f64,
    run: &Run<'_>,
) -> Result<()> {
    let (rows, inner, columns) = (a.nrows(), a.ncols(), b.ncols());
    if inner > rows.max(columns) && rows * columns > 0 {
        let width = columns_at_once(rows * columns);
        for start in (0..inner).step_by(width) {
            run.check()?;
            let width = width.min(inner - start);
            let into = if start == 0 { into } else { Into::Add };
            multiply(target.as_mut(), into, a.subcols(start, width), b.subrows(start, width), factor);
        }
        return Ok(());
    }
    let width = columns_at_once(rows * inner);
    for start in (0..columns).step_by(width) {
        run.check()?;
        let width = width.min(columns - start);
        multiply(target.as_mut().subcols_mut(start, width), into, a, b.subcols(start, width), factor);
    }
    Ok(())
}

/// How many columns are worked on between two questions whether to go on, where each takes so many multiplications: a
/// fraction of a second's, but enough for blocks.
pub(crate) fn columns_at_once(multiplications: usize) -> usize {
    const MULTIPLICATIONS: usize = 1 << 29;
    (MULTIPLICATIONS / multiplications.max(1)).max(4)
}

fn multiply_with(target: MatMut<'_, f64>, into: Into, a: MatRef<'_, f64>, b: MatRef<'_, f64>, factor: f64, par: Par) {
    let accum = match into {
        Into::Replace => Accum::Replace,
        Into::Add => Accum::Add,
    };
    faer_matmul(target, accum, a, b, factor, par);
}

/// A row-major slice as a matrix, rows `stride` apart.
pub(crate) fn row_major(slice: &[f64], rows: usize, columns: usize, stride: usize) -> MatRef<'_, f64> {
    MatRef::from_row_major_slice_with_stride(slice, rows, columns, stride)
}

/// A mutable row-major slice as a matrix, rows `stride` apart.
pub(crate) fn row_major_mut(slice: &mut [f64], rows: usize, columns: usize, stride: usize) -> MatMut<'_, f64> {
    // Not `from_row_major_slice_with_stride_mut`: in faer 0.24.4 it swaps the strides and writes out of bounds.
    MatMut::from_column_major_slice_with_stride_mut(slice, columns, rows, stride).transpose_mut()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Seed;
    use rand::RngExt;

    /// The products of every layout and size we use, against the definition.
    #[test]
    fn products_equal_naive_loops_whatever_the_layout() {
        let mut rng = Seed(5).rng();
        for case in 0..400 {
            let [m, k, n] = [(); 3].map(|()| rng.random_range(1..if case % 40 == 0 { 200 } else { 24 }));
            let mut random = |size: usize| -> Vec<f64> { (0..size).map(|_| rng.random_range(-1.0..1.0)).collect() };
            let (a, b, start) = (random(m * (k + 3)), random(k * (n + 2)), random(m * n));
            let layouts = [case % 2 == 0, case % 3 == 0, case % 5 == 0];
            let a = if layouts[0] { row_major(&a, m, k, k + 3) } else { row_major(&a, k, m, m).transpose() };
            let b = if layouts[1] { row_major(&b, k, n, n + 2) } else { row_major(&b, n, k, k).transpose() };
            let mut got = start.clone();
            let target = if layouts[2] {
                row_major_mut(&mut got, m, n, n)
            } else {
                row_major_mut(&mut got, n, m, m).transpose_mut()
            };
            multiply(target, Into::Add, a, b, -0.5);
            for i in 0..m {
                for j in 0..n {
                    let at = if layouts[2] { i * n + j } else { j * m + i };
                    let expected = start[at] - 0.5 * (0..k).map(|l| a[(i, l)] * b[(l, j)]).sum::<f64>();
                    assert!((got[at] - expected).abs() < 1e-12, "case {case}: {m} x {k} x {n}");
                }
            }
        }
    }
}
