//! Residual variances `σ²(ℓ | A) = E var(X_ℓ | A)`, the only thing the order search asks for.
//!
//! Ancestral sets only grow, so conditioning is a state that is extended; what an estimator can carry over from one set
//! to the next stays its own business.

mod additive;
mod conditioning;
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
pub use conditioning::{Conditioning, ResidualVariance};
pub use estimated::Estimated;
pub use factor::{AdditiveFactor, Dependency};
pub use folds::{CrossFitted, Folds};
pub use form::{FoldForm, Form, VarianceForm};
pub use gp::{GpConditioning, GpRegression};
pub use held_out::{FreshSplit, HalfSplit, Halves};
pub use nearest_neighbour::{NearestNeighbour, NeighbourForm};
pub use parents::{AdditiveParents, ChildRegression, ChildRegressions, PERFECT_FIT, ParentGrams};
pub use regressions::{OwnNoise, Regressions, RowUse};
