//! The log: a line of CSV for every finished cell, written at once.
//!
//! A line goes to the operating system before the next cell begins, so a killed run loses nothing but the cells in hand; it is
//! forced to the disk every second and at the end, so a power cut loses a second. A last line that is torn (killed or full disk
//! in the middle of a write) is cut off when the log is opened again, and its cell is run again.

use std::fs::{File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::error::{Error, Result};
use crate::row::Row;

const SYNC: Duration = Duration::from_secs(1);

/// A log that is being written.
pub(crate) struct Log {
    path: PathBuf,
    file: File,
    /// The bytes that are whole lines.
    length: u64,
    synced: Instant,
}

impl Log {
    /// Opens a log, or begins one; a torn last line is cut off.
    pub(crate) fn open(path: &Path) -> Result<Log> {
        let options = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
        let mut file = options.map_err(Error::io(path))?;
        let kept = if file.metadata().map_err(Error::io(path))?.len() > 0 { read(path)?.kept } else { 0 };
        file.set_len(kept).and_then(|()| file.seek(SeekFrom::End(0))).map_err(Error::io(path))?;
        let mut log = Log { path: path.to_owned(), file, length: kept, synced: Instant::now() };
        if kept == 0 {
            log.write(&header()).map_err(Error::io(path))?;
        }
        Ok(log)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Appends a finished cell.
    pub(crate) fn append(&mut self, row: &Row) -> std::io::Result<()> {
        self.write(&line(row))?;
        if self.synced.elapsed() > SYNC {
            self.sync()?;
        }
        Ok(())
    }

    pub(crate) fn sync(&mut self) -> std::io::Result<()> {
        self.synced = Instant::now();
        self.file.sync_data()
    }

    /// Writes a line, or as far as one can tell nothing of it.
    fn write(&mut self, line: &str) -> std::io::Result<()> {
        self.file.write_all(line.as_bytes()).inspect_err(|_| {
            // Where this fails too, the torn line is cut off when the log is opened again.
            let _ = self.file.set_len(self.length);
        })?;
        self.length += line.len() as u64;
        Ok(())
    }
}

/// What a log holds.
pub(crate) struct Logged {
    /// The finished cells.
    pub(crate) rows: Vec<Row>,
    /// The bytes that are whole lines.
    kept: u64,
}

/// Reads a log, but for a torn last line.
pub(crate) fn read(path: &Path) -> Result<Logged> {
    let bytes = std::fs::read(path).map_err(Error::io(path))?;
    let damaged = |line, problem: &str| {
        let problem = problem.to_owned();
        Error::Damaged { path: path.display().to_string(), line, problem }
    };
    let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
    let (mut rows, mut kept) = (Vec::new(), 0);
    let expected = header();
    for (at, line) in bytes[..whole].split_inclusive(|&byte| byte == b'\n').enumerate() {
        if at == 0 {
            if line != expected.as_bytes() {
                return Err(damaged(1, "this is not a log of this version of the program"));
            }
        } else {
            match row_of(&expected, line) {
                Some(row) => rows.push(row),
                // After a power cut the last line may be any bytes.
                None if kept + line.len() == whole => break,
                None => return Err(damaged(at + 1, "this line is damaged; delete it, and its cell is run again")),
            }
        }
        kept += line.len();
    }
    Ok(Logged { rows, kept: kept as u64 })
}

fn row_of(header: &str, line: &[u8]) -> Option<Row> {
    let text = [header.as_bytes(), line].concat();
    let mut reader = csv::Reader::from_reader(&text[..]);
    let row = reader.deserialize().next()?.ok()?;
    Some(row)
}

/// The names of the columns.
pub(crate) fn header() -> String {
    let columns: Vec<&str> = columns();
    columns.join(",") + "\n"
}

/// A row as a line of the log.
pub(crate) fn line(row: &Row) -> String {
    let mut writer = csv::WriterBuilder::new().has_headers(false).from_writer(Vec::new());
    writer.serialize(row).expect("a row is plain data");
    let bytes = writer.into_inner().expect("memory can be written");
    String::from_utf8(bytes).expect("a row is text")
}

/// The names of the columns, as the struct has them.
fn columns() -> Vec<&'static str> {
    vec![
        "setting",
        "nodes",
        "samples",
        "noise_variance",
        "p",
        "seed",
        "data_seed",
        "learner",
        "algorithm",
        "configuration",
        "version",
        "status",
        "shd",
        "class_shd",
        "order_recovered",
        "violated_edges",
        "precision",
        "recall",
        "f1",
        "sid",
        "sid_lower",
        "sid_upper",
        "estimated_edges",
        "true_edges",
        "varsortability",
        "r2_sortability",
        "seconds",
        "peak_memory_mib",
        "message",
    ]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::cell::{SampleSpec, Task};

    pub(crate) fn row(seed: usize, message: &str) -> Row {
        let config = npvar::learner::LearnerConfig::resolve("npvar", &[]).unwrap();
        let setting = "ER-SIN-1".parse().unwrap();
        let sample = SampleSpec { setting, nodes: 5, samples: 100, noise_variance: Some(0.5), p: None, seed };
        let label = "NPVAR, \"ours\"".to_owned();
        let task = Task { sample, label, configuration: "0".to_owned(), config, time_limit: 1.0 };
        Row {
            message: message.to_owned(),
            shd: Some(seed),
            seconds: Some(0.1 + 0.2),
            order_recovered: Some(true),
            ..Row::of(&task)
        }
    }

    #[test]
    fn the_header_names_the_columns_as_the_struct_does() {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.serialize(row(1, "")).unwrap();
        let text = String::from_utf8(writer.into_inner().unwrap()).unwrap();
        assert_eq!(text.lines().next().unwrap().to_owned() + "\n", header());
    }

    #[test]
    fn a_damaged_line_before_the_last_is_told_with_its_number() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results.csv");
        std::fs::write(&path, header() + "what\n" + &line(&row(1, ""))).unwrap();
        let message = Log::open(&path).err().unwrap().to_string();
        assert!(message.contains("results.csv, line 2: this line is damaged"), "{message}");
        std::fs::write(&path, "a,b\n1,2\n").unwrap();
        assert!(Log::open(&path).err().unwrap().to_string().contains("line 1: this is not a log"));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        #[test]
        fn a_log_cut_anywhere_keeps_its_whole_lines(rows in 0..4_usize, share in 0.0..1.0) {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("results.csv");
            let rows: Vec<Row> = (1..=rows).map(|seed| row(seed, "it, \"said\" so")).collect();
            let lines: Vec<String> = rows.iter().map(line).collect();
            let text = header() + &lines.concat();
            let cut = (share * text.len() as f64) as usize;
            std::fs::write(&path, &text[..cut]).unwrap();
            let mut log = Log::open(&path).unwrap();
            let whole = text[..cut].matches('\n').count().saturating_sub(1);
            prop_assert_eq!(&read(&path).unwrap().rows, &rows[..whole]);
            for row in &rows[whole..] {
                log.append(row).unwrap();
            }
            prop_assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        }
    }
}
