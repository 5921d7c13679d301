//! A neural network with one hidden layer (Ripley 1996, chapter 5; R's `nnet(linout = TRUE, skip = TRUE)`): a line plus
//! `units` hyperbolic tangents of lines, fitted by least squares with weight decay.
//!
//! ```text
//! f(z) = b + c'z + Σ_k v_k tanh(a_k + w_k'z),   minimising  ½ mean (y − f)² + ½ decay · (Σ v_k² + Σ ‖w_k‖²)
//! ```
//!
//! on columns and response at unit scale. The line and the offsets are not penalised, so with much decay this is linear
//! regression. The decay is the one of a ladder with the smallest cross-validated error; each fit starts from the one with
//! less decay (not the other way: with much decay all units vanish, and a vanished unit has no gradient to come back by). For means whose Fourier transform has a first moment the error falls as `n^(-1/2)` up to logarithms whatever
//! the dimension (Barron 1994), with units of order `n^(1/2)`.

use faer::MatRef;
use rand::seq::SliceRandom;
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::weights::{Perceptron, Training};
use crate::error::{Error, Result, within};
use crate::regress::estimator::Estimator;
use crate::regress::unit_scale::UnitScale;
use crate::regress::{ConditionalMean, FittedMean, NoiseVariance};
use crate::run::{Run, Seed};

/// Decays tried, from a hardly penalised network to a line.
const LADDER: [f64; 7] = [1e-4, 3e-4, 1e-3, 3e-3, 0.01, 0.03, 0.1];

/// A neural network with one hidden layer.
///
/// ```
/// use npvar::Seed;
/// use npvar::regress::{ConditionalMean, Mlp};
/// let z = faer::Mat::from_fn(100, 1, |i, _| i as f64 / 100.0);
/// let y: Vec<f64> = (0..100).map(|i| (f64::from(i) / 20.0).sin()).collect();
/// let network = Mlp { units: 5, seed: Seed(1), ..Mlp::default() };
/// let fitted = network.fit(z.as_ref(), &y)?.predict(z.as_ref());
/// assert!(fitted.iter().zip(&y).all(|(fit, y)| (fit - y).abs() < 0.2));
/// # Ok::<(), npvar::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Mlp {
    /// Hidden units.
    pub units: usize,
    /// The weight decay; without a number, the one with the smallest cross-validated error.
    pub decay: Option<f64>,
    /// Parts of the cross-validation.
    pub folds: usize,
    /// Iterations of the minimiser at most, per fit.
    pub max_iterations: usize,
    /// What first weights and folds are drawn from; set by whoever runs the regression.
    #[serde(skip)]
    pub seed: Seed,
}

impl Default for Mlp {
    /// 20 units, the decay does the rest; as many iterations as R's `nnet`.
    fn default() -> Self {
        Mlp { units: 20, decay: None, folds: 3, max_iterations: 100, seed: Seed(0) }
    }
}

/// A fitted network.
#[derive(Debug, Clone)]
pub struct FittedMlp {
    options: Mlp,
    scale: UnitScale,
    response: UnitScale,
    network: Perceptron,
    decay: f64,
    cross_validated_error: f64,
}

impl Mlp {
    /// Fits the network; unlike [`ConditionalMean::fit`] the result says more than its predictions.
    ///
    /// # Errors
    /// [`Error::TooFewSamples`] when there are fewer than two rows per fold.
    pub fn fit_mlp(&self, z: MatRef<'_, f64>, y: &[f64]) -> Result<FittedMlp> {
        self.fit_mlp_during(z, y, &Run::new(Seed(0)))
    }

    fn fit_mlp_during(&self, z: MatRef<'_, f64>, y: &[f64], run: &Run<'_>) -> Result<FittedMlp> {
        self.check()?;
        let n = y.len();
        if n < 2 * self.folds {
            return Err(Error::TooFewSamples { what: "a neural network", needed: 2 * self.folds, n });
        }
        let (scale, response, sample) = at_unit_scale(z, y);
        let single = self.decay.map(|decay| [decay]);
        let ladder: &[f64] = single.as_ref().map_or(&LADDER, |decay| decay);
        let errors = self.cross_validate(&sample, ladder, run)?;
        let best = (1..ladder.len()).fold(0, |best, k| if errors[k] < errors[best] { k } else { best });
        let network = self
            .path(&sample, &ladder[..=best], run)?
            .pop()
            .expect("a ladder has at least one decay, and the path one network per decay");
        let cross_validated_error = errors[best] * response.spread(0).powi(2);
        Ok(FittedMlp { options: *self, scale, response, network, decay: ladder[best], cross_validated_error })
    }

