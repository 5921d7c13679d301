//! Ordinary least squares with an intercept.

use faer::{Mat, MatRef};

use super::additive::{Smoother, Smoothing};
use super::conditional_mean::{ConditionalMean, FittedMean};
use super::estimator::Estimator;
use crate::error::{Error, Result};
use crate::numerics::linalg::{Into, eigen_during, multiply_during};
use crate::run::{Run, Seed};
use crate::smooth::SmoothSpec;

/// Directions with less than this share of the largest variance are dropped.
const SINGULAR: f64 = 1e-13;

/// Linear regression; the smallest coefficients that minimise the sum of squares where they are not unique.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Linear;

struct FittedLinear {
    centre: Vec<f64>,
    intercept: f64,
    coefficients: Vec<f64>,
    /// Coefficients that the data determine, the intercept included.
    rank: usize,
}

impl Estimator for Linear {
    fn check(&self) -> Result<()> {
        Ok(())
    }

    fn conditional_mean(&self, _: Seed) -> Box<dyn ConditionalMean + '_> {
        Box::new(Linear)
    }

    fn additive(&self) -> Option<(SmoothSpec, Smoother)> {
        Some((SmoothSpec::Line, Smoother { smoothing: Smoothing::Fixed, sp: 0.0 }))
    }

    fn predicts_rows_from_others(&self) -> bool {
        false
    }
}

impl ConditionalMean for Linear {
    fn fit(&self, z: MatRef<'_, f64>, y: &[f64]) -> Result<Box<dyn FittedMean>> {
        self.fit_during(z, y, &Run::new(Seed(0)))
    }

    fn fit_during(&self, z: MatRef<'_, f64>, y: &[f64], run: &Run<'_>) -> Result<Box<dyn FittedMean>> {
        let (n, m) = (z.nrows(), z.ncols());
        if n < 2 {
            return Err(Error::TooFewSamples { what: "linear regression", needed: 2, n });
        }
        let centre: Vec<f64> = (0..m).map(|j| z.col(j).iter().sum::<f64>() / n as f64).collect();
        let intercept = y.iter().sum::<f64>() / n as f64;
        let centred = Mat::from_fn(n, m, |i, j| z[(i, j)] - centre[j]);
        let scale: Vec<f64> = (0..m).map(|j| centred.col(j).norm_l2().max(f64::MIN_POSITIVE)).collect();
        let centred = Mat::from_fn(n, m, |i, j| centred[(i, j)] / scale[j]);
        let mut gram = Mat::zeros(m, m);
        multiply_during(gram.as_mut(), Into::Replace, centred.transpose(), centred.as_ref(), 1.0, run)?;
        let cross: Vec<f64> =
            (0..m).map(|j| centred.col(j).iter().zip(y).map(|(z, y)| z * (y - intercept)).sum()).collect();
        let (values, vectors) = eigen_during(gram, run)?;
        let cut = SINGULAR * values.last().copied().unwrap_or(0.0);
        let mut coefficients = vec![0.0; m];
        let rank = 1 + values.iter().filter(|&&value| value > cut).count();
        for (k, &value) in values.iter().enumerate().filter(|(_, value)| **value > cut) {
            let along = (0..m).map(|j| vectors[(j, k)] * cross[j]).sum::<f64>() / value;
            (0..m).for_each(|j| coefficients[j] += along * vectors[(j, k)]);
        }
        (0..m).for_each(|j| coefficients[j] /= scale[j]);
        Ok(Box::new(FittedLinear { centre, intercept, coefficients, rank }))
    }
}

impl FittedMean for FittedLinear {
    fn predict(&self, z: MatRef<'_, f64>) -> Vec<f64> {
        let row = |i: usize| -> f64 {
            (0..z.ncols()).map(|j| self.coefficients[j] * (z[(i, j)] - self.centre[j])).sum::<f64>() + self.intercept
        };
        (0..z.nrows()).map(row).collect()
    }

    fn edf(&self) -> Option<f64> {
        Some(self.rank as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exact_line_is_found_even_with_a_duplicated_predictor() {
        let z = Mat::from_fn(5, 2, |i, _| i as f64);
        let y: Vec<f64> = (0..5).map(|i| 3.0 - 2.0 * i as f64).collect();
        let fitted = Linear.fit(z.as_ref(), &y).expect("five rows are enough").predict(z.as_ref());
        assert!(fitted.iter().zip(&y).all(|(fit, y)| (fit - y).abs() < 1e-12));
    }
}
