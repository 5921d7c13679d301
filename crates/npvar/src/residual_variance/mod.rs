//! Residual variances `σ²(ℓ | A) = E var(X_ℓ | A)`, the only thing the order search asks for.
//!
//! Ancestral sets only grow, so conditioning is a state that is extended; what an estimator can carry over from one set
//! to the next stays its own business.

mod additive;
mod covariance;
mod estimated;
mod factor;
mod folds;
mod form;
mod gp;
mod held_out;
mod nearest_neighbour;
mod parents;
mod regressions;

pub use additive::{Additive, AdditiveConditioning};
pub use estimated::Estimated;
pub use factor::{AdditiveFactor, Dependency};
pub use folds::{CrossFitted, Folds, random_folds};
pub use form::{FoldForm, Form, VarianceForm};
pub use gp::{GpConditioning, GpRegression};
pub use held_out::{FreshSplit, HalfSplit, Halves, Smoother, random_half};
pub use nearest_neighbour::{NearestNeighbour, NeighbourForm};
pub use parents::{AdditiveParents, ChildRegression, ChildRegressions, PERFECT_FIT, ParentGrams};
pub use regressions::{Evaluation, OwnNoise, Regressions};

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
