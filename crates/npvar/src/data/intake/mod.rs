//! Intake: one look over a whole table, then a plan that says for every column how it is read, or why it is left out.
//!
//! Nothing is refused for one cell, and nothing is done in silence: whatever differs from a table of plain numbers is an
//! [`IntakeEntry`]. The look keeps counts and a bounded number of different cells, so that its memory does not grow with the
//! rows.

mod category;
mod cell;
mod column_look;
mod decide;
mod entry;
mod lacking;
mod look;
mod missing;
mod number;
mod plan;

pub(super) use self::cell::Cell;
pub(super) use self::decide::Surroundings;
pub use self::entry::IntakeEntry;
pub(super) use self::entry::{clean, decoded, shown};
pub(super) use self::lacking::filled;
pub(super) use self::look::{HeldCell, TableLook};
pub(super) use self::plan::{Plan, Reading};
