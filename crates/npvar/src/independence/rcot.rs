//! RCoT, the randomised conditional correlation test (Strobl, Zhang & Visweswaran 2019): KCI with random Fourier features in
//! place of kernel matrices, so that the cost grows linearly with the rows.
//!
//! ```text
//! φ_f(x) = √2 cos(ω_f'x/σ + b_f),  ω_f ~ N(0, I),  b_f ~ U(0, 2π),  σ the median distance; every feature standardised
//! X, Y: 5 features of x and of y;  Z: 100 features of the set
//! X̃, Ỹ: what the least-squares regression on Z leaves of X and Y      (without a set X and Y themselves)
//! statistic = n |X̃'Ỹ/n|²      under independence a sum of χ²₁ weighted by the eigenvalues of the covariance of all X̃_i Ỹ_j
//! p = P(weighted sum > statistic), by the χ² variable with the sum's first three cumulants (Hall 1983; Buckley & Eagleson 1988)
//! ```
//!
//! Every column's frequencies are drawn once, from the seed and the column's name, so that a p-value depends neither on the order
//! of the tests nor on which of `x` and `y` comes first. Dependence that no feature sees is missed, as with any finite number of
//! them; the test asks for dependence of `x` and `y` given the set on the average over it, as the paper does, which nearly always
//! suffices. A constant `x` or `y` is independent of everything: p = 1; constant columns of the set drop out.

use std::f64::consts::{SQRT_2, TAU};

use faer::{Mat, MatRef};
use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};

use super::independence_test::IndependenceTest;
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::numerics::distribution::chi_square_upper_tail;
use crate::numerics::kernel::{Zeros, median_distance};
use crate::numerics::linalg::cholesky::{cholesky_here, cholesky_solve};
use crate::numerics::linalg::{Into, multiply_here};
use crate::run::Seed;

/// Rows that the median distance is taken over, as in the authors' code.
const MEDIAN_ROWS: usize = 500;
/// What is added to the diagonal of the features' correlation matrix: the authors' number, and more where that does not make it
/// invertible (columns of few values have features that are linear functions of others).
const RIDGES: [f64; 3] = [1e-10, 1e-8, 1e-6];

/// RCoT on the columns of a table.
#[derive(Debug, Clone)]
pub struct Rcot {
    /// Every column, standardised; constant ones have none.
    columns: Vec<Option<Column>>,
    /// `b` of the features of sets.
    phases: Vec<f64>,
    n: usize,
}

#[derive(Debug, Clone)]
struct Column {
    values: Vec<f64>,
    /// The standardised features of the column alone.
    features: Mat<f64>,
    /// Its part of `ω` for the features of sets.
    frequencies: Vec<f64>,
}

impl Rcot {
    /// The test for these columns with `features` for a set and `own_features` for a column.
    ///
    /// ```
    /// use npvar::Seed;
    /// use npvar::data::Dataset;
    /// use npvar::independence::{IndependenceTest, Rcot};
    /// let x: Vec<f64> = (0..400).map(|i| f64::from(i * 37 % 400) / 200.0 - 1.0).collect();
    /// let y: Vec<f64> = x.iter().map(|x| x * x).collect();
    /// let data = Dataset::new(vec!["x".into(), "y".into()], vec![x, y])?;
    /// assert!(Rcot::new(&data, 100, 5, Seed(1))?.p_value(0, 1, &[])? < 1e-6);
    /// # Ok::<(), npvar::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::TooFewSamples`] with fewer rows than twice the features.
    pub fn new(data: &Dataset, features: usize, own_features: usize, seed: Seed) -> Result<Self> {
        let (n, needed) = (data.n(), 2 * features.max(own_features));
        if n < needed {
            return Err(Error::TooFewSamples { what: "RCoT with so many features", needed, n });
        }
        let column = |node: usize| {
            let values = standardised(data.column(node))?;
            // By name: the answer does not depend on where a column stands, or which others are left out.
            let seed = seed.child(&data.names()[node], 0);
            let normals = |what: &str, count: usize| -> Vec<f64> {
                let mut rng = seed.child(what, 0).rng();
                (0..count).map(|_| StandardNormal.sample(&mut rng)).collect()
            };
            let own = normals("its own frequencies", own_features);
            let own = fourier(&[(&values[..], &own[..])], &phases(own_features, seed.child("its own phases", 0)));
            Some(Column { features: own, frequencies: normals("frequencies in sets", features), values })
        };
        let columns = (0..data.d()).map(column).collect();
        Ok(Rcot { columns, phases: phases(features, seed.child("phases of sets", 0)), n })
    }

