//! The measurements themselves, by the programs of `compare-r`, `compare-peers` and `benchmarks/lab`.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use super::measured::{AgainstPeer, AgainstR, InLibrary, Spread, Streamed};
use super::plan::Plan;
use crate::command::{cargo, output, target};
use crate::compare::{CASES, Cell, Found, Program, Runtimes, measure_peer, measure_r, require_r};

const SETTING: &str = "ER-SIN-4";

/// The programs, built once before anything is timed.
pub(crate) struct Built {
    program: Program,
}

impl Built {
    pub(crate) fn new() -> Result<Self> {
        let program = Program::build()?;
        eprintln!("building the lab's programs");
        let mut lab = cargo();
        lab.args(["build", "--release", "--quiet", "-p", "npvar-lab", "--bin", "scaling", "--bin", "stream"]);
        output(&mut lab)?;
        Ok(Self { program })
    }

    pub(crate) fn version(&self) -> Result<String> {
        self.program.version()
    }

    fn lab(&self, name: &str) -> Command {
        Command::new(target().join("release").join(name))
    }

    /// Fails where the two disagree: a time for another answer is worth nothing.
    pub(crate) fn against_r(&self, plan: &Plan, versions: &mut Vec<String>) -> Result<Vec<AgainstR>> {
        require_r()?;
        let mut rows = Vec::new();
        for size in &plan.against_r {
            let mut files = Vec::new();
            for seed in 1..=size.files {
                eprintln!("R: {SETTING}, {} nodes, seed {seed}", size.nodes);
                let file = self.program.simulate(SETTING, size.nodes, size.samples, seed)?;
                let row = measure_r(&self.program, format!("{SETTING}, seed {seed}"), &file, size.repetitions)?;
                ensure!(row.agreement.holds(), "R and npvar disagree on {} with {} nodes", row.name, size.nodes);
                files.push(row);
            }
            let peers = || files.iter().flat_map(|row| &row.peer);
            let cold =
                |at: usize| Spread::of(files.iter().flat_map(|row| &row.ours[at]).map(|run| run.library_seconds));
            rows.push(AgainstR {
                setting: SETTING.to_string(),
                nodes: size.nodes,
                samples: size.samples,
                files: files.len(),
                r: Spread::of(peers().map(|run| run.cpu_seconds.min(run.elapsed_seconds)))?,
                cold: [cold(0)?, cold(1)?],
                process: Spread::of(files.iter().flat_map(|row| &row.ours[0]).map(|run| run.process_seconds))?,
                largest_p_value_difference: files
                    .iter()
                    .map(|row| row.agreement.largest_p_value_difference)
                    .fold(0.0, f64::max),
            });
            let named = peers().flat_map(|run| &run.versions).map(|(name, version)| format!("{name} {version}"));
            versions.extend(named);
        }
        let mut seen = Vec::new();
        versions.retain(|version| {
            !seen.contains(version) && {
                seen.push(version.clone());
                true
            }
        });
        Ok(rows)
    }

    pub(crate) fn library(&self, plan: &Plan) -> Result<Vec<InLibrary>> {
        // A process each: peak memory is that of the process so far.
        plan.library
            .iter()
            .map(|size| {
                eprintln!("library: {} nodes, {} samples", size.nodes, size.samples);
                let asked = format!("{},{},{}", size.nodes, size.samples, size.repetitions);
                scaling(&output(self.lab("scaling").arg(asked))?)
            })
            .collect()
    }

    pub(crate) fn streams(&self, plan: &Plan) -> Result<Vec<Streamed>> {
        let mut found = Vec::new();
        for &rows in &plan.streams {
            eprintln!("stream: {rows} rows");
            let file = target().join("simulated").join("bench.parquet");
            fs::create_dir_all(file.parent().context("a file stands in a folder")?)?;
            output(self.lab("stream").arg("generate").arg(&file).arg(rows.to_string()))?;
            let learned = output(self.lab("stream").arg("learn").arg(&file));
            fs::remove_file(&file)?;
            found.push(streamed(&learned?, rows)?);
        }
        Ok(found)
    }

