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

pub(crate) use check_r::run as check_r;
pub(crate) use peers::run as compare_peers;
pub(crate) use r::run as compare_r;
