//! One pass over a lower triangular matrix `Λ` that yields `R = Λ X` and `K = Λ'R` together.
//!
//! The order search does this once per node with a handful of columns `X`, and `Λ` grows far beyond the caches: each of
//! its rows is read from memory once, four at a time, and used for both products while it is near. A general matrix
//! product would read it twice and is tuned for wider right-hand sides.

/// Rows and columns of `X` handled together: 12 sums of four lanes fit the registers.
const ROWS: usize = 4;
const COLUMNS: usize = 3;
const LANES: usize = 4;

/// Rows of a triangular matrix: row `i` of the slice is row `first + i` of the matrix, rows `stride` apart, and only its
/// entries up to the diagonal count; those beyond it, up to `first + count`, must be zero.
pub(crate) struct TriangularRows<'a> {
    /// The first row and what follows.
    pub(crate) rows: &'a [f64],
    /// Distance between rows.
    pub(crate) stride: usize,
    /// Number of rows.
    pub(crate) count: usize,
    /// Index of the first row in the matrix.
    pub(crate) first: usize,
}

impl TriangularRows<'_> {
    /// `R'R` (`q` by `q`) and `K' = R'Λ` (`q` rows of `first + count`) for `X` given by its transpose: `q` rows, `size` apart.
    pub(crate) fn products(&self, x: &[f64], size: usize, q: usize) -> (Vec<f64>, Vec<f64>) {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
            #[allow(unsafe_code)]
            // SAFETY: the processor has AVX2 and FMA, as just checked.
            return unsafe { products_fma(self, x, size, q) };
        }
        products_plain(self, x, size, q)
    }

    fn row(&self, row: usize, length: usize) -> &[f64] {
        &self.rows[row * self.stride..row * self.stride + length]
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn products_fma(matrix: &TriangularRows<'_>, x: &[f64], size: usize, q: usize) -> (Vec<f64>, Vec<f64>) {
    products(
        matrix,
        x,
        size,
        q,
        |rows, columns| dots_fma(rows, columns),
        |target, rows, factors| {
            add_rows(target, rows, factors, f64::mul_add);
        },
    )
}

fn products_plain(matrix: &TriangularRows<'_>, x: &[f64], size: usize, q: usize) -> (Vec<f64>, Vec<f64>) {
    products(matrix, x, size, q, dots_plain, |target, rows, factors| {
        add_rows(target, rows, factors, |a, b, c| a * b + c);
    })
}

#[inline(always)]
fn products(
    matrix: &TriangularRows<'_>,
    x: &[f64],
    size: usize,
    q: usize,
    dots: impl Fn(&[&[f64]; ROWS], &[&[f64]; COLUMNS]) -> [[f64; COLUMNS]; ROWS],
    add_rows: impl Fn(&mut [f64], &[&[f64]; ROWS], &[f64; ROWS]),
) -> (Vec<f64>, Vec<f64>) {
    let length = matrix.first + matrix.count;
    let (mut gram, mut k) = (vec![0.0; q * q], vec![0.0; q * length]);
    let mut r = vec![[0.0; ROWS]; q];
    for start in (0..matrix.count).step_by(ROWS) {
        let count = ROWS.min(matrix.count - start);
        let reach = matrix.first + start + count;
        // A short last group repeats its last row and forgets what comes of it.
        let rows: [&[f64]; ROWS] = std::array::from_fn(|i| matrix.row(start + i.min(count - 1), reach));
        for c in (0..q).step_by(COLUMNS) {
            let columns: [&[f64]; COLUMNS] =
                std::array::from_fn(|j| &x[(c + j).min(q - 1) * size..(c + j).min(q - 1) * size + reach]);
            let dots = dots(&rows, &columns);
            for j in 0..COLUMNS.min(q - c) {
                for i in 0..ROWS {
                    r[c + j][i] = if i < count { dots[i][j] } else { 0.0 };
                }
            }
        }
        for a in 0..q {
            for b in 0..q {
                for i in 0..ROWS {
                    gram[a * q + b] += r[a][i] * r[b][i];
                }
            }
        }
        for (c, r) in r.iter().enumerate() {
            add_rows(&mut k[c * length..c * length + reach], &rows, r);
        }
    }
    (gram, k)
}

/// All dot products of rows and columns of one length; with explicit vectors, as no compiler may reorder sums by itself.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn dots_fma(rows: &[&[f64]; ROWS], columns: &[&[f64]; COLUMNS]) -> [[f64; COLUMNS]; ROWS] {
    use std::arch::x86_64::{_mm256_fmadd_pd, _mm256_set_pd, _mm256_setzero_pd};
    let length = rows[0].len();
    let row_lanes: [&[[f64; LANES]]; ROWS] = rows.map(|row| &row[..length].as_chunks().0[..length / LANES]);
    let column_lanes: [&[[f64; LANES]]; COLUMNS] =
        columns.map(|column| &column[..length].as_chunks().0[..length / LANES]);
    let mut sums = [[_mm256_setzero_pd(); COLUMNS]; ROWS];
    for at in 0..length / LANES {
        let columns = column_lanes.map(|lanes| {
            let [a, b, c, d] = lanes[at];
            _mm256_set_pd(d, c, b, a)
        });
        for i in 0..ROWS {
            let [a, b, c, d] = row_lanes[i][at];
            let row = _mm256_set_pd(d, c, b, a);
            for j in 0..COLUMNS {
                sums[i][j] = _mm256_fmadd_pd(row, columns[j], sums[i][j]);
            }
        }
    }
    std::array::from_fn(|i| {
        std::array::from_fn(|j| {
            #[allow(unsafe_code)]
            // SAFETY: a vector of four doubles is four doubles.
            let lanes: [f64; LANES] = unsafe { std::mem::transmute(sums[i][j]) };
            let tail: f64 = (length / LANES * LANES..length).map(|at| rows[i][at] * columns[j][at]).sum();
            lanes.iter().sum::<f64>() + tail
        })
    })
}

