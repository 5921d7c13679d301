//! Putting the tables where they are shown, between `<!-- measured: NAME -->` and `<!-- end of what was measured -->`.

use std::fs;

use anyhow::{Context, Result};

use super::measured::Measured;
use super::tables;
use crate::command::root;

const END: &str = "<!-- end of what was measured -->";

/// A page and the name of its block.
const BLOCKS: [(&str, &str); 2] = [("README.md", "speed"), ("docs/src/lab/benchmarks.md", "everything")];

fn table(name: &str, measured: &Measured) -> String {
    if name == "speed" { tables::speed(measured) } else { tables::everything(measured) }
}

/// What stands before the block, in it and after it.
fn split<'a>(page: &str, text: &'a str, name: &str) -> Result<[&'a str; 3]> {
    let begin = format!("<!-- measured: {name} -->\n");
    let missing = || format!("{page} has no block `{name}`");
    let (before, rest) = text.split_once(&begin).with_context(missing)?;
    let (block, after) = rest.split_once(END).with_context(missing)?;
    Ok([before, block, after])
}

/// Writes the tables of a run into the pages.
pub(crate) fn write(measured: &Measured) -> Result<()> {
    for (page, name) in BLOCKS {
        let path = root().join(page);
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {page}"))?;
        let [before, _, after] = split(page, &text, name)?;
        let block = table(name, measured);
        let new = format!("{before}<!-- measured: {name} -->\n\n{block}\n\n{END}{after}");
        fs::write(&path, new).with_context(|| format!("cannot write {page}"))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::measured::{AgainstPeer, AgainstR, InLibrary, Machine, Spread, Streamed};

    /// With no run kept, a block may only hold figures that name the commit they are of.
    #[test]
    fn the_pages_show_the_run_that_is_kept() {
        let measured = Measured::read().unwrap();
        for (page, name) in BLOCKS {
            let text = fs::read_to_string(root().join(page)).unwrap();
            let [_, block, _] = split(page, &text, name).unwrap();
            match &measured {
                Some(measured) => {
                    assert_eq!(block.trim(), table(name, measured), "{page}: run `cargo xtask bench --pages`");
                    assert!(!measured.quick, "a quick run is not for the pages");
                }
                None => assert!(block.contains("commit "), "{page}: `{name}` does not say what was measured"),
            }
        }
    }

    fn run() -> Measured {
        let once = |seconds| Spread { best: seconds, median: seconds, worst: seconds, runs: 1 };
        Measured {
            commit: "0123abcd".to_string(),
            date: "2026-11-18".to_string(),
            quick: false,
            minutes: 20.0,
            machine: Machine { processor: "a processor".to_string(), cores: 2, load_before: 0.1 },
            versions: vec!["npvar 0.1.0".to_string()],
            against_r: vec![AgainstR {
                setting: "ER-SIN-4".to_string(),
                nodes: 20,
                samples: 1000,
                files: 3,
                r: Spread { best: 10.0, median: 10.5, worst: 11.0, runs: 3 },
                cold: [once(0.0096), once(0.0084)],
                process: once(0.02),
                largest_p_value_difference: 4.5e-6,
            }],
            library: vec![InLibrary { nodes: 20, samples: 1000, seconds: once(0.0034), peak_mebibytes: 30.0 }],
            streams: vec![Streamed {
                rows: 50_000_000,
                columns: 20,
                seconds: 38.7,
                peak_mebibytes: 33.0,
                edges: "20 of 20 true edges found, 20 edges in all".to_string(),
            }],
            peers: vec![AgainstPeer {
                learner: "cam".to_string(),
                options: "pruning=own".to_string(),
                setting: "ER-SIN-1".to_string(),
                nodes: 20,
                samples: 1000,
                peer: "CAM 1.0".to_string(),
                theirs: once(44.0),
                ours: once(0.8),
                agreement: "same order; same graph".to_string(),
            }],
        }
    }

    #[test]
    fn a_row_says_what_was_measured_and_a_row_that_was_not_is_absent() {
        let mut measured = run();
        let speed = tables::speed(&measured);
        assert!(speed.contains("| d = 20, n = 1000 | 10.0 s–11.0 s | 8.40 ms | 3.40 ms |"), "{speed}");
        assert!(speed.contains("| 50 million rows × 20 columns from Parquet | – | 38.7 s, 33 MiB | – |"), "{speed}");
        let everything = tables::everything(&measured);
        assert!(everything.contains("| 10.5 s (10.0 s–11.0 s, 3) | 9.60 ms (1 run) | 1094 |"), "{everything}");
        assert!(everything.contains("| CAM 1.0 | 44.0 s (1 run) | 800 ms (1 run) | 55.0 | same order; same graph |"));
        assert!(!speed.contains("Like with like"), "one of the two ratios is not there");
        let own = AgainstPeer { options: "preset=reference".to_string(), ..measured.peers[0].clone() };
        measured.peers.push(AgainstPeer { ours: Spread { best: 4.4, ..own.ours }, ..own });
        let speed = tables::speed(&measured);
        assert!(
            speed.contains("55.0 times as long as ours by default, 10.0 times as long as ours\nwith R's own score.")
        );
        measured.peers.clear();
        measured.streams.clear();
        assert!(!tables::everything(&measured).contains("CAM"));
        assert!(!tables::speed(&measured).contains("Parquet"));
    }

    #[test]
    fn a_kept_run_is_read_as_it_was_written() {
        let text = serde_json::to_string(&run()).unwrap();
        assert_eq!(serde_json::from_str::<Measured>(&text).unwrap(), run());
    }
}
