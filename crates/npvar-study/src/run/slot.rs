//! A place for one worker process, started when it is needed and replaced when it is gone.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use super::locked;
use crate::cell::Task;
use crate::error::{Error, Result};
use crate::memory;
use crate::row::Row;

/// How long a learner may take to notice that its time is up (and to draw its data before it begins) until its process is
/// killed, beside a tenth of the limit.
const GRACE: f64 = 60.0;
/// A worker that keeps more than this after a cell is replaced, so that the next cell's memory is its own.
const KEPT: u64 = 256 << 20;

/// What became of a task.
pub(super) enum Answer {
    /// A row.
    Row(Box<Row>),
    /// The run was stopped.
    Stopped,
    /// The worker did not stop at the time limit.
    Overran,
    /// The workers took too much memory together, and this one had to go.
    TooLarge,
    /// The worker ended by itself, in words.
    Died(String),
}

/// Why a worker was killed.
#[derive(Clone, Copy)]
enum Reason {
    Stop,
    Time,
    Memory,
}

pub(super) struct Slot {
    limit: Duration,
    process: Mutex<Option<Process>>,
    pipes: Mutex<Option<Pipes>>,
}

struct Process {
    child: Child,
    /// When it began the cell in hand.
    since: Option<Instant>,
    killed: Option<Reason>,
}

struct Pipes {
    tasks: ChildStdin,
    rows: BufReader<ChildStdout>,
}

impl Slot {
    pub(super) fn new(time_limit: f64) -> Slot {
        let limit = Duration::try_from_secs_f64(time_limit * 1.1 + GRACE).unwrap_or(Duration::MAX);
        Slot { limit, process: Mutex::default(), pipes: Mutex::default() }
    }

    /// Has the worker do a task, and waits.
    pub(super) fn ask(&self, task: &Task, worker: (&Path, &[String])) -> Result<Answer> {
        let mut pipes = locked(&self.pipes);
        let pipes_now = match &mut *pipes {
            Some(pipes) => pipes,
            None => pipes.insert(self.start(worker)?),
        };
        if let Some(process) = &mut *locked(&self.process) {
            process.since = Some(Instant::now());
        }
        let task = serde_json::to_string(task).expect("a task is plain data") + "\n";
        let mut line = String::new();
        let talked = pipes_now.tasks.write_all(task.as_bytes()).and_then(|()| pipes_now.rows.read_line(&mut line));
        if let (Ok(_), Ok(row)) = (talked, serde_json::from_str(&line)) {
            let mut process = locked(&self.process);
            if let Some(process) = &mut *process {
                process.since = None;
            }
            let keeps = process.as_ref().and_then(|process| memory::resident(process.child.id()));
            drop(process);
            if keeps.is_some_and(|keeps| keeps > KEPT) {
                *pipes = None;
                self.reap();
            }
            return Ok(Answer::Row(Box::new(row)));
        }
        *pipes = None;
        Ok(match self.reap() {
            (Some(Reason::Stop), _) => Answer::Stopped,
            (Some(Reason::Time), _) => Answer::Overran,
            (Some(Reason::Memory), _) => Answer::TooLarge,
            (None, status) => Answer::Died(status.map_or_else(
                || "the worker process ended".to_owned(),
                |status| format!("the worker process ended with {status}"),
            )),
        })
    }

    fn start(&self, (program, arguments): (&Path, &[String])) -> Result<Pipes> {
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
        // A group of its own: Ctrl-C is for the study, which then stops its workers.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn().map_err(Error::Worker)?;
        let (Some(tasks), Some(rows)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(Error::Worker(std::io::Error::other("it has no standard input and output")));
        };
        *locked(&self.process) = Some(Process { child, since: None, killed: None });
        Ok(Pipes { tasks, rows: BufReader::new(rows) })
    }

    /// Waits for a process that is ending, and says why it was killed and how it ended.
    fn reap(&self) -> (Option<Reason>, Option<ExitStatus>) {
        let Some(mut process) = locked(&self.process).take() else { return (None, None) };
        let status = process.child.wait().ok();
        (process.killed, status)
    }

    /// Lets the worker go.
    pub(super) fn dismiss(&self) {
        *locked(&self.pipes) = None;
        self.reap();
    }

    /// When the cell in hand was begun.
    pub(super) fn since(&self) -> Option<Instant> {
        locked(&self.process).as_ref().and_then(|process| process.since)
    }

    /// What the worker holds, in bytes.
    pub(super) fn resident(&self) -> Option<u64> {
        locked(&self.process).as_ref().and_then(|process| memory::resident(process.child.id()))
    }

    pub(super) fn check_time(&self) {
        if self.since().is_some_and(|since| since.elapsed() > self.limit) {
            self.kill(Reason::Time);
        }
    }

    pub(super) fn evict(&self) {
        self.kill(Reason::Memory);
    }

    pub(super) fn stop(&self) {
        self.kill(Reason::Stop);
    }

    fn kill(&self, reason: Reason) {
        if let Some(process) = &mut *locked(&self.process)
            && process.killed.is_none()
        {
            process.killed = Some(reason);
            // It may have ended by itself, which is as good.
            let _ = process.child.kill();
        }
    }
}
