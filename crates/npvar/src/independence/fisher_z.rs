//! Fisher's z-test of zero partial correlation (Fisher 1924; Kalisch & Bühlmann 2007 for its use in PC).
//!
//! ```text
//! r = partial correlation of x and y given S      z = ½ log((1+r)/(1−r))
//! p = P(|N(0,1)| > √(n − |S| − 3) |z|)
//! ```
//!
//! `r` comes from the Cholesky factor of the correlation matrix of `S`: what is left of the 2 × 2 block of `x` and `y`.
//! A column of `S` that the ones before it determine adds nothing and is passed over. Where `S` determines `x` or `y`
//! itself, nothing is left that could depend on anything: `r = 0`, p = 1. (pcalg takes a pseudoinverse there, causal-learn
//! the inverse of a matrix that has none.) A constant column is uncorrelated with every other.
//!
//! `|r|` is bounded by 1 − 2⁻⁵³, so that identical columns have a finite `z` (pcalg's bound is 0.9999999).

use faer::Mat;

use super::independence_test::IndependenceTest;
use crate::data::Covariance;
use crate::error::{Error, Result};
use crate::numerics::distribution::normal_two_sided;

/// A variance below this share of the whole is rounding: the column is a linear function of the others.
const DETERMINED: f64 = 1e-12;
/// Conditioning sets up to this size need no memory of their own.
const SMALL: usize = 8;
/// The degrees of freedom `n − |S| − 3` must be positive.
const FEWEST_SAMPLES: usize = 4;

/// Fisher's z-test on a correlation matrix.
///
/// ```
/// use npvar::independence::{FisherZ, IndependenceTest};
/// use npvar::data::Covariance;
/// // x -> z -> y: correlated, but not given z
/// let covariance = faer::mat![[1.0, 1.0, 1.0], [1.0, 2.0, 2.0], [1.0, 2.0, 3.0]];
/// let test = FisherZ::new(&Covariance::known(covariance, 100))?;
/// assert!(test.p_value(0, 2, &[])? < 1e-6);
/// assert!(test.p_value(0, 2, &[1])? > 0.999);
/// # Ok::<(), npvar::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct FisherZ {
    n: usize,
    correlation: Mat<f64>,
}

impl FisherZ {
    /// The test for the sample behind a covariance matrix.
    ///
    /// # Errors
    /// [`Error::TooFewSamples`] below 4 rows.
    pub fn new(covariance: &Covariance) -> Result<Self> {
        let (n, matrix) = (covariance.n(), covariance.matrix());
        if n < FEWEST_SAMPLES {
            return Err(Error::TooFewSamples { what: "Fisher's z-test", needed: FEWEST_SAMPLES, n });
        }
        let deviations: Vec<f64> = (0..matrix.nrows()).map(|j| matrix[(j, j)].sqrt()).collect();
        let correlation = Mat::from_fn(matrix.nrows(), matrix.nrows(), |i, j| {
            let r = matrix[(i.max(j), i.min(j))] / (deviations[i] * deviations[j]);
            if i == j {
                1.0
            } else if r.is_finite() {
                r.clamp(-1.0, 1.0)
            } else {
                0.0
            }
        });
        Ok(FisherZ { n, correlation })
    }

    /// The partial correlation of `x` and `y` given a set.
    pub fn partial_correlation(&self, x: usize, y: usize, given: &[usize]) -> f64 {
        if given.is_empty() {
            return self.correlation[(x, y)];
        }
        let size = given.len() + 2;
        if given.len() <= SMALL {
            return self.reduce(x.min(y), x.max(y), given, &mut [0.0; (SMALL + 2) * (SMALL + 2)][..size * size]);
        }
        self.reduce(x.min(y), x.max(y), given, &mut vec![0.0; size * size])
    }

    /// Columns that are linear functions of the columns before them.
    pub fn determined(&self) -> Vec<usize> {
        // Rows of the Cholesky factor of the correlations of the columns that are not.
        let (mut free, mut factor): (Vec<usize>, Vec<Vec<f64>>) = (Vec::new(), Vec::new());
        let mut determined = Vec::new();
        for node in 0..self.nodes() {
            let mut row: Vec<f64> = Vec::with_capacity(free.len() + 1);
            for (&other, known) in free.iter().zip(&factor) {
                let shared: f64 = row.iter().zip(known).map(|(a, b)| a * b).sum();
                row.push((self.correlation[(other, node)] - shared) / known[row.len()]);
            }
            let left = 1.0 - row.iter().map(|entry| entry * entry).sum::<f64>();
            if left <= DETERMINED {
                determined.push(node);
            } else {
                row.push(left.sqrt());
                free.push(node);
                factor.push(row);
            }
        }
        determined
    }

