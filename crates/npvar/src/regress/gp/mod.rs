//! Gaussian-process regression (Rasmussen & Williams 2006) with an additive and a joint part.
//!
//! ```text
//! y = f(x) + ε      f ~ GP(0, k)      ε ~ N(0, s)
//! k(x, x') = Σ_k a_k exp(−l_k (x_k − x'_k)²/2) + b exp(−Σ_k m_k (x_k − x'_k)²/2)
//! ```
//!
//! The sum is an additive model (Duvenaud, Nickisch & Rasmussen 2011), the product sees every interaction and, by its own
//! length for each covariate, leaves out those that do not matter. All hyper-parameters maximise the marginal likelihood,
//! with analytic gradients and L-BFGS-B. The inverse squared lengths `m_k` have an exponential prior: a joint part of many
//! short lengths is white noise by another name, and without the prior it takes part of the noise for a function as soon as
//! there are more covariates than the sample can fill (with 20 nodes and 500 samples noise variances came out at a tenth of
//! their values). Columns are standardised first: nothing depends on units.
//!
//! The covariance is that of functions with derivatives of all orders. For a function of `p` covariates with smoothness `β`
//! the error falls as `n^(−2β/(2β+p))` up to logarithms (van der Vaart & van Zanten 2009), for additive ones as if `p`
//! were one. Likelihoods are exact up to [`Gp::exact_rows`], at `O(n³)` per evaluation; beyond that through inducing points, which are rows far
//! from each other, chosen by incomplete Cholesky factorisation.

mod evidence;
mod fit;
mod hyper;
mod kernel;
mod options;
mod process;
mod sparse;
mod standardised;
#[cfg(test)]
mod tests;

pub use evidence::Observed;
pub use fit::{Effort, GpFit, log_likelihood, maximise};
pub use hyper::{Hyper, KernelParts};
pub use options::GpConfig;
pub use process::{FittedGp, Gp};
pub use standardised::{Scale, Standardised};
