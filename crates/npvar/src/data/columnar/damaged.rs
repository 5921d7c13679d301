//! Damaged files. The Arrow crates answer most of them with an error, but panic at some, and believe a batch that says it is
//! larger than the file, or that its buffers are huge when unpacked.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::panic::{AssertUnwindSafe, catch_unwind};

use arrow_ipc::reader::read_footer_length;
use arrow_ipc::{Block, root_as_footer, root_as_message};
use arrow_schema::ArrowError;

use crate::error::{Error, Result};

/// What stands at the end of an Arrow IPC file: the footer's length and the magic word.
const TRAILER: u64 = 10;
/// What stands before a message and its length; files of old have the length alone.
const CONTINUATION: [u8; 4] = [0xff; 4];
/// What a compressed batch may unpack to.
const LARGEST_BATCH: u64 = 1 << 30;

const DAMAGED: &str = "the file is damaged: its parts do not fit together";

/// What `read` answers, or an error where it panics. Whatever it was reading from must not be used again then.
pub(super) fn caught<T>(path: &str, read: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|_| Err(damaged(path)))
}

/// Whether every batch of an Arrow IPC file lies within it and unpacks to no more than it may, before memory is set aside
/// for one.
pub(super) fn check_blocks(path: &str, mut file: &File) -> Result<()> {
    let problem = |file: &mut &File| -> Result<Option<String>, ArrowError> {
        let size = file.seek(SeekFrom::End(0))?;
        if size < TRAILER {
            return Ok(Some(DAMAGED.to_owned()));
        }
        let mut trailer = [0; TRAILER as usize];
        read_at(file, size - TRAILER, &mut trailer)?;
        let length = read_footer_length(trailer)? as u64;
        let Some(start) = (size - TRAILER).checked_sub(length) else { return Ok(Some(DAMAGED.to_owned())) };
        let mut footer = vec![0; length as usize];
        read_at(file, start, &mut footer)?;
        let footer = root_as_footer(&footer).map_err(|error| ArrowError::ParseError(error.to_string()))?;
        for block in footer.recordBatches().into_iter().chain(footer.dictionaries()).flatten() {
            let parts = [block.offset(), i64::from(block.metaDataLength()), block.bodyLength()];
            let end = parts.iter().try_fold(0_u64, |end, &part| end.checked_add(u64::try_from(part).ok()?));
            if end.is_none_or(|end| end > size) {
                return Ok(Some(DAMAGED.to_owned()));
            }
            let unpacked = unpacked_size(file, block, size)?;
            if unpacked > LARGEST_BATCH {
                let (unpacked, most) = (unpacked >> 20, LARGEST_BATCH >> 20);
                return Ok(Some(format!(
                    "a compressed batch unpacks to {unpacked} MiB, of which {most} are allowed; write the file in smaller batches"
                )));
            }
        }
        file.seek(SeekFrom::Start(0))?;
        Ok(None)
    };
    match problem(&mut file) {
        Ok(None) => Ok(()),
        Ok(Some(problem)) => Err(Error::Format { path: path.to_owned(), problem }),
        Err(error) => Err(unreadable(path, &error)),
    }
}

/// What the buffers of a compressed batch say they unpack to; each begins with that number, −1 for one left as it is.
fn unpacked_size(file: &mut &File, block: &Block, size: u64) -> Result<u64, ArrowError> {
    let (offset, length) = (block.offset() as u64, block.metaDataLength() as u64);
    let mut metadata = vec![0; length as usize];
    read_at(file, offset, &mut metadata)?;
    let prefix = if metadata.starts_with(&CONTINUATION) { 8 } else { 4 };
    // Within its own bytes: the reader would also take a message that goes on in the body, where nothing could be known of it.
    let message = metadata.get(prefix..).and_then(|message| root_as_message(message).ok());
    let message = message.ok_or_else(|| ArrowError::IpcError(DAMAGED.to_owned()))?;
    let dictionary = || message.header_as_dictionary_batch().and_then(|dictionary| dictionary.data());
    let Some(batch) = message.header_as_record_batch().or_else(dictionary) else { return Ok(0) };
    let Some(buffers) = batch.buffers().filter(|_| batch.compression().is_some()) else { return Ok(0) };
    let mut total = 0_u64;
    for buffer in buffers {
        let begin = u64::try_from(buffer.offset()).ok().and_then(|begin| begin.checked_add(offset + length));
        let (Some(begin), 8..) = (begin, buffer.length()) else { continue };
        if begin.checked_add(8).is_some_and(|end| end <= size) {
            let mut claim = [0; 8];
            read_at(file, begin, &mut claim)?;
            total = total.saturating_add(u64::try_from(i64::from_le_bytes(claim)).unwrap_or(0));
        }
    }
    Ok(total)
}

fn read_at(file: &mut &File, offset: u64, bytes: &mut [u8]) -> io::Result<()> {
    file.seek(SeekFrom::Start(offset))?;
    file.read_exact(bytes)
}

/// A file that its library could not read.
pub(super) fn unreadable(path: &str, error: &dyn std::error::Error) -> Error {
    Error::Format { path: path.to_owned(), problem: format!("the file cannot be read ({error})") }
}

fn damaged(path: &str) -> Error {
    Error::Format { path: path.to_owned(), problem: DAMAGED.to_owned() }
}
