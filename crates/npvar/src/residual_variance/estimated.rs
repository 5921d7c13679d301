//! Residual variances of the additive model with smoothing parameters estimated for every regression (GCV, REML).
//!
//! Every target has parameters of its own, so nothing is shared between targets; each regression still costs nothing
//! that depends on the number of rows.

use rayon::prelude::*;

use super::Conditioning;
use super::form::Form;
use crate::error::Result;
use crate::graph::Node;
use crate::regress::{Smoother, Smoothing, smooth_fit};
use crate::run::Run;
use crate::smooth::AdditiveGram;

/// Regressions on a growing ancestral set, each with its own smoothing.
pub struct Estimated<'g> {
    gram: &'g AdditiveGram,
    smoother: Smoother,
    /// None for REML's own noise variance.
    form: Option<Form>,
    order: Vec<Node>,
}

impl<'g> Estimated<'g> {
    /// Begins at the empty ancestral set.
    pub fn new(gram: &'g AdditiveGram, smoother: Smoother, form: Form) -> Self {
        Estimated { gram, smoother, form: Some(form), order: Vec::new() }
    }

    /// The same with REML's own noise variance as the residual variance.
    pub fn own(gram: &'g AdditiveGram) -> Self {
        Estimated { gram, smoother: Smoother { smoothing: Smoothing::Reml, sp: 0.0 }, form: None, order: Vec::new() }
    }
}

impl Conditioning for Estimated<'_> {
    fn extend(&mut self, layer: &[Node], _: &Run<'_>) -> Result<()> {
        self.order.extend_from_slice(layer);
        Ok(())
    }

    fn variances(&mut self, targets: &[Node], run: &Run<'_>) -> Result<Vec<f64>> {
        targets
            .par_iter()
            .map(|&target| {
                let fit = smooth_fit(self.gram, &self.order, target, self.smoother.smoothing, self.smoother.sp, run)?;
                let (fitted, residual) = (fit.fitted_square(), fit.residual_square());
                Ok(match self.form {
                    Some(form) => form.variance(fit.square(), fitted, residual, fit.edf(), self.gram.n()),
                    None => fit.noise_variance(self.gram),
                })
            })
            .collect()
    }
}
