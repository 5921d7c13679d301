//! Studies that were killed, interrupted, or ran out of disk go on where they stopped.
#![cfg(target_os = "linux")]

use std::process::Command;

use crate::interrupt::{begin, interrupt, wait_until};
use crate::study::{SMALL, fields, without_timing};
use crate::{Folder, binary};

/// The rows of a log, none of a cell that another has.
fn distinct_rows(log: &str) -> usize {
    let lines: Vec<Vec<String>> = log.lines().map(fields).collect();
    let mut cells: Vec<&[String]> = lines.iter().map(|line| &line[..8]).collect();
    cells.sort();
    cells.dedup();
    assert_eq!(cells.len(), lines.len());
    lines.len() - 1
}

#[test]
fn killed_ten_times_gives_the_same_table_and_nothing_is_done_twice() {
    let folder = Folder::new();
    folder.write("s.toml", &SMALL.replace("seeds = 3", "seeds = 20"));
    folder.npvar("study run s.toml --out whole").succeeded();
    let mut last = 0;
    for kill in 1..=10 {
        // The system kills the program when its log would grow beyond so many KiB, in the middle of a line.
        let most = 2 + 2 * kill;
        let study = format!("ulimit -c 0; ulimit -f {most}; exec \"$0\" study run s.toml --out broken --jobs 2");
        let output =
            Command::new("bash").args(["-c", &study]).arg(binary()).current_dir(folder.path("")).output().unwrap();
        assert_eq!(output.status.code(), None, "kill {kill}: {}", String::from_utf8_lossy(&output.stderr));
        let log = folder.read("broken/results.csv");
        assert_eq!(log.len(), 1024 * most);
        let lines = log.matches('\n').count();
        assert!(lines > last, "{lines} lines after {last}");
        last = lines;
    }
    folder.npvar("study run s.toml --out broken").succeeded();
    assert_eq!(without_timing(&folder.read("broken/table.csv")), without_timing(&folder.read("whole/table.csv")));
    assert_eq!(distinct_rows(&folder.read("broken/results.csv")), 240);
}

#[test]
fn ctrl_c_stops_with_a_sentence_and_the_same_command_goes_on() {
    let folder = Folder::new();
    // More than is done before the signal comes.
    folder.write("s.toml", &SMALL.replace("seeds = 3", "seeds = 20000"));
    let rows = || std::fs::read_to_string(folder.path("r/results.csv")).map_or(0, |log| log.matches('\n').count());
    let mut done = 0;
    for _ in 0..3 {
        let mut child = begin(&folder, "study run s.toml --out r --jobs 2", 200);
        wait_until(&mut child, || rows() > done + 1);
        interrupt(&child);
        let output = child.wait_with_output().unwrap();
        let words = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(130), "{words}");
        let log = folder.read("r/results.csv");
        assert!(log.ends_with('\n') && distinct_rows(&log) > done, "after {done}: {log}");
        done = distinct_rows(&log);
        let told = format!("error: stopped after {done} of 240000 cells; the same command goes on");
        assert!(words.starts_with(&told), "{words}");
    }
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
