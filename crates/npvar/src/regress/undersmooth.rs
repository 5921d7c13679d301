//! Undersmoothing: less bias than is best for the mean, which is what averages of it (a residual variance) want.
//!
//! The squared bias of a second-order smoother with bandwidth `h` is of order `h⁴`. The best `h` for the mean in one
//! dimension is of order `n^(-1/5)`; an average is estimated at the rate `n^(-1/2)` and wants `h⁴` well below it. Here
//! bandwidths shrink by a further `n^(-1/20)`, to `n^(-1/4)` (Doksum & Samarov 1995 for the kernel plug-in).

use super::additive::Gam;
use super::additive::Smoothing;
use super::local::Kernel;
use crate::error::{Error, Result};

/// The further shrinking of a bandwidth.
fn shrinking(n: usize) -> f64 {
    (n.max(1) as f64).powf(-1.0 / 20.0)
}

/// An estimator whose smoothness can be lowered on purpose.
pub trait Undersmooth: Sized {
    /// The estimator for a sample of `n` rows that smooths less than is best for the mean.
    ///
    /// # Errors
    /// [`Error::InvalidOption`] where an option leaves nothing to lower.
    fn undersmoothed(&self, n: usize) -> Result<Self>;
}

impl Undersmooth for Kernel {
    fn undersmoothed(&self, n: usize) -> Result<Self> {
        Ok(Kernel { bandwidth_scale: self.bandwidth_scale * shrinking(n), ..*self })
    }
}

impl Undersmooth for Gam {
    /// The bandwidth of a spline with a penalty on second differences is of the order of the fourth root of `λ`.
    fn undersmoothed(&self, n: usize) -> Result<Self> {
        if self.smoothing != Smoothing::Fixed {
            return Err(Error::InvalidOption {
                option: "smoothing",
                requirement: "must be `fixed` where less smoothing than is best is asked for".to_owned(),
                got: "a choice by the data".to_owned(),
            });
        }
        Ok(Gam { sp: self.sp * shrinking(n).powi(4), ..*self })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn smoothing_falls_with_the_sample() {
        let kernel = Kernel::default().undersmoothed(1 << 20).expect("always possible");
        assert!((kernel.bandwidth_scale - 0.5).abs() < 1e-12);
        let gam = Gam::default().undersmoothed(1 << 20).expect("fixed smoothing");
        assert!((gam.sp - 0.6 / 16.0).abs() < 1e-12);
        assert!(Gam { smoothing: Smoothing::Gcv, ..Gam::default() }.undersmoothed(100).is_err());
    }
}