    /// Peers that are not there leave no row.
    pub(crate) fn peers(&self, plan: &Plan, folder: PathBuf) -> Result<Vec<AgainstPeer>> {
        let mut runtimes = Runtimes::new(folder, 1, Duration::from_secs(plan.limit))?;
        let mut rows = Vec::new();
        for race in &plan.races {
            for case in CASES.iter().filter(|case| case.peer == race.peer) {
                for (setting, &nodes) in
                    race.data.iter().flat_map(|setting| race.nodes.iter().map(move |n| (setting, n)))
                {
                    eprintln!("{} against {}: {setting}, {nodes} nodes", case.learner, case.peer);
                    let file = self.program.simulate(setting, nodes, case.samples, 1)?;
                    let mut cell = Cell::new(case, setting, nodes, case.samples);
                    measure_peer(&mut cell, &self.program, &mut runtimes, &file, race.repetitions, 1)?;
                    match against_peer(&cell)? {
                        Some(row) => rows.push(row),
                        None => eprintln!("  no row: {}", cell.why_not().unwrap_or_default()),
                    }
                }
            }
        }
        Ok(rows)
    }
}

fn against_peer(cell: &Cell) -> Result<Option<AgainstPeer>> {
    let (Some(peer), Some(agreement)) = (cell.peer.first(), &cell.agreement) else { return Ok(None) };
    if let Some(broken) = cell.broken_promise() {
        anyhow::bail!("{} against {} on {}: {broken}", cell.case.learner, cell.case.peer, cell.setting);
    }
    Ok(Some(AgainstPeer {
        learner: cell.case.learner.to_string(),
        options: cell.case.settings.join(" "),
        setting: cell.setting.to_string(),
        nodes: cell.nodes,
        samples: cell.samples,
        peer: format!("{} ({})", cell.case.peer, peer.version),
        theirs: Spread::of(cell.peer.iter().map(Found::least_seconds))?,
        ours: Spread::of(cell.ours.iter().map(Found::least_seconds))?,
        agreement: agreement.sentence(),
    }))
}

/// The one row of the table that `scaling` prints.
fn scaling(printed: &str) -> Result<InLibrary> {
    let row = printed.lines().find(|line| line.starts_with("| ") && !line.starts_with("| d"));
    let cells: Vec<f64> = row
        .with_context(|| format!("`scaling` printed `{printed}`"))?
        .split('|')
        .filter_map(|cell| cell.trim().parse().ok())
        .collect();
    let [nodes, samples, runs, best, median, worst, peak_mebibytes] = cells[..] else {
        anyhow::bail!("`scaling` printed `{printed}`");
    };
    let seconds = Spread { best: best / 1e3, median: median / 1e3, worst: worst / 1e3, runs: runs as usize };
    Ok(InLibrary { nodes: nodes as usize, samples: samples as usize, seconds, peak_mebibytes })
}

/// What `stream learn` prints: rows and seconds, edges, peak memory.
fn streamed(printed: &str, rows: u64) -> Result<Streamed> {
    let unexpected = || format!("`stream` printed `{printed}`");
    let [first, edges, memory, ..] = printed.lines().collect::<Vec<_>>()[..] else { anyhow::bail!(unexpected()) };
    let seconds =
        first.split_once(" rows in ").and_then(|(_, rest)| rest.split_once(" s:")).with_context(unexpected)?;
    let kibibytes = memory.split_whitespace().nth(1).with_context(unexpected)?;
    Ok(Streamed {
        rows,
        columns: 20,
        seconds: seconds.0.parse().with_context(unexpected)?,
        peak_mebibytes: kibibytes.parse::<f64>().with_context(unexpected)? / 1024.0,
        edges: edges.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_programs_words_are_read() {
        let table = "| d | n | repetitions | best (ms) | median (ms) | worst (ms) | peak memory (MiB) |\n\
                     |---:|---:|---:|---:|---:|---:|---:|\n| 20 | 1000 | 300 | 2.86 | 3.39 | 7.23 | 31 |\n";
        let row = scaling(table).unwrap();
        assert_eq!((row.nodes, row.samples, row.seconds.runs, row.peak_mebibytes), (20, 1000, 300, 31.0));
        assert!((row.seconds.median - 0.00339).abs() < 1e-12);
        let said = "200000 rows in 0.3 s: 0.67 million rows/s\n20 of 20 true edges found, 20 edges in all\nVmHWM:\t   33792 kB\n";
        let found = streamed(said, 200_000).unwrap();
        assert_eq!((found.seconds, found.peak_mebibytes), (0.3, 33.0));
        assert!(scaling("nothing").is_err() && streamed("nothing", 1).is_err());
    }
}
