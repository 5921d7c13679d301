//! Fits at smoothing parameters chosen by generalised cross-validation or restricted maximum likelihood, from the Gram matrix
//! alone.

use super::additive_fit::AdditiveFit;
use super::smooth_regression::SmoothRegression;
use super::smoothing::Smoothing;
use super::smoothing_search::Smoothed;
use crate::error::Result;
use crate::run::{Run, Seed};
use crate::smooth::AdditiveGram;

/// Beyond this `log λ` a term is a straight line to seven digits, and a fit with larger ones would lose digits elsewhere.
const STRAIGHT: f64 = 18.0;

impl AdditiveFit {
    /// The fit with every smoothing parameter equal to `sp`, or at the best ones.
    pub fn smoothed(gram: &AdditiveGram, terms: &[usize], target: usize, smoothing: Smoothing, sp: f64) -> Self {
        let nobody = Run::new(Seed(0));
        smooth_fit(gram, terms, target, smoothing, sp, &nobody).expect("nobody is there to stop it")
    }
}

/// The fit with every smoothing parameter equal to `sp`, or at the best ones.
///
/// # Errors
/// [`crate::Error::Cancelled`].
pub(crate) fn smooth_fit(
    gram: &AdditiveGram,
    terms: &[usize],
    target: usize,
    smoothing: Smoothing,
    sp: f64,
    run: &Run<'_>,
) -> Result<AdditiveFit> {
    let lambda = match smoothing {
        Smoothing::Fixed => vec![sp; terms.len()],
        Smoothing::Gcv | Smoothing::Reml => {
            lambda(&SmoothRegression::new(gram, terms, target, smoothing, run).search()?)
        }
    };
    AdditiveFit::new_during(gram, terms, target, &lambda, run)
}

/// The fit at the best smoothing parameters near `start`, or from scratch, and where a search with these terms may start next.
///
/// # Errors
/// [`crate::Error::Cancelled`].
pub(crate) fn smooth_fit_from(
    gram: &AdditiveGram,
    terms: &[usize],
    target: usize,
    smoothing: Smoothing,
    start: Option<&[f64]>,
    run: &Run<'_>,
) -> Result<(AdditiveFit, Vec<f64>)> {
    let regression = SmoothRegression::new(gram, terms, target, smoothing, run);
    let found = start.map_or_else(|| regression.search(), |start| regression.search_from(start))?;
    let fit = AdditiveFit::new_during(gram, terms, target, &lambda(&found), run)?;
    Ok((fit, (0..terms.len()).map(|term| found.restart(term)).collect()))
}

fn lambda(found: &Smoothed) -> Vec<f64> {
    found.log_lambda.iter().map(|rho| rho.min(STRAIGHT).exp()).collect()
}
