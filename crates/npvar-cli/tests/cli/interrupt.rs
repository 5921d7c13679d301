//! Ctrl-C ends a long run with a word, and leaves nothing behind.
#![cfg(target_os = "linux")]

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::{Folder, binary};

/// Sends what the terminal sends on Ctrl-C.
fn interrupt(child: &Child) {
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

#[test]
fn ctrl_c_cancels_and_leaves_no_file() {
    let folder = Folder::new();
    folder.simulate("s", "ER-SIN-2 --nodes 300 --samples 1500 --seed 1");
    let files = folder.files();
    // Where the tests run in the background, the signal may be ignored from the start.
    let mut child = Command::new("env")
        .arg("--default-signal=INT")
        .arg(binary())
        .args(["learn", "s/data.csv", "--seed", "1", "-o", "out.json", "-o", "out.csv"])
        // Slow on purpose: every regression chooses its own smoothing.
        .args(["--set", "estimator.smoothing=gcv"])
        .current_dir(folder.path(""))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(1500));
    assert!(child.try_wait().unwrap().is_none(), "the run was over before it could be stopped");
    let asked = Instant::now();
    interrupt(&child);
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "error: cancelled\n");
    assert_eq!((output.status.code(), output.stdout.len()), (Some(130), 0));
    assert!(asked.elapsed() < Duration::from_secs(10), "{:?}", asked.elapsed());
    assert_eq!(folder.files(), files);
}
