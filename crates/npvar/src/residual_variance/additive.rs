//! Residual variances of the additive model with a fixed smoothing parameter: one factorisation serves all targets.

use super::factor::AdditiveFactor;
use super::form::Form;
use super::{Conditioning, ResidualVariance};
use crate::error::Result;
use crate::graph::Node;
use crate::run::Run;
use crate::smooth::AdditiveGram;

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
