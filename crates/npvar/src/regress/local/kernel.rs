//! Kernel regression: local constant (Nadaraya 1964, Watson 1964) and local linear (Fan & Gijbels 1996), with a Gaussian
//! product kernel and one bandwidth per column.
//!
//! Bandwidths minimise the corrected Akaike criterion of Hurvich, Simonoff & Tsai (1998), as `npregbw(bwmethod = "cv.aic")`
//! of R's package np does (for local linear fits, `regtype = "ll"`):
//!
//! ```text
//! log σ̂² + (1 + tr(L)/n) / (1 − (tr(L) + 2)/n),   ŷ = L y,   σ̂² = Σ (y − ŷ)² / n
//! ```
//!
//! Differs from np: np searches by Powell's method from random starts; here the gradient is exact and the search
//! (L-BFGS-B over log bandwidths) starts from the two best of a ladder of rules of thumb. Beyond `criterion-rows` rows the
//! mean square and the trace are averages over that many rows, evenly spread, each still fitted on all rows.
//!
//! With twice differentiable means the error falls as `n^(-4/(4 + r))`, `r` the number of columns the mean bends in: a
//! column it does not bend in gets a bandwidth without bound (local linear: columns it is linear in; local constant:
//! irrelevant ones). Cost: n rows per prediction, so n² for a sample's own fitted values.

use faer::MatRef;
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::bandwidths::{Quality, choose};
use super::local_fit::{Degree, LocalFit, Widths};
use crate::error::{Error, Result, within};
use crate::regress::conditional_mean::predict_by_rows;
use crate::regress::estimator::{Estimator, Undersmoothed};
use crate::regress::undersmooth::shrinking;
use crate::regress::unit_scale::{Rows, UnitScale};
use crate::regress::{ConditionalMean, FittedMean, NoiseVariance};
use crate::run::{Run, Seed};

/// Kernel regression with bandwidths chosen by the corrected Akaike criterion.
///
/// ```
/// use npvar::regress::{ConditionalMean, Kernel};
/// let z = faer::Mat::from_fn(100, 1, |i, _| i as f64 / 100.0);
/// let y: Vec<f64> = (0..100).map(|i| (f64::from(i) / 10.0).sin()).collect();
/// let fitted = Kernel::default().fit(z.as_ref(), &y)?.predict(z.as_ref());
/// assert!(fitted.iter().zip(&y).all(|(fit, y)| (fit - y).abs() < 0.05));
/// # Ok::<(), npvar::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Kernel {
    /// What is fitted around each point: `linear` or `constant` (Nadaraya–Watson).
    pub degree: Degree,
    /// What the chosen bandwidths are multiplied by; below 1 for less bias than is best for the mean.
    pub bandwidth_scale: f64,
    /// The criterion is averaged over at most this many rows.
    pub criterion_rows: usize,
}

impl Default for Kernel {
    /// np's local linear fit; 400 rows tell bandwidths well and keep the cost linear in the sample beyond.
    fn default() -> Self {
        Kernel { degree: Degree::Linear, bandwidth_scale: 1.0, criterion_rows: 400 }
    }
}

/// A fitted kernel regression.
#[derive(Debug, Clone)]
pub struct FittedKernel {
    options: Kernel,
    scale: UnitScale,
    rows: Rows,
    y: Vec<f64>,
    widths: Widths,
    bandwidths: Vec<f64>,
    quality: Quality,
}

impl Kernel {
    /// Fits the regression; unlike [`ConditionalMean::fit`] the result says more than its predictions.
    ///
    /// # Errors
    /// [`Error::TooFewSamples`] when there are not enough rows for the criterion: four more than columns (local linear).
    pub fn fit_kernel(&self, z: MatRef<'_, f64>, y: &[f64]) -> Result<FittedKernel> {
        self.fit_kernel_during(z, y, &Run::new(Seed(0)))
    }

    fn fit_kernel_during(&self, z: MatRef<'_, f64>, y: &[f64], run: &Run<'_>) -> Result<FittedKernel> {
        self.check()?;
        let scale = UnitScale::of(z);
        let free = scale.varying();
        let slopes = if self.degree == Degree::Linear { free.len() } else { 0 };
        if y.len() < slopes + 4 {
            return Err(Error::TooFewSamples { what: "kernel regression", needed: slopes + 4, n: y.len() });
        }
        let rows = scale.rows(z);
        let mut bandwidths = choose(&rows, y, &free, self.degree, self.criterion_rows, run)?;
        bandwidths.iter_mut().for_each(|h| *h *= self.bandwidth_scale);
        self.around(scale, rows, y, &bandwidths, run)
    }

    /// The regression with these bandwidths, in the units of the columns; they may be infinite.
    ///
    /// # Errors
    /// [`Error::InvalidOption`] when they are not one positive number per column.
    pub fn with_bandwidths(&self, z: MatRef<'_, f64>, y: &[f64], bandwidths: &[f64]) -> Result<FittedKernel> {
        self.with_bandwidths_during(z, y, bandwidths, &Run::new(Seed(0)))
    }