    /// Cholesky of the correlations of `given`, `x`, `y` as far as the last two rows; `factor` is row-major.
    fn reduce(&self, x: usize, y: usize, given: &[usize], factor: &mut [f64]) -> f64 {
        let k = given.len();
        let size = k + 2;
        let node = |i: usize| if i < k { given[i] } else { [x, y][i - k] };
        for i in 0..size {
            let column = self.correlation.col_as_slice(node(i));
            for j in 0..k.min(i) {
                let known: f64 = (0..j).map(|l| factor[i * size + l] * factor[j * size + l]).sum();
                let pivot = factor[j * size + j];
                // A determined column has no pivot and explains nothing.
                factor[i * size + j] = if pivot > 0.0 { (column[node(j)] - known) / pivot } else { 0.0 };
            }
            if i < k {
                let left = 1.0 - (0..i).map(|l| factor[i * size + l].powi(2)).sum::<f64>();
                factor[i * size + i] = if left > DETERMINED { left.sqrt() } else { 0.0 };
            }
        }
        let (row_x, row_y) = (&factor[k * size..k * size + k], &factor[(k + 1) * size..(k + 1) * size + k]);
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let (left_x, left_y) = (1.0 - dot(row_x, row_x), 1.0 - dot(row_y, row_y));
        if left_x <= DETERMINED || left_y <= DETERMINED {
            return 0.0;
        }
        (self.correlation[(x, y)] - dot(row_x, row_y)) / (left_x * left_y).sqrt()
    }
}

impl IndependenceTest for FisherZ {
    fn nodes(&self) -> usize {
        self.correlation.nrows()
    }

    fn p_value(&self, x: usize, y: usize, given: &[usize]) -> Result<f64> {
        if given.len() > self.largest_given() {
            return Err(Error::TooFewSamples {
                what: "Fisher's z-test with so many conditioning variables",
                needed: given.len() + FEWEST_SAMPLES,
                n: self.n,
            });
        }
        let r = self.partial_correlation(x, y, given).abs().min(1.0 - 0.5 * f64::EPSILON);
        let z = 0.5 * (2.0 * r / (1.0 - r)).ln_1p();
        Ok(normal_two_sided(((self.n - given.len() - 3) as f64).sqrt() * z))
    }

    fn largest_given(&self) -> usize {
        self.n - FEWEST_SAMPLES
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test(covariance: Mat<f64>, n: usize) -> FisherZ {
        FisherZ::new(&Covariance::known(covariance, n)).unwrap()
    }

    #[test]
    fn one_conditioning_variable_is_the_textbook_formula() {
        let test = test(faer::mat![[1.0, 0.3, 0.5], [0.3, 1.0, -0.2], [0.5, -0.2, 1.0]], 50);
        let by_hand = (0.3 - 0.5 * -0.2) / ((1.0_f64 - 0.25) * (1.0 - 0.04)).sqrt();
        assert!((test.partial_correlation(0, 1, &[2]) - by_hand).abs() < 1e-15);
        assert_eq!(test.p_value(0, 1, &[2]).unwrap().to_bits(), test.p_value(1, 0, &[2]).unwrap().to_bits());
    }

    /// Column 2 = column 0 + column 1, column 3 is constant, column 4 copies column 0.
    #[test]
    fn determined_and_constant_columns_have_numbers() {
        let test = test(
            faer::mat![
                [1.0, 0.0, 1.0, 0.0, 1.0],
                [0.0, 1.0, 1.0, 0.0, 0.0],
                [1.0, 1.0, 2.0, 0.0, 1.0],
                [0.0, 0.0, 0.0, 0.0, 0.0],
                [1.0, 0.0, 1.0, 0.0, 1.0]
            ],
            60,
        );
        assert_eq!(test.determined(), [2, 4]);
        assert_eq!(test.p_value(0, 3, &[]).unwrap(), 1.0);
        assert_eq!(test.p_value(0, 1, &[3]).unwrap(), 1.0);
        assert_eq!(test.p_value(2, 4, &[0, 1]).unwrap(), 1.0);
        assert!(test.p_value(0, 4, &[]).unwrap() < 1e-100);
        // The copy in the set adds nothing to the original.
        assert_eq!(test.p_value(1, 2, &[0, 4]).unwrap(), test.p_value(1, 2, &[0]).unwrap());
        for x in 0..5 {
            for y in 0..5 {
                for z in 0..5 {
                    if x != y && y != z && x != z {
                        assert!((0.0..=1.0).contains(&test.p_value(x, y, &[z]).unwrap()), "{x} {y} {z}");
                    }
                }
            }
        }
    }

    #[test]
    fn more_conditioning_variables_than_the_sample_allows_is_an_error() {
        let test = test(Mat::identity(6, 6), 7);
        assert_eq!(test.largest_given(), 3);
        assert!(test.p_value(0, 1, &[2, 3, 4]).is_ok());
        assert!(matches!(test.p_value(0, 1, &[2, 3, 4, 5]), Err(Error::TooFewSamples { needed: 8, n: 7, .. })));
        assert!(FisherZ::new(&Covariance::known(Mat::identity(2, 2), 3)).is_err());
    }
}
