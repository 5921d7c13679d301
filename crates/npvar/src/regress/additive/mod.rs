//! Additive models from the Gram matrix of their bases: the fit, the choice of its smoothing parameters, residuals.

mod additive_fit;
mod along_term;
mod gam;
mod options;
mod residuals;
mod smooth_fit;
mod smooth_regression;
mod smoother;
mod smoothing;
mod smoothing_search;

pub use additive_fit::{AdditiveFit, TermSummary};
pub use gam::{FittedGam, Gam};
pub use options::GamConfig;
pub use residuals::{AdditiveResiduals, Regressed};
pub(crate) use smooth_fit::{smooth_fit, smooth_fit_from};
pub(crate) use smooth_regression::SmoothRegression;
pub use smoother::Smoother;
pub use smoothing::{Smoothing, SmoothingSearch};
pub(crate) use smoothing_search::Smoothed;
