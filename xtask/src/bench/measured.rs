//! `benchmarks/measured.json`: everything that one run of `cargo xtask bench` found, where and with what.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use crate::command::root;

/// One run. A row that was not measured is not there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Measured {
    /// What was built; `+` at its end where files differed from it.
    pub(crate) commit: String,
    /// Year, month, day (UTC).
    pub(crate) date: String,
    /// The small version, good for trying the command only.
    pub(crate) quick: bool,
    /// From the first measurement to the last.
    pub(crate) minutes: f64,
    pub(crate) machine: Machine,
    /// Programs and their versions, ours first.
    pub(crate) versions: Vec<String>,
    pub(crate) against_r: Vec<AgainstR>,
    pub(crate) library: Vec<InLibrary>,
    pub(crate) streams: Vec<Streamed>,
    pub(crate) peers: Vec<AgainstPeer>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Machine {
    pub(crate) processor: String,
    pub(crate) cores: usize,
    /// The system's load over the minute before the run: other work beside it.
    pub(crate) load_before: f64,
}

/// Seconds of several runs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Spread {
    pub(crate) best: f64,
    pub(crate) median: f64,
    pub(crate) worst: f64,
    pub(crate) runs: usize,
}

/// NPVAR's order and selection against the R procedure, over files and repetitions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct AgainstR {
    pub(crate) setting: String,
    pub(crate) nodes: usize,
    pub(crate) samples: usize,
    pub(crate) files: usize,
    /// R's CPU or elapsed time, whichever is smaller.
    pub(crate) r: Spread,
    /// Ours in a fresh process, without reading the file, on one thread and on two.
    pub(crate) cold: [Spread; 2],
    /// The whole process on one thread.
    pub(crate) process: Spread,
    pub(crate) largest_p_value_difference: f64,
}

/// The library called again and again in one process, on all cores.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct InLibrary {
    pub(crate) nodes: usize,
    pub(crate) samples: usize,
    pub(crate) seconds: Spread,
    pub(crate) peak_mebibytes: f64,
}

/// Learning from a Parquet file, block by block.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Streamed {
    pub(crate) rows: u64,
    pub(crate) columns: usize,
    pub(crate) seconds: f64,
    pub(crate) peak_mebibytes: f64,
    /// How many of the true edges were found, in the program's words.
    pub(crate) edges: String,
}

/// Another learner against a public implementation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct AgainstPeer {
    pub(crate) learner: String,
    pub(crate) options: String,
    pub(crate) setting: String,
    pub(crate) nodes: usize,
    pub(crate) samples: usize,
    /// Its name and version.
    pub(crate) peer: String,
    pub(crate) theirs: Spread,
    pub(crate) ours: Spread,
    pub(crate) agreement: String,
}

impl Spread {
    pub(crate) fn of(seconds: impl IntoIterator<Item = f64>) -> Result<Self> {
        let mut seconds: Vec<f64> = seconds.into_iter().collect();
        seconds.sort_by(f64::total_cmp);
        let (&[best, ..], &[.., worst]) = (&seconds[..], &seconds[..]) else { anyhow::bail!("no run to summarise") };
        let middle = seconds.len() / 2;
        let even = seconds.len().is_multiple_of(2);
        let median = if even { (seconds[middle - 1] + seconds[middle]) / 2.0 } else { seconds[middle] };
        Ok(Self { best, median, worst, runs: seconds.len() })
    }
}

impl Measured {
    pub(crate) fn path() -> PathBuf {
        root().join("benchmarks").join("measured.json")
    }

    /// The run that is kept, if there is one.
    pub(crate) fn read() -> Result<Option<Self>> {
        let path = Self::path();
        if !path.exists() {
            return Ok(None);
        }
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        Ok(Some(serde_json::from_str(&text).with_context(|| format!("{} is not a run", path.display()))?))
    }

    pub(crate) fn write(&self, path: &std::path::Path) -> Result<()> {
        ensure!(
            !(self.against_r.is_empty() && self.library.is_empty() && self.streams.is_empty() && self.peers.is_empty()),
            "nothing was measured"
        );
        let text = serde_json::to_string_pretty(self)? + "\n";
        fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_an_even_number_lies_between() {
        let spread = Spread::of([4.0, 1.0, 2.0, 9.0]).unwrap();
        assert_eq!(spread, Spread { best: 1.0, median: 3.0, worst: 9.0, runs: 4 });
        assert!(Spread::of([]).is_err());
    }
}
