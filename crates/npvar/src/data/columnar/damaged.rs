//! Damaged files. The Arrow crates answer most of them with an error, but panic at some, and believe a batch that says it is
//! larger than the file.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::panic::{AssertUnwindSafe, catch_unwind};

use arrow_ipc::reader::read_footer_length;
use arrow_ipc::root_as_footer;
use arrow_schema::ArrowError;

use crate::error::{Error, Result};

/// What stands at the end of an Arrow IPC file: the footer's length and the magic word.
const TRAILER: u64 = 10;

/// What `read` answers, or an error where it panics. Whatever it was reading from must not be used again then.
pub(super) fn caught<T>(path: &str, read: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|_| Err(damaged(path)))
}

/// Whether every batch of an Arrow IPC file lies within it, before memory is set aside for one.
pub(super) fn check_blocks(path: &str, mut file: &File) -> Result<()> {
    let within = |file: &mut &File| -> Result<bool, ArrowError> {
        let size = file.seek(SeekFrom::End(0))?;
        if size < TRAILER {
            return Ok(false);
        }
        let mut trailer = [0; TRAILER as usize];
        file.seek(SeekFrom::Start(size - TRAILER))?;
        file.read_exact(&mut trailer)?;
        let length = read_footer_length(trailer)? as u64;
        let Some(start) = (size - TRAILER).checked_sub(length) else { return Ok(false) };
        let mut footer = vec![0; length as usize];
        file.seek(SeekFrom::Start(start))?;
        file.read_exact(&mut footer)?;
        file.seek(SeekFrom::Start(0))?;
        let footer = root_as_footer(&footer).map_err(|error| ArrowError::ParseError(error.to_string()))?;
        let blocks = footer.recordBatches().into_iter().chain(footer.dictionaries()).flatten();
        Ok(blocks.into_iter().all(|block| {
            let parts = [block.offset(), i64::from(block.metaDataLength()), block.bodyLength()];
            let end = parts.iter().try_fold(0_u64, |end, &part| end.checked_add(u64::try_from(part).ok()?));
            end.is_some_and(|end| end <= size)
        }))
    };
    match within(&mut file) {
        Ok(true) => Ok(()),
        Ok(false) => Err(damaged(path)),
        Err(error) => Err(super::unreadable(path, &error)),
    }
}

fn damaged(path: &str) -> Error {
    Error::Format { path: path.to_owned(), problem: "the file is damaged: its parts do not fit together".to_owned() }
}
