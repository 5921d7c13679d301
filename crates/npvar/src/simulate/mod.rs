//! Data with a known graph: the simulation settings and the examples of the paper.
//!
//! A [`Setting`] is written in the paper's shorthand, `ER-SIN-4`: a graph (MC, ER, SF), a model (SIN, AGP, NGP, GLM, and
//! LIN for linear), and `k` for about `kd` edges; or it is the name of an example of the paper. [`simulate`] draws the
//! graph and the sample.
//!
//! ```
//! use npvar::Seed;
//! use npvar::simulate::{SimulateOptions, simulate};
//!
//! let options = SimulateOptions { nodes: Some(10), samples: 200, ..SimulateOptions::default() };
//! let simulated = simulate("ER-SIN-1".parse()?, &options, Seed(1))?;
//! assert_eq!((simulated.data.n(), simulated.data.d()), (200, 10));
//! assert_eq!(simulated.truth.edge_count(), 10);
//! # Ok::<(), npvar::Error>(())
//! ```
//!
//! Every random choice has a stream of its own, derived from the seed and from what it is for, so that the result depends
//! neither on the number of threads nor on the order of the computation.

mod ancestral;
mod gaussian_process;
mod identifiable;
mod linear_sem;
mod model;
mod noise;
mod options;
mod random_graph;
mod setting;
mod simulated;
mod three_node;

pub use gaussian_process::{DENSE_LIMIT, gaussian_process};
pub use linear_sem::LinearSem;
pub use noise::Noise;
pub use options::SimulateOptions;
pub use random_graph::{erdos_renyi, markov_chain, scale_free};
pub use setting::{Example, Model, Nonlinearity, RandomGraph, Setting};
pub use simulated::{Simulated, simulate};
