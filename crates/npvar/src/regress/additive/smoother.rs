//! How additive regressions are smoothed.

use super::smoothing::Smoothing;

/// The choice of smoothing parameters, and the parameter where it is fixed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Smoother {
    /// How parameters are chosen.
    pub smoothing: Smoothing,
    /// The fixed one.
    pub sp: f64,
}
