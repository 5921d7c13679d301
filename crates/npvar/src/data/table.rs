//! The table to learn from: in memory when it is small text, otherwise read block by block.

use super::checks;
use super::options::ReadOptions;
use super::source::{Loaded, Source, open_all};
use crate::error::Result;
use crate::run::Diagnostic;

/// Text files larger than this are read block by block, in memory that does not grow with them. Smaller ones are parsed
/// once and held.
const LARGE_TEXT_BYTES: u64 = 256 << 20;

/// A table that has been opened in the way that suits its size.
#[derive(Debug)]
pub enum Table {
    /// Read into memory.
    Memory(Loaded),
    /// Read when asked for, with what its first rows showed.
    Stream(Box<Source>, Vec<Diagnostic>),
}

impl Table {
    /// Opens one or several files, folders or patterns as one table; see [`open_all`].
    ///
    /// # Errors
    /// As [`open_all`], and what the rows read so far came upon.
    pub fn open(paths: &[String], options: &ReadOptions) -> Result<Table> {
        let source = open_all(paths, options)?;
        if source.gap_use().is_none() && (source.is_columnar() || source.text_bytes() > LARGE_TEXT_BYTES) {
            let first_rows = checks::first_rows(&source)?;
            return Ok(Table::Stream(Box::new(source), first_rows));
        }
        Ok(Table::Memory(source.load()?))
    }
}
