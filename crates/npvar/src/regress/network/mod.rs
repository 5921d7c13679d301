//! A neural network with one hidden layer.

mod mlp;
mod weights;

pub use mlp::{FittedMlp, Mlp};
