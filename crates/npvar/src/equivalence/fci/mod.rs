//! FCI: an equivalence class where common causes may be hidden, and rows selected.

mod paths;
mod possible_d_sep;
mod rules;
mod search;

pub use search::{FciOptions, FciResult, SecondSearch, fci};
