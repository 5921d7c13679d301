//! Matrices of a handful of rows, row-major, without allocation or dispatch.

/// Replaces the lower triangle of a symmetric `n` by `n` matrix by its Cholesky factor.
///
/// Returns the smallest pivot relative to the entry of `scale` it belongs to; stops at (and returns) one that is not positive.
pub(crate) fn cholesky(a: &mut [f64], n: usize, scale: &[f64]) -> f64 {
    let mut smallest = f64::INFINITY;
    for j in 0..n {
        let (_, rest) = a.split_at_mut(j * n);
        let pivot = rest[j] - rest[..j].iter().map(|entry| entry * entry).sum::<f64>();
        smallest = smallest.min(pivot / scale[j]);
        if pivot <= 0.0 || pivot.is_nan() {
            return smallest.min(0.0);
        }
        let diagonal = pivot.sqrt();
        rest[j] = diagonal;
        let (row_j, below) = rest.split_at_mut(n);
        for row in below.chunks_exact_mut(n) {
            let product: f64 = row[..j].iter().zip(&row_j[..j]).map(|(a, b)| a * b).sum();
            row[j] = (row[j] - product) / diagonal;
        }
    }
    smallest
}

/// The inverse of a lower triangular factor; entries above the diagonal of the result are zero.
pub(crate) fn invert_lower(factor: &[f64], n: usize) -> Vec<f64> {
    let mut inverse = vec![0.0; n * n];
    for column in 0..n {
        inverse[column * n + column] = 1.0 / factor[column * n + column];
        for row in column + 1..n {
            let sum: f64 = (column..row).map(|k| factor[row * n + k] * inverse[k * n + column]).sum();
            inverse[row * n + column] = -sum / factor[row * n + row];
        }
    }
    inverse
}

/// Eigenvalues, increasing, and eigenvectors (one row each) of a symmetric matrix.
pub(crate) fn eigen(a: &[f64], n: usize) -> (Vec<f64>, Vec<Vec<f64>>) {
    let matrix = faer::Mat::from_fn(n, n, |i, j| 0.5 * (a[i * n + j] + a[j * n + i]));
    let (values, vectors) = super::eigen(matrix.as_ref());
    (values, (0..n).map(|i| vectors.col_as_slice(i).to_vec()).collect())
}

/// `x'A y` for a row-major square `A`.
pub(crate) fn quadratic(x: &[f64], a: &[f64], y: &[f64]) -> f64 {
    let n = x.len();
    x.iter().enumerate().map(|(i, x)| x * dot(&a[i * n..(i + 1) * n], y)).sum()
}

/// `x'y`.
pub(crate) fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factor_and_inverse_of_a_matrix_done_by_hand() {
        // [[4, 2], [2, 10]] = L L' with L = [[2, 0], [1, 3]].
        let mut a = [4.0, 2.0, 2.0, 10.0];
        let smallest = cholesky(&mut a, 2, &[4.0, 10.0]);
        assert_eq!((a[0], a[2], a[3]), (2.0, 1.0, 3.0));
        assert_eq!(smallest, 0.9);
        assert_eq!(invert_lower(&a, 2), vec![0.5, 0.0, -1.0 / 6.0, 1.0 / 3.0]);
    }

    #[test]
    fn a_singular_matrix_shows_in_its_smallest_pivot() {
        let mut a = [1.0, 1.0, 1.0, 1.0];
        assert!(cholesky(&mut a, 2, &[1.0, 1.0]) <= 0.0);
    }
}
