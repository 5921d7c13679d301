//! Smoothing parameters by generalised cross-validation or restricted maximum likelihood, from the Gram matrix alone.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::additive_fit::AdditiveFit;
use super::smooth_regression::SmoothRegression;
use crate::smooth::AdditiveGram;

/// How smoothing parameters are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Smoothing {
    /// One fixed parameter for every term, as the paper.
    #[default]
    Fixed,
    /// Generalised cross-validation, one parameter per term.
    Gcv,
    /// Restricted maximum likelihood, one parameter per term.
    Reml,
}

/// Beyond this `log λ` a term is a straight line to seven digits, and a fit with larger ones would lose digits elsewhere.
const STRAIGHT: f64 = 18.0;

/// The fit with every smoothing parameter equal to `sp`, or at the best ones.
pub(crate) fn smooth_fit(
    gram: &AdditiveGram,
    terms: &[usize],
    target: usize,
    smoothing: Smoothing,
    sp: f64,
) -> AdditiveFit {
    let lambda = match smoothing {
        Smoothing::Fixed => vec![sp; terms.len()],
        Smoothing::Gcv | Smoothing::Reml => {
            let found = SmoothRegression::new(gram, terms, target, smoothing).search();
            found.log_lambda.iter().map(|rho| rho.min(STRAIGHT).exp()).collect()
        }
    };
    AdditiveFit::new(gram, terms, target, &lambda)
}
