//! The additive model as an estimator of a conditional mean: `E[Y | Z] = mean + Σ f_j(Z_j)`, each `f_j` a P-spline.
//!
//! Hastie & Tibshirani (1990); Eilers & Marx (1996) for the smooths; mgcv's `gam(y ~ s(z1, bs = "ps") + …)` for every
//! detail. For an additive truth with twice differentiable terms the error falls as `n^(-4/5)` whatever the dimension.

use std::sync::Arc;

use faer::MatRef;

use super::additive_fit::AdditiveFit;
use super::smooth_fit::smooth_fit;
use super::smoothing::Smoothing;
use crate::data::{Dataset, summarise};
use crate::error::{Error, Result};
use crate::regress::{ConditionalMean, FittedMean};
use crate::run::{Run, Seed};
use crate::smooth::{AdditiveGram, Basis, FewValued, RawGram, SmoothSpec};

/// An additive model of P-splines.
///
/// ```
/// use npvar::regress::{ConditionalMean, Gam};
/// let z = faer::Mat::from_fn(200, 1, |i, _| i as f64 / 200.0);
/// let y: Vec<f64> = (0..200).map(|i| (i as f64 / 20.0).sin()).collect();
/// let fitted = Gam::default().fit(z.as_ref(), &y)?.predict(z.as_ref());
/// assert!(fitted.iter().zip(&y).all(|(fit, y)| (fit - y).abs() < 0.1));
/// # Ok::<(), npvar::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gam {
    /// The smoothing parameter when it is fixed.
    pub sp: f64,
    /// How smoothing parameters are chosen.
    pub smoothing: Smoothing,
    /// The bases.
    pub spec: SmoothSpec,
}

impl Default for Gam {
    /// The paper's: 10 B-splines, `sp = 0.6`.
    fn default() -> Self {
        Gam { sp: 0.6, smoothing: Smoothing::Fixed, spec: SmoothSpec::spline(10, FewValued::Saturated) }
    }
}

/// A fitted additive model.
pub struct FittedGam {
    bases: Arc<[Basis]>,
    gram: AdditiveGram,
    fit: AdditiveFit,
    /// Coefficients of the raw basis, term by term.
    raw: Vec<Vec<f64>>,
}

impl Gam {
    /// Fits the model; unlike [`ConditionalMean::fit`] the result says more than its predictions.
    ///
    /// # Errors
    /// [`Error::TooFewSamples`] when there are fewer than two rows.
    pub fn fit_gam(&self, z: MatRef<'_, f64>, y: &[f64]) -> Result<FittedGam> {
        let (n, m) = (z.nrows(), z.ncols());
        if n < 2 {
            return Err(Error::TooFewSamples { what: "an additive model", needed: 2, n });
        }
        let mut columns: Vec<Vec<f64>> = (0..m).map(|j| (0..n).map(|i| z[(i, j)]).collect()).collect();
        columns.push(y.to_vec());
        let data = Dataset::new((0..=m).map(|j| j.to_string()).collect(), columns)?;
        let run = Run::new(Seed(0));
        let raw_gram = RawGram::of(&data, self.spec, &summarise(&data, &run)?, &run)?;
        let gram = AdditiveGram::new(&raw_gram);
        let terms: Vec<usize> = (0..m).collect();
        let fit = smooth_fit(&gram, &terms, m, self.smoothing, self.sp, &run)?;
        let raw = terms.iter().map(|&j| gram.term(j).raw_coefficients(fit.coefficients(j))).collect();
        Ok(FittedGam { bases: raw_gram.bases().clone(), gram, fit, raw })
    }
}

impl FittedGam {
    /// The regression behind the predictions.
    pub fn fit(&self) -> &AdditiveFit {
        &self.fit
    }

    /// The Gram matrix of the predictors and the response (the last column).
    pub fn gram(&self) -> &AdditiveGram {
        &self.gram
    }

    /// The value of one smooth term.
    pub fn term(&self, term: usize, x: f64) -> f64 {
        if self.raw[term].is_empty() {
            return 0.0;
        }
        let (cell, weights) = self.bases[term].evaluate(x);
        weights.iter().zip(&self.raw[term][cell..]).map(|(weight, coefficient)| weight * coefficient).sum()
    }

    /// The standard error of one smooth term; nothing where the model leaves no degree of freedom for the noise.
    pub fn term_error(&self, term: usize, x: f64) -> Option<f64> {
        let point = self.gram.term(term).reduce(&self.bases[term].row(x));
        self.fit.term_errors(term, &[point]).map(|errors| errors[0])
    }
}

impl FittedMean for FittedGam {
    fn predict(&self, z: MatRef<'_, f64>) -> Vec<f64> {
        let row = |i: usize| self.fit.intercept() + (0..z.ncols()).map(|j| self.term(j, z[(i, j)])).sum::<f64>();
        (0..z.nrows()).map(row).collect()
    }

    fn edf(&self) -> Option<f64> {
        Some(self.fit.edf())
    }
}

impl ConditionalMean for Gam {
    fn fit(&self, z: MatRef<'_, f64>, y: &[f64]) -> Result<Box<dyn FittedMean>> {
        Ok(Box::new(self.fit_gam(z, y)?))
    }
}
