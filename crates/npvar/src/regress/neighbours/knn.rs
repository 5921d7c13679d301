//! Nearest neighbours (Fix & Hodges 1951; Györfi, Kohler, Krzyżak & Walk 2002, chapter 6): the mean response of the `k`
//! rows nearest to a point, columns at unit scale.
//!
//! `k` minimises the leave-one-out error; one look-up of the largest `k` serves every smaller one. With Lipschitz means the
//! error falls as `n^(-2/(2 + d))` (for `k` of order `n^(2/(2 + d))`), `d` the number of columns: every column counts,
//! relevant or not.
//!
//! Look-ups use a k-d tree: memory is linear in the sample, time close to `n log n` for few columns and n² for many (at ten
//! columns and 100,000 rows, expect most of the sample to be looked at).

use faer::MatRef;
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::nearest::Nearest;
use crate::error::{Error, Result, within};
use crate::regress::conditional_mean::predict_by_rows;
use crate::regress::estimator::Estimator;
use crate::regress::unit_scale::{UnitScale, evenly_spread};
use crate::regress::{ConditionalMean, FittedMean, NoiseVariance};
use crate::run::{Run, Seed};

/// Nearest neighbours.
///
/// ```
/// use npvar::regress::{ConditionalMean, Knn};
/// let z = faer::Mat::from_fn(200, 1, |i, _| i as f64 / 200.0);
/// let y: Vec<f64> = (0..200).map(|i| (f64::from(i) / 20.0).sin()).collect();
/// let fitted = Knn::default().fit(z.as_ref(), &y)?.predict(z.as_ref());
/// assert!(fitted.iter().zip(&y).all(|(fit, y)| (fit - y).abs() < 0.1));
/// # Ok::<(), npvar::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Knn {
    /// Neighbours; without a number, the one with the smallest leave-one-out error.
    pub k: Option<usize>,
    /// The largest number of neighbours tried.
    pub max_k: usize,
    /// The leave-one-out error is averaged over at most this many rows.
    pub validation_rows: usize,
}

impl Default for Knn {
    /// Up to 100 neighbours: best for smooth means of a few columns at n = 10,000 (the order `n^(4/(4 + d))`).
    fn default() -> Self {
        Knn { k: None, max_k: 100, validation_rows: 2000 }
    }
}

/// A sample whose neighbours answer.
#[derive(Debug, Clone)]
pub struct FittedKnn {
    scale: UnitScale,
    nearest: Nearest,
    y: Vec<f64>,
    k: usize,
    leave_one_out_error: f64,
}

impl Knn {
    /// Chooses `k`; unlike [`ConditionalMean::fit`] the result says more than its predictions.
    ///
    /// # Errors
    /// [`Error::TooFewSamples`] when there are fewer than two rows.
    pub fn fit_knn(&self, z: MatRef<'_, f64>, y: &[f64]) -> Result<FittedKnn> {
        self.fit_knn_during(z, y, &Run::new(Seed(0)))
    }

    fn fit_knn_during(&self, z: MatRef<'_, f64>, y: &[f64], run: &Run<'_>) -> Result<FittedKnn> {
        self.check()?;
        let n = y.len();
        if n < 2 {
            return Err(Error::TooFewSamples { what: "a regression by nearest neighbours", needed: 2, n });
        }
        let scale = UnitScale::of(z);
        let nearest = Nearest::new(scale.rows(z));
        let (smallest, largest) = match self.k {
            // Without columns every row is as near as any other.
            _ if scale.varying().is_empty() => (n - 1, n - 1),
            Some(k) => (k.min(n - 1), k.min(n - 1)),
            None => (1, self.max_k.min(n - 1)),
        };
        let errors = leave_one_out_errors(&nearest, y, largest, self.validation_rows, run)?;
        let best = |best: usize, k: usize| if errors[k - 1] < errors[best - 1] { k } else { best };
        let k = (smallest..=largest).fold(smallest, best);
        let leave_one_out_error = errors[k - 1];
        let k = if scale.varying().is_empty() { n } else { k };
        Ok(FittedKnn { scale, nearest, y: y.to_vec(), k, leave_one_out_error })
    }
}

/// The mean squared leave-one-out error with 1, 2, …, `largest` neighbours.
fn leave_one_out_errors(
    nearest: &Nearest,
    y: &[f64],
    largest: usize,
    at_most: usize,
    run: &Run<'_>,
) -> Result<Vec<f64>> {
    let at = evenly_spread(y.len(), at_most);
    let errors: Vec<Vec<f64>> = at
        .par_iter()
        .map(|&i| {
            run.check()?;
            let mut sum = 0.0;
            let neighbours = nearest.to(nearest.rows().row(i), largest, Some(i));
            let error = |(k, neighbour): (usize, &super::nearest::Neighbour)| {
                sum += y[neighbour.row];
                (y[i] - sum / (k + 1) as f64).powi(2)
            };
            Ok(neighbours.iter().enumerate().map(error).collect())
        })
        .collect::<Result<_>>()?;
    Ok((0..largest).map(|k| errors.iter().map(|row| row[k]).sum::<f64>() / at.len() as f64).collect())
}

