//! A Gaussian kernel matrix as the rows below its diagonal, and sums over pairs of rows of one or two of them.
//!
//! Up to [`HELD_UP_TO`] samples the entries are held, beyond they are computed again when asked for, in `O(n)` memory. Of a
//! column that is tested once (residuals), entries are used as they are computed.

use super::hsic::NullVariance;
use crate::error::Result;
use crate::numerics::linalg::wide::{dot, dot_here, exponential, exponentials, sum_here, wide};
use crate::run::Run;

/// Up to this many samples the entries below the diagonal are held: 36 MB.
const HELD_UP_TO: usize = 3000;
/// How many rows of pairs go by between two looks at the stop flag.
const CHECK_EVERY: usize = 64;

/// A kernel matrix `K` with ones on its diagonal.
pub(super) struct PairKernel<'a> {
    columns: Vec<&'a [f64]>,
    rate: f64,
    /// The entries below the diagonal, column by column.
    held: Option<Vec<f64>>,
    /// `Σ_j K_ij`.
    row_sums: Vec<f64>,
    /// `Σ K_ij`.
    total: f64,
    /// `Σ K_ij²`.
    square: f64,
}

/// What a test needs of two kernel matrices.
pub(super) struct PairSums {
    /// `Σ (HKH)_ij (HLH)_ij`.
    pub(super) product: f64,
    /// The estimate of [`NullVariance`].
    pub(super) v: f64,
    /// One less the mean off the diagonal, of both.
    pub(super) contrasts: [f64; 2],
}

impl<'a> PairKernel<'a> {
    /// The kernel of these columns, taken jointly; `squares` are their squared distances where they are known.
    pub(super) fn new(columns: &[&'a [f64]], width: f64, squares: Option<Vec<f64>>, run: &Run<'_>) -> Result<Self> {
        let (n, rate) = (columns[0].len(), -0.5 / (width * width));
        let held = (n <= HELD_UP_TO).then(|| {
            let mut held = squares.unwrap_or_else(|| squared_distances_below(columns));
            exponentials(&mut held, rate);
            held
        });
        let mut kernel =
            PairKernel { columns: columns.to_vec(), rate, held, row_sums: vec![1.0; n], total: 0.0, square: 0.0 };
        let (mut row_sums, mut below, mut row) = (vec![1.0; n], 0.0, Vec::new());
        for j in 0..n {
            check(j, run)?;
            let values = kernel.below(j, &mut row);
            below += wide(
                #[inline(always)]
                || {
                    row_sums[j] += sum_here(values);
                    row_sums[j + 1..].iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
                    dot_here(values, values)
                },
            );
        }
        (kernel.total, kernel.square) = (row_sums.iter().sum(), n as f64 + 2.0 * below);
        kernel.row_sums = row_sums;
        Ok(kernel)
    }

    fn n(&self) -> usize {
        self.row_sums.len()
    }

    /// The entries of column `j` below the diagonal.
    fn below<'r>(&'r self, j: usize, row: &'r mut Vec<f64>) -> &'r [f64] {
        let (n, length) = (self.n(), self.n() - 1 - j);
        if let Some(held) = &self.held {
            // Columns 0 … j−1 have n−1, …, n−j entries.
            let start = j * (2 * n - j - 1) / 2;
            return &held[start..start + length];
        }
        row.resize(length, 0.0);
        wide(
            #[inline(always)]
            || {
                fill_squares(&self.columns, j, row);
                row.iter_mut().for_each(|entry| *entry = exponential(self.rate * *entry));
            },
        );
        row
    }

    /// One less the mean of the entries off the diagonal.
    fn contrast(&self) -> f64 {
        let n = self.n() as f64;
        1.0 - (self.total - n) / (n * (n - 1.0))
    }

    /// `|HKH|²`.
    fn centred_square(&self) -> f64 {
        self.centred(self.square, self)
    }

    /// `Σ (HKH)_ij (HLH)_ij` from `Σ K_ij L_ij`.
    fn centred(&self, raw: f64, other: &PairKernel<'_>) -> f64 {
        let n = self.n() as f64;
        raw - 2.0 / n * dot(&self.row_sums, &other.row_sums) + self.total * other.total / (n * n)
    }

    /// The sums for a test against the kernel of another column.
    pub(super) fn sums(&self, y: &[f64], width: f64, null_variance: NullVariance, run: &Run<'_>) -> Result<PairSums> {
        match null_variance {
            NullVariance::Product => self.in_passing(y, width, run),
            NullVariance::Joint => self.joint(&PairKernel::new(&[y], width, None, run)?, run),
        }
    }

    /// Entries of the other kernel are used as they are computed, and never held.
    fn in_passing(&self, y: &[f64], width: f64, run: &Run<'_>) -> Result<PairSums> {
        let (n, rate) = (self.n(), -0.5 / (width * width));
        let (mut own_row, mut other_row) = (Vec::new(), vec![0.0; n]);
        let mut row_sums = vec![1.0; n];
        // Below the diagonal: Σ KL, Σ L².
        let (mut product, mut square) = (0.0, 0.0);
        for j in 0..n {
            check(j, run)?;
            let (own, other) = (self.below(j, &mut own_row), &mut other_row[..n - 1 - j]);
            wide(
                #[inline(always)]
                || {
                    let here = y[j];
                    for (entry, y) in other.iter_mut().zip(&y[j + 1..]) {
                        *entry = exponential(rate * ((y - here) * (y - here)));
                    }
                    row_sums[j] += sum_here(other);
                    row_sums[j + 1..].iter_mut().zip(&*other).for_each(|(sum, entry)| *sum += entry);
                    product += dot_here(own, other);
                    square += dot_here(other, other);
                },
            );
        }
        let whole = |below: f64| n as f64 + 2.0 * below;
        let total = row_sums.iter().sum();
        let other = PairKernel { columns: Vec::new(), rate, held: None, row_sums, total, square: whole(square) };
        Ok(PairSums {
            product: self.centred(whole(product), &other),
            v: self.centred_square() * other.centred_square() / (n as f64 - 1.0).powi(4),
            contrasts: [self.contrast(), other.contrast()],
        })
    }

    fn joint(&self, other: &PairKernel<'_>, run: &Run<'_>) -> Result<PairSums> {
        let (mut own_row, mut other_row) = (Vec::new(), Vec::new());
        let (k, l) = (Means::of(self), Means::of(other));
        let (mut product, mut square) = (0.0, 0.0);
        for j in 0..self.n() {
            check(j, run)?;
            let (own, other) = (self.below(j, &mut own_row), other.below(j, &mut other_row));
            let (sum, squares) = centred_products((own, &k), (other, &l), j);
            product += k.centred(1.0, j, j) * l.centred(1.0, j, j) + 2.0 * sum;
            square += 2.0 * squares;
        }
        let n = self.n() as f64;
        Ok(PairSums { product, v: square / (n * (n - 1.0)), contrasts: [self.contrast(), other.contrast()] })
    }
}

/// The means of a kernel's rows, and of all its entries.
struct Means {
    rows: Vec<f64>,
    all: f64,
}

impl Means {
    fn of(kernel: &PairKernel<'_>) -> Self {
        let n = kernel.n() as f64;
        Means { rows: kernel.row_sums.iter().map(|sum| sum / n).collect(), all: kernel.total / (n * n) }
    }

