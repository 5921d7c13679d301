//! The leading eigenpairs of the thin-plate kernel `E_ij = |x_i − x_j|³/12` of sorted values.
//!
//! A product `E v` costs a few operations per value, because for sorted values the sums of `(x_i − x_j)³ v_j` over
//! `j < i` follow from each other. Subspace iteration with many more directions than are wanted then converges in a
//! handful of steps: the eigenvalues fall as the inverse fourth power of their number. mgcv forms `E`, and for more
//! than 2000 distinct values only for a random 2000 of them; here all values count, whatever their number.

use faer::Mat;

use crate::numerics::linalg::wide::{add_multiple, dot};
use crate::numerics::linalg::{Into, eigen, multiply_here};

/// Up to this many values all eigenpairs are found at once.
const SMALL: usize = 64;
/// Directions carried beyond those wanted: the error falls by `(wanted / carried)⁴` a step.
const SPARE: usize = 26;
/// Steps at most; six to eight are typical.
const MOST_STEPS: usize = 300;
/// Residuals below this share of the largest eigenvalue are rounding.
const ROUNDING: f64 = 1e-16;

/// The `count` eigenvalues of largest size, and their eigenvectors (columns), of values that increase strictly.
pub(super) fn leading_eigenpairs(sorted: &[f64], count: usize) -> (Vec<f64>, Mat<f64>) {
    let u = sorted.len();
    let half_range = 0.5 * (sorted[u - 1] - sorted[0]);
    // Values in [−1, 1] keep cubes of any unit within range.
    let scaled: Vec<f64> = sorted.iter().map(|x| (x - sorted[0]) / half_range - 1.0).collect();
    let (values, vectors) = if u <= SMALL {
        let kernel = Mat::from_fn(u, u, |i, j| (scaled[i] - scaled[j]).abs().powi(3) / 12.0);
        let (values, vectors) = eigen(kernel.as_ref());
        by_size(&values, &vectors, count)
    } else {
        subspace_iteration(&scaled, count)
    };
    (values.into_iter().map(|value| value * half_range.powi(3)).collect(), vectors)
}

fn subspace_iteration(x: &[f64], count: usize) -> (Vec<f64>, Mat<f64>) {
    let (u, carried) = (x.len(), count + SPARE);
    // Waves over the ranks: close to the eigenvectors of evenly spread values.
    let mut basis =
        Mat::from_fn(u, carried, |i, k| (std::f64::consts::PI * k as f64 * (i as f64 + 0.5) / u as f64).cos());
    orthonormalise(&mut basis);
    let mut best = f64::INFINITY;
    let mut idle = 0;
    let mut found = (Vec::new(), Mat::zeros(0, 0));
    for _ in 0..MOST_STEPS {
        let images = times_kernel(x, &basis);
        let mut inner = Mat::zeros(carried, carried);
        multiply_here(inner.as_mut(), Into::Replace, basis.transpose(), images.as_ref(), 1.0);
        let symmetric = Mat::from_fn(carried, carried, |i, j| 0.5 * (inner[(i, j)] + inner[(j, i)]));
        let (values, rotation) = eigen(symmetric.as_ref());
        let (values, rotation) = by_size(&values, &rotation, carried);
        let rotated = |matrix: &Mat<f64>| {
            let mut out = Mat::zeros(u, carried);
            multiply_here(out.as_mut(), Into::Replace, matrix.as_ref(), rotation.as_ref(), 1.0);
            out
        };
        let (vectors, images) = (rotated(&basis), rotated(&images));
        let residual = (0..count)
            .map(|k| {
                let pairs = images.col_as_slice(k).iter().zip(vectors.col_as_slice(k));
                pairs.map(|(image, vector)| (image - values[k] * vector).powi(2)).sum::<f64>().sqrt()
            })
            .fold(0.0, f64::max);
        if residual < best {
            found = (values[..count].to_vec(), vectors.subcols(0, count).to_owned());
        }
        idle = if residual < 0.5 * best { 0 } else { idle + 1 };
        best = best.min(residual);
        if idle == 3 || residual <= ROUNDING * values[0].abs() {
            break;
        }
        basis = images;
        orthonormalise(&mut basis);
    }
    found
}