impl FittedKnn {
    /// The number of neighbours.
    pub fn k(&self) -> usize {
        self.k
    }

    /// The leave-one-out error without the variance of the mean of `k` neighbours: `error · k/(k + 1)`.
    pub fn noise_variance(&self) -> f64 {
        self.leave_one_out_error * self.k as f64 / (self.k + 1) as f64
    }
}

impl FittedMean for FittedKnn {
    fn predict(&self, z: MatRef<'_, f64>) -> Vec<f64> {
        let points = self.scale.rows(z);
        let at = |i: usize| {
            let neighbours = self.nearest.to(points.row(i), self.k, None);
            neighbours.iter().map(|neighbour| self.y[neighbour.row]).sum::<f64>() / neighbours.len() as f64
        };
        (0..points.len()).into_par_iter().map(at).collect()
    }

    fn predict_during(&self, z: MatRef<'_, f64>, run: &Run<'_>) -> Result<Vec<f64>> {
        predict_by_rows(self, z, run)
    }
}

impl Estimator for Knn {
    fn check(&self) -> Result<()> {
        within("k", self.k != Some(0), "must be at least 1", self.k.unwrap_or(0))?;
        within("max-k", self.max_k >= 1, "must be at least 1", self.max_k)?;
        within("validation-rows", self.validation_rows >= 50, "must be at least 50", self.validation_rows)
    }

    fn conditional_mean(&self, _: Seed) -> Box<dyn ConditionalMean + '_> {
        Box::new(*self)
    }

    fn noise_estimator(&self, _: Seed) -> Option<Box<dyn NoiseVariance>> {
        Some(Box::new(*self))
    }
}

impl ConditionalMean for Knn {
    fn fit(&self, z: MatRef<'_, f64>, y: &[f64]) -> Result<Box<dyn FittedMean>> {
        Ok(Box::new(self.fit_knn(z, y)?))
    }

    fn fit_during(&self, z: MatRef<'_, f64>, y: &[f64], run: &Run<'_>) -> Result<Box<dyn FittedMean>> {
        Ok(Box::new(self.fit_knn_during(z, y, run)?))
    }
}

impl NoiseVariance for Knn {
    fn noise_variance(&self, z: MatRef<'_, f64>, y: &[f64]) -> Result<f64> {
        Ok(self.fit_knn(z, y)?.noise_variance())
    }

    fn noise_variance_during(&self, z: MatRef<'_, f64>, y: &[f64], run: &Run<'_>) -> Result<f64> {
        Ok(self.fit_knn_during(z, y, run)?.noise_variance())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_rows_by_hand() {
        // 0, 1 and 3 with responses 0, 2 and 7; left out, the one neighbour is 2, 0 and 2: errors 4, 4, 25
        let z = faer::Mat::from_fn(3, 1, |i, _| [0.0, 1.0, 3.0][i]);
        let one = Knn { k: Some(1), ..Knn::default() }.fit_knn(z.as_ref(), &[0.0, 2.0, 7.0]).expect("three rows");
        assert!((one.noise_variance() - 33.0 / 3.0 / 2.0).abs() < 1e-12);
        let at = faer::Mat::from_fn(2, 1, |i, _| [1.9, 2.1][i]);
        assert_eq!(one.predict(at.as_ref()), [2.0, 7.0]);
        // two neighbours: 4.5, 3.5, 1: errors 20.25, 2.25, 36; one neighbour is better
        assert_eq!(Knn::default().fit_knn(z.as_ref(), &[0.0, 2.0, 7.0]).expect("three rows").k(), 1);
    }

    #[test]
    fn noise_alone_asks_for_many_neighbours() {
        let z = faer::Mat::from_fn(400, 1, |i, _| i as f64);
        let y: Vec<f64> = (0..400).map(|i| ((i * i * 31) % 1009) as f64 / 1009.0).collect();
        let fitted = Knn::default().fit_knn(z.as_ref(), &y).expect("400 rows");
        assert!(fitted.k() > 20);
        // uniform on [0, 1]: variance 1/12
        assert!((fitted.noise_variance() * 12.0 - 1.0).abs() < 0.15, "{}", fitted.noise_variance());
    }
}
