//! A table that cannot be used is refused after one pass over its file, with all that is wrong with it.
#![cfg(target_os = "linux")]

use npvar::data::{Missing, ReadOptions, open};

/// Bytes that this thread has read.
fn bytes_read() -> u64 {
    let state = std::fs::read_to_string("/proc/thread-self/io").unwrap();
    state.lines().find_map(|line| line.strip_prefix("rchar: ")).unwrap().parse().unwrap()
}

#[test]
fn a_large_table_that_cannot_be_used_is_refused_after_one_pass() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bad.csv").to_string_lossy().into_owned();
    let rows = |row: &str| format!("a,b,c\n{}", row.repeat(2_000_000 / row.len()));
    for (problem, text) in [
        ("nothing but words", (0..100_000).map(|i| format!("w{i},x{i},y{i}\n")).collect()),
        ("rows of another length", rows("1,2,3\n3,4\n")),
        ("missing values", rows("1,,3\n,2,7\n5,1,\n")),
    ] {
        std::fs::write(&path, &text).unwrap();
        let before = bytes_read();
        let options = ReadOptions { missing: Missing::Error, ..ReadOptions::default() };
        let refusal = open(&path, &options).err().unwrap_or_else(|| panic!("{problem} are refused")).to_string();
        let (read, size) = (bytes_read() - before, text.len() as u64);
        // The first 64 KiB tell the layout, and the look over all rows begins again.
        assert!((size..size + size / 2).contains(&read), "{problem}: {read} bytes of {size} ({refusal})");
    }
}
