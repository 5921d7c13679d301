//! Learn causal graphs from data: NPVAR (Gao, Ding & Aragam 2020) and the systems it is compared with.
//!
//! Data flow one way; `ARCHITECTURE.md` has the table of which module knows which. Nothing here prints, reads a clock, or
//! touches the terminal.

pub mod compare;
pub mod data;
pub mod equivalence;
pub mod error;
pub mod graph;
pub mod greedy;
pub mod independence;
pub mod judge;
pub mod learner;
pub mod local_score;
pub mod metrics;
pub mod notears;
mod numerics;
pub mod order;
pub mod plan;
pub mod regress;
pub mod residual_variance;
pub mod run;
pub mod select;
pub mod simulate;
pub mod smooth;
pub mod text_file;

pub use error::{Error, Result};
pub use learner::learn;
pub use run::{Diagnostic, Event, Flow, Level, Observer, Run, Seed, Stage};

/// The program that the README shows compiles.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
