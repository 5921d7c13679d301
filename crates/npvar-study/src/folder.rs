//! A study's folder: `study.json` (what was begun), `study.toml` (as written), logs, `table.csv`.

use std::fs::File;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::error::{Error, Result};
use crate::fingerprint::fingerprint;
use crate::log;
use crate::row::Row;
use crate::shard::Shard;
use crate::study::{Size, Study};
use crate::table::write_whole;

/// `study.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Begun {
    format: String,
    /// The size that was chosen.
    pub(crate) size: Size,
    /// The version of the program that began it.
    pub(crate) version: String,
    /// A hash of the plan.
    pub(crate) hash: String,
    /// Everything the numbers depend on.
    plan: Value,
}

impl Begun {
    pub(crate) fn of(study: &Study) -> Begun {
        let file = &study.file;
        let plan = json!({
            "settings": file.settings,
            "nodes": file.nodes,
            "samples": file.samples,
            "noise-variances": file.noise_variances,
            "p": file.p,
            "seeds": file.seeds,
            "time-limit": file.time_limit,
            "learners": study.learners,
        });
        let hash = fingerprint(&plan.to_string());
        let version = env!("CARGO_PKG_VERSION").to_owned();
        Begun { format: "npvar-study/1".to_owned(), size: study.size, version, hash, plan }
    }

    /// The first thing in which two studies differ, in words.
    pub(crate) fn difference(&self, now: &Begun) -> Option<String> {
        if self.version != now.version {
            return Some(format!("npvar {} began it, this is {}", self.version, now.version));
        }
        let keys = now.plan.as_object().into_iter().flatten();
        let changed = keys.filter(|(key, value)| self.plan.get(key.as_str()) != Some(value)).map(|(key, value)| {
            let before = self.plan.get(key.as_str()).unwrap_or(&Value::Null);
            if key == "learners" {
                return "`learners` or their options have changed".to_owned();
            }
            format!("`{key}` was {before}, is {value}")
        });
        let changed: Vec<String> = changed.collect();
        if changed.is_empty() {
            return None;
        }
        let sizes = if self.size == now.size { String::new() } else { " (one is the quick size)".to_owned() };
        Some(changed.join(", ") + &sizes)
    }
}

/// A folder with a study in it.
pub(crate) struct Folder {
    pub(crate) path: PathBuf,
}

impl Folder {
    /// Begins a study in a folder, or checks that it was begun with the same.
    pub(crate) fn begin(path: &Path, study: &Study) -> Result<Folder> {
        std::fs::create_dir_all(path).map_err(Error::io(path))?;
        let folder = Folder { path: path.to_owned() };
        let now = Begun::of(study);
        let json = folder.path.join("study.json");
        if json.exists() {
            if let Some(difference) = folder.begun()?.difference(&now) {
                return Err(Error::Changed { folder: path.display().to_string(), difference });
            }
        } else {
            if let Some(log) = folder.logs()?.first() {
                let problem = "there is a log but no study.json beside it".to_owned();
                return Err(Error::Damaged { path: log.display().to_string(), line: 1, problem });
            }
            let text = serde_json::to_string_pretty(&now).expect("a plan is plain data") + "\n";
            write_whole(&json, text.as_bytes())?;
        }
        // Titles, captions and figures may change; the last word counts.
        write_whole(&folder.path.join("study.toml"), study.text.as_bytes())?;
        Ok(folder)
    }

    /// A folder in which a study was begun.
    pub(crate) fn open(path: &Path) -> Result<Folder> {
        let folder = Folder { path: path.to_owned() };
        if !folder.path.join("study.json").exists() {
            return Err(Error::NoStudy { folder: path.display().to_string() });
        }
        Ok(folder)
    }

    pub(crate) fn begun(&self) -> Result<Begun> {
        let path = self.path.join("study.json");
        let text = std::fs::read_to_string(&path).map_err(Error::io(&path))?;
        serde_json::from_str(&text).map_err(|error| Error::Damaged {
            path: path.display().to_string(),
            line: error.line(),
            problem: format!("this does not describe a study: {error}"),
        })
    }

    /// The study that is in it.
    pub(crate) fn study(&self) -> Result<Study> {
        Study::read(&self.path.join("study.toml"), self.begun()?.size)
    }

    /// Keeps other runs of the same part away as long as the file lives; a killed run lets go by itself.
    pub(crate) fn lock(&self, shard: Shard) -> Result<File> {
        let path = self.path.join(format!(".{}.lock", shard.log_name().trim_end_matches(".csv")));
        let file = File::create(&path).map_err(Error::io(&path))?;
        match file.try_lock() {
            Ok(()) => Ok(file),
            Err(std::fs::TryLockError::WouldBlock) => Err(Error::Busy { folder: self.path.display().to_string() }),
            Err(std::fs::TryLockError::Error(error)) => Err(Error::io(&path)(error)),
        }
    }

    pub(crate) fn log(&self, shard: Shard) -> PathBuf {
        self.path.join(shard.log_name())
    }

    /// All finished cells, of every shard.
    pub(crate) fn rows(&self) -> Result<Vec<Row>> {
        let mut rows = Vec::new();
        for path in self.logs()? {
            rows.extend(log::read(&path)?.rows);
        }
        Ok(rows)
    }

    fn logs(&self) -> Result<Vec<PathBuf>> {
        let mut paths = Vec::new();
        for entry in std::fs::read_dir(&self.path).map_err(Error::io(&self.path))? {
            let path = entry.map_err(Error::io(&self.path))?.path();
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            if name.starts_with("results") && name.ends_with(".csv") {
                paths.push(path);
            }
        }
        paths.sort();
        Ok(paths)
    }
}
