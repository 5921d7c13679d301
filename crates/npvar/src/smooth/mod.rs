//! Additive smooth terms and the one matrix that carries everything about them.
//!
//! A column's [`Basis`] turns each value into a few basis function values; [`RawGram`] accumulates their cross products
//! over the rows, block by block; [`AdditiveGram`] is the same matrix after the sum-to-zero constraint of every term.
//! After that nothing depends on the number of rows any more.

mod basis;
mod cells;
mod constraint;
mod gram;
mod raw_gram;
mod spec;

pub use basis::{Basis, PSpline};
pub use constraint::Constraint;
pub use gram::{AdditiveGram, Term};
pub use raw_gram::{CHUNK_ROWS, RawGram};
pub use spec::{FewValued, SmoothSpec};
