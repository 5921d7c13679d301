//! Local scores: how well a node is explained by a set of parents. The score of a DAG is their sum, `Σ_j s(j, pa(j))`;
//! higher is better. GES and GSGES are one search over different scores.
//!
//! | score | data | score-equivalent |
//! |---|---|---|
//! | [`GaussianBic`]: ℓ0-penalised Gaussian likelihood | continuous | yes |
//! | [`Bdeu`]: Bayesian Dirichlet equivalent uniform | discrete | yes |
//! | [`CrossValidated`], [`MarginalLikelihood`]: generalised scores through kernels | any | nearly |
//!
//! A second question, that of a search over orders: how well is a node explained by parents of its own choice among the nodes
//! before it ([`AfterSet`])? [`Toggling`] answers it by single toggles over any score that values them ([`Toggles`]):
//! [`AdditiveEvidence`] or [`LinearEvidence`]; [`ProcessEvidence`] toggles in two sets at once. What a choice costs is
//! [`ParentPrior`]'s.

mod additive_evidence;
mod after_set;
mod bdeu;
mod cached;
mod decomposable;
mod gaussian_bic;
mod generalised;
mod linear_evidence;
mod noise;
mod parent_prior;
mod process_evidence;
mod refit;
mod toggling;

pub use additive_evidence::{AdditiveEvidence, FunctionPrior};
pub use after_set::{AfterSet, Allowed, ChosenParents, ParentChoice};
pub use bdeu::Bdeu;
pub use cached::Cached;
pub use decomposable::LocalScore;
pub use gaussian_bic::{DEPENDENT, GaussianBic, PERFECT};
pub use generalised::{Approximation, CrossValidated, MEDIAN_ROWS, MarginalLikelihood};
pub use linear_evidence::LinearEvidence;
pub use noise::Noise;
pub use parent_prior::{ParentCount, ParentPrior};
pub use process_evidence::ProcessEvidence;
pub use refit::{LearnsSparsity, NoiseKind, Refit};
pub use toggling::{Asked, Toggled, Toggles, Toggling};
