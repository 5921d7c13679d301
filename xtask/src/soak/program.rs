//! The program, started under limits, disturbed, and watched to its end.

use std::fs;
use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

/// The address space of a process, in KiB: what asks for more is a finding.
const MEMORY: usize = 8 << 20;

/// A run in a folder.
pub(super) struct Started {
    pub(super) child: Child,
    output: [thread::JoinHandle<Vec<u8>>; 2],
}

/// What a run came to.
pub(super) struct Ended {
    pub(super) status: ExitStatus,
    pub(super) stdout: String,
    pub(super) stderr: String,
}

impl Started {
    /// `program` with these arguments in `folder`; no file may grow beyond `file_limit` KiB, as on a full disk.
    pub(super) fn new(program: &Path, folder: &Path, words: &[String], file_limit: Option<usize>) -> Result<Self> {
        let full = file_limit.map_or_else(String::new, |limit| format!("trap '' XFSZ; ulimit -f {limit}; "));
        let script =
            format!("ulimit -c 0; ulimit -v {MEMORY}; {full}exec env --default-signal=INT,TERM,HUP \"$0\" \"$@\"");
        let mut command = Command::new("bash");
        command.args(["-c", &script]).arg(program).args(words).current_dir(folder).env("TMPDIR", folder.join("tmp"));
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .context("bash cannot be started")?;
        let stdout = child.stdout.take().expect("it was asked for");
        let stderr = child.stderr.take().expect("it was asked for");
        Ok(Started { child, output: [reading(stdout), reading(stderr)] })
    }

    /// Waits until the run is over or this time has passed; whether it is over.
    pub(super) fn over_within(&mut self, time: Duration) -> Result<bool> {
        let begun = Instant::now();
        loop {
            if self.child.try_wait()?.is_some() {
                return Ok(true);
            }
            if begun.elapsed() >= time {
                return Ok(false);
            }
            thread::sleep(Duration::from_millis(5));
        }
    }

    pub(super) fn signal(&self, name: &str) {
        signal(self.child.id(), name);
    }

    /// Sends a signal and says how much CPU time passed until the end, if it came within a minute.
    pub(super) fn stop(&mut self, name: &str) -> Result<Option<f64>> {
        let before = cpu_seconds(self.child.id()).unwrap_or(0.0);
        let mut last = before;
        self.signal(name);
        for _ in 0..12_000 {
            if self.child.try_wait()?.is_some() {
                return Ok(Some(last - before));
            }
            last = cpu_seconds(self.child.id()).unwrap_or(last);
            thread::sleep(Duration::from_millis(5));
        }
        Ok(None)
    }

    pub(super) fn end(mut self) -> Result<Ended> {
        let status = self.child.wait()?;
        let [stdout, stderr] = self.output.map(|reader| reader.join().unwrap_or_default());
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Ok(Ended { status, stdout: text(stdout), stderr: text(stderr) })
    }
}

impl Ended {
    /// The status as a shell gives it: 128 and the number of the signal that ended the program.
    pub(super) fn code(&self) -> i32 {
        self.status.code().unwrap_or_else(|| 128 + self.status.signal().unwrap_or(0))
    }
}

pub(super) fn signal(process: u32, name: &str) {
    // It may be over by now.
    let _ = Command::new("kill")
        .args([&format!("-{name}"), &process.to_string()])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
}

fn reading(mut from: impl Read + Send + 'static) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = from.read_to_end(&mut bytes);
        bytes
    })
}

/// The CPU time that a process has had; nothing once it is over.
fn cpu_seconds(process: u32) -> Option<f64> {
    const TICKS: f64 = 100.0;
    let state = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // After the name, which may hold anything, in parentheses: the times are fields 14 and 15.
    let fields: Vec<&str> = state[state.rfind(')')?..].split(' ').collect();
    let ticks = fields.get(12..14)?.iter().map(|field| field.parse::<f64>().unwrap_or(0.0)).sum::<f64>();
    Some(ticks / TICKS)
}

/// A number of `/proc/PROCESS/status`, such as `VmRSS` in KiB.
pub(super) fn status_number(process: u32, key: &str) -> Option<usize> {
    let state = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = state.lines().find_map(|line| line.strip_prefix(key))?;
    line.trim_start_matches(':').split_whitespace().next()?.parse().ok()
}

/// How many files a process has open.
pub(super) fn open_files(process: u32) -> Option<usize> {
    Some(fs::read_dir(format!("/proc/{process}/fd")).ok()?.count())
}

/// The processes that any thread of a process started.
pub(super) fn children(process: u32) -> Vec<u32> {
    let threads = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    let listed = threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    listed.flat_map(|list| list.split_whitespace().filter_map(|word| word.parse().ok()).collect::<Vec<_>>()).collect()
}
