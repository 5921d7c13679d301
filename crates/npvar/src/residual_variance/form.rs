//! The forms a residual variance can take.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a residual variance is formed from one regression.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// `var(y) − var(fit)`, the reference implementation's form.
    #[default]
    Difference,
    /// `RSS / (n − edf)`; on a held-out half the mean squared residual.
    Rss,
    /// Equation 3 of the paper: the mean of `y²` minus the mean of `fit²`, meant for a held-out half.
    PlugIn,
}

impl Form {
    /// The residual variance from sums of squares over the rows the regression was fitted on.
    pub(super) fn variance(self, square: f64, fitted_square: f64, residual_square: f64, edf: f64, n: usize) -> f64 {
        let n = n as f64;
        match self {
            Form::Difference => (square - fitted_square) / (n - 1.0),
            Form::Rss => residual_square / (n - edf).max(1.0),
            Form::PlugIn => (square - fitted_square) / n,
        }
    }

    /// The residual variance from responses and predictions at rows the regression has not seen; `centre` is the mean
    /// of the response over the whole sample.
    pub(super) fn held_out(self, y: &[f64], fit: &[f64], centre: f64) -> f64 {
        let n = y.len() as f64;
        let square = |values: &[f64], centre: f64| values.iter().map(|x| (x - centre).powi(2)).sum::<f64>();
        let mean = |values: &[f64]| values.iter().sum::<f64>() / n;
        match self {
            Form::Difference => (square(y, mean(y)) - square(fit, mean(fit))) / (n - 1.0),
            Form::Rss => y.iter().zip(fit).map(|(y, fit)| (y - fit).powi(2)).sum::<f64>() / n,
            Form::PlugIn => (square(y, centre) - square(fit, centre)) / n,
        }
    }
}

/// How residual variances are estimated. With `f̂` a regression and sums over rows it has not seen (of columns centred at
/// their means):
///
/// ```text
/// plug-in         mean(y²) − mean(f̂²)                                 error: f̂'s bias and variance
/// one-step        plug-in − mean(2 f̂ (y − f̂)) = mean((y − f̂)²)        error: E(f̂ − f)²
/// undersmoothed   mean(y²) − mean(y f̂)                                error: f̂'s bias alone
/// ```
///
/// `2 f (y − f) + f² − E f²` is the influence function of `E f²`, so the first-order correction of the plug-in (Robins et
/// al. 2008; Kandasamy et al. 2015) is the mean squared residual: `one-step` and `cross-fitted` differ only in how rows
/// are held out. Given nothing every form is the variance of the column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum VarianceForm {
    /// What suits the estimator.
    #[default]
    ByEstimator,
    /// `var(y) − var(fit)`, the reference implementation's form.
    Difference,
    /// `RSS / (n − edf)`; on a held-out half the mean squared residual.
    Rss,
    /// Equation 3 of the paper: the mean of `y²` minus the mean of `fit²`, meant for a held-out half.
    PlugIn,
    /// The mean squared residual over folds, each predicted from the others.
    CrossFitted,
    /// The plug-in with its first-order correction; each half corrects the other's (Kandasamy et al. 2015, "data split").
    OneStep,
    /// The mean of `y (y − fit)` over folds, with an estimator that smooths less than is best for the mean (in the manner
    /// of Doksum & Samarov 1995).
    Undersmoothed,
    /// From differences between nearest neighbours, without any estimate of the mean.
    NearestNeighbour,
    /// The estimator's own estimate of the noise variance.
    Own,
}

impl VarianceForm {
    /// The form of one regression, where this is one.
    pub fn of_one_regression(self) -> Option<Form> {
        match self {
            VarianceForm::Difference => Some(Form::Difference),
            VarianceForm::Rss => Some(Form::Rss),
            VarianceForm::PlugIn => Some(Form::PlugIn),
            _ => None,
        }
    }
}

/// What is averaged over folds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FoldForm {
    /// `(y − f̂)²`.
    SquaredResidual,
    /// `y (y − f̂)`.
    Product,
}

impl FoldForm {
    /// As an average of forms of one regression: `y (y − f) = ½ (y² − f²) + ½ (y − f)²`.
    pub(super) fn forms(self) -> &'static [Form] {
        match self {
            FoldForm::SquaredResidual => &[Form::Rss],
            FoldForm::Product => &[Form::PlugIn, Form::Rss],
        }
    }
}
