//! Random forests.

mod random_forest;
mod tree;

pub use random_forest::{FittedForest, Forest};
