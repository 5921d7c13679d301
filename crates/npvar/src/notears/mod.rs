//! NOTEARS: a graph by continuous optimisation, linear (Zheng, Aragam, Ravikumar & Xing 2018) and with neural networks
//! (Zheng, Dan, Aragam, Ravikumar & Xing 2020).
//!
//! ```text
//! minimise  loss(θ) + λ₁ ‖W‖₁ (+ λ₂/2 ‖θ‖²)   subject to   h(A(θ)) = 0
//! ```
//!
//! where `A ≥ 0` holds a strength for every pair (squared weights) and `h` vanishes exactly on acyclic graphs. An augmented
//! Lagrangian ([`augmented_lagrangian`]) over a minimiser with bounds (`numerics::optimise`) finds a local solution; entries
//! below a threshold are then dropped ([`prune`]).
//!
//! Differs from the authors' code (notears 3.0): the inner minimiser converges further (scipy's default `ftol` of 2.2e-9
//! stops early, with objectives up to a few percent larger); `h` is computed without subtracting `d`, so that it keeps its
//! digits when it is tiny; the linear loss is a function of the covariance matrix, so rows are read once; the redundant
//! second bias of the first layer is left out; and a threshold that leaves a cycle is raised until none is left.

mod acyclicity;
mod augmented_lagrangian;
mod linear;
mod mlp;
mod network;
mod prune;
mod sigmoid;

pub use crate::numerics::optimise::{Bounds, Minimiser};
pub use acyclicity::Acyclicity;
pub use augmented_lagrangian::{
    AugmentedLagrangian, Constrained, InnerStart, ObjectiveParts, Solution, augmented_lagrangian,
};
pub use linear::LinearProblem;
pub use mlp::MlpProblem;
pub use network::{Network, NetworkShape};
pub use prune::{Pruned, prune};
