//! Additive regressions from the Gram matrix of the bases.

use super::node_fits::{Fit, NodeFits};
use crate::graph::Node;
use crate::regress::{AdditiveFit, Smoothing};
use crate::smooth::AdditiveGram;

/// Additive models of P-splines; a term counts by its effective degrees of freedom.
pub struct AdditiveFits<'g> {
    gram: &'g AdditiveGram,
    smoothing: Smoothing,
    sp: f64,
}

impl<'g> AdditiveFits<'g> {
    /// Regressions with smoothing parameters chosen by `smoothing`, or all equal to `sp`.
    pub fn new(gram: &'g AdditiveGram, smoothing: Smoothing, sp: f64) -> Self {
        AdditiveFits { gram, smoothing, sp }
    }
}

impl NodeFits for AdditiveFits<'_> {
    fn nodes(&self) -> usize {
        self.gram.d()
    }

    fn n(&self) -> usize {
        self.gram.n()
    }

    fn fit(&self, child: Node, parents: &[Node]) -> Fit {
        let fit = AdditiveFit::smoothed(self.gram, parents, child, self.smoothing, self.sp);
        Fit { variance: fit.residual_square().max(0.0) / self.gram.n() as f64, parameters: fit.edf() - 1.0 }
    }
}
