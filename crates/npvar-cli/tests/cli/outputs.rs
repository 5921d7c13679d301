//! Outputs replace nothing that is read and nothing that is no plain file, and a full disk loses no answer.
#![cfg(target_os = "linux")]

use std::os::unix::fs::{FileTypeExt, symlink};

use crate::{Folder, csv, noise};

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("t.csv", &csv(&["a", "b"], &[noise(50, 1), noise(50, 2)]));
    folder
}

#[test]
fn an_output_that_is_read_is_refused_whatever_it_is_called() {
    let folder = folder();
    std::fs::hard_link(folder.path("t.csv"), folder.path("same.csv")).unwrap();
    symlink("t.csv", folder.path("link.csv")).unwrap();
    folder.write("k.json", "");
    folder.write("o.csv", "a,b\n");
    let before = folder.read("t.csv");
    for arguments in [
        "t.csv -o t.csv",
        "t.csv -o ./t.csv",
        "t.csv -o same.csv",
        "t.csv -o link.csv",
        "t.csv --report t.csv",
        "*.csv -o t.csv",
        "t.csv --order o.csv -o o.csv",
        "t.csv --knowledge k.json -o k.json",
        "t.csv --second-sample same.csv --set eta=adaptive -o same.csv",
    ] {
        folder.npvar(&format!("learn {arguments}")).failed(1, &["is read as", "write to another file"]).one_line();
    }
    folder.npvar("plan simulate --data t.csv --table t.csv --samples 50 --replicates 1").failed(1, &["is read as"]);
    assert_eq!(folder.read("t.csv"), before);
}

#[test]
fn two_outputs_of_one_name_are_refused() {
    for outputs in ["-o g.json -o g.json", "-o g.json -o ./g.json", "-o g.json --report g.json"] {
        let folder = folder();
        folder.npvar(&format!("learn t.csv {outputs}")).failed(1, &["is written twice"]).one_line();
        assert_eq!(folder.files(), ["t.csv"]);
    }
}

#[test]
fn a_device_stays_a_device_and_a_link_a_link() {
    let folder = folder();
    symlink("far.json", folder.path("g.json")).unwrap();
    folder.npvar("learn t.csv --seed 1 --report /dev/null -o g.json").succeeded();
    assert!(std::fs::metadata("/dev/null").unwrap().file_type().is_char_device());
    assert!(std::fs::symlink_metadata(folder.path("g.json")).unwrap().is_symlink());
    assert!(folder.read("far.json").contains("npvar-graph/1"));
}

#[test]
fn a_full_disk_loses_no_answer() {
    let folder = folder();
    let ran = folder.npvar("learn t.csv --seed 1 --json --report /dev/full");
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stderr.contains("/dev/full: cannot be written"), "{ran:?}");
    assert_eq!(ran.json()["format"], "npvar-graph/1");
}
