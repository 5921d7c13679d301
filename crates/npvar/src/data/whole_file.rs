//! Files that are there complete or not at all: written beside their place, which they take in one step.

use std::fs::{self, File, OpenOptions};
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
    part: Part,
    place: PathBuf,
}

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
        loop {
            // A number of its own within the process; a file that an ended process left behind is stepped over.
            let number = BEGUN.fetch_add(1, Ordering::Relaxed);
            let part = place.with_file_name(format!(".npvar-{}-{number}.part", std::process::id()));
            match options.create_new(true).open(&part) {
                Ok(file) => return Ok(WholeFile { file, part: Part(part), place: place.to_owned() }),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
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
        fs::rename(&part.0, place)
    }

    /// Takes the place as [`WholeFile::put`] does; when this returns, the file survives a crash of the machine.
    ///
    /// # Errors
    /// As [`WholeFile::put`].
    pub fn put_durably(self) -> io::Result<()> {
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
}