    /// The features less what those of the set explain of them.
    fn residuals(&self, features: MatRef<'_, f64>, set: &Regression) -> Mat<f64> {
        let n = self.n as f64;
        let mut coefficients = Mat::zeros(set.features.ncols(), features.ncols());
        multiply_here(coefficients.as_mut(), Into::Replace, set.features.transpose(), features, 1.0 / n);
        cholesky_solve(set.factor.as_ref(), coefficients.as_mut());
        let mut left = features.to_owned();
        multiply_here(left.as_mut(), Into::Add, set.features.as_ref(), coefficients.as_ref(), -1.0);
        left
    }

    fn regression(&self, given: &[usize]) -> Option<Regression> {
        let set: Vec<(&[f64], &[f64])> = (given.iter().filter_map(|&node| self.columns[node].as_ref()))
            .map(|column| (&column.values[..], &column.frequencies[..]))
            .collect();
        if set.is_empty() {
            return None;
        }
        let features = fourier(&set, &self.phases);
        let size = features.ncols();
        RIDGES.iter().find_map(|&ridge| {
            let mut factor = Mat::from_fn(size, size, |i, j| if i == j { ridge } else { 0.0 });
            multiply_here(factor.as_mut(), Into::Add, features.transpose(), features.as_ref(), 1.0 / self.n as f64);
            cholesky_here(factor.as_mut()).map(|()| Regression { features: features.clone(), factor })
        })
    }
}

/// The features of a set, and the factor of their correlation matrix.
struct Regression {
    features: Mat<f64>,
    factor: Mat<f64>,
}

impl IndependenceTest for Rcot {
    fn nodes(&self) -> usize {
        self.columns.len()
    }

    fn p_value(&self, x: usize, y: usize, given: &[usize]) -> Result<f64> {
        let (Some(x), Some(y)) = (&self.columns[x.min(y)], &self.columns[x.max(y)]) else { return Ok(1.0) };
        let pair = [x, y].map(|column| column.features.as_ref());
        Ok(match self.regression(given) {
            None => tail(pair[0], pair[1]),
            Some(set) => {
                let [x, y] = pair.map(|features| self.residuals(features, &set));
                tail(x.as_ref(), y.as_ref())
            }
        })
    }
}

/// How likely a covariance this large is between independent features.
fn tail(x: MatRef<'_, f64>, y: MatRef<'_, f64>) -> f64 {
    let (n, pairs) = (x.nrows() as f64, x.ncols() * y.ncols());
    let products = Mat::from_fn(x.nrows(), pairs, |row, pair| x[(row, pair / y.ncols())] * y[(row, pair % y.ncols())]);
    let means: Vec<f64> = (0..pairs).map(|pair| products.col_as_slice(pair).iter().sum::<f64>() / n).collect();
    let statistic = n * means.iter().map(|mean| mean * mean).sum::<f64>();
    let mut covariance = Mat::zeros(pairs, pairs);
    multiply_here(covariance.as_mut(), Into::Replace, products.transpose(), products.as_ref(), 1.0 / n);
    let mut square = Mat::zeros(pairs, pairs);
    multiply_here(square.as_mut(), Into::Replace, covariance.as_ref(), covariance.as_ref(), 1.0);
    // The sums of the eigenvalues' first three powers, without the eigenvalues.
    let trace = |a: &Mat<f64>, b: &Mat<f64>| -> f64 {
        (0..pairs).map(|j| a.col_as_slice(j).iter().zip(b.col_as_slice(j)).map(|(a, b)| a * b).sum::<f64>()).sum()
    };
    let first: f64 = (0..pairs).map(|pair| covariance[(pair, pair)]).sum();
    let (second, third) = (trace(&covariance, &covariance), trace(&covariance, &square));
    if third <= 0.0 {
        // Nothing is left of one of them: the set determines it.
        return 1.0;
    }
    let df = second.powi(3) / (third * third);
    chi_square_upper_tail(((statistic - first) * second / third + df).max(0.0), df)
}

fn phases(count: usize, seed: Seed) -> Vec<f64> {
    let mut rng = seed.rng();
    (0..count).map(|_| rng.random_range(0.0..TAU)).collect()
}

