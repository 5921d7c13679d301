use std::ops::ControlFlow;

use super::{open, open_all, read};
use crate::data::{BLOCK_ROWS, Block, Missing, ReadOptions, RowBlocks};
use crate::error::Error;

fn file(content: &str) -> (tempfile::TempDir, String) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("t.csv").to_str().unwrap().to_owned();
    std::fs::write(&path, content).unwrap();
    (directory, path)
}

fn long_table(rows: usize) -> String {
    let row = |i: usize| if i % 5 == 4 { "NA,1\n".to_owned() } else { format!("{i},{}\n", 0.5 * i as f64) };
    std::iter::once("a,b\n".to_owned()).chain((0..rows).map(row)).collect()
}

/// Every block's first row and second column.
fn blocks(table: &dyn RowBlocks) -> Vec<(usize, Vec<f64>)> {
    let mut blocks = Vec::new();
    let gather = &mut |block: &Block<'_>| {
        blocks.push((block.first_row, block.columns[1].to_vec()));
        Ok(())
    };
    table.for_each_block(gather).unwrap();
    blocks
}

#[test]
fn a_text_file_streams_the_blocks_it_would_have_in_memory() {
    let (_directory, path) = file(&long_table(2 * BLOCK_ROWS));
    let options = ReadOptions { missing: Missing::DropRows, ..Default::default() };
    let source = open(&path, &options).unwrap();
    assert_eq!((source.row_count(), source.diagnostics()), (None, vec![]));
    let streamed = blocks(&source);
    assert_eq!(streamed, blocks(&source));
    assert_eq!(source.row_count(), Some(2 * BLOCK_ROWS - 6553));
    assert_eq!(source.diagnostics()[0].message, "dropped 6553 of 32768 rows with missing values");
    let loaded = source.load().unwrap();
    assert_eq!(loaded.dropped_rows, 6553);
    assert_eq!(streamed, blocks(&loaded.data));
}

#[test]
fn files_one_below_the_other_are_one_table() {
    let (directory, whole) = file(&long_table(2 * BLOCK_ROWS + 50));
    let text = long_table(2 * BLOCK_ROWS + 50);
    let lines: Vec<&str> = text.lines().collect();
    let cuts = [1, 8, 8, 20_000, lines.len()];
    let paths: Vec<String> = cuts
        .windows(2)
        .enumerate()
        .map(|(i, cut)| {
            let path = directory.path().join(format!("part-{i}.csv")).to_str().unwrap().to_owned();
            let rows: String = lines[cut[0]..cut[1]].iter().map(|line| format!("{line}\n")).collect();
            std::fs::write(&path, format!("a,b\n{rows}")).unwrap();
            path
        })
        .collect();
    let options = ReadOptions { missing: Missing::DropRows, ..Default::default() };
    let (one, many) = (open(&whole, &options).unwrap(), open_all(&paths, &options).unwrap());
    assert_eq!(blocks(&one), blocks(&many));
    assert_eq!((one.row_count(), one.diagnostics()), (many.row_count(), many.diagnostics()));
    let pattern = directory.path().join("part-*.csv").to_str().unwrap().to_owned();
    assert_eq!(blocks(&open(&pattern, &options).unwrap()), blocks(&many));
    let empty = std::slice::from_ref(&paths[1]);
    assert!(matches!(open_all(empty, &options), Err(Error::NoRows { .. })));
    let twice = [whole.clone(), directory.path().join("./t.csv").to_str().unwrap().to_owned()];
    let error = open_all(&twice, &options).unwrap_err().to_string();
    assert!(error.ends_with("t.csv: the file is given twice; its rows would count double"), "{error}");
}

#[test]
fn a_reading_may_be_broken_off_or_fail_in_the_visitor() {
    let (_directory, path) = file(&long_table(10 * BLOCK_ROWS));
    let source = open(&path, &ReadOptions { missing: Missing::DropRows, ..Default::default() }).unwrap();
    let mut seen = 0;
    source
        .visit_blocks(&mut |block| {
            seen += block.rows();
            Ok(ControlFlow::Break(()))
        })
        .unwrap();
    assert_eq!((seen, source.row_count()), (BLOCK_ROWS, None));
    let failed = source.for_each_block(&mut |_| Err(Error::Cancelled));
    assert!(matches!(failed, Err(Error::Cancelled)));
}

#[test]
fn a_word_far_down_the_file_is_taken_as_missing() {
    let (_directory, path) = file(&long_table(3 * BLOCK_ROWS).replace("49000,", "x,"));
    let source = open(&path, &ReadOptions { missing: Missing::DropRows, ..Default::default() }).unwrap();
    let said: Vec<String> = source.intake().iter().map(ToString::to_string).collect();
    assert_eq!(said[0], "`a`: took 1 cell as missing (no numbers: `x` in row 49001)");
    assert_eq!(said[1], "left out 9831 of 49152 rows (values are missing: `a` 9831)");
    assert_eq!(blocks(&source).iter().map(|(_, column)| column.len()).sum::<usize>(), 49152 - 9831);
}

