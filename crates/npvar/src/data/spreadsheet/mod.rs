//! Spreadsheets (`.xlsx`, `.ods`), turned into comma-separated text that is read like any other: numbers with all their
//! digits, dates as ISO writes them. They are zip archives of XML, for both of which there is what it takes already.

mod cells;
mod ods;
mod xlsx;
mod zip;

use self::cells::Sheet;
use self::zip::Archive;
use super::intake::IntakeEntry;
use super::paths::open_file;
use crate::error::{Error, Result};

/// The largest file that is taken, in bytes: all of it is held in memory.
const LARGEST: u64 = 1 << 28;

/// The first sheet that holds anything, as comma-separated text, and what to tell about it.
///
/// # Errors
/// When the file cannot be read or is no spreadsheet.
pub(super) fn to_text(path: &str) -> Result<(Vec<u8>, Vec<IntakeEntry>)> {
    let format = |problem: String| Error::Format { path: path.to_owned(), problem };
    let in_file = |source| Error::Io { path: path.to_owned(), source };
    let mut bytes = Vec::new();
    let read = std::io::Read::read_to_end(&mut std::io::Read::take(open_file(path)?, LARGEST + 1), &mut bytes);
    if read.map_err(in_file)? as u64 > LARGEST {
        return Err(format(format!("the spreadsheet is larger than {} MiB; save the table as CSV", LARGEST >> 20)));
    }
    let archive = Archive::of(&bytes).map_err(format)?;
    let sheets = if archive.has("xl/workbook.xml") {
        xlsx::sheets(&archive)
    } else if archive.has("content.xml") {
        ods::sheets(&archive)
    } else {
        Err("the file is a zip archive and no spreadsheet; unpack it first".to_owned())
    };
    let sheets = sheets.map_err(format)?;
    let count = sheets.len();
    let Some(Sheet { name, text }) = sheets.into_iter().find(|sheet| !sheet.text.is_empty()) else {
        return Err(format("the file is empty".to_owned()));
    };
    let told = (count > 1).then(|| {
        IntakeEntry::table(
            format!("read the sheet `{}`", super::intake::clean(&name)),
            format!("the first of {count} that holds anything"),
        )
    });
    Ok((text, told.into_iter().collect()))
}
