//! Files that are there complete or not at all: written beside their place, which they take in one step.
//!
//! A link is followed: the file it points at is replaced, not the link. What is no plain file (a device, a pipe) is written
//! to as it stands, because nothing may take its place. A file on its way is locked, so that what a killed process left
//! behind can be told from what is being written.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// A file on its way to a place: what is written goes to a file beside it (`.npvar-….part`), which takes the place when
/// [`WholeFile::put`] is called and is removed when it is not.
///
/// ```
/// use std::io::Write;
/// use npvar::data::WholeFile;
/// # let folder = tempfile::tempdir()?;
/// let path = folder.path().join("table.csv");
/// let mut file = WholeFile::beside(&path)?;
/// file.write_all(b"a,b\n1,2\n")?;
/// assert!(!path.exists());
/// file.put()?;
/// assert_eq!(std::fs::read_to_string(&path)?, "a,b\n1,2\n");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct WholeFile {
    file: File,
    /// None for a place that is no plain file.
    part: Option<Part>,
    place: PathBuf,
}

const PART_BEGIN: &str = ".npvar-";
const PART_END: &str = ".part";
/// Links followed before they are taken for a circle, as Linux does.
const LINKS: usize = 40;

/// The file beside the place, removed with this value.
#[derive(Debug)]
struct Part(PathBuf);

impl Drop for Part {
    fn drop(&mut self) {
        // It may have taken its place, and there is nowhere to report that it could not be removed.
        let _ = fs::remove_file(&self.0);
    }
}

impl WholeFile {
    /// Begins a file with the permissions that any new file gets.
    ///
    /// # Errors
    /// What the operating system says, when no file can be made in the folder of `place`.
    pub fn beside(place: impl AsRef<Path>) -> io::Result<Self> {
        WholeFile::begin(place.as_ref(), OpenOptions::new().write(true))
    }

    /// Begins a file that is its owner's alone, where the operating system knows owners.
    ///
    /// # Errors
    /// As [`WholeFile::beside`].
    pub fn private(place: impl AsRef<Path>) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        WholeFile::begin(place.as_ref(), options.write(true))
    }

    fn begin(place: &Path, options: &mut OpenOptions) -> io::Result<Self> {
        static BEGUN: AtomicU64 = AtomicU64::new(0);
        if !can_be_replaced(place) {
            let file = OpenOptions::new().write(true).open(place)?;
            return Ok(WholeFile { file, part: None, place: place.to_owned() });
        }
        let place = followed(place)?;
        loop {
            // A number of its own within the process; a file that an ended process left behind is stepped over.
            let number = BEGUN.fetch_add(1, Ordering::Relaxed);
            let part = place.with_file_name(format!("{PART_BEGIN}{}-{number}{PART_END}", std::process::id()));
            let file = match options.create_new(true).open(&part) {
                Ok(file) => file,
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                Err(error) => return Err(error),
            };
            match file.try_lock() {
                // Between the two steps another process may have taken it for an abandoned one: once more.
                Err(TryLockError::WouldBlock) => {}
                Ok(()) if !part.exists() => {}
                // Some file systems have no locks; nothing but the removal of abandoned files depends on them.
                Ok(()) | Err(TryLockError::Error(_)) => return Ok(WholeFile { file, part: Some(Part(part)), place }),
            }
        }
    }

    /// Takes the place, and that of a file that stands there.
    ///
    /// # Errors
    /// What the operating system says; the place is then as it was.
    pub fn put(self) -> io::Result<()> {
        let WholeFile { file, part, place } = self;
        drop(file); // some systems do not move open files
        part.map_or(Ok(()), |part| fs::rename(&part.0, place))
    }

    /// Takes the place as [`WholeFile::put`] does; when this returns, the file survives a crash of the machine.
    ///
    /// # Errors
    /// As [`WholeFile::put`].
    pub fn put_durably(self) -> io::Result<()> {
        if self.part.is_none() {
            return Ok(());
        }
        self.file.sync_all()?;
        #[cfg(unix)]
        let folder = File::open(folder_of(&self.place))?;
        self.put()?;
        #[cfg(unix)]
        folder.sync_all()?;
        Ok(())
    }
}

impl Write for WholeFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Writes a file that is there complete or not at all.
///
/// # Errors
/// What the operating system says; what stood at `place` is then as it was.
pub fn write_whole(place: impl AsRef<Path>, content: impl AsRef<[u8]>) -> io::Result<()> {
    let mut file = WholeFile::beside(place)?;
    file.write_all(content.as_ref())?;
    file.put()
}

/// Whether a plain file may stand at `place`: one does, or nothing does. Not so a device, a pipe, or what the system shows
/// as a file under `/dev` and `/proc` (`/dev/stdout` may be a plain file that somebody else is writing).
pub fn can_be_replaced(place: impl AsRef<Path>) -> bool {
    let place = place.as_ref();
    let of_the_system = cfg!(unix) && ["/dev", "/proc"].iter().any(|folder| place.starts_with(folder));
    fs::metadata(place).map_or(true, |found| !of_the_system && (found.is_file() || found.is_dir()))
}

