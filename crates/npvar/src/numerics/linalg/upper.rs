//! `U'U = A` for matrices of some dozens of rows, row-major, four by four entries at a time.
//!
//! Rows are padded to whole groups of entries; what stands in the padding, and below the diagonal, is nobody's concern. Columns
//! beside `A` come out as `U'⁻¹` times them. Nothing is fused: results are the same to the bit on every machine.

use super::wide::{dot, wide};

/// Entries handled together.
const LANES: usize = 4;

/// The length of a row of `n` entries.
pub(crate) fn padded(n: usize) -> usize {
    n.next_multiple_of(LANES)
}

type Tile = [[f64; LANES]; LANES];

/// The group of entries from `at` on.
#[inline(always)]
fn group(row: &[f64], at: usize) -> [f64; LANES] {
    let row = &row[at..at + LANES];
    [row[0], row[1], row[2], row[3]]
}

/// `Σ_i u_i b_i'` over the first `count` rows of two matrices: of `u` the columns from `j` on, of `b` those from `c` on.
///
/// Plain indices: the iterators of the standard library are not always compiled into a [`wide`] loop.
#[inline(always)]
fn tile(u: &[f64], stride: usize, j: usize, b: &[f64], width: usize, c: usize, count: usize) -> Tile {
    let mut sums = [[0.0; LANES]; LANES];
    let (mut in_u, mut in_b) = (j, c);
    for _ in 0..count {
        let (u, b) = (group(u, in_u), group(b, in_b));
        for i in 0..LANES {
            for lane in 0..LANES {
                sums[i][lane] += u[i] * b[lane];
            }
        }
        in_u += stride;
        in_b += width;
    }
    sums
}

/// `row += factor · other` over one group of entries.
#[inline(always)]
fn add_group(row: &mut [f64], at: usize, factor: f64, other: [f64; LANES]) {
    let row = &mut row[at..at + LANES];
    for lane in 0..LANES {
        row[lane] += factor * other[lane];
    }
}

/// Adds `factor` times the row `other` to the row `row`, of rows `width` apart, from the group on in which the entry `from` is.
#[inline(always)]
fn add_row(rows: &mut [f64], width: usize, row: usize, factor: f64, other: usize, from: usize) {
    let (done, rest) = rows.split_at_mut(row * width);
    let other = &done[other * width..(other + 1) * width];
    for at in (from / LANES..width / LANES).map(|group| group * LANES) {
        add_group(rest, at, factor, group(other, at));
    }
}

/// Replaces the first `n` columns of `n` rows, `stride` apart, by the factor `U` of the symmetric matrix whose upper triangle they
/// hold, and the other columns by `U'⁻¹` times them. Whether the matrix is positive definite; where not, nothing of use is left.
pub(crate) fn factor(a: &mut [f64], n: usize, stride: usize) -> bool {
    wide(
        #[inline(always)]
        || factor_here(a, n, stride),
    )
}

#[inline(always)]
fn factor_here(a: &mut [f64], n: usize, stride: usize) -> bool {
    for start in (0..n).step_by(LANES) {
        let end = n.min(start + LANES);
        let (above, rest) = a.split_at_mut(start * stride);
        let block = &mut rest[..(end - start) * stride];
        for c in (start..stride).step_by(LANES) {
            let sums = tile(above, stride, start, above, stride, c, start);
            for i in 0..end - start {
                add_group(block, i * stride + c, -1.0, sums[i]);
            }
        }
        for j in start..end {
            let first = (j - start) * stride;
            let pivot = block[first + j];
            if pivot.is_nan() || pivot <= 0.0 {
                return false;
            }
            let scale = pivot.sqrt().recip();
            for at in first + start..first + stride {
                block[at] *= scale;
            }
            for i in j + 1..end {
                add_row(block, stride, i - start, -block[first + i], j - start, start);
            }
        }
    }
    true
}

/// Replaces the rows of `b`, `width` apart and as many as fill it, by `U'⁻¹` times them, with `U` rows `stride` apart.
pub(crate) fn solve_transposed(u: &[f64], stride: usize, b: &mut [f64], width: usize) {
    wide(
        #[inline(always)]
        || solve_transposed_here(u, stride, b, width),
    );
}

#[inline(always)]
fn solve_transposed_here(u: &[f64], stride: usize, b: &mut [f64], width: usize) {
    let n = b.len() / width;
    for start in (0..n).step_by(LANES) {
        let end = n.min(start + LANES);
        let (solved, rest) = b.split_at_mut(start * width);
        let block = &mut rest[..(end - start) * width];
        for c in (0..width).step_by(LANES) {
            let sums = tile(u, stride, start, solved, width, c, start);
            for i in 0..end - start {
                add_group(block, i * width + c, -1.0, sums[i]);
            }
        }
        for j in start..end {
            let scale = u[j * stride + j].recip();
            for at in (j - start) * width..(j + 1 - start) * width {
                block[at] *= scale;
            }
            for i in j + 1..end {
                add_row(block, width, i - start, -u[j * stride + i], j - start, 0);
            }
        }
    }
}

