//! Finished runs on disk: one file each, `ID.run`, whose first line is a summary and whose second is the report.
//!
//! A file is written beside its place, flushed to the disk and renamed, so that it is there whole or not at all; what a
//! killed server left half written is removed when the next one starts. A run that cannot be written (the disk is full) is
//! held in memory and says so. Names are made here; what a client sends is only compared with the names of runs that are
//! known.

use std::collections::{BTreeMap, VecDeque};
use std::fs::{self, DirBuilder, File};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError, RwLock};

use npvar::data::{WholeFile, remove_abandoned};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::progress::Status;

const ENDING: &str = "run";
/// Reports held in memory because they could not be written; the oldest goes when another comes.
const IN_MEMORY: usize = 16;

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
    /// The request that it was; those of earlier versions do not know.
    #[serde(default)]
    pub(super) asked: Option<Value>,
    /// Why it is in memory only, and gone when the server ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) not_kept: Option<String>,
}

pub(super) struct History {
    folder: PathBuf,
    runs: RwLock<BTreeMap<String, Summary>>,
    in_memory: Mutex<VecDeque<(String, Value)>>,
}

impl History {
    /// Opens or makes the folder, and says how many files in it could not be read.
    pub(super) fn open(folder: &Path) -> io::Result<(History, usize)> {
        // Reports hold rows of the data: they are their owner's alone. A folder that was there keeps its permissions.
        let mut builder = DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.recursive(true).create(folder)?;
        remove_abandoned(folder)?;
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
        let in_memory = Mutex::default();
        Ok((History { folder: folder.to_owned(), runs: RwLock::new(runs), in_memory }, unreadable))
    }

    /// Keeps a run. When this returns nothing it survives a crash; otherwise it is in memory, and this is why.
    pub(super) fn keep(&self, mut summary: Summary, report: Option<Value>) -> Option<String> {
        summary.not_kept = self.write(&summary, report.as_ref()).err().map(|error| error.to_string());
        if let (Some(_), Some(report)) = (&summary.not_kept, report) {
            let mut held = self.in_memory.lock().unwrap_or_else(PoisonError::into_inner);
            held.push_back((summary.id.clone(), report));
            if held.len() > IN_MEMORY
                && let Some((id, _)) = held.pop_front()
            {
                self.runs.write().unwrap_or_else(PoisonError::into_inner).remove(&id);
            }
        }
        let told = summary.not_kept.clone();
        self.runs.write().unwrap_or_else(PoisonError::into_inner).insert(summary.id.clone(), summary);
        told
    }

    fn write(&self, summary: &Summary, report: Option<&Value>) -> io::Result<()> {
        let mut file = WholeFile::private(self.path(&summary.id))?;
        serde_json::to_writer(&mut file, summary)?;
        file.write_all(b"\n")?;
        serde_json::to_writer(&mut file, &report)?;
        file.write_all(b"\n")?;
        file.put_durably()
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
        let Some(Summary { id, not_kept, .. }) = self.get(id) else { return Ok(None) };
        if not_kept.is_some() {
            let held = self.in_memory.lock().unwrap_or_else(PoisonError::into_inner);
            return Ok(held.iter().find(|(known, _)| *known == id).map(|(_, report)| report.clone()));
        }
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
        self.in_memory.lock().unwrap_or_else(PoisonError::into_inner).retain(|(held, _)| *held != id);
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
            asked: Some(json!({"learner": "npvar"})),
            not_kept: None,
        }
    }

    #[test]
    fn what_was_kept_is_there_after_a_restart_and_what_was_removed_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let (history, _) = History::open(folder.path()).unwrap();
        for (id, finished) in [("aa", 1), ("bb", 3), ("cc", 2)] {
            assert_eq!(history.keep(run(id, finished), Some(json!({"of": id}))), None);
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
        fs::write(folder.path().join(".npvar-7-1.part"), "half").unwrap();
        fs::write(folder.path().join("bb.run"), [0xff, 0xfe, b'\n']).unwrap();
        let (history, unreadable) = History::open(folder.path()).unwrap();
        assert_eq!((history.list().len(), unreadable), (0, 2));
        assert!(folder.path().join("aa.run").exists());
        assert!(!folder.path().join(".npvar-7-1.part").exists(), "what a killed server left half written");
    }

    #[test]
    fn what_cannot_be_written_is_held_in_memory_and_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let (history, _) = History::open(&folder.path().join("runs")).unwrap();
        // No file can be made in a folder that is gone.
        fs::remove_dir(folder.path().join("runs")).unwrap();
        for i in 0..2 * IN_MEMORY {
            assert!(history.keep(run(&format!("{i:02}"), i as u64), Some(json!({"of": i}))).is_some());
        }
        assert_eq!(history.list().len(), IN_MEMORY);
        assert!(history.list().iter().all(|run| run.not_kept.is_some()));
        assert_eq!(history.report("31").unwrap(), Some(json!({"of": 31})));
        assert_eq!(history.report("01").unwrap(), None);
        assert!(history.remove("31").unwrap());
        assert_eq!(history.report("31").unwrap(), None);
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_that_was_there_keeps_its_permissions_and_a_new_one_is_its_owners() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        History::open(folder.path()).unwrap();
        assert_eq!(mode(folder.path()), 0o755);
        let made = folder.path().join("npvar/runs");
        let (history, _) = History::open(&made).unwrap();
        assert_eq!((mode(&made), mode(made.parent().unwrap())), (0o700, 0o700));
        history.keep(run("aa", 1), None);
        assert_eq!(mode(&made.join("aa.run")), 0o600);
    }
}