    fn with_bandwidths_during(
        &self,
        z: MatRef<'_, f64>,
        y: &[f64],
        bandwidths: &[f64],
        run: &Run<'_>,
    ) -> Result<FittedKernel> {
        within("bandwidths", bandwidths.len() == z.ncols(), "must be one per column", bandwidths.len())?;
        for &bandwidth in bandwidths {
            within("bandwidths", bandwidth > 0.0, "must be positive", bandwidth)?;
        }
        let scale = UnitScale::of(z);
        let in_spreads = |(j, h): (usize, &f64)| if scale.is_constant(j) { f64::INFINITY } else { h / scale.spread(j) };
        let in_spreads: Vec<f64> = bandwidths.iter().enumerate().map(in_spreads).collect();
        let rows = scale.rows(z);
        self.around(scale, rows, y, &in_spreads, run)
    }

    fn around(
        &self,
        scale: UnitScale,
        rows: Rows,
        y: &[f64],
        bandwidths: &[f64],
        run: &Run<'_>,
    ) -> Result<FittedKernel> {
        let quality = Quality::of(&rows, y, bandwidths, self.degree, self.criterion_rows, run)?;
        let own = |(j, h): (usize, &f64)| if scale.is_constant(j) { 0.0 } else { h * scale.spread(j) };
        Ok(FittedKernel {
            options: *self,
            widths: Widths::new(bandwidths),
            bandwidths: bandwidths.iter().enumerate().map(own).collect(),
            scale,
            rows,
            y: y.to_vec(),
            quality,
        })
    }
}

impl FittedKernel {
    /// The bandwidths, in the units of the columns; 0 for a constant column, which has none.
    pub fn bandwidths(&self) -> &[f64] {
        &self.bandwidths
    }

    /// The corrected Akaike criterion; infinite where the fit leaves no freedom.
    pub fn criterion(&self) -> f64 {
        self.quality.criterion()
    }

    /// `Σ (y − ŷ)² / (n − tr(L))`.
    pub fn noise_variance(&self) -> f64 {
        self.quality.noise_variance()
    }
}

impl FittedMean for FittedKernel {
    fn predict(&self, z: MatRef<'_, f64>) -> Vec<f64> {
        let points = self.scale.rows(z);
        let at =
            |i: usize| LocalFit::new(&self.rows, &self.y, points.row(i), &self.widths, self.options.degree).estimate;
        (0..points.len()).into_par_iter().map(at).collect()
    }

    fn predict_during(&self, z: MatRef<'_, f64>, run: &Run<'_>) -> Result<Vec<f64>> {
        predict_by_rows(self, z, run)
    }

    fn without(
        &self,
        column: usize,
        z: MatRef<'_, f64>,
        y: &[f64],
        run: &Run<'_>,
    ) -> Option<Result<Box<dyn FittedMean>>> {
        let mut bandwidths = self.bandwidths.clone();
        bandwidths.remove(column);
        // A constant column has no bandwidth; any will do.
        bandwidths.iter_mut().filter(|bandwidth| **bandwidth == 0.0).for_each(|bandwidth| *bandwidth = 1.0);
        let fitted = self.options.with_bandwidths_during(z, y, &bandwidths, run);
        Some(fitted.map(|fitted| Box::new(fitted) as Box<dyn FittedMean>))
    }
}

impl Estimator for Kernel {
    fn check(&self) -> Result<()> {
        let positive = self.bandwidth_scale > 0.0 && self.bandwidth_scale.is_finite();
        within("bandwidth-scale", positive, "must be positive", self.bandwidth_scale)?;
        within("criterion-rows", self.criterion_rows >= 50, "must be at least 50", self.criterion_rows)
    }

    fn conditional_mean(&self, _: Seed) -> Box<dyn ConditionalMean + '_> {
        Box::new(*self)
    }

    fn noise_estimator(&self, _: Seed) -> Option<Box<dyn NoiseVariance>> {
        Some(Box::new(*self))
    }

    fn undersmoothed(&self, n: usize) -> Option<Undersmoothed> {
        let less = Kernel { bandwidth_scale: self.bandwidth_scale * shrinking(n), ..*self };
        Some(Undersmoothed::Mean(Box::new(less)))
    }
}

impl ConditionalMean for Kernel {
    fn fit(&self, z: MatRef<'_, f64>, y: &[f64]) -> Result<Box<dyn FittedMean>> {
        Ok(Box::new(self.fit_kernel(z, y)?))
    }

    fn fit_during(&self, z: MatRef<'_, f64>, y: &[f64], run: &Run<'_>) -> Result<Box<dyn FittedMean>> {
        Ok(Box::new(self.fit_kernel_during(z, y, run)?))
    }
}

impl NoiseVariance for Kernel {
    fn noise_variance(&self, z: MatRef<'_, f64>, y: &[f64]) -> Result<f64> {
        Ok(self.fit_kernel(z, y)?.noise_variance())
    }

    fn noise_variance_during(&self, z: MatRef<'_, f64>, y: &[f64], run: &Run<'_>) -> Result<f64> {
        Ok(self.fit_kernel_during(z, y, run)?.noise_variance())
    }
}