/// Adds `factor · x'x` to a matrix with rows `stride` apart: of as many columns of `x`, whose rows are `width` apart, as the
/// matrix has rows, and those beside it.
pub(crate) fn add_squares(square: &mut [f64], stride: usize, factor: f64, x: &[f64], width: usize) {
    wide(
        #[inline(always)]
        || add_squares_here(square, stride, factor, x, width),
    );
}

#[inline(always)]
fn add_squares_here(square: &mut [f64], stride: usize, factor: f64, x: &[f64], width: usize) {
    let (count, rows) = (x.len() / width, square.len() / stride);
    for start in (0..rows).step_by(LANES) {
        for c in (start..stride).step_by(LANES) {
            let sums = tile(x, width, start, x, width, c, count);
            for i in 0..rows.min(start + LANES) - start {
                add_group(square, (start + i) * stride + c, factor, sums[i]);
            }
        }
    }
}

/// `U⁻¹ z` for the column `at` beside `U`.
pub(crate) fn solve(u: &[f64], n: usize, stride: usize, at: usize) -> Vec<f64> {
    let mut x: Vec<f64> = (0..n).map(|j| u[j * stride + at]).collect();
    for j in (0..n).rev() {
        let row = &u[j * stride..j * stride + n];
        let rest = dot(&row[j + 1..], &x[j + 1..]);
        x[j] = (x[j] - rest) / row[j];
    }
    x
}

/// `log|A|`, and the sum of the squares of the column `at` beside the factor.
pub(crate) fn log_determinant_and_square(u: &[f64], n: usize, stride: usize, at: usize) -> (f64, f64) {
    let rows = || u.chunks_exact(stride).take(n).enumerate();
    // Logarithms are dear: of products of a few entries, which neither overflow nor vanish, there are fewer.
    let mut product = 1.0_f64;
    let mut sum = 0.0;
    for (j, row) in rows() {
        product *= row[j];
        if !(1e-100..1e100).contains(&product) {
            sum += product.ln();
            product = 1.0;
        }
    }
    (2.0 * (sum + product.ln()), rows().map(|(_, row)| row[at] * row[at]).sum())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Seed;
    use rand::RngExt;

    #[test]
    fn factors_solutions_and_squares_are_those_of_their_definitions() {
        let mut rng = Seed(4).rng();
        for n in [1, 2, 3, 4, 5, 9, 13, 40] {
            let (width, m) = (padded(n + 1), n + 3);
            let root: Vec<f64> = (0..m * n).map(|_| rng.random_range(-1.0..1.0)).collect();
            let beside: Vec<f64> = (0..n).map(|_| rng.random_range(-1.0..1.0)).collect();
            let mut rows = vec![0.0; m * width];
            (0..m).for_each(|i| rows[i * width..i * width + n].copy_from_slice(&root[i * n..(i + 1) * n]));
            let mut a = vec![0.0; n * width];
            add_squares(&mut a, width, 0.5, &rows, width);
            let entry = |i: usize, j: usize| 0.5 * (0..m).map(|k| root[k * n + i] * root[k * n + j]).sum::<f64>();
            (0..n).for_each(|i| a[i * width + n] = beside[i]);
            assert!(factor(&mut a, n, width));
            for i in 0..n {
                for j in i..n {
                    let product: f64 = (0..=i).map(|k| a[k * width + i] * a[k * width + j]).sum();
                    assert!((product - entry(i, j)).abs() < 1e-12);
                }
            }
            // A A⁻¹ b = b, through either triangle.
            let x = solve(&a, n, width, n);
            for i in 0..n {
                let product: f64 = (0..n).map(|j| entry(i, j) * x[j]).sum();
                assert!((product - beside[i]).abs() < 1e-7);
            }
            let mut column = vec![0.0; n * width];
            (0..n).for_each(|i| column[i * width] = beside[i]);
            solve_transposed(&a, width, &mut column, width);
            (0..n).for_each(|i| assert!((column[i * width] - a[i * width + n]).abs() < 1e-9));
            let (log_determinant, square) = log_determinant_and_square(&a, n, width, n);
            let logs: f64 = (0..n).map(|j| 2.0 * a[j * width + j].ln()).sum();
            let expected: f64 = x.iter().zip(&beside).map(|(x, b)| x * b).sum();
            assert!((log_determinant - logs).abs() < 1e-10);
            assert!((square - expected).abs() < 1e-9 * expected.abs().max(1.0));
        }
    }

    #[test]
    fn what_is_not_positive_definite_is_said_to_be_so() {
        assert!(!factor(&mut [1.0, 2.0, 0.0, 0.0, 2.0, 4.0, 0.0, 0.0], 2, 4));
        assert!(!factor(&mut [f64::NAN, 0.0, 0.0, 0.0], 1, 4));
    }
}
