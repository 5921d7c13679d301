//! Linear algebra the rest is built on.

pub mod small_symmetric;
