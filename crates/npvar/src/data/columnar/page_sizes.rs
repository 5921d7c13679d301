//! Whether the pages of a Parquet file can be what they claim, before any of them is unpacked.
//!
//! A page says in its header how large it will be; the reader makes that much room, whatever the claim, and a page packed
//! with gzip may grow a thousandfold beyond it. A column of numbers leaves no room for either: a page of `v` values needs
//! at most `v` times a value's width, a few bytes of levels for each, and a fixed overhead; and the pages of a column
//! have no more values than its row group has rows. So all page headers of the chosen columns are walked first (the
//! `parquet` crate has no hook for a limit), and a page that claims more, or that gzip would unpack to more, is refused.
//!
//! The headers are Thrift structs in the compact protocol (apache/parquet-format, `parquet.thrift`).

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};

use flate2::read::MultiGzDecoder;
use parquet::basic::{Compression, Type as PhysicalType};
use parquet::file::metadata::{ColumnChunkMetaData, RowGroupMetaData};

/// Bytes of a page that do not grow with its values.
const OVERHEAD: u64 = 64 << 10;
/// Bytes per value besides its own: repetition and definition levels, and what an encoding may waste.
const LEVELS: u64 = 8;
/// The widest number with its length: a decimal of 256 bits.
const WIDEST: u64 = 36;
/// The longest header: nothing but statistics can make one long.
const HEADER_BYTES: u64 = 64 << 10;
/// Deflate unpacks a byte to no more than this many.
const DEFLATE_RATIO: u64 = 1032;
/// What any page may unpack to without being looked at closely.
const HARMLESS: u64 = 16 << 20;
/// How deep a header may nest; real ones have three levels.
const DEEPEST: usize = 8;

/// Walks the pages of the leaves that are read.
///
/// # Errors
/// A sentence about the page that cannot be what it claims, or what reading came upon.
pub(super) fn check(file: File, groups: &[RowGroupMetaData], leaves: &[usize]) -> io::Result<()> {
    let length = file.metadata()?.len();
    let mut file = BufReader::new(file);
    for group in groups {
        let rows =
            u64::try_from(group.num_rows()).map_err(|_| refused("a row group with a negative number of rows"))?;
        for column in leaves.iter().filter_map(|&leaf| group.columns().get(leaf)) {
            check_chunk(&mut file, length, column, rows)?;
        }
    }
    Ok(())
}

fn check_chunk(file: &mut BufReader<File>, length: u64, column: &ColumnChunkMetaData, rows: u64) -> io::Result<()> {
    let start = column.dictionary_page_offset().unwrap_or_else(|| column.data_page_offset());
    let (Ok(start), Ok(size)) = (u64::try_from(start), u64::try_from(column.compressed_size())) else {
        return Err(refused("a column at a negative offset"));
    };
    let end = start.checked_add(size).filter(|&end| end <= length);
    let end = end.ok_or_else(|| refused("a column that goes on beyond the end of the file"))?;
    let width = match column.column_type() {
        PhysicalType::BOOLEAN => 1,
        PhysicalType::INT32 | PhysicalType::FLOAT => 4,
        PhysicalType::INT64 | PhysicalType::DOUBLE => 8,
        PhysicalType::INT96 => 12,
        PhysicalType::FIXED_LEN_BYTE_ARRAY => u64::try_from(column.column_descr().type_length()).unwrap_or(WIDEST),
        PhysicalType::BYTE_ARRAY => WIDEST,
    };
    let largest = |values: u64| values.saturating_mul(width.min(WIDEST) + LEVELS).saturating_add(OVERHEAD);
    let (mut position, mut values) = (start, 0_u64);
    while position < end {
        file.seek(SeekFrom::Start(position))?;
        let mut header = Header { bytes: file.take(HEADER_BYTES.min(end - position)), read: 0 };
        let page = header.page()?;
        position += header.read;
        if !page.is_dictionary {
            values = values.saturating_add(page.values);
        }
        if values > rows || page.values > rows {
            return Err(refused(&format!("pages of {} values in a group of {rows} rows", values.max(page.values))));
        }
        if page.unpacked > largest(page.values) {
            let claim = format!("a page of {} values that claims to unpack to {} bytes", page.values, page.unpacked);
            return Err(refused(&claim));
        }
        if page.packed > end - position {
            return Err(refused("a page that goes on beyond its column"));
        }
        check_packing(file, column.compression(), &page)?;
        position += page.packed;
    }
    Ok(())
}

/// Codecs that unpack as much as there is, whatever the header says.
fn check_packing(file: &mut BufReader<File>, codec: Compression, page: &Page) -> io::Result<()> {
    match codec {
        Compression::GZIP(_) if page.packed.saturating_mul(DEFLATE_RATIO) > HARMLESS => {
            let levels = page.levels.min(page.packed);
            file.seek_relative(levels as i64)?;
            let unpacked = MultiGzDecoder::new(file.take(page.packed - levels));
            let most = page.unpacked.saturating_sub(levels);
            if io::copy(&mut unpacked.take(most + 1), &mut io::sink())? > most {
                return Err(refused(&format!(
                    "a page that unpacks to more than the {} bytes it claims",
                    page.unpacked
                )));
            }
        }
        Compression::LZ4 if page.packed >= 4 => {
            // Before 2021 some programs wrote whole frames here, which have no limit; nothing writes them any more.
            let mut magic = [0; 4];
            file.seek_relative(page.levels.min(page.packed - 4) as i64)?;
            file.read_exact(&mut magic)?;
            if matches!(u32::from_le_bytes(magic), 0x184D_2204 | 0x184C_2102 | 0x184D_2A50..=0x184D_2A5F) {
                return Err(refused("a page packed as an LZ4 frame, which is not supported"));
            }
        }
        _ => {}
    }
    Ok(())
}

