//! The evidence of additive models of splines, from the Gram matrix alone: the penalty as a prior (`prior.rs`), the value of a
//! node with given parents and all toggles of them (`evidence.rs`) by one factor (`factored.rs`), which is kept as long as the
//! prior stays (`known.rs`), smoothing and noise pooled over all nodes (`climb.rs`).

mod climb;
mod evidence;
mod factored;
mod known;
mod prior;
#[cfg(test)]
mod tests;

pub use evidence::AdditiveEvidence;
pub use prior::FunctionPrior;
