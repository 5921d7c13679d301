//! Residual variances of Gaussian-process regressions: the noise variance of largest marginal likelihood.
//!
//! ```text
//! X_ℓ = f(A) + ε,   f ~ GP(0, k),   ε ~ N(0, s)        σ̂²(ℓ | A) = ŝ
//! ```
//!
//! The mean is integrated out, so the noise variance does not shrink with the flexibility of the fit, as a residual sum of
//! squares does. Targets run in parallel, each on one thread.
//!
//! Every regression starts afresh. Starting from the hyper-parameters of the step before saves few evaluations, and it
//! misses what only a larger ancestral set shows: where the joint part had been given up it stayed so, and on `ER-NGP-4`
//! the noise variance of nodes with many parents came out three times too large.

use rayon::prelude::*;

use super::Conditioning;
use crate::error::Result;
use crate::graph::Node;
use crate::regress::gp::{Gp, GpFit, Hyper, KernelParts, Standardised, maximise};
use crate::run::Run;

/// A target's latest regression.
#[derive(Debug, Clone, PartialEq)]
pub struct GpRegression {
    /// The ancestral set it conditions on, constant columns left out.
    pub given: Vec<Node>,
    /// The regression.
    pub evidence: GpFit,
}

/// Gaussian-process regressions on a growing ancestral set.
pub struct GpConditioning<'t> {
    table: &'t Standardised,
    gp: Gp,
    given: Vec<Node>,
    latest: Vec<Option<GpRegression>>,
}

impl<'t> GpConditioning<'t> {
    /// Begins at the empty ancestral set.
    pub fn new(table: &'t Standardised, gp: Gp) -> Self {
        GpConditioning { table, gp, given: Vec::new(), latest: vec![None; table.d()] }
    }

    /// Every node's latest regression: for a node that has been ordered, the one on the nodes before its layer.
    pub fn into_regressions(self) -> Vec<Option<GpRegression>> {
        self.latest
    }

    fn regress(&self, target: Node, run: &Run<'_>) -> Result<GpRegression> {
        let start = Hyper::start(self.given.len(), KernelParts::Full);
        let sample = self.gp.sample(self.table, target, &self.given, run)?;
        let evidence = maximise(&sample, &start, KernelParts::Full, self.gp.effort, run)?;
        Ok(GpRegression { given: self.given.clone(), evidence })
    }
}

impl Conditioning for GpConditioning<'_> {
    fn extend(&mut self, layer: &[Node], _: &Run<'_>) -> Result<()> {
        self.given.extend(layer.iter().filter(|&&node| !self.table.is_constant(node)));
        Ok(())
    }

    fn variances(&mut self, targets: &[Node], run: &Run<'_>) -> Result<Vec<f64>> {
        if self.given.is_empty() {
            return Ok(targets.iter().map(|&target| self.table.variance(target)).collect());
        }
        let regressions: Vec<Option<GpRegression>> = targets
            .par_iter()
            .with_max_len(1)
            .map(|&target| (!self.table.is_constant(target)).then(|| self.regress(target, run)).transpose())
            .collect::<Result<_>>()?;
        let variances = targets.iter().zip(&regressions).map(|(&target, regression)| {
            regression.as_ref().map_or(0.0, |found| found.evidence.hyper.noise() * self.table.variance(target))
        });
        let variances = variances.collect();
        for (&target, regression) in targets.iter().zip(regressions) {
            self.latest[target] = regression;
        }
        Ok(variances)
    }
}
