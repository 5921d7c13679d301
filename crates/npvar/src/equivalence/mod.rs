//! Searches over Markov equivalence classes.

pub mod ges;
