//! Residual variances of the additive model with a fixed smoothing parameter: one factorisation serves all targets.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::factor::AdditiveFactor;
use super::{Conditioning, ResidualVariance};
use crate::error::Result;
use crate::graph::Node;
use crate::run::Run;
use crate::smooth::AdditiveGram;

/// How a residual variance is formed from a regression.
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
}

/// The additive model with smoothing parameter `lambda` for every term.
pub struct Additive<'g> {
    gram: &'g AdditiveGram,
    lambda: f64,
    form: Form,
}

impl<'g> Additive<'g> {
    /// Residual variances from this Gram matrix.
    pub fn new(gram: &'g AdditiveGram, lambda: f64, form: Form) -> Self {
        Additive { gram, lambda, form }
    }

    /// Begins at the empty ancestral set; unlike [`ResidualVariance::start`] it can yield its factor.
    pub fn conditioning(&self) -> AdditiveConditioning<'g> {
        AdditiveConditioning { factor: AdditiveFactor::new(self.gram, self.lambda), form: self.form }
    }
}

impl ResidualVariance for Additive<'_> {
    fn nodes(&self) -> usize {
        self.gram.d()
    }

    fn start(&self) -> Result<Box<dyn Conditioning + '_>> {
        Ok(Box::new(self.conditioning()))
    }
}

/// Regressions on a growing ancestral set.
pub struct AdditiveConditioning<'g> {
    factor: AdditiveFactor<'g>,
    form: Form,
}

impl<'g> AdditiveConditioning<'g> {
    /// The factor in the order found, which is the selection step's factor.
    pub fn into_factor(self) -> AdditiveFactor<'g> {
        self.factor
    }
}

impl Conditioning for AdditiveConditioning<'_> {
    fn extend(&mut self, layer: &[Node], run: &Run<'_>) -> Result<()> {
        layer.iter().try_for_each(|&node| self.factor.append(node, run))
    }

    fn variances(&mut self, targets: &[Node], _run: &Run<'_>) -> Result<Vec<f64>> {
        let (gram, edf) = (self.factor.gram(), self.factor.edf());
        let variance = |&target: &Node| {
            let (fitted, residual) = (self.factor.fitted_square(target), self.factor.residual_square(target));
            self.form.variance(gram.square(target), fitted, residual, edf, gram.n())
        };
        Ok(targets.iter().map(variance).collect())
    }
}
