//! Whether a file is still the one that was opened.
//!
//! A file larger than memory is read in several passes. If it changed between or during them, the answer would be about no
//! table that ever was, so every pass compares what the operating system says of the file before and after it.

use std::fs::{self, Metadata};
use std::time::SystemTime;

use crate::error::{Error, Result};

/// What the operating system says of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp {
    bytes: u64,
    /// When it was last written to, where that is known.
    written: Option<SystemTime>,
    /// Device and inode, where there are such numbers.
    identity: Option<(u64, u64)>,
}

impl Stamp {
    /// The stamp of the file at `path` now.
    ///
    /// # Errors
    /// When there is none any more.
    pub(super) fn of(path: &str) -> Result<Stamp> {
        let metadata = fs::metadata(path).map_err(|source| Error::Io { path: path.to_owned(), source })?;
        Ok(Stamp { bytes: metadata.len(), written: metadata.modified().ok(), identity: identity(&metadata) })
    }

    /// Checks that the file at `path` still has this stamp.
    ///
    /// # Errors
    /// When it has not; the message says in what it differs.
    pub(super) fn check(self, path: &str) -> Result<()> {
        let now = Stamp::of(path)?;
        let change = if now == self {
            return Ok(());
        } else if now.identity != self.identity {
            "another file has taken its place".to_owned()
        } else if now.bytes != self.bytes {
            format!("it had {} bytes and has {}", self.bytes, now.bytes)
        } else {
            "it was written to".to_owned()
        };
        Err(changed(path, &change))
    }
}

#[cfg(unix)]
fn identity(metadata: &Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    Some((metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn identity(_: &Metadata) -> Option<(u64, u64)> {
    None
}

/// A file that is not what it was.
pub(super) fn changed(path: &str, change: &str) -> Error {
    let problem = format!("the file changed while it was read ({change}); read a copy that nothing writes to");
    Error::Format { path: path.to_owned(), problem }
}
