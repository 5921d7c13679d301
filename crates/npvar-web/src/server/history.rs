//! Finished runs on disk: one file each, `ID.run`, whose first line is a summary and whose second is the report.
//!
//! A file is written beside its place, flushed to the disk and renamed, so that it is there whole or not at all. Names are
//! made here; what a client sends is only compared with the names of runs that are known.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::sync::{PoisonError, RwLock};

use npvar::data::WholeFile;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::progress::Status;

const ENDING: &str = "run";

/// What the list of runs shows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Summary {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) learner: String,
    pub(super) status: Status,
    /// Why it failed.
    pub(super) message: Option<String>,
    pub(super) samples: usize,
    pub(super) nodes: usize,
    pub(super) edges: usize,
    pub(super) warnings: usize,
    pub(super) seed: u64,
    /// Seconds since 1970 when it was finished.
    pub(super) finished: u64,
    pub(super) seconds: f64,
}

pub(super) struct History {
    folder: PathBuf,
    runs: RwLock<BTreeMap<String, Summary>>,
}

impl History {
    /// Opens or makes the folder, and says how many files in it could not be read.
    pub(super) fn open(folder: &Path) -> io::Result<(History, usize)> {
        fs::create_dir_all(folder)?;
        // Reports hold rows of the data: they are their owner's alone.
        #[cfg(unix)]
        fs::set_permissions(folder, std::os::unix::fs::PermissionsExt::from_mode(0o700))?;
        let (mut runs, mut unreadable) = (BTreeMap::new(), 0);
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.extension().is_none_or(|ending| ending != ENDING) {
                continue;
            }
            let name = path.file_stem().map(|name| name.to_string_lossy().into_owned());
            match (name, summary(&path)) {
                (Some(name), Ok(summary)) if summary.id == name => drop(runs.insert(name, summary)),
                _ => unreadable += 1,
            }
        }
        Ok((History { folder: folder.to_owned(), runs: RwLock::new(runs) }, unreadable))
    }

    /// Keeps a run; when this returns it survives a crash.
    pub(super) fn keep(&self, summary: Summary, report: Option<&Value>) -> io::Result<()> {
        // One that a crash left behind half written has another ending, and is never listed.
        let mut file = WholeFile::private(self.path(&summary.id))?;
        serde_json::to_writer(&mut file, &summary)?;
        file.write_all(b"\n")?;
        serde_json::to_writer(&mut file, &report)?;
        file.write_all(b"\n")?;
        file.put_durably()?;
        self.runs.write().unwrap_or_else(PoisonError::into_inner).insert(summary.id.clone(), summary);
        Ok(())
    }

    /// All runs, the latest first.
    pub(super) fn list(&self) -> Vec<Summary> {
        let mut list: Vec<Summary> =
            self.runs.read().unwrap_or_else(PoisonError::into_inner).values().cloned().collect();
        list.sort_by(|a, b| (b.finished, &b.id).cmp(&(a.finished, &a.id)));
        list
    }

    pub(super) fn get(&self, id: &str) -> Option<Summary> {
        self.runs.read().unwrap_or_else(PoisonError::into_inner).get(id).cloned()
    }

    /// The report of a known run, if it has one.
    pub(super) fn report(&self, id: &str) -> io::Result<Option<Value>> {
        let Some(Summary { id, .. }) = self.get(id) else { return Ok(None) };
        let mut lines = BufReader::new(File::open(self.path(&id))?).lines();
        let line = lines.nth(1).unwrap_or_else(|| Ok("null".to_owned()))?;
        Ok(serde_json::from_str(&line)?)
    }

    /// Forgets a known run; false when it is not known.
    pub(super) fn remove(&self, id: &str) -> io::Result<bool> {
        let mut runs = self.runs.write().unwrap_or_else(PoisonError::into_inner);
        let Some(Summary { id, .. }) = runs.get(id) else { return Ok(false) };
        match fs::remove_file(self.path(id)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let id = id.clone();
        runs.remove(&id);
        Ok(true)
    }

    /// Only for names made by this server.
    fn path(&self, id: &str) -> PathBuf {
        self.folder.join(format!("{id}.{ENDING}"))
    }
}

fn summary(path: &Path) -> io::Result<Summary> {
    let mut lines = BufReader::new(File::open(path)?).lines();
    let line = lines.next().unwrap_or_else(|| Ok(String::new()))?;
    Ok(serde_json::from_str(&line)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn run(id: &str, finished: u64) -> Summary {
        Summary {
            id: id.to_owned(),
            title: "t.csv".to_owned(),
            learner: "npvar".to_owned(),
            status: Status::Done,
            message: None,
            samples: 10,
            nodes: 2,
            edges: 1,
            warnings: 0,
            seed: 1,
            finished,
            seconds: 0.5,
        }
    }

    #[test]
    fn what_was_kept_is_there_after_a_restart_and_what_was_removed_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let (history, _) = History::open(folder.path()).unwrap();
        for (id, finished) in [("aa", 1), ("bb", 3), ("cc", 2)] {
            history.keep(run(id, finished), Some(&json!({"of": id}))).unwrap();
        }
        assert!(history.remove("cc").unwrap());
        let (again, unreadable) = History::open(folder.path()).unwrap();
        assert_eq!((again.list(), unreadable), (vec![run("bb", 3), run("aa", 1)], 0));
        assert_eq!(again.report("aa").unwrap(), Some(json!({"of": "aa"})));
    }

    #[test]
    fn unknown_names_touch_no_file() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("secret.run"), "{}\n").unwrap();
        let (history, unreadable) = History::open(&folder.path().join("runs")).unwrap();
        assert_eq!(unreadable, 0);
        for id in ["../secret", "..", "", "/etc/passwd", "secret.run"] {
            assert_eq!(history.report(id).unwrap(), None, "{id}");
            assert!(!history.remove(id).unwrap(), "{id}");
        }
        assert!(folder.path().join("secret.run").exists());
    }

    #[test]
    fn broken_files_are_counted_and_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("aa.run"), "{\"id\": \"aa\", \"ti").unwrap();
        fs::write(folder.path().join(".npvar-x.part"), "half").unwrap();
        fs::write(folder.path().join("bb.run"), [0xff, 0xfe, b'\n']).unwrap();
        let (history, unreadable) = History::open(folder.path()).unwrap();
        assert_eq!((history.list().len(), unreadable), (0, 2));
        assert!(folder.path().join("aa.run").exists());
    }
}
