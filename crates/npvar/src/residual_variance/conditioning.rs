//! Residual variances given an ancestral set that grows, whatever estimates them.

use crate::error::Result;
use crate::graph::Node;
use crate::run::Run;

/// A way to estimate residual variances.
pub trait ResidualVariance: Sync {
    /// `d`.
    fn nodes(&self) -> usize;

    /// Begins at the empty ancestral set.
    ///
    /// # Errors
    /// When the estimator cannot work on its data at all.
    fn start(&self) -> Result<Box<dyn Conditioning + '_>>;
}

/// Residual variances given an ancestral set that grows.
pub trait Conditioning {
    /// Adds a layer to the ancestral set.
    ///
    /// # Errors
    /// What the estimator came upon, or cancelling.
    fn extend(&mut self, layer: &[Node], run: &Run<'_>) -> Result<()>;

    /// `σ²(ℓ | A)` for every target, none of which is in the ancestral set.
    ///
    /// # Errors
    /// What the estimator came upon, or cancelling.
    fn variances(&mut self, targets: &[Node], run: &Run<'_>) -> Result<Vec<f64>>;
}
