//! Zip archives: where each file stands, and its content.

use std::io::Read;

use flate2::read::DeflateDecoder;

/// The most bytes a file may unpack to.
const LARGEST: u64 = 1 << 27;

/// An archive in memory.
pub(super) struct Archive<'b> {
    bytes: &'b [u8],
    entries: Vec<Entry>,
}

struct Entry {
    name: String,
    is_deflated: bool,
    /// Where its local header begins.
    at: usize,
    packed: usize,
}

impl<'b> Archive<'b> {
    /// Reads the directory, which stands at the end.
    pub(super) fn of(bytes: &'b [u8]) -> Result<Archive<'b>, String> {
        let damaged = || "the zip archive is damaged".to_owned();
        let from = bytes.len().saturating_sub((1 << 16) + 22);
        let end = bytes[from..].windows(4).rposition(|window| window == b"PK\x05\x06").ok_or_else(damaged)? + from;
        let count = short(bytes, end + 10).ok_or_else(damaged)?;
        let mut at = long(bytes, end + 16).ok_or_else(damaged)?;
        let mut entries = Vec::new();
        for _ in 0..count {
            if bytes.get(at..at + 4) != Some(b"PK\x01\x02") {
                return Err(damaged());
            }
            let field = |offset| short(bytes, at + offset).ok_or_else(damaged);
            let (flags, method) = (field(8)?, field(10)?);
            let (name, extra, comment) = (field(28)?, field(30)?, field(32)?);
            if flags & 1 == 1 {
                return Err("the file is encrypted; save it without a password".to_owned());
            }
            let packed = long(bytes, at + 20).ok_or_else(damaged)?;
            let header = long(bytes, at + 42).ok_or_else(damaged)?;
            let text = bytes.get(at + 46..at + 46 + name).ok_or_else(damaged)?;
            if method == 0 || method == 8 {
                let name = String::from_utf8_lossy(text).into_owned();
                entries.push(Entry { name, is_deflated: method == 8, at: header, packed });
            }
            at += 46 + name + extra + comment;
        }
        Ok(Archive { bytes, entries })
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.entries.iter().any(|entry| entry.name == name)
    }

    /// The content of a file that is text.
    pub(super) fn text(&self, name: &str) -> Result<String, String> {
        let damaged = || format!("{name} in the file cannot be unpacked");
        let entry =
            self.entries.iter().find(|entry| entry.name == name).ok_or_else(|| format!("{name} is not in the file"))?;
        let skip = 30
            + short(self.bytes, entry.at + 26).ok_or_else(damaged)?
            + short(self.bytes, entry.at + 28).ok_or_else(damaged)?;
        let start = entry.at.checked_add(skip).ok_or_else(damaged)?;
        let packed = start.checked_add(entry.packed).and_then(|end| self.bytes.get(start..end)).ok_or_else(damaged)?;
        let mut text = String::new();
        let read = match entry.is_deflated {
            true => DeflateDecoder::new(packed).take(LARGEST + 1).read_to_string(&mut text),
            false => packed.take(LARGEST + 1).read_to_string(&mut text),
        };
        match read {
            Ok(length) if length as u64 > LARGEST => {
                Err(format!("a sheet is larger than {} MiB; save the table as CSV", LARGEST >> 20))
            }
            Ok(_) => Ok(text),
            Err(_) => Err(damaged()),
        }
    }
}

fn short(bytes: &[u8], at: usize) -> Option<usize> {
    Some(usize::from(u16::from_le_bytes(bytes.get(at..at.checked_add(2)?)?.try_into().ok()?)))
}

fn long(bytes: &[u8], at: usize) -> Option<usize> {
    usize::try_from(u32::from_le_bytes(bytes.get(at..at.checked_add(4)?)?.try_into().ok()?)).ok()
}
