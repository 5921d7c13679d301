//! Options outside their range.

use crate::error::{Error, Result};

/// An error that says what `option` must be, unless it `holds`.
pub(super) fn within(option: &'static str, holds: bool, requirement: &str, got: impl std::fmt::Display) -> Result<()> {
    if holds {
        return Ok(());
    }
    Err(Error::InvalidOption { option, requirement: requirement.to_owned(), got: got.to_string() })
}