/// The `count` eigenpairs of largest absolute value, largest first.
fn by_size(values: &[f64], vectors: &Mat<f64>, count: usize) -> (Vec<f64>, Mat<f64>) {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[b].abs().total_cmp(&values[a].abs()));
    order.truncate(count);
    let sorted = Mat::from_fn(vectors.nrows(), order.len(), |i, k| vectors[(i, order[k])]);
    (order.iter().map(|&k| values[k]).collect(), sorted)
}

/// `E v` for every column `v`.
fn times_kernel(x: &[f64], vectors: &Mat<f64>) -> Mat<f64> {
    let mut out = Mat::zeros(vectors.nrows(), vectors.ncols());
    for k in 0..vectors.ncols() {
        let (vector, out) = (vectors.col_as_slice(k), out.col_as_slice_mut(k));
        add_one_side(x.iter().copied(), vector.iter().copied(), out.iter_mut());
        add_one_side(x.iter().rev().copied(), vector.iter().rev().copied(), out.iter_mut().rev());
    }
    out
}

/// Adds `Σ |x_i − x_j|³ v_j / 12` over the `j` met before `i`, from the moments of the distances to `x_i`.
fn add_one_side<'o>(
    x: impl Iterator<Item = f64>,
    v: impl Iterator<Item = f64>,
    out: impl Iterator<Item = &'o mut f64>,
) {
    let (mut m0, mut m1, mut m2, mut m3) = (0.0, 0.0, 0.0, 0.0);
    let mut previous = None;
    for ((x, v), out) in x.zip(v).zip(out) {
        let step = (x - previous.unwrap_or(x)).abs();
        m3 += step * (3.0 * m2 + step * (3.0 * m1 + step * m0));
        m2 += step * (2.0 * m1 + step * m0);
        m1 += step * m0;
        *out += m3 / 12.0;
        m0 += v;
        previous = Some(x);
    }
}

/// Gram–Schmidt, twice over.
fn orthonormalise(basis: &mut Mat<f64>) {
    for k in 0..basis.ncols() {
        let mut own = basis.col_as_slice(k).to_vec();
        for _ in 0..2 {
            for earlier in 0..k {
                let earlier = basis.col_as_slice(earlier);
                let share = dot(earlier, &own);
                add_multiple(&mut own, -share, earlier);
            }
            let norm = dot(&own, &own).sqrt().max(f64::MIN_POSITIVE);
            own.iter_mut().for_each(|own| *own /= norm);
        }
        basis.col_as_slice_mut(k).copy_from_slice(&own);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against all eigenpairs of the whole matrix, for values with gaps and an outlier.
    #[test]
    fn the_leading_pairs_equal_those_of_the_whole_matrix() {
        let mut values: Vec<f64> = (0..150).map(|i| (f64::from(i) * 0.73).sin() * 3.0 + f64::from(i) * 1e-3).collect();
        values.push(40.0);
        values.sort_by(f64::total_cmp);
        let count = 10;
        let (got, vectors) = leading_eigenpairs(&values, count);
        let kernel = Mat::from_fn(151, 151, |i, j| (values[i] - values[j]).abs().powi(3) / 12.0);
        let (all, all_vectors) = eigen(kernel.as_ref());
        let (expected, expected_vectors) = by_size(&all, &all_vectors, count);
        for k in 0..count {
            assert!((got[k] / expected[k] - 1.0).abs() < 1e-9, "{k}: {} {}", got[k], expected[k]);
            let overlap = dot(vectors.col_as_slice(k), expected_vectors.col_as_slice(k)).abs();
            assert!((overlap - 1.0).abs() < 1e-9, "{k}: {overlap}");
        }
    }
}
