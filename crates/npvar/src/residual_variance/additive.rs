//! Residual variances of the additive model with a fixed smoothing parameter: one factorisation serves all targets.

use serde::{Deserialize, Serialize};

use super::factor::AdditiveFactor;
use super::{Conditioning, ResidualVariance};
use crate::error::Result;
use crate::graph::Node;
use crate::run::Run;
use crate::smooth::AdditiveGram;

/// How a residual variance is formed from a fit on the same rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Form {
    /// `var(y) − var(fit)`, the reference implementation's form.
    #[default]
    Difference,
    /// `RSS / (n − edf)`.
    Rss,
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
        let n = self.factor.gram().n() as f64;
        let variance = |&target: &Node| match self.form {
            Form::Difference => (self.factor.gram().square(target) - self.factor.fitted_square(target)) / (n - 1.0),
            Form::Rss => self.factor.residual_square(target) / (n - self.factor.edf()).max(1.0),
        };
        Ok(targets.iter().map(variance).collect())
    }
}
