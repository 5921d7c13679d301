//! The process at `n` points as `L z`, with `L L'` the kernel matrix.
//!
//! The kernel matrix of smooth functions is singular to rounding; 1e-10 on its diagonal, white noise of sd 1e-5 on the draw,
//! keeps the factorisation safe (its rounding error at the largest `n` is about 1e-12).

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{cholesky_in_place, cholesky_in_place_scratch};
use faer::{Mat, Par, Spec};
use rand_distr::{Distribution, StandardNormal};
use rayon::prelude::*;

use crate::run::Seed;

/// Added to the diagonal.
const JITTER: f64 = 1e-10;

/// A draw at these points.
pub(super) fn draw(coordinates: &[&[f64]], seed: Seed) -> Vec<f64> {
    let factor = factor(kernel_matrix(coordinates));
    let mut rng = seed.rng();
    let mut values = vec![0.0; factor.nrows()];
    // Column by column, so that the sums are always made in the same order.
    for column in 0..factor.ncols() {
        let z: f64 = StandardNormal.sample(&mut rng);
        for row in column..factor.nrows() {
            values[row] += factor[(row, column)] * z;
        }
    }
    values
}

/// The lower triangle of the kernel matrix, with the jitter.
fn kernel_matrix(coordinates: &[&[f64]]) -> Mat<f64> {
    let n = coordinates.first().map_or(0, |coordinate| coordinate.len());
    let mut kernel = Mat::zeros(n, n);
    kernel.par_col_iter_mut().enumerate().for_each(|(j, mut column)| {
        for i in j..n {
            let squared_distance: f64 = coordinates.iter().map(|x| (x[i] - x[j]) * (x[i] - x[j])).sum();
            column[i] = (-0.5 * squared_distance).exp();
        }
        column[j] += JITTER;
    });
    kernel
}

/// `L` in the lower triangle; what stands above it is not to be read. One thread, so that no thread count can change a bit.
fn factor(mut kernel: Mat<f64>) -> Mat<f64> {
    let n = kernel.nrows();
    let mut memory = MemBuffer::new(cholesky_in_place_scratch::<f64>(n, Par::Seq, Spec::default()));
    cholesky_in_place(kernel.as_mut(), Default::default(), Par::Seq, MemStack::new(&mut memory), Spec::default())
        .expect("a kernel matrix with 1e-10 on its diagonal is positive definite beyond rounding");
    kernel
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_factor_multiplies_out_to_the_kernel_even_when_points_coincide() {
        let x: Vec<f64> = (0..200).map(|i| f64::from(i % 100) * 0.02).collect();
        let factor = factor(kernel_matrix(&[&x, &x]));
        for (i, j) in [(0, 0), (7, 3), (107, 7), (199, 0), (199, 198)] {
            let product: f64 = (0..=j).map(|k| factor[(i, k)] * factor[(j, k)]).sum();
            let kernel = (-(x[i] - x[j]) * (x[i] - x[j])).exp() + if i == j { JITTER } else { 0.0 };
            // Backward error of a Cholesky factorisation: at most about n · eps = 4e-14.
            assert!((product - kernel).abs() < 1e-13, "{i} {j}");
        }
    }
}
