//! Gaussian-process regression with an additive and a joint part.

mod evidence;
mod fit;
mod hyper;
mod kernel;
mod table;

pub use evidence::Sample;
pub use fit::{Effort, Evidence, log_likelihood, maximise};
pub use table::{Scale, Table};
pub use hyper::{Hyper, Shape};
