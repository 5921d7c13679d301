//! Local fits: a constant or a line around every point, and three ways to choose how far around it.

mod bandwidths;
mod empirical_likelihood;
mod grid;
mod kernel;
mod local_fit;
mod rodeo;

pub use grid::{FittedGrid, Grid};
pub use kernel::{FittedKernel, Kernel};
pub use local_fit::Degree;
pub use rodeo::{BandwidthScope, FittedRodeo, Rodeo};
