//! Joins the parts of a study that ran in several folders.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::folder::Folder;
use crate::row::Row;
use crate::shard::Shard;
use crate::table::{arranged, cell_name, text, write_whole};

/// What was joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Merged {
    /// Cells that are there.
    pub cells: usize,
    /// Cells of the study.
    pub total: usize,
}

/// Writes the cells of all `folders` to `out`, which is then a folder like any other: it can be reported, or gone on with.
///
/// # Errors
/// When a folder holds no study or another one, when two disagree about a cell (time and memory aside), or when `out` cannot be
/// written or has results already.
pub fn merge(folders: &[PathBuf], out: &Path) -> Result<Merged> {
    let Some(first) = folders.first() else { return Ok(Merged { cells: 0, total: 0 }) };
    let study = Folder::open(first)?.study()?;
    let begun = Folder::open(first)?.begun()?;
    let mut rows: Vec<Row> = Vec::new();
    let mut known: HashMap<String, (Row, &PathBuf)> = HashMap::new();
    for path in folders {
        let folder = Folder::open(path)?;
        if let Some(difference) = folder.begun()?.difference(&begun) {
            return Err(Error::Changed { folder: path.display().to_string(), difference });
        }
        for row in arranged(&study, folder.rows()?) {
            let cell = cell_name(&row);
            if let Some((other, place)) = known.get(&cell) {
                if *other != row.without_timing() {
                    let [first, second] = [*place, path].map(|path| path.display().to_string());
                    return Err(Error::Disagree { first, second, cell });
                }
                continue;
            }
            known.insert(cell, (row.without_timing(), path));
            rows.push(row);
        }
    }
    let target = Folder::begin(out, &study)?;
    let log = target.log(Shard::WHOLE);
    let _lock = target.lock(Shard::WHOLE)?;
    if !target.rows()?.is_empty() {
        let problem = "there are results already; merge into a new folder".to_owned();
        return Err(Error::Damaged { path: log.display().to_string(), line: 1, problem });
    }
    let rows = arranged(&study, rows);
    let table = text(&rows);
    write_whole(&log, table.as_bytes())?;
    let total = study.cells().len();
    if rows.len() == total {
        write_whole(&target.path.join("table.csv"), table.as_bytes())?;
    }
    Ok(Merged { cells: rows.len(), total })
}
