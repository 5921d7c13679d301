//! The order of highest evidence: its options and what it rests on (`options.rs`), the search with one kind of noise
//! (`climb.rs`), and the answer made of it (`learner.rs`).

mod climb;
mod learner;
mod options;

pub use options::{BestOrderConfig, BestOrderNoise, BestOrderScore, BestOrderStart};
