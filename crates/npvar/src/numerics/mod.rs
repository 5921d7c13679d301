//! Numerics that know nothing of the problem: linear algebra, tails of distributions, minimisation, kernel matrices.

pub(crate) mod distribution;
pub(crate) mod kernel;
pub(crate) mod linalg;
pub(crate) mod optimise;
