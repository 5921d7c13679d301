//! Ctrl-C and the signals that end programs end a long run with a word, and leave nothing behind.
#![cfg(target_os = "linux")]

use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::{Folder, binary};

/// Begins a run that may take this much CPU time, after which it is killed: a limit that does not depend on how busy the
/// machine is.
pub(crate) fn begin(folder: &Folder, arguments: &str, cpu_seconds: u32) -> Child {
    // Where the tests run in the background, the signal may be ignored from the start.
    let program = format!("ulimit -t {cpu_seconds}; exec env --default-signal=INT,TERM,HUP \"$0\" {arguments}");
    let mut command = Command::new("bash");
    command.args(["-c", &program]).arg(binary()).current_dir(folder.path(""));
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Sends what the terminal sends on Ctrl-C.
pub(crate) fn interrupt(child: &Child) {
    signal(child, "INT");
}

fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill").args([&format!("-{name}"), &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

/// Waits for something that a process does, which must not end before.
pub(crate) fn wait_until(child: &mut Child, mut happened: impl FnMut() -> bool) {
    while !happened() {
        assert_eq!(child.try_wait().unwrap(), None, "over before it could be stopped");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// The CPU time that a process has had, in hundredths of a second.
fn cpu_time(process: u32) -> u64 {
    let state = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap();
    // After the name, which may hold anything, in parentheses: the state is field 3, the times are 14 and 15.
    let fields: Vec<&str> = state[state.rfind(')').unwrap()..].split(' ').collect();
    fields[12..14].iter().map(|field| field.parse::<u64>().unwrap()).sum()
}

/// Hours of work: every regression chooses its own smoothing, a hundred thousand times.
const WORK: &str = "learn s/data.csv --seed 1 -o out.json -o out.csv --set estimator.smoothing=gcv --bootstrap 100000";

#[test]
fn a_signal_cancels_and_leaves_no_file() {
    let folder = Folder::new();
    folder.simulate("s", "ER-SIN-2 --nodes 20 --samples 1000 --seed 1");
    let files = folder.files();
    for (name, status) in [("INT", 130), ("TERM", 143), ("HUP", 129)] {
        let mut child = begin(&folder, WORK, 100);
        let id = child.id();
        wait_until(&mut child, || cpu_time(id) >= 100);
        signal(&child, name);
        let output = child.wait_with_output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stderr), "error: cancelled\n", "{name}");
        assert_eq!((output.status.code(), output.stdout.len()), (Some(status), 0), "{name}");
        assert_eq!(folder.files(), files);
    }
}

#[test]
fn a_signal_that_is_ignored_from_the_start_stays_ignored() {
    let folder = Folder::new();
    folder.simulate("s", "ER-SIN-2 --nodes 20 --samples 1000 --seed 1");
    let program = format!("trap '' HUP; ulimit -t 100; exec \"$0\" {WORK}");
    let mut command = Command::new("bash");
    command.args(["-c", &program]).arg(binary()).current_dir(folder.path(""));
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let id = child.id();
    wait_until(&mut child, || cpu_time(id) >= 100);
    signal(&child, "HUP");
    // It goes on: it uses a second of the machine after the signal, and ends by the next.
    let before = cpu_time(id);
    wait_until(&mut child, || cpu_time(id) >= before + 100);
    signal(&child, "TERM");
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(143));
}

#[test]
fn work_that_takes_hours_is_announced_before_it_begins() {
    let folder = Folder::new();
    folder.simulate("small", "ER-SIN-1 --nodes 4 --samples 100 --seed 1");
    let ran = folder.npvar("learn small/data.csv --learner resit --seed 1").succeeded();
    assert!(!ran.stderr.contains("this may take"), "{ran:?}");
    folder.simulate("wide", "ER-SIN-1 --nodes 200 --samples 300 --seed 1");
    // Killed by the system after three seconds of CPU time, of hours.
    let child = begin(&folder, "learn wide/data.csv --learner resit --seed 1", 3);
    let output = child.wait_with_output().unwrap();
    let words = String::from_utf8_lossy(&output.stderr);
    assert!(words.starts_with("note: this may take about"), "{words}");
    assert!(words.contains("fewer columns, or `--learner npvar`"), "{words}");
}

/// Whether a process has a handler of its own for SIGINT.
fn listens(process: u32) -> bool {
    let state = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let caught = state.lines().find_map(|line| line.strip_prefix("SigCgt:")).map(|mask| mask.trim().to_owned());
    caught.and_then(|mask| u64::from_str_radix(&mask, 16).ok()).is_some_and(|mask| mask >> 1 & 1 == 1)
}

/// Outputs are tried before the table is read, so from before then a signal must not end the process in the middle of a file.
#[test]
fn a_signal_while_the_table_is_read_is_told_and_leaves_no_file() {
    let folder = Folder::new();
    assert!(Command::new("mkfifo").arg(folder.path("nobody-writes.csv")).status().unwrap().success());
    let mut child = begin(&folder, "learn nobody-writes.csv -o out.json --report r.html", 100);
    let id = child.id();
    wait_until(&mut child, || listens(id));
    interrupt(&child);
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "error: cancelled\n");
    assert_eq!(output.status.code(), Some(130));
    assert_eq!(folder.files(), ["nobody-writes.csv"]);
}

#[test]
fn ctrl_c_ends_a_search_with_the_best_it_has() {
    let folder = Folder::new();
    folder.simulate("s", "ER-SIN-2 --nodes 8 --samples 200 --seed 1");
    // Hours of restarts.
    let work = "learn s/data.csv --seed 1 -o out.csv --json --learner best-order --set restarts=100000000";
    let mut child = begin(&folder, work, 100);
    let id = child.id();
    wait_until(&mut child, || cpu_time(id) >= 200);
    interrupt(&child);
    let output = child.wait_with_output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{told}");
    assert!(
        told.starts_with("stopping: ") && told.contains("warning: the search was stopped before its end"),
        "{told}"
    );
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answer["order"].as_array().unwrap().len(), 8);
    assert!(folder.files().iter().any(|file| file.ends_with("out.csv")));
}

#[test]
fn a_budget_ends_a_search_and_is_refused_where_there_is_none() {
    let folder = Folder::new();
    folder.simulate("s", "ER-SIN-2 --nodes 6 --samples 200 --seed 1");
    let ran = folder
        .npvar("learn s/data.csv --seed 1 --learner best-order --set restarts=100000000 --budget 0.5")
        .succeeded();
    assert!(ran.stderr.contains("warning: the search was stopped before its end"), "{ran:?}");
    let head = |page: &str| page.lines().find(|line| line.trim_start().starts_with("from ")).unwrap().to_owned();
    assert!(head(&ran.stdout).ends_with("nats without"), "{ran:?}");
    let whole = folder.npvar("learn s/data.csv --seed 1 --learner best-order --budget 1e6").succeeded();
    assert!(!whole.stderr.contains("stopped"), "{whole:?}");
    assert!(head(&whole.stdout).ends_with("nats without  nats turned"), "{whole:?}");
    for (wrong, words) in [("--budget 1", "`npvar` is no search"), ("--budget 0 --learner best-order", "larger than 0")]
    {
        let refused = folder.npvar(&format!("learn s/data.csv {wrong}"));
        assert!(refused.code == Some(2) && refused.stderr.contains(words), "{refused:?}");
    }
}
