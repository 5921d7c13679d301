//! Numerics that know nothing of the problem: linear algebra, tails of distributions, minimisation, kernel matrices, numbers in
//! sentences.

pub(crate) mod distribution;
pub(crate) mod kernel;
pub(crate) mod linalg;
pub(crate) mod optimise;
pub(crate) mod words;
