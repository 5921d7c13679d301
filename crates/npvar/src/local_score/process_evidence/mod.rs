//! The evidence of Gaussian processes that may be additive in some parents and joint in others.
//!
//! ```text
//! x_v = Σ_{k ∈ T} g_k(x_k) + h(x_S) + ε,   ε ~ N(0, s I)
//! g_k ~ GP(0, s a exp(−l t²/2)),   h ~ GP(0, s b exp(−m |t|²/2)),   parents T ∪ S
//! ```
//!
//! Four numbers and two sets per node ([`Split`](split::Split)). A node's numbers are log-normal around values that all nodes
//! have in common (`numbers.rs`) and fitted to the total evidence of a graph (`refit.rs`); while orders are compared they stay, so
//! that the value of a split is one factorisation (`evidence.rs`), which is kept. Parents are chosen by walks over single
//! toggles (`walk.rs`, `choose.rs`), and between sweeps anew with numbers fitted to them (`afresh.rs`). What a split costs beside
//! its evidence says how many parents it has and of which kinds they are (`walk.rs`, `kinds.rs`). With many rows orders are
//! searched on some of them.

mod afresh;
mod choose;
mod evidence;
mod kernel;
mod kinds;
mod numbers;
mod refit;
mod rows;
mod split;
#[cfg(test)]
mod tests;
mod walk;
mod workspace;

pub use evidence::ProcessEvidence;
