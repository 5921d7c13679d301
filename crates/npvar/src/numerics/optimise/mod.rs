//! Minimising a smooth function of many variables within bounds: L-BFGS-B (Byrd, Lu, Nocedal & Zhu 1995).
//!
//! The Hessian is approximated from the last few steps, `B = θI − W M W'`. Each iteration follows the projected gradient
//! to the first minimum of the quadratic model (the generalised Cauchy point), minimises the model further over the
//! variables that are free there, and searches the line to the result for a point that satisfies the strong Wolfe
//! conditions. The end point of the subspace step is projected onto the bounds, and cut back to the first bound only where
//! the projection is not a descent direction (Morales & Nocedal 2011).
//!
//! One thread, fixed order of operations: the same numbers everywhere the objective gives the same numbers.

mod bounds;
mod cauchy;
mod lbfgsb;
mod line_search;
mod quadratic_model;
mod small_solve;
mod subspace;

pub use bounds::Bounds;
pub use lbfgsb::Minimiser;
pub(crate) use lbfgsb::{Ending, Minimum, minimise};
