//! NPVAR (Algorithms 1 and 2 of Gao, Ding & Aragam 2020): one plan made from the options, one search and one selection over
//! it, whether the rows, sums over them, or an estimator of the caller's are given.

mod auto;
mod from_sums;
mod learner;
mod options;
mod own_estimator;
mod plan;
mod sample;
mod search;
mod source;

pub use from_sums::learn_from_sums;
pub use options::{NegativeVariance, NpvarConfig, ParentSelection, SampleSplit};
pub use own_estimator::learn_with;
