//! Local scores: how well a node is explained by a set of parents. The score of a DAG is their sum, `Σ_j s(j, pa(j))`;
//! higher is better. GES and GSGES are one search over different scores.
//!
//! | score | data | score-equivalent |
//! |---|---|---|
//! | [`GaussianBic`]: ℓ0-penalised Gaussian likelihood | continuous | yes |
//! | [`Bdeu`]: Bayesian Dirichlet equivalent uniform | discrete | yes |
//! | [`CrossValidated`], [`MarginalLikelihood`]: generalised scores through kernels | any | nearly |

mod bdeu;
mod cached;
mod decomposable;
mod gaussian_bic;
mod generalised;

pub use bdeu::Bdeu;
pub use cached::Cached;
pub use decomposable::LocalScore;
pub use gaussian_bic::{DEPENDENT, GaussianBic, PERFECT};
pub use generalised::{Approximation, CrossValidated, MEDIAN_ROWS, MarginalLikelihood};
