//! Ctrl-C ends a long run with a word, and leaves nothing behind.
#![cfg(target_os = "linux")]

use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::{Folder, binary};

/// Begins a run that may take this much CPU time, after which it is killed: a limit that does not depend on how busy the
/// machine is.
pub(crate) fn begin(folder: &Folder, arguments: &str, cpu_seconds: u32) -> Child {
    // Where the tests run in the background, the signal may be ignored from the start.
    let program = format!("ulimit -t {cpu_seconds}; exec env --default-signal=INT \"$0\" {arguments}");
    let mut command = Command::new("bash");
    command.args(["-c", &program]).arg(binary()).current_dir(folder.path(""));
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Sends what the terminal sends on Ctrl-C.
pub(crate) fn interrupt(child: &Child) {
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
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

#[test]
fn ctrl_c_cancels_and_leaves_no_file() {
    let folder = Folder::new();
    folder.simulate("s", "ER-SIN-2 --nodes 20 --samples 1000 --seed 1");
    let files = folder.files();
    // Hours of work: every regression chooses its own smoothing, a hundred thousand times.
    let work = "learn s/data.csv --seed 1 -o out.json -o out.csv --set estimator.smoothing=gcv --bootstrap 100000";
    let mut child = begin(&folder, work, 100);
    let id = child.id();
    wait_until(&mut child, || cpu_time(id) >= 200);
    interrupt(&child);
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "error: cancelled\n");
    assert_eq!((output.status.code(), output.stdout.len()), (Some(130), 0));
    assert_eq!(folder.files(), files);
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
    assert!(ran.stdout.lines().nth(2).unwrap().ends_with("nats without"), "{ran:?}");
    let whole = folder.npvar("learn s/data.csv --seed 1 --learner best-order --budget 1e6").succeeded();
    assert!(!whole.stderr.contains("stopped"), "{whole:?}");
    assert!(whole.stdout.lines().nth(2).unwrap().ends_with("nats without  nats turned"), "{whole:?}");
    for (wrong, words) in [("--budget 1", "`npvar` is no search"), ("--budget 0 --learner best-order", "larger than 0")]
    {
        let refused = folder.npvar(&format!("learn s/data.csv {wrong}"));
        assert!(refused.code == Some(2) && refused.stderr.contains(words), "{refused:?}");
    }
}
