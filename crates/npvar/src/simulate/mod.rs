//! Data with a known graph: the simulation settings and the examples of the paper.

mod gaussian_process;
mod noise;
mod options;
mod random_graph;
mod setting;

pub use gaussian_process::{DENSE_LIMIT, gaussian_process};
pub use noise::Noise;
pub use options::SimulateOptions;
pub use random_graph::{erdos_renyi, markov_chain, scale_free};
pub use setting::{Example, Model, Nonlinearity, RandomGraph, Setting};