/// The standardised features of columns, each with its part of the frequencies.
fn fourier(columns: &[(&[f64], &[f64])], phases: &[f64]) -> Mat<f64> {
    let n = columns[0].0.len();
    let first = Mat::from_fn(n.min(MEDIAN_ROWS), columns.len(), |i, j| columns[j].0[i]);
    // Where these rows coincide any width will do.
    let width = median_distance(first.as_ref(), Zeros::Leave).filter(|&width| width > 0.0).unwrap_or(1.0);
    let mut features = Mat::zeros(n, phases.len());
    for (feature, &phase) in phases.iter().enumerate() {
        let target = features.col_as_slice_mut(feature);
        target.fill(phase);
        for (values, frequencies) in columns {
            let frequency = frequencies[feature] / width;
            target.iter_mut().zip(*values).for_each(|(sum, value)| *sum += frequency * value);
        }
        target.iter_mut().for_each(|value| *value = SQRT_2 * value.cos());
        let standard = standardised(target);
        // A feature that is constant to rounding says nothing.
        target.copy_from_slice(&standard.unwrap_or_else(|| vec![0.0; n]));
    }
    features
}

/// Mean zero and variance one; nothing for a constant.
fn standardised(values: &[f64]) -> Option<Vec<f64>> {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let deviation = (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / n).sqrt();
    let constant = values.iter().all(|value| value == &values[0]) || deviation == 0.0;
    (!constant).then(|| values.iter().map(|value| (value - mean) / deviation).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn normal(n: usize, name: &'static str, seed: u64) -> Vec<f64> {
        let mut rng = Seed(seed).child(name, 0).rng();
        (0..n).map(|_| StandardNormal.sample(&mut rng)).collect()
    }

    fn table(columns: Vec<Vec<f64>>) -> Dataset {
        Dataset::new((0..columns.len()).map(|j| format!("X{j}")).collect(), columns).unwrap()
    }

    /// x and y both bend with z, and with nothing else, or with each other's noise where `strength` is not zero.
    fn fork(n: usize, strength: f64, seed: u64) -> Dataset {
        let (z, e, f) = (normal(n, "z", seed), normal(n, "e", seed), normal(n, "f", seed));
        let x: Vec<f64> = (0..n).map(|i| (1.5 * z[i]).sin() + 0.5 * e[i]).collect();
        let y: Vec<f64> = (0..n).map(|i| z[i] * z[i] + 0.5 * f[i] + strength * e[i] * e[i]).collect();
        table(vec![x, y, z])
    }

    /// 400 tests at the level 0.05 under independence: 20 rejections expected, with standard deviation 4.4; a test whose level is
    /// right has more than 40 with a probability below 2e-5. Nor may it be a test that never rejects: fewer than 4 has a
    /// probability below 1e-5.
    #[test]
    fn its_level_is_right_with_and_without_a_set() {
        let rejected = |given: &[usize]| {
            let rejects = |seed: &u64| {
                let data = match given {
                    [] => {
                        table(vec![normal(600, "x", *seed), normal(600, "y", *seed).iter().map(|y| y.exp()).collect()])
                    }
                    _ => fork(600, 0.0, *seed),
                };
                Rcot::new(&data, 100, 5, Seed(*seed)).unwrap().p_value(0, 1, given).unwrap() < 0.05
            };
            (0..400).filter(rejects).count()
        };
        for given in [&[][..], &[2]] {
            let count = rejected(given);
            assert!((4..=40).contains(&count), "{count} of 400 given {given:?}");
        }
    }

    /// The marginal dependence of the fork, and dependence beyond the set that no correlation sees.
    #[test]
    fn it_sees_dependence_that_bends() {
        let data = fork(1000, 1.0, 1);
        let test = Rcot::new(&data, 100, 5, Seed(3)).unwrap();
        assert!(test.p_value(0, 2, &[]).unwrap() < 1e-6);
        assert!(test.p_value(0, 1, &[2]).unwrap() < 1e-3);
    }

    #[test]
    fn it_is_symmetric_constants_are_independent_and_determined_columns_too() {
        let data = fork(300, 0.0, 2);
        let columns = [0, 1, 2].map(|node| data.column(node).to_vec());
        let copy = columns[2].clone();
        let data = table([&columns[..], &[vec![1.5; 300], copy]].concat());
        let test = Rcot::new(&data, 100, 5, Seed(1)).unwrap();
        assert_eq!(test.p_value(0, 1, &[2]).unwrap(), test.p_value(1, 0, &[2]).unwrap());
        assert_eq!(test.p_value(0, 3, &[]).unwrap(), 1.0);
        assert_eq!(test.p_value(0, 1, &[3]).unwrap(), test.p_value(0, 1, &[]).unwrap());
        assert!((0.0..=1.0).contains(&test.p_value(0, 4, &[2]).unwrap()));
        assert!(matches!(Rcot::new(&data, 200, 5, Seed(1)), Err(Error::TooFewSamples { needed: 400, .. })));
    }
}
