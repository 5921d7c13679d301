//! Files and standard input as tables: opened as far as is needed to know how they are read, and read when asked for.

mod files;
mod loaded;
mod one_file;
mod opened;
#[cfg(test)]
mod tests;

#[cfg(test)]
pub(super) use files::read_text;
pub use files::{open, open_all, read};
pub use loaded::Loaded;
pub(super) use loaded::{Gathered, rows_dropped};
pub use opened::Source;