/// What a second reading says after `change` was done to the file.
fn after(content: &str, change: impl Fn(&str)) -> String {
    let (_directory, path) = file(content);
    let source = open(&path, &ReadOptions { missing: Missing::DropRows, ..Default::default() }).unwrap();
    source.for_each_block(&mut |_| Ok(())).unwrap();
    change(&path);
    let error = source.for_each_block(&mut |_| Ok(())).unwrap_err().to_string();
    error.strip_prefix(&path).unwrap_or_else(|| panic!("{error}")).to_owned()
}

/// Writes `content` into the file that is there and leaves the time of its last change as it was.
fn overwrite_keeping_time(path: &str, content: &str) {
    let time = std::fs::metadata(path).unwrap().modified().unwrap();
    let mut file = std::fs::OpenOptions::new().write(true).truncate(true).open(path).unwrap();
    std::io::Write::write_all(&mut file, content.as_bytes()).unwrap();
    file.set_modified(time).unwrap();
}

#[test]
fn a_file_that_changes_between_readings_is_refused() {
    let changed =
        |why: &str| format!(": the file changed while it was read ({why}); read a copy that nothing writes to");
    let grows = after("a,b\n1,2\n", |path| overwrite_keeping_time(path, "a,b\n1,2\n3,4\n"));
    assert_eq!(grows, changed("it had 8 bytes and has 12"));
    let touched = after("a,b\n1,2\n", |path| {
        let file = std::fs::OpenOptions::new().write(true).open(path).unwrap();
        file.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
    });
    assert_eq!(touched, changed("it was written to"));
    // Neither size nor time tell these: the columns and the rows do.
    let renamed = after("a,b\n1,2\n", |path| overwrite_keeping_time(path, "a,c\n1,2\n"));
    assert_eq!(renamed, changed("its columns are others"));
    let fewer = after("a,b\n1,2\n3,4\n", |path| overwrite_keeping_time(path, "a,b\n100,200\n"));
    assert_eq!(fewer, changed("it had 2 rows and has 1"));
    let gone = after("a,b\n1,2\n", |path| std::fs::remove_file(path).unwrap());
    assert!(gone.starts_with(": No such file"), "{gone}");
}

#[cfg(unix)]
#[test]
fn a_file_put_in_the_place_of_another_is_refused() {
    let replaced = after("a,b\n1,2\n", |path| {
        let time = std::fs::metadata(path).unwrap().modified().unwrap();
        let other = format!("{path}.new");
        std::fs::write(&other, "a,b\n9,9\n").unwrap();
        std::fs::File::options().write(true).open(&other).unwrap().set_modified(time).unwrap();
        std::fs::rename(other, path).unwrap();
    });
    assert!(replaced.contains("another file has taken its place"), "{replaced}");
}

#[test]
fn a_file_that_changes_during_a_reading_is_refused() {
    // More blocks than are read ahead, so that the end is read after the change.
    let (_directory, path) = file(&long_table(16 * BLOCK_ROWS));
    let options = ReadOptions { missing: Missing::DropRows, ..Default::default() };
    let (_other_directory, other) = file(&long_table(5 * BLOCK_ROWS));
    for source in [open(&path, &options).unwrap(), open_all(&[path.clone(), other], &options).unwrap()] {
        let error = source.for_each_block(&mut |block| {
            if block.first_row == 0 {
                let mut file = std::fs::OpenOptions::new().append(true).open(&path).unwrap();
                std::io::Write::write_all(&mut file, b"1,2\n").unwrap();
            }
            Ok(())
        });
        let error = error.unwrap_err().to_string();
        assert!(error.contains("the file changed while it was read (it had"), "{error}");
    }
}

#[test]
fn words_have_one_code_in_all_files() {
    let (directory, first) = file("kind,x\n");
    let second = directory.path().join("u.csv").to_str().unwrap().to_owned();
    let rows = |words: [&str; 3]| (0..30).map(|i| format!("{},{}\n", words[i % 3], i * 7 % 11)).collect::<String>();
    std::fs::write(&first, format!("kind,x\n{}", rows(["b", "c", "b"]))).unwrap();
    std::fs::write(
        &second,
        format!(
            "x,kind\n{}",
            rows(["1", "2", "5"])
                .lines()
                .map(|l| {
                    let (x, i) = l.split_once(',').unwrap();
                    format!("{x},{}\n", ["a", "c", "b"][i.parse::<usize>().unwrap() % 3])
                })
                .collect::<String>()
        ),
    )
    .unwrap();
    let loaded = open_all(&[first, second], &ReadOptions::default()).unwrap().load().unwrap();
    assert_eq!(loaded.data.column(0)[..3], [1.0, 2.0, 1.0]);
    let expected: Vec<f64> = (0..30).map(|i| [0.0, 2.0, 1.0][(i * 7 % 11) % 3]).collect();
    assert_eq!(loaded.data.column(0)[30..], expected);
}

#[test]
fn the_golden_data_sets_are_read_without_remarks() {
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/../../reference/r/datasets");
    for name in ["ER-SIN-1_d10", "MC-GLM_d10", "camfail-sin_n1000"] {
        let loaded = read(&format!("{directory}/{name}.csv"), &ReadOptions::default()).unwrap();
        assert_eq!(loaded.diagnostics, [], "{name}");
        assert!(loaded.data.n() >= 100, "{name}");
    }
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let error = open("no/such.csv", &ReadOptions::default()).unwrap_err().to_string();
    assert!(error.starts_with("no/such.csv: "), "{error}");
}