fn dots_plain(rows: &[&[f64]; ROWS], columns: &[&[f64]; COLUMNS]) -> [[f64; COLUMNS]; ROWS] {
    std::array::from_fn(|i| std::array::from_fn(|j| rows[i].iter().zip(columns[j]).map(|(a, b)| a * b).sum()))
}

#[inline(always)]
fn add_rows(
    target: &mut [f64],
    rows: &[&[f64]; ROWS],
    factors: &[f64; ROWS],
    multiply_add: impl Fn(f64, f64, f64) -> f64,
) {
    let length = target.len();
    let [a, b, c, d] = rows.map(|row| &row[..length]);
    for at in 0..length {
        let sum = multiply_add(factors[0], a[at], target[at]);
        let sum = multiply_add(factors[1], b[at], sum);
        let sum = multiply_add(factors[2], c[at], sum);
        target[at] = multiply_add(factors[3], d[at], sum);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Seed;
    use rand::RngExt;

    #[test]
    fn the_products_equal_their_definition_for_every_shape() {
        let mut rng = Seed(3).rng();
        for (first, count, q) in [(0, 1, 1), (0, 9, 9), (5, 7, 2), (18, 9, 9), (40, 23, 8), (11, 4, 5)] {
            let size = first + count + 3;
            let stride = size + 2;
            let mut rows = vec![0.0; count * stride];
            for i in 0..count {
                (0..=first + i).for_each(|j| rows[i * stride + j] = rng.random_range(-1.0..1.0));
            }
            let x: Vec<f64> = (0..q * size).map(|_| rng.random_range(-1.0..1.0)).collect();
            let matrix = TriangularRows { rows: &rows, stride, count, first };
            for (gram, k) in [matrix.products(&x, size, q), products_plain(&matrix, &x, size, q)] {
                let length = first + count;
                let r =
                    |i: usize, c: usize| -> f64 { (0..length).map(|j| rows[i * stride + j] * x[c * size + j]).sum() };
                for a in 0..q {
                    for b in 0..q {
                        let expected: f64 = (0..count).map(|i| r(i, a) * r(i, b)).sum();
                        assert!((gram[a * q + b] - expected).abs() < 1e-12);
                    }
                    for j in 0..length {
                        let expected: f64 = (0..count).map(|i| r(i, a) * rows[i * stride + j]).sum();
                        assert!((k[a * length + j] - expected).abs() < 1e-12);
                    }
                }
            }
        }
    }
}