/// Removes what killed processes left half written in a folder.
///
/// # Errors
/// What the operating system says, when the folder cannot be read.
pub fn remove_abandoned(folder: impl AsRef<Path>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let a_part = name.starts_with(PART_BEGIN) && name.ends_with(PART_END);
        if a_part && entry.file_type().is_ok_and(|kind| kind.is_file()) {
            let file = OpenOptions::new().write(true).open(entry.path());
            // One that is locked is being written, and one that cannot be opened is somebody else's.
            if file.is_ok_and(|file| file.try_lock().is_ok()) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
    Ok(())
}

/// The place that a chain of links ends at, whether something stands there or not.
fn followed(place: &Path) -> io::Result<PathBuf> {
    let mut place = place.to_owned();
    for _ in 0..LINKS {
        match fs::read_link(&place) {
            Ok(target) => place = place.parent().unwrap_or(Path::new("")).join(target),
            Err(_) => return Ok(place),
        }
    }
    Err(io::Error::other("a link that leads in a circle"))
}

/// The folder in which a file stands or will stand.
#[cfg(unix)]
fn folder_of(place: &Path) -> &Path {
    place.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_that_is_not_put_leaves_nothing_and_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("a");
        write_whole(&place, "first").unwrap();
        let mut second = WholeFile::beside(&place).unwrap();
        second.write_all(b"second").unwrap();
        assert_eq!(names(folder.path()).len(), 2);
        drop(second);
        assert_eq!(names(folder.path()), ["a"]);
        assert_eq!(fs::read_to_string(&place).unwrap(), "first");
    }

    #[test]
    fn a_file_takes_the_place_of_another_and_leaves_no_part() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("a");
        let (mut first, mut second) = (WholeFile::beside(&place).unwrap(), WholeFile::beside(&place).unwrap());
        first.write_all(b"first").unwrap();
        second.write_all(b"second").unwrap();
        first.put().unwrap();
        second.put_durably().unwrap();
        assert_eq!(fs::read_to_string(&place).unwrap(), "second");
        assert_eq!(names(folder.path()), ["a"]);
    }

    #[test]
    fn a_folder_that_is_not_there_and_a_place_that_is_a_folder_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let error = write_whole(folder.path().join("none/a"), "").unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
        let place = folder.path().join("b");
        fs::create_dir(&place).unwrap();
        assert!(write_whole(&place, "").is_err());
        assert_eq!(names(folder.path()), ["b"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_private_file_is_its_owners_and_another_is_as_any_new_file() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let mode = |name: &str| fs::metadata(folder.path().join(name)).unwrap().permissions().mode() & 0o777;
        WholeFile::private(folder.path().join("private")).unwrap().put().unwrap();
        write_whole(folder.path().join("whole"), "").unwrap();
        fs::write(folder.path().join("any"), "").unwrap();
        assert_eq!(mode("private"), 0o600);
        assert_eq!(mode("whole"), mode("any"));
    }

    #[test]
    fn what_nobody_writes_any_more_is_removed_and_what_is_being_written_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let mut going = WholeFile::beside(folder.path().join("a")).unwrap();
        for name in [".npvar-1-0.part", "data.part", ".npvar-notes"] {
            fs::write(folder.path().join(name), "half").unwrap();
        }
        remove_abandoned(folder.path()).unwrap();
        going.write_all(b"whole").unwrap();
        going.put().unwrap();
        assert_eq!(names(folder.path()), [".npvar-notes", "a", "data.part"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_a_link_and_the_file_behind_it_is_replaced() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("far")).unwrap();
        fs::write(folder.path().join("far/target"), "old").unwrap();
        symlink("far/target", folder.path().join("link")).unwrap();
        symlink("link", folder.path().join("second")).unwrap();
        symlink("far/none", folder.path().join("dangling")).unwrap();
        symlink("circle", folder.path().join("circle")).unwrap();
        write_whole(folder.path().join("second"), "new").unwrap();
        write_whole(folder.path().join("dangling"), "made").unwrap();
        assert!(write_whole(folder.path().join("circle"), "").is_err());
        assert_eq!(fs::read_to_string(folder.path().join("far/target")).unwrap(), "new");
        assert_eq!(fs::read_to_string(folder.path().join("far/none")).unwrap(), "made");
        for link in ["link", "second", "dangling"] {
            assert!(fs::symlink_metadata(folder.path().join(link)).unwrap().is_symlink(), "{link}");
        }
        assert_eq!(names(&folder.path().join("far")), ["none", "target"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_device_is_written_to_and_never_replaced() {
        use std::os::unix::fs::{FileTypeExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        symlink("/dev/null", folder.path().join("null")).unwrap();
        for place in ["/dev/null".into(), folder.path().join("null")] {
            write_whole(&place, "lost").unwrap();
            assert!(fs::metadata(&place).unwrap().file_type().is_char_device());
        }
        assert_eq!(names(folder.path()), ["null"]);
    }
}
