//! HSIC as a conditional independence test: between the residuals given the set, which are handed in.
//!
//! ```text
//! x ⟂ y | S   tested as   x − E[x | S] ⟂ y − E[y | S]
//! ```
//!
//! This is a test of conditional independence only where `x` and `y` are functions of `S` that the regression behind the
//! residuals can find, plus noise that does not depend on `S`; under other alternatives it may reject a true or keep a false
//! independence (use [`super::Kci`] there). With an empty set it is HSIC itself. Residuals are slightly less dependent than the
//! noise they estimate, which makes the test a little conservative.

use faer::Mat;

use super::hsic::Hsic;
use super::independence_test::IndependenceTest;
use crate::data::{Dataset, Residuals};
use crate::error::{Error, Result};
use crate::run::{Run, Seed};

/// Residuals smaller than this share of the column are rounding: the set determines the column.
const DETERMINED: f64 = 1e-9;

/// HSIC of columns, or of their residuals given a set.
pub struct HsicTest<'a> {
    data: &'a Dataset,
    hsic: Hsic,
    residuals: &'a dyn Residuals,
}

impl<'a> HsicTest<'a> {
    /// The test for these columns and their residuals.
    ///
    /// # Errors
    /// [`Error::TooFewSamples`] below 6 rows.
    pub fn new(data: &'a Dataset, hsic: Hsic, residuals: &'a dyn Residuals) -> Result<Self> {
        if data.n() < Hsic::FEWEST_SAMPLES {
            return Err(Error::TooFewSamples { what: "HSIC", needed: Hsic::FEWEST_SAMPLES, n: data.n() });
        }
        Ok(HsicTest { data, hsic, residuals })
    }

    /// The column, or what the set leaves of it.
    fn left(&self, node: usize, given: &[usize]) -> Result<Mat<f64>> {
        let column = self.data.column(node);
        let n = column.len();
        let residuals = self.residuals.residuals(node, given, &Run::new(Seed(0)))?;
        let mean = column.iter().sum::<f64>() / n as f64;
        let total: f64 = column.iter().map(|value| (value - mean).powi(2)).sum();
        let left: f64 = residuals.iter().map(|value| value.powi(2)).sum();
        let determined = !given.is_empty() && left <= DETERMINED * DETERMINED * total;
        Ok(Mat::from_fn(n, 1, |i, _| if determined { 0.0 } else { residuals[i] }))
    }
}

impl IndependenceTest for HsicTest<'_> {
    fn nodes(&self) -> usize {
        self.data.d()
    }

    fn p_value(&self, x: usize, y: usize, given: &[usize]) -> Result<f64> {
        let x_side = self.hsic.side(self.left(x.min(y), given)?.as_ref())?;
        let y_side = self.hsic.side(self.left(x.max(y), given)?.as_ref())?;
        Ok(self.hsic.between(&x_side, &y_side).p_value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::regress::{Gam, Regressed};
    use crate::run::Seed;
    use rand::RngExt;

    #[test]
    fn a_chain_is_separated_by_its_middle_and_a_collider_joined() {
        let mut rng = Seed(3).rng();
        let mut noise = || -> Vec<f64> { (0..250).map(|_| rng.random_range(-1.0..1.0)).collect() };
        let (a, e, f, g) = (noise(), noise(), noise(), noise());
        let b: Vec<f64> = a.iter().zip(&e).map(|(a, e)| (2.0 * a).sin() + 0.5 * e).collect();
        let c: Vec<f64> = b.iter().zip(&f).map(|(b, f)| b + 0.5 * b * b + 0.5 * f).collect();
        let sink: Vec<f64> = a.iter().zip(&g).map(|(a, g)| a + g).collect();
        let names = ["a", "b", "c", "g", "sink"].map(str::to_owned).to_vec();
        let data = Dataset::new(names, vec![a, b, c, g, sink]).unwrap();
        let residuals = Regressed { data: &data, estimator: &Gam::default() };
        let test = HsicTest::new(&data, Hsic::default(), &residuals).unwrap();
        assert!(test.p_value(0, 1, &[]).unwrap() < 1e-10);
        assert!(test.p_value(1, 2, &[0]).unwrap() < 1e-6);
        assert!(test.p_value(0, 2, &[1]).unwrap() > 0.01);
        assert!(test.p_value(0, 3, &[]).unwrap() > 0.01);
        assert!(test.p_value(0, 3, &[4]).unwrap() < 1e-6);
    }

    #[test]
    fn a_column_the_set_determines_is_independent_of_everything() {
        let x: Vec<f64> = (0..50).map(|i| (f64::from(i) * 0.7).sin()).collect();
        let y: Vec<f64> = (0..50).map(|i| (f64::from(i) * 1.9).cos()).collect();
        let binary: Vec<f64> = (0..50).map(|i| f64::from(i % 2)).collect();
        let names = ["x", "y", "b", "c"].map(str::to_owned).to_vec();
        let copy = binary.iter().map(|b| 3.0 - 2.0 * b).collect();
        let data = Dataset::new(names, vec![x, y, binary, copy]).unwrap();
        let residuals = Regressed { data: &data, estimator: &Gam::default() };
        let test = HsicTest::new(&data, Hsic::default(), &residuals).unwrap();
        assert_eq!(test.p_value(0, 3, &[2]).unwrap(), 1.0);
    }
}
