//! The library, used as another crate uses it: one program, so that it is linked once.
// A test that cannot go on should stop where it is.
#![allow(clippy::unwrap_used)]

mod architecture;
mod comparing;
#[cfg(feature = "parquet")]
mod damaged_files;
mod draws;
mod golden;
mod learners;
mod oracle;
mod properties;
mod read_once;
mod regression;
