//! What can go wrong with a study, as sentences.

use std::path::Path;

/// The result type of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What went wrong. A cell that fails is not an error: it is a row of the results.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file or folder could not be read or written.
    #[error("{path}: {source}")]
    Io {
        /// The file or folder.
        path: String,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// Results could not be written; those before are safe.
    #[error("{path}: {source}; {saved} of {total} cells are safe, and the same command goes on from there")]
    NotSaved {
        /// The log.
        path: String,
        /// What the operating system said.
        source: std::io::Error,
        /// Cells in the log.
        saved: usize,
        /// Cells in all.
        total: usize,
    },
    /// The study file says something that cannot be.
    #[error("{place}: {problem}")]
    Study {
        /// File and line, or file and key.
        place: String,
        /// What is wrong, and what would be right.
        problem: String,
    },
    /// The folder holds results of another study.
    #[error("{folder} was begun with another study: {difference}; choose another folder, or bring the study back")]
    Changed {
        /// The folder.
        folder: String,
        /// The first thing that differs.
        difference: String,
    },
    /// Another run writes there.
    #[error("{folder} is in use by another run of this study")]
    Busy {
        /// The folder.
        folder: String,
    },
    /// A folder without a study.
    #[error("{folder} holds no study (no study.json in it); `npvar study run STUDY.toml --out {folder}` begins one")]
    NoStudy {
        /// The folder.
        folder: String,
    },
    /// A log that is not one, or is damaged before its last line.
    #[error("{path}, line {line}: {problem}")]
    Damaged {
        /// The log.
        path: String,
        /// 1-based line.
        line: usize,
        /// What is wrong.
        problem: String,
    },
    /// Two logs disagree about a cell.
    #[error("{first} and {second} disagree about {cell}")]
    Disagree {
        /// A folder.
        first: String,
        /// Another.
        second: String,
        /// The cell.
        cell: String,
    },
    /// A worker process cannot be started.
    #[error("a worker process cannot be started: {0}")]
    Worker(std::io::Error),
    /// A figure could not be drawn.
    #[error("figure `{name}`: {problem}")]
    Figure {
        /// Its name.
        name: String,
        /// What is wrong.
        problem: String,
    },
    /// Stopped from outside; finished cells are safe.
    #[error("stopped after {done} of {total} cells; the same command goes on from there")]
    Stopped {
        /// Cells done.
        done: usize,
        /// Cells in all.
        total: usize,
    },
}

impl Error {
    pub(crate) fn io(path: &Path) -> impl FnOnce(std::io::Error) -> Error {
        let path = path.display().to_string();
        move |source| Error::Io { path, source }
    }
}
