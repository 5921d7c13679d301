//! Running a peer: its virtual environment, its script, its time limit.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use super::cases::Runtime;
use super::found::{Edges, Found};
use crate::command::{command, output, root, shown, succeeds};

/// How often a running peer is looked at; its own clock decides the figures.
const LOOK: Duration = Duration::from_millis(50);

/// What came of running a peer once.
pub(crate) enum Outcome {
    Found(Box<Found>),
    /// It ran longer than allowed.
    TooLong,
    /// It is not installed, or it failed; a sentence says why.
    Absent(String),
}

/// Where peers are installed and how they are run.
pub(crate) struct Runtimes {
    folder: PathBuf,
    threads: usize,
    limit: Duration,
    /// The environments made so far, or why one could not be.
    ready: BTreeMap<&'static str, Result<(), String>>,
}

#[derive(Deserialize)]
struct Missing {
    missing: String,
}

#[derive(Deserialize)]
struct Scores {
    scores: Vec<f64>,
}

impl Runtimes {
    pub(crate) fn new(folder: PathBuf, threads: usize, limit: Duration) -> Result<Self> {
        fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        Ok(Self { folder, threads, limit, ready: BTreeMap::new() })
    }

    /// Runs one peer on one file.
    pub(crate) fn run(&mut self, peer: &str, runtime: Runtime, file: &Path) -> Result<Outcome> {
        let mut command = match self.start(runtime) {
            Ok(command) => command,
            Err(why) => return Ok(Outcome::Absent(why)),
        };
        command.arg(peer).arg(file);
        let (printed, said) = (self.folder.join("printed.txt"), self.folder.join("said.txt"));
        command.stdout(File::create(&printed)?).stderr(File::create(&said)?);
        let mut child = command.spawn().with_context(|| format!("cannot start `{}`", shown(&command)))?;
        let start = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait()? {
                break status;
            }
            if start.elapsed() > self.limit {
                child.kill()?;
                child.wait()?;
                return Ok(Outcome::TooLong);
            }
            sleep(LOOK);
        };
        if !status.success() {
            let said = fs::read_to_string(&said).unwrap_or_default();
            // R says what happened before its last line, Python in it.
            let spoken = || said.lines().map(str::trim).filter(|line| !line.is_empty());
            let last = spoken().rfind(|line| line.starts_with("Error")).or(spoken().next_back());
            let last = last.unwrap_or("it said nothing");
            return Ok(Outcome::Absent(format!("stopped: {last}")));
        }
        let line = fs::read_to_string(&printed)?;
        if let Ok(Missing { missing }) = serde_json::from_str(&line) {
            return Ok(Outcome::Absent(missing));
        }
        let found = serde_json::from_str(&line).with_context(|| format!("{peer} printed `{}`", line.trim()))?;
        Ok(Outcome::Found(Box::new(found)))
    }

    /// What each graph is worth on one file.
    pub(crate) fn scores(&mut self, score: (&str, Runtime), file: &Path, graphs: &[&Edges]) -> Result<Vec<f64>> {
        let (name, runtime) = score;
        let mut command = self.start(runtime).map_err(anyhow::Error::msg)?;
        let asked = self.folder.join("graphs.json");
        fs::write(&asked, serde_json::to_string(graphs)?)?;
        let printed = output(command.arg(name).arg(file).stdin(File::open(&asked)?))?;
        let answer: Scores = serde_json::from_str(&printed).with_context(|| format!("{name} printed `{printed}`"))?;
        Ok(answer.scores)
    }

    /// The start of a command line; a sentence where the runtime cannot be had.
    fn start(&mut self, runtime: Runtime) -> Result<Command, String> {
        let script = |name: &str| root().join("benchmarks").join(name);
        let mut command = match runtime {
            Runtime::R if !succeeds(command("Rscript").arg("--version")) => {
                return Err("R is not installed".to_string());
            }
            Runtime::R => {
                let mut command = command("Rscript");
                command.arg(script("peers.R"));
                command
            }
            Runtime::Python(environment) => {
                let folder = self.folder.join(environment);
                let made = self.ready.entry(environment);
                made.or_insert_with(|| install(environment, &folder).map_err(|error| format!("{error:#}"))).clone()?;
                let mut command = command(&python(&folder));
                command.arg(script("peers.py"));
                command
            }
        };
        for name in ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"] {
            command.env(name, self.threads.to_string());
        }
        Ok(command)
    }
}

fn python(environment: &Path) -> String {
    environment.join("bin").join("python").to_string_lossy().into_owned()
}

/// Makes a virtual environment with the packages of its list, unless it stands there with that very list.
fn install(environment: &str, folder: &Path) -> Result<()> {
    let requirements = root().join("benchmarks").join(Runtime::requirements(environment));
    let wanted = fs::read_to_string(&requirements)?;
    let installed = folder.join("installed.txt");
    if fs::read_to_string(&installed).is_ok_and(|list| list == wanted) {
        return Ok(());
    }
    eprintln!("installing {} into {}", requirements.display(), folder.display());
    // Standard output is for the table.
    let quietly = |command: &mut Command| -> Result<()> {
        let status =
            command.stdout(Stdio::null()).status().with_context(|| format!("cannot start `{}`", shown(command)))?;
        if !status.success() {
            bail!("`{}` failed", shown(command));
        }
        Ok(())
    };
    quietly(command("python3").args(["-m", "venv"]).arg(folder))?;
    quietly(command(&python(folder)).args(["-m", "pip", "install", "--quiet", "--requirement"]).arg(&requirements))?;
    fs::write(&installed, wanted)?;
    Ok(())
}