    /// `(HKH)_ij` from `K_ij`.
    #[inline(always)]
    fn centred(&self, entry: f64, i: usize, j: usize) -> f64 {
        (entry - (self.rows[i] + self.rows[j])) + self.all
    }
}

/// `Σ_i p_i` and `Σ_i p_i²` of the products `p_i = (HKH)_ij (HLH)_ij` below the diagonal.
fn centred_products((own, k): (&[f64], &Means), (other, l): (&[f64], &Means), j: usize) -> (f64, f64) {
    const LANES: usize = 8;
    wide(
        #[inline(always)]
        || {
            let (mut sums, mut squares) = ([0.0; LANES], [0.0; LANES]);
            let mut add = |lane: usize, a: f64, b: f64| {
                let product = a * b;
                sums[lane] += product;
                squares[lane] += product * product;
            };
            let centre = |entry: f64, row: f64, means: &Means, here: f64| (entry - (row + here)) + means.all;
            let (k_here, l_here) = (k.rows[j], l.rows[j]);
            let (own, own_rest) = own.as_chunks::<LANES>();
            let (other, other_rest) = other.as_chunks::<LANES>();
            let (k_rows, k_rest) = k.rows[j + 1..].as_chunks::<LANES>();
            let (l_rows, l_rest) = l.rows[j + 1..].as_chunks::<LANES>();
            for (((own, other), k_rows), l_rows) in own.iter().zip(other).zip(k_rows).zip(l_rows) {
                for lane in 0..LANES {
                    add(lane, centre(own[lane], k_rows[lane], k, k_here), centre(other[lane], l_rows[lane], l, l_here));
                }
            }
            for lane in 0..own_rest.len() {
                let a = centre(own_rest[lane], k_rest[lane], k, k_here);
                add(lane, a, centre(other_rest[lane], l_rest[lane], l, l_here));
            }
            (sums.iter().sum(), squares.iter().sum())
        },
    )
}

/// Squared distances between the rows of the columns taken jointly: row `j` with all later ones, one `j` after the other.
pub(super) fn squared_distances_below(columns: &[&[f64]]) -> Vec<f64> {
    let n = columns[0].len();
    let mut squares = vec![0.0; n * (n - 1) / 2];
    wide(
        #[inline(always)]
        || {
            let mut rest = &mut squares[..];
            for j in 0..n {
                let (here, after) = rest.split_at_mut(n - 1 - j);
                fill_squares(columns, j, here);
                rest = after;
            }
        },
    );
    squares
}

#[inline(always)]
fn fill_squares(columns: &[&[f64]], j: usize, target: &mut [f64]) {
    target.fill(0.0);
    for column in columns {
        let own = column[j];
        for (sum, other) in target.iter_mut().zip(&column[j + 1..]) {
            *sum += (other - own) * (other - own);
        }
    }
}

fn check(j: usize, run: &Run<'_>) -> Result<()> {
    if j.is_multiple_of(CHECK_EVERY) { run.check() } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Seed;

    #[test]
    fn held_and_recomputed_entries_are_the_same() {
        let run = Run::new(Seed(0));
        let [x, y] = [1.3, 0.4].map(|rate| (0..200).map(|i| (rate * f64::from(i)).sin()).collect::<Vec<f64>>());
        let held = PairKernel::new(&[&x, &y], 0.8, None, &run).unwrap();
        let known = PairKernel::new(&[&x, &y], 0.8, Some(squared_distances_below(&[&x, &y])), &run).unwrap();
        let recomputed = PairKernel { held: None, ..PairKernel::new(&[&x, &y], 0.8, None, &run).unwrap() };
        for null_variance in [NullVariance::Product, NullVariance::Joint] {
            let sums = |kernel: &PairKernel<'_>| {
                let sums = kernel.sums(&y, 0.5, null_variance, &run).unwrap();
                (sums.product, sums.v, sums.contrasts)
            };
            assert_eq!(sums(&held), sums(&recomputed));
            assert_eq!(sums(&held), sums(&known));
        }
    }
}