    /// The mean squared held-out error of every decay of the ladder.
    fn cross_validate(&self, sample: &Training, ladder: &[f64], run: &Run<'_>) -> Result<Vec<f64>> {
        let n = sample.y.len();
        let mut order: Vec<usize> = (0..n).collect();
        order.shuffle(&mut self.seed.child("folds", 0).rng());
        let errors: Vec<Vec<f64>> = (0..self.folds)
            .into_par_iter()
            .map(|fold| {
                let (held_out, fitted): (Vec<_>, Vec<_>) = (0..n).partition(|position| position % self.folds == fold);
                let pick = |positions: &[usize]| {
                    sample.subset(&positions.iter().map(|&position| order[position]).collect::<Vec<_>>())
                };
                let (held_out, fitted) = (pick(&held_out), pick(&fitted));
                Ok(self.path(&fitted, ladder, run)?.iter().map(|network| network.squared_error(&held_out)).collect())
            })
            .collect::<Result<_>>()?;
        Ok((0..ladder.len()).map(|k| errors.iter().map(|fold| fold[k]).sum::<f64>() / n as f64).collect())
    }

    /// A network per decay, each started from the one before.
    fn path(&self, sample: &Training, ladder: &[f64], run: &Run<'_>) -> Result<Vec<Perceptron>> {
        let mut network = Perceptron::random(sample.columns.len(), self.units, self.seed.child("weights", 0));
        ladder
            .iter()
            .map(|&decay| {
                network.train(sample, decay, self.max_iterations, run)?;
                Ok(network.clone())
            })
            .collect()
    }
}

fn at_unit_scale(z: MatRef<'_, f64>, y: &[f64]) -> (UnitScale, UnitScale, Training) {
    let (scale, response) = (UnitScale::of(z), UnitScale::of_values(y));
    let sample = Training { columns: scale.columns(z), y: y.iter().map(|&y| response.apply(0, y)).collect() };
    (scale, response, sample)
}

impl FittedMlp {
    /// The weight decay.
    pub fn decay(&self) -> f64 {
        self.decay
    }

    /// The mean squared error on held-out rows; contains the error of the mean, so it is a little too large.
    pub fn noise_variance(&self) -> f64 {
        self.cross_validated_error
    }
}

impl FittedMean for FittedMlp {
    fn predict(&self, z: MatRef<'_, f64>) -> Vec<f64> {
        let values = self.network.values(&self.scale.columns(z), z.nrows());
        values.into_iter().map(|value| self.response.back(0, value)).collect()
    }

    /// From the weights of the columns that stay.
    fn without(
        &self,
        column: usize,
        z: MatRef<'_, f64>,
        y: &[f64],
        run: &Run<'_>,
    ) -> Option<Result<Box<dyn FittedMean>>> {
        let (scale, response, sample) = at_unit_scale(z, y);
        let mut network = self.network.without(column);
        let trained = network.train(&sample, self.decay, self.options.max_iterations, run);
        Some(trained.map(|()| Box::new(FittedMlp { scale, response, network, ..self.clone() }) as Box<dyn FittedMean>))
    }
}

impl Estimator for Mlp {
    fn check(&self) -> Result<()> {
        within("units", (1..=1000).contains(&self.units), "must be between 1 and 1000", self.units)?;
        let positive = self.decay.is_none_or(|decay| decay > 0.0 && decay.is_finite());
        within("decay", positive, "must be positive", self.decay.unwrap_or(0.0))?;
        within("folds", (2..=20).contains(&self.folds), "must be between 2 and 20", self.folds)?;
        within("max-iterations", self.max_iterations >= 1, "must be at least 1", self.max_iterations)
    }

    fn conditional_mean(&self, seed: Seed) -> Box<dyn ConditionalMean + '_> {
        Box::new(Mlp { seed, ..*self })
    }

    fn noise_estimator(&self, seed: Seed) -> Option<Box<dyn NoiseVariance>> {
        Some(Box::new(Mlp { seed, ..*self }))
    }
}

impl ConditionalMean for Mlp {
    fn fit(&self, z: MatRef<'_, f64>, y: &[f64]) -> Result<Box<dyn FittedMean>> {
        Ok(Box::new(self.fit_mlp(z, y)?))
    }

    fn fit_during(&self, z: MatRef<'_, f64>, y: &[f64], run: &Run<'_>) -> Result<Box<dyn FittedMean>> {
        Ok(Box::new(self.fit_mlp_during(z, y, run)?))
    }
}

impl NoiseVariance for Mlp {
    fn noise_variance(&self, z: MatRef<'_, f64>, y: &[f64]) -> Result<f64> {
        Ok(self.fit_mlp(z, y)?.noise_variance())
    }

    fn noise_variance_during(&self, z: MatRef<'_, f64>, y: &[f64], run: &Run<'_>) -> Result<f64> {
        Ok(self.fit_mlp_during(z, y, run)?.noise_variance())
    }
}
