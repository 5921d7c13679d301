//! Gaussian elimination with partial pivoting, for systems of a few dozen unknowns that need not be symmetric.

use crate::numerics::linalg::wide::wide;

/// The factors of a square matrix, row-major.
pub(super) struct LuFactors {
    size: usize,
    entries: Vec<f64>,
    pivots: Vec<usize>,
}

impl LuFactors {
    /// Factorises; none when the matrix is singular or not finite.
    pub(super) fn new(mut entries: Vec<f64>, size: usize) -> Option<Self> {
        let mut pivots = Vec::with_capacity(size);
        for column in 0..size {
            let magnitude = |row: usize| entries[row * size + column].abs();
            let pivot = (column..size).max_by(|&a, &b| magnitude(a).total_cmp(&magnitude(b)))?;
            let largest = magnitude(pivot);
            if largest == 0.0 || !largest.is_finite() {
                return None;
            }
            for k in 0..size {
                entries.swap(column * size + k, pivot * size + k);
            }
            pivots.push(pivot);
            for row in column + 1..size {
                let factor = entries[row * size + column] / entries[column * size + column];
                entries[row * size + column] = factor;
                if factor != 0.0 {
                    for k in column + 1..size {
                        entries[row * size + k] -= factor * entries[column * size + k];
                    }
                }
            }
        }
        Some(LuFactors { size, entries, pivots })
    }

    /// Solves for one right-hand side, in place.
    pub(super) fn solve(&self, x: &mut [f64]) {
        let n = self.size;
        for (row, &pivot) in self.pivots.iter().enumerate() {
            x.swap(row, pivot);
        }
        for row in 1..n {
            x[row] -= (0..row).map(|k| self.entries[row * n + k] * x[k]).sum::<f64>();
        }
        for row in (0..n).rev() {
            let known: f64 = (row + 1..n).map(|k| self.entries[row * n + k] * x[k]).sum();
            x[row] = (x[row] - known) / self.entries[row * n + row];
        }
    }
}

/// The inverse of a square matrix, row-major, by elimination in all its columns at once; none when the matrix is singular or
/// not finite.
pub(super) fn inverse(matrix: &[f64], size: usize) -> Option<Vec<f64>> {
    // Rows of the matrix, each followed by its row of the identity.
    let width = 2 * size;
    let mut rows = vec![0.0; size * width];
    for (i, row) in rows.chunks_exact_mut(width).enumerate() {
        row[..size].copy_from_slice(&matrix[i * size..(i + 1) * size]);
        row[size + i] = 1.0;
    }
    wide(
        #[inline(always)]
        || {
            for column in 0..size {
                let magnitude = |row: usize| rows[row * width + column].abs();
                let pivot = (column..size).max_by(|&a, &b| magnitude(a).total_cmp(&magnitude(b)))?;
                let largest = magnitude(pivot);
                if largest == 0.0 || !largest.is_finite() {
                    return None;
                }
                for k in 0..width {
                    rows.swap(column * width + k, pivot * width + k);
                }
                let (before, rest) = rows.split_at_mut(column * width);
                let (own, after) = rest.split_at_mut(width);
                let scale = 1.0 / own[column];
                own.iter_mut().for_each(|entry| *entry *= scale);
                for row in before.chunks_exact_mut(width).chain(after.chunks_exact_mut(width)) {
                    let factor = row[column];
                    if factor != 0.0 {
                        row.iter_mut().zip(&*own).for_each(|(entry, own)| *entry -= factor * own);
                    }
                }
            }
            Some(())
        },
    )?;
    Some(rows.chunks_exact(width).flat_map(|row| &row[size..]).copied().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_system_that_needs_exchanges_is_solved() {
        // x + y + z = 6, 2z + y = 8 without x, 2x + 5y − z = 9: (1, 2, 3).
        let factors = LuFactors::new(vec![1.0, 1.0, 1.0, 0.0, 1.0, 2.0, 2.0, 5.0, -1.0], 3).expect("regular");
        let mut x = [6.0, 8.0, 9.0];
        factors.solve(&mut x);
        for (got, expected) in x.iter().zip([1.0, 2.0, 3.0]) {
            assert!((got - expected).abs() < 1e-14);
        }
    }

    #[test]
    fn the_inverse_solves_what_the_factors_solve() {
        let matrix = vec![1.0, 1.0, 1.0, 0.0, 1.0, 2.0, 2.0, 5.0, -1.0];
        let factors = LuFactors::new(matrix.clone(), 3).expect("regular");
        let inverse = inverse(&matrix, 3).expect("regular");
        for column in 0..3 {
            let mut unit = [0.0; 3];
            unit[column] = 1.0;
            factors.solve(&mut unit);
            (0..3).for_each(|row| assert!((inverse[row * 3 + column] - unit[row]).abs() < 1e-14));
        }
    }

    #[test]
    fn a_singular_matrix_has_no_factors() {
        assert!(inverse(&[1.0, 2.0, 2.0, 4.0], 2).is_none() && inverse(&[f64::NAN], 1).is_none());
        assert!(LuFactors::new(vec![1.0, 2.0, 2.0, 4.0], 2).is_none());
        assert!(LuFactors::new(vec![f64::NAN], 1).is_none());
    }
}
