//! What was done to a table while it was read, as it is told.

use serde::{Deserialize, Serialize};

/// One thing that was done, to a column or to the whole table.
///
/// ```
/// use npvar::data::{ReadOptions, read};
/// let file = tempfile::NamedTempFile::new().unwrap();
/// std::fs::write(file.path(), "a,b,who\n1,2,Ann\n3,4.5,Bob\n0,1,Cid\n").unwrap();
/// let loaded = read(file.path().to_str().unwrap(), &ReadOptions::default())?;
/// assert_eq!(loaded.data.names(), ["a", "b"]);
/// assert_eq!(loaded.intake[0].column.as_deref(), Some("who"));
/// assert_eq!(loaded.intake[0].did, "left out");
/// # Ok::<(), npvar::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct IntakeEntry {
    /// The column, or nothing where it concerns the table.
    pub column: Option<String>,
    /// What was done.
    pub did: String,
    /// Why.
    pub why: String,
}

impl IntakeEntry {
    /// Of a column.
    pub fn column(name: &str, did: impl Into<String>, why: impl Into<String>) -> Self {
        IntakeEntry { column: Some(name.to_owned()), did: did.into(), why: why.into() }
    }

    /// Of the whole table.
    pub fn table(did: impl Into<String>, why: impl Into<String>) -> Self {
        IntakeEntry { column: None, did: did.into(), why: why.into() }
    }
}

/// `name: did (why)`, in one line.
impl std::fmt::Display for IntakeEntry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(column) = &self.column {
            write!(f, "`{column}`: ")?;
        }
        write!(f, "{} ({})", self.did, self.why)
    }
}

/// A cell or a name as it may be shown: what is not UTF-8 is read as Windows-1252, control characters become `�`, and a long
/// one is cut.
pub(crate) fn shown(bytes: &[u8]) -> String {
    const SHOWN: usize = 40;
    let mut text = clean(&decoded(bytes));
    if let Some((cut, _)) = text.char_indices().nth(SHOWN) {
        text.truncate(cut);
        text.push('…');
    }
    text
}

/// The text without characters that steer a terminal or turn the direction of writing.
pub(crate) fn clean(text: &str) -> String {
    let steers = |c: char| {
        c.is_control() || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    let kept = |c: char| match c {
        '\n' | '\r' | '\t' => ' ',
        c if steers(c) => '\u{fffd}',
        c => c,
    };
    text.chars().map(kept).collect()
}

/// UTF-8, or else Windows-1252.
pub(crate) fn decoded(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().map(|&byte| windows_1252(byte)).collect(),
    }
}

/// Latin-1, and what Windows has in place of its second set of control characters.
fn windows_1252(byte: u8) -> char {
    const FROM_80: [char; 32] = [
        '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}', '‘',
        '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
    ];
    match byte {
        0x80..=0x9f => FROM_80[usize::from(byte) - 0x80],
        byte => char::from(byte),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_steer_a_terminal_is_not_shown() {
        assert_eq!(shown(b"\x1b[31mred\x07"), "\u{fffd}[31mred\u{fffd}");
        assert_eq!(clean("two\nlines"), "two lines");
        assert_eq!(clean("abc\u{202e}cba"), "abc\u{fffd}cba");
    }

    #[test]
    fn what_is_not_utf_8_is_windows_1252() {
        assert_eq!(decoded(b"Temp\xe9rature \x80"), "Température €");
        assert_eq!(decoded("Température".as_bytes()), "Température");
    }
}
