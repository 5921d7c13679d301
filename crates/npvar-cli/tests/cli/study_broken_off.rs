//! Studies that were killed, interrupted, or ran out of disk go on where they stopped.
#![cfg(target_os = "linux")]

use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::study::{SMALL, fields, without_timing};
use crate::{Folder, binary};

fn start(folder: &Folder, out: &str) -> Child {
    // Where the tests run in the background, the signal may be ignored from the start.
    Command::new("env")
        .arg("--default-signal=INT")
        .arg(binary())
        .args(["study", "run", "s.toml", "--out", out, "--jobs", "2"])
        .current_dir(folder.path(""))
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

#[test]
fn killed_ten_times_gives_the_same_table_and_nothing_is_done_twice() {
    let folder = Folder::new();
    folder.write("s.toml", &SMALL.replace("seeds = 3", "seeds = 200"));
    folder.npvar("study run s.toml --out whole").succeeded();
    let mut random = npvar::Seed(1);
    let mut last = 0;
    for kill in 0..10 {
        let mut child = start(&folder, "broken");
        random = random.child("moment", kill);
        std::thread::sleep(Duration::from_millis(60 + random.0 % 140));
        assert!(child.try_wait().unwrap().is_none(), "over before kill {kill}: the study is too small");
        child.kill().unwrap(); // SIGKILL
        child.wait().unwrap();
        let log = std::fs::read_to_string(folder.path("broken/results.csv")).unwrap_or_default();
        let lines = log.matches('\n').count();
        assert!(lines >= last, "{lines} lines after {last}");
        last = lines;
    }
    assert!(last > 1, "nothing was done between the kills");
    // The worst moment of all: in the middle of a line.
    let log = folder.read("broken/results.csv");
    folder.write("broken/results.csv", &log[..log.len() - 20]);
    folder.npvar("study run s.toml --out broken").succeeded();
    assert_eq!(without_timing(&folder.read("broken/table.csv")), without_timing(&folder.read("whole/table.csv")));
    let lines: Vec<Vec<String>> = folder.read("broken/results.csv").lines().map(fields).collect();
    let mut cells: Vec<&[String]> = lines.iter().map(|line| &line[..8]).collect();
    cells.sort();
    cells.dedup();
    assert_eq!((cells.len(), lines.len()), (2401, 2401));
}

#[test]
fn ctrl_c_stops_with_a_sentence_and_the_same_command_goes_on() {
    let folder = Folder::new();
    folder.write("s.toml", &SMALL.replace("seeds = 3", "seeds = 200"));
    let mut child = start(&folder, "r");
    std::thread::sleep(Duration::from_millis(400));
    assert!(child.try_wait().unwrap().is_none(), "over before it could be stopped");
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let words = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{words}");
    assert!(
        words.starts_with("error: stopped after ") && words.contains("of 2400 cells; the same command goes on"),
        "{words}"
    );
    folder.npvar("study run s.toml --out r").succeeded();
    assert_eq!(folder.read("r/results.csv").lines().count(), 2401);
}

#[test]
fn a_full_disk_is_one_sentence_and_the_rest_follows_when_there_is_room() {
    let folder = Folder::new();
    folder.write("s.toml", SMALL);
    // No file may grow beyond 4 KiB, about twenty rows: writing then fails as on a full disk.
    let limited = format!("trap '' XFSZ; ulimit -f 4; exec '{}' study run s.toml --out r", binary().display());
    let output = Command::new("bash").args(["-c", &limited]).current_dir(folder.path("")).output().unwrap();
    let words = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{words}");
    assert!(words.contains("r/results.csv: ") && words.contains("of 36 cells are safe"), "{words}");
    assert_eq!(words.lines().count(), 1, "{words}");
    let safe = folder.read("r/results.csv").matches('\n').count();
    assert!((2..36).contains(&safe), "{safe}");
    folder.npvar("study run s.toml --out r").succeeded();
    folder.npvar("study run s.toml --out whole").succeeded();
    assert_eq!(without_timing(&folder.read("r/table.csv")), without_timing(&folder.read("whole/table.csv")));
    assert_eq!(folder.read("r/results.csv").lines().count(), 37);
}
