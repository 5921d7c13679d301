//! A temporary folder for this process alone, which leaves nothing behind.
//!
//! Only its owner can read it. It is removed by [`OwnFolder::close`], whoever still holds it; and one that a killed process
//! left behind is removed by the next that starts. A folder is in use while the file `lock` in it is locked, and the
//! operating system unlocks the files of a process that ends, however it ends.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{PoisonError, RwLock};

use anyhow::{Context, Result};

use super::random_name;

const PREFIX: &str = "npvar-uploads-";
const LOCK: &str = "lock";

pub(super) struct OwnFolder {
    path: PathBuf,
    _lock: File,
    /// Files are made under a shared lock, so that none appears while the folder is being removed.
    open: RwLock<bool>,
}

impl OwnFolder {
    /// Makes a folder in `parent`, and removes those that nobody uses any more.
    pub(super) fn within(parent: &Path) -> Result<Self> {
        let told = || format!("{}: no folder for uploads can be made there", parent.display());
        let (path, lock) = make(parent).with_context(told)?;
        remove_stale(parent, &path);
        Ok(OwnFolder { path, _lock: lock, open: RwLock::new(true) })
    }

    /// Where a file of this name stands or will stand.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Makes a file that was not there and that only its owner can read; not once the folder is closed.
    pub(super) fn create(&self, path: &Path) -> io::Result<File> {
        let open = self.open.read().unwrap_or_else(PoisonError::into_inner);
        if !*open {
            return Err(io::Error::new(io::ErrorKind::NotFound, "the server is ending"));
        }
        private_file(path)
    }

    /// Removes the folder with everything in it.
    pub(super) fn close(&self) {
        let mut open = self.open.write().unwrap_or_else(PoisonError::into_inner);
        if std::mem::replace(&mut *open, false) {
            // What cannot be removed now is removed by the next server that starts.
            let _ = fs::remove_dir_all(&self.path);
        }
    }
}

impl Drop for OwnFolder {
    fn drop(&mut self) {
        self.close();
    }
}

fn make(parent: &Path) -> Result<(PathBuf, File)> {
    loop {
        let path = parent.join(format!("{PREFIX}{}", random_name()?));
        let mut builder = DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&path)?;
        let lock = match private_file(&path.join(LOCK)) {
            Ok(lock) => lock,
            // Another server that is starting took it for a stale one: once more, under another name.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(error.into()),
        };
        match lock.try_lock() {
            Ok(()) if path.join(LOCK).exists() => return Ok((path, lock)),
            Ok(()) | Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) => {
                let _ = fs::remove_dir_all(&path);
                return Err(error.into());
            }
        }
    }
}

fn private_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.write(true).create_new(true).open(path)
}

/// Removes folders of the same owner as `own` whose process is gone.
fn remove_stale(parent: &Path, own: &Path) {
    let Ok(entries) = fs::read_dir(parent) else { return };
    for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        let ours = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(PREFIX));
        if !ours || path == own || !same_owner(&path, own) {
            continue;
        }
        match OpenOptions::new().write(true).open(path.join(LOCK)) {
            // Held until the folder is gone, so that nobody begins to use it.
            Ok(lock) if lock.try_lock().is_ok() => drop(fs::remove_dir_all(&path)),
            Ok(_) => {}
            // Only an empty folder is removed by this: a process ended before it had a lock.
            Err(_) => drop(fs::remove_dir(&path)),
        }
    }
}

/// Whether both are folders, not links, of one user.
fn same_owner(path: &Path, own: &Path) -> bool {
    let (Ok(other), Ok(own)) = (fs::symlink_metadata(path), fs::symlink_metadata(own)) else { return false };
    #[cfg(unix)]
    let one_user = std::os::unix::fs::MetadataExt::uid(&other) == std::os::unix::fs::MetadataExt::uid(&own);
    #[cfg(not(unix))]
    let one_user = own.is_dir();
    other.is_dir() && one_user
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn names(folder: &Path) -> usize {
        fs::read_dir(folder).unwrap().count()
    }

    #[test]
    fn what_a_killed_process_left_is_removed_and_what_is_in_use_is_not() {
        let parent = tempfile::tempdir().unwrap();
        let kept = OwnFolder::within(parent.path()).unwrap();
        let killed = OwnFolder::within(parent.path()).unwrap();
        killed.create(&killed.path("table")).unwrap().write_all(b"secret").unwrap();
        let left = killed.path("");
        // A killed process closes its files and removes nothing: the same without the process.
        let copy = parent.path().join(format!("{PREFIX}left"));
        fs::rename(&left, &copy).unwrap();
        drop(killed);
        fs::create_dir(parent.path().join(format!("{PREFIX}empty"))).unwrap();
        fs::create_dir(parent.path().join("npvar-of-another")).unwrap();
        assert!(copy.join("table").exists());
        let next = OwnFolder::within(parent.path()).unwrap();
        assert!(!copy.exists());
        assert!(kept.path(LOCK).exists() && next.path(LOCK).exists());
        assert_eq!(names(parent.path()), 3);
    }

    #[test]
    fn a_closed_folder_is_gone_though_a_file_in_it_is_open_and_takes_no_further_one() {
        let parent = tempfile::tempdir().unwrap();
        let folder = OwnFolder::within(parent.path()).unwrap();
        let mut open = folder.create(&folder.path("a")).unwrap();
        folder.close();
        assert_eq!(names(parent.path()), 0);
        let _ = open.write_all(b"late");
        assert!(folder.create(&folder.path("b")).is_err());
        assert_eq!(names(parent.path()), 0);
    }

    #[cfg(unix)]
    #[test]
    fn nobody_else_can_read_what_is_in_it() {
        use std::os::unix::fs::PermissionsExt;
        let parent = tempfile::tempdir().unwrap();
        let folder = OwnFolder::within(parent.path()).unwrap();
        let file = folder.create(&folder.path("a")).unwrap();
        let mode = |metadata: fs::Metadata| metadata.permissions().mode() & 0o777;
        assert_eq!(mode(fs::metadata(folder.path("")).unwrap()), 0o700);
        assert_eq!(mode(file.metadata().unwrap()), 0o600);
    }
}
