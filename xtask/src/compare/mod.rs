//! Comparisons with other programs on the same files: the published R procedure, and the public implementations of the
//! other learners.

mod cases;
mod check_r;
mod found;
mod ours;
mod peers;
mod peers_report;
mod r;
mod r_procedure;
mod r_report;
mod runtime;
mod seeds_report;

pub(crate) use cases::CASES;
pub(crate) use check_r::run as check_r;
pub(crate) use found::Found;
pub(crate) use ours::Program;
pub(crate) use peers::{measure as measure_peer, run as compare_peers};
pub(crate) use peers_report::Cell;
pub(crate) use r::{measure as measure_r, run as compare_r};
pub(crate) use r_procedure::require_r;
pub(crate) use r_report::{decimals, processor};
pub(crate) use runtime::Runtimes;