fn refused(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("it has {what}"))
}

/// What a page's header says.
#[derive(Debug, Default, PartialEq)]
struct Page {
    is_dictionary: bool,
    unpacked: u64,
    packed: u64,
    values: u64,
    /// Bytes before the packed part (data pages of the second version).
    levels: u64,
}

/// A header being read.
struct Header<R> {
    bytes: R,
    read: u64,
}

/// Kinds of values in the compact protocol.
const STOP: u8 = 0;
const BYTE: u8 = 3;
const INT16: u8 = 4;
const INT64: u8 = 6;
const DOUBLE: u8 = 7;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const SET: u8 = 10;
const STRUCT: u8 = 12;
/// `PageType.DICTIONARY_PAGE`.
const DICTIONARY_PAGE: u64 = 2;

impl<R: Read> Header<R> {
    fn page(&mut self) -> io::Result<Page> {
        let mut page = Page::default();
        self.fields(&mut |header, id, kind| {
            match (id, kind) {
                (1, BYTE..=INT64) => page.is_dictionary = header.integer(kind)? == DICTIONARY_PAGE,
                (2, BYTE..=INT64) => page.unpacked = header.integer(kind)?,
                (3, BYTE..=INT64) => page.packed = header.integer(kind)?,
                (5 | 7 | 8, STRUCT) => header.fields(&mut |header, inner, kind| {
                    match (inner, kind) {
                        (1, BYTE..=INT64) => page.values = header.integer(kind)?,
                        (5 | 6, BYTE..=INT64) if id == 8 => page.levels += header.integer(kind)?,
                        _ => header.skip(kind, DEEPEST)?,
                    }
                    Ok(())
                })?,
                _ => header.skip(kind, DEEPEST)?,
            }
            Ok(())
        })?;
        Ok(page)
    }

    /// Hands every field of a struct to `visit`, which must read its value.
    fn fields(&mut self, visit: &mut dyn FnMut(&mut Self, u64, u8) -> io::Result<()>) -> io::Result<()> {
        let mut id = 0_u64;
        loop {
            let byte = self.byte()?;
            let (delta, kind) = (u64::from(byte >> 4), byte & 0x0f);
            if kind == STOP {
                return Ok(());
            }
            id = if delta == 0 { self.integer(INT16)? } else { id + delta };
            visit(self, id, kind)?;
        }
    }

    /// An integer that must not be negative.
    fn integer(&mut self, kind: u8) -> io::Result<u64> {
        if kind == BYTE {
            return Ok(u64::from(self.byte()?));
        }
        let coded = self.variable()?;
        // Odd numbers stand for negative ones.
        if coded & 1 == 1 { Err(refused("a page header with a negative number")) } else { Ok(coded >> 1) }
    }

    fn skip(&mut self, kind: u8, depth: usize) -> io::Result<()> {
        if depth == 0 {
            return Err(refused("a page header that nests too deeply"));
        }
        match kind {
            // Booleans are in the field's own byte.
            1 | 2 => {}
            BYTE => drop(self.byte()?),
            INT16..=INT64 => drop(self.variable()?),
            DOUBLE => self.pass(8)?,
            BINARY => {
                let length = self.variable()?;
                self.pass(length)?;
            }
            LIST | SET => {
                let byte = self.byte()?;
                let count = if byte >> 4 == 15 { self.variable()? } else { u64::from(byte >> 4) };
                // Every element takes at least a byte here, booleans too, so the header's limit ends this.
                for _ in 0..count {
                    if byte & 0x0f <= 2 { self.pass(1)? } else { self.skip(byte & 0x0f, depth - 1)? }
                }
            }
            STRUCT => self.fields(&mut |header, _, kind| header.skip(kind, depth - 1))?,
            _ => return Err(refused("a page header of an unknown kind")),
        }
        Ok(())
    }

    fn variable(&mut self) -> io::Result<u64> {
        let mut value = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(refused("a page header with a number of more than 64 bits"))
    }

    fn byte(&mut self) -> io::Result<u8> {
        let mut byte = [0];
        self.bytes.read_exact(&mut byte)?;
        self.read += 1;
        Ok(byte[0])
    }

    fn pass(&mut self, count: u64) -> io::Result<()> {
        let passed = io::copy(&mut self.bytes.by_ref().take(count), &mut io::sink())?;
        self.read += passed;
        if passed == count { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_read_field_by_field() {
        // type = 0, unpacked = 100, packed = 60, data page of 7 values, encoding 0, statistics {max = "ab"}; then the data.
        let bytes =
            [0x15, 0, 0x15, 0xc8, 1, 0x15, 0x78, 0x2c, 0x15, 14, 0x15, 0, 0x3c, 0x18, 2, b'a', b'b', 0, 0, 0, 99];
        let mut header = Header { bytes: &bytes[..], read: 0 };
        let page = header.page().unwrap();
        assert_eq!(page, Page { is_dictionary: false, unpacked: 100, packed: 60, values: 7, levels: 0 });
        assert_eq!(header.read, 20);
    }

    #[test]
    fn headers_that_are_none_end_with_an_error() {
        for bytes in [&[][..], &[0x15], &[0x15, 0xff], &[0x15, 3, 0], &[0x1e], &[0x1c; 64], &[0x18, 0xff, 0xff, 0x7f]] {
            assert!(Header { bytes, read: 0 }.page().is_err(), "{bytes:?}");
        }
    }
}
