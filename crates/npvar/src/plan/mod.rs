//! How many samples? The paper's bounds ([`bounds`]), and simulation from a named or a fitted model ([`recovery`]).

mod bounds;
mod fitted;
mod recovery;

pub use bounds::{Bound, Problem, bounds, failure_bound};
pub use fitted::FittedSem;
pub use recovery::{Population, Recovery, Share, recovery};
