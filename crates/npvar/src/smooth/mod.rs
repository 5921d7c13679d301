//! Additive smooth terms and the one matrix that carries everything about them.
//!
//! A column's [`Basis`] turns each value into a few basis function values; [`RawGram`] accumulates their cross products
//! over the rows, block by block; [`AdditiveGram`] is the same matrix after the sum-to-zero constraint of every term.
//! After that nothing depends on the number of rows any more.

mod basis;
mod cells;
mod constraint;
mod cubic_kernel;
mod cubic_regression;
mod design;
mod gram;
mod raw_gram;
mod spec;
mod summed;
mod thin_plate;
mod whole_column;

pub use basis::{Basis, NullSpace, PSpline};
pub use constraint::Constraint;
pub use cubic_regression::CubicRegression;
pub use design::{Design, WholeColumnBasis};
pub use gram::{AdditiveGram, Term};
pub use raw_gram::{CHUNK_ROWS, RawGram};
pub use spec::{FewValued, SmoothSpec};
pub use summed::{Knots, Summed};
pub use thin_plate::ThinPlate;
pub use whole_column::{WholeColumn, WholeColumns};
