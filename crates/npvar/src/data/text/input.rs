//! Where a text comes from: a file that is opened for every reading, or bytes that could be read only once.

use std::io::{BufRead, BufReader, Cursor, Read};
use std::sync::Arc;

use flate2::read::MultiGzDecoder;

use super::encoding::{Encoding, decoded};
use super::records::ROW_BYTES;
use crate::data::format::{GZIP, not_from_a_pipe};
use crate::data::paths::open_file;
use crate::error::{Error, Result};

/// A text that can be read from its beginning as often as needed.
#[derive(Debug, Clone)]
pub(in crate::data) struct TextInput {
    /// The file as the user named it.
    pub(in crate::data) source_name: String,
    content: Content,
}

#[derive(Debug, Clone)]
enum Content {
    File,
    Bytes(Arc<Vec<u8>>),
}

impl TextInput {
    /// A file, which must not be a pipe.
    pub(in crate::data) fn file(path: &str) -> Self {
        TextInput { source_name: path.to_owned(), content: Content::File }
    }

    /// Bytes in memory.
    pub(in crate::data) fn bytes(bytes: Vec<u8>, source_name: &str) -> Self {
        TextInput { source_name: source_name.to_owned(), content: Content::Bytes(Arc::new(bytes)) }
    }

    /// What can be read only once, read into memory. A line without an end is refused when it is longer than a row may be.
    ///
    /// # Errors
    /// When reading fails, or a line is too long.
    pub(in crate::data) fn read_once(mut input: impl Read, source_name: &str) -> Result<Self> {
        let in_file = |source| Error::Io { path: source_name.to_owned(), source };
        let (mut bytes, mut line) = (Vec::new(), 0_usize);
        let mut part = vec![0; 1 << 18];
        loop {
            let read = match input.read(&mut part) {
                Ok(0) => break,
                Ok(read) => read,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(in_file(error)),
            };
            if bytes.is_empty()
                && let Some(problem) = not_from_a_pipe(&part[..read])
            {
                return Err(Error::Format { path: source_name.to_owned(), problem });
            }
            let is_packed = bytes.starts_with(&GZIP) || bytes.is_empty() && part.starts_with(&GZIP);
            line = match part[..read].iter().rposition(|&byte| byte == b'\n' || byte == b'\r') {
                Some(last) => read - last - 1,
                None if is_packed => 0,
                None => line + read,
            };
            if line > ROW_BYTES {
                let problem = format!("a line is longer than {} MiB, the most that is read", ROW_BYTES >> 20);
                return Err(Error::Format { path: source_name.to_owned(), problem });
            }
            bytes.extend_from_slice(&part[..read]);
        }
        Ok(TextInput::bytes(bytes, source_name))
    }

    /// The size of what is read, in bytes, packed where it is packed; none for what is in memory already.
    pub(in crate::data) fn file_bytes(&self) -> u64 {
        match self.content {
            Content::File => std::fs::metadata(&self.source_name).map_or(0, |metadata| metadata.len()),
            Content::Bytes(_) => 0,
        }
    }

    /// Whether it is a file.
    pub(in crate::data) fn is_file(&self) -> bool {
        matches!(self.content, Content::File)
    }

    /// The bytes from the beginning, unpacked.
    pub(super) fn open(&self) -> Result<Box<dyn BufRead + Send + '_>> {
        let in_file = |source| Error::Io { path: self.source_name.clone(), source };
        let mut raw: Box<dyn BufRead + Send> = match &self.content {
            Content::File => Box::new(BufReader::with_capacity(1 << 18, open_file(&self.source_name)?)),
            Content::Bytes(bytes) => Box::new(Cursor::new(Shared(bytes.clone()))),
        };
        let is_packed = raw.fill_buf().map_err(in_file)?.starts_with(&GZIP);
        Ok(if is_packed { Box::new(BufReader::with_capacity(1 << 18, MultiGzDecoder::new(raw))) } else { raw })
    }

    /// The text from the beginning as UTF-8 (or whatever extends ASCII), without a byte order mark and without its first lines.
    pub(super) fn text(&self, encoding: Encoding, skipped_lines: usize) -> Result<Box<dyn BufRead + Send + '_>> {
        let in_file = |source| Error::Io { path: self.source_name.clone(), source };
        let mut text = decoded(self.open()?, encoding);
        for _ in 0..skipped_lines {
            skip_line(&mut text).map_err(in_file)?;
        }
        Ok(text)
    }
}

/// Shared bytes that a cursor can hold.
struct Shared(Arc<Vec<u8>>);

impl AsRef<[u8]> for Shared {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

/// Skips to behind the next line end, which is `\n`, `\r\n` or `\r`.
fn skip_line(text: &mut impl BufRead) -> std::io::Result<()> {
    loop {
        let buffer = text.fill_buf()?;
        let Some(&first) = buffer.first() else { return Ok(()) };
        let Some(end) = buffer.iter().position(|&byte| byte == b'\n' || byte == b'\r') else {
            let length = buffer.len();
            text.consume(length);
            continue;
        };
        let end = if end == 0 { (0, first) } else { (end, buffer[end]) };
        text.consume(end.0 + 1);
        if end.1 == b'\r' && text.fill_buf()?.first() == Some(&b'\n') {
            text.consume(1);
        }
        return Ok(());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_skipped_whatever_ends_them() {
        for text in ["a\nb\nc", "a\r\nb\r\nc", "a\rb\rc"] {
            let input = TextInput::bytes(text.as_bytes().to_vec(), "t");
            let mut rest = String::new();
            input.text(Encoding::Utf8, 2).unwrap().read_to_string(&mut rest).unwrap();
            assert_eq!(rest, "c", "{text:?}");
        }
    }

    #[test]
    fn an_endless_line_is_refused_before_memory_is_full() {
        let error = TextInput::read_once(std::io::repeat(0), "/dev/zero").unwrap_err().to_string();
        assert_eq!(error, "/dev/zero: a line is longer than 32 MiB, the most that is read");
    }
}
