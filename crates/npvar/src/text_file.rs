//! Text files that are read whole (graphs, knowledge, options, studies), up to a bound.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The most bytes of a graph's file: 2000 nodes with a test for every pair stay well below it.
pub const GRAPH_BYTES: u64 = 1 << 30;

/// The most bytes of a file that people write by hand: knowledge, an order, options, a study.
pub const WRITTEN_BYTES: u64 = 16 << 20;

/// The text of a file with `most` bytes at most.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// let path = folder.path().join("order.txt");
/// std::fs::write(&path, "b\na\n")?;
/// assert_eq!(npvar::text_file::read(&path, 4)?, "b\na\n");
/// let refused = npvar::text_file::read(&path, 3).unwrap_err().to_string();
/// assert_eq!(refused, "the file has more than 3 bytes, the most that are read");
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// What the operating system says, when the file cannot be read; when it is longer, or not UTF-8. An endless file (a device)
/// is read up to the bound.
pub fn read(path: impl AsRef<Path>, most: u64) -> io::Result<String> {
    let mut text = String::new();
    File::open(path)?.take(most.saturating_add(1)).read_to_string(&mut text)?;
    if text.len() as u64 > most {
        let most = if most >> 20 > 0 { format!("{} MiB", most >> 20) } else { format!("{most} bytes") };
        let problem = format!("the file has more than {most}, the most that are read");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, problem));
    }
    Ok(text)
}
