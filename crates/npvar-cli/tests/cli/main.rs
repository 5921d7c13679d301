//! The real program, run as a user runs it.
// A test that cannot go on should stop where it is.
#![allow(missing_docs, clippy::unwrap_used)]

mod advice;
mod awkward_input;
mod bad_input;
mod compare;
mod contract;
mod evidence;
mod golden;
mod interrupt;
mod odd_files;
mod outputs;
mod pc;
mod plan;
mod reading;
mod real_tables;
mod repeatable;
mod report;
mod shown;
mod shown_commands;
mod study;
mod study_broken_off;
mod subcommands;
mod verdict;
mod wrong_usage;

use std::path::{Path, PathBuf};
use std::process::Output;

use assert_cmd::Command;
use tempfile::TempDir;

/// A folder of its own in which the program runs.
pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Folder(TempDir::new().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: &str) {
        std::fs::write(self.path(name), content).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// The names of the files there are.
    pub(crate) fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<String> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// Runs `npvar` with these arguments, separated by spaces.
    pub(crate) fn npvar(&self, arguments: &str) -> Ran {
        self.npvar_with_input(arguments, "")
    }

    /// Runs `npvar` with these arguments, which may hold spaces.
    pub(crate) fn npvar_words(&self, arguments: &[&str]) -> Ran {
        let mut command = Command::new(binary());
        command.current_dir(self.0.path()).args(arguments);
        Ran::of(command)
    }

    /// Runs `npvar` with these variables of the environment.
    pub(crate) fn npvar_in(&self, arguments: &str, variables: &[(&str, &str)]) -> Ran {
        let mut command = Command::new(binary());
        command.current_dir(self.0.path()).args(arguments.split_whitespace()).envs(variables.iter().copied());
        Ran::of(command)
    }

    pub(crate) fn npvar_with_input(&self, arguments: &str, input: &str) -> Ran {
        let mut command = Command::new(binary());
        command.current_dir(self.0.path()).args(arguments.split_whitespace()).write_stdin(input);
        Ran::of(command)
    }

    /// Simulates into `name/data.csv` and `name/truth.csv`.
    pub(crate) fn simulate(&self, name: &str, arguments: &str) {
        self.npvar(&format!("simulate {arguments} --out {name}")).succeeded();
    }
}

pub(crate) fn binary() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_npvar"))
}

/// What a run came to.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran {
    fn of(mut command: Command) -> Self {
        let Output { status, stdout, stderr } = command.output().unwrap();
        Ran {
            code: status.code(),
            stdout: String::from_utf8(stdout).unwrap(),
            stderr: String::from_utf8(stderr).unwrap(),
        }
    }

    #[track_caller]
    pub(crate) fn succeeded(self) -> Self {
        assert_eq!(self.code, Some(0), "{self:?}");
        self
    }

    /// Ends with this status and one sentence, which has these parts; nothing on standard output.
    #[track_caller]
    pub(crate) fn failed(self, code: i32, parts: &[&str]) -> Self {
        assert_eq!(self.code, Some(code), "{self:?}");
        assert_eq!(self.stdout, "", "{self:?}");
        assert!(self.stderr.starts_with("error: "), "{self:?}");
        assert!(!self.stderr.contains("panicked"), "{self:?}");
        for part in parts {
            assert!(self.stderr.contains(part), "no `{part}` in {}", self.stderr);
        }
        self
    }

    #[track_caller]
    pub(crate) fn one_line(self) -> Self {
        assert_eq!(self.stderr.lines().count(), 1, "{self:?}");
        self
    }

    /// The object that was printed, without the next command, which names the file that was read.
    #[track_caller]
    pub(crate) fn answer(&self) -> serde_json::Value {
        let mut object = self.json();
        object["verdict"]["next"].take();
        object
    }

    #[track_caller]
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

/// Numbers that look random and are the same everywhere.
pub(crate) fn noise(count: usize, seed: u64) -> Vec<f64> {
    npvar::simulate::Noise::Gaussian.draw(count, 1.0, npvar::Seed(seed))
}

/// A comma-separated table.
pub(crate) fn csv(names: &[&str], columns: &[Vec<f64>]) -> String {
    let mut text = names.join(",") + "\n";
    for row in 0..columns[0].len() {
        let cells: Vec<String> = columns.iter().map(|column| column[row].to_string()).collect();
        text += &(cells.join(",") + "\n");
    }
    text
}
