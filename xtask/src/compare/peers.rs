//! `cargo xtask compare-peers`: the public implementations and ours on the same simulated files, in one run.
//!
//! The programs take turns, so that a busy moment of the machine touches both.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};

use super::cases::{CASES, Case};
use super::found::read_truth;
use super::ours::Program;
use super::peers_report::{self, Agreement, Cell, NoPeer};
use super::runtime::{Outcome, Runtimes};
use super::seeds_report::{self, Pair, Series};
use crate::command::root;

/// A peer that needs longer than this runs once.
const LONG_SECONDS: f64 = 60.0;

struct Options {
    only: Vec<String>,
    nodes: Option<Vec<usize>>,
    samples: Option<usize>,
    repeats: usize,
    seed: u64,
    /// More than one: accuracy over as many data sets instead of times on one.
    seeds: u64,
    threads: usize,
    limit: u64,
    peers: PathBuf,
    out: Option<PathBuf>,
}

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let options = parse(arguments)?;
    let chosen = |case: &&Case| {
        // A peer's name means that peer, also where it is a learner's too.
        let named = |word: &String| {
            let peers = CASES.iter().any(|case| case.peer == word);
            word == case.peer || (!peers && word == case.learner)
        };
        options.only.is_empty() || options.only.iter().any(named)
    };
    let cases: Vec<&'static Case> = CASES.iter().filter(chosen).collect();
    ensure!(!cases.is_empty(), "no case is called {}", options.only.join(", "));
    let program = Program::build()?;
    let mut runtimes = Runtimes::new(options.peers.clone(), options.threads, Duration::from_secs(options.limit))?;

    if options.seeds > 1 {
        let report =
            seeds_report::markdown(&over_seeds(&cases, &program, &mut runtimes, &options)?, &program.version()?)?;
        return write_report(&report, options.out.as_deref());
    }
    let mut cells = Vec::new();
    for case in cases {
        for setting in case.data {
            for &nodes in options.nodes.as_deref().unwrap_or(case.nodes) {
                eprintln!("{} against {}: {setting}, {nodes} nodes", case.learner, case.peer);
                let samples = options.samples.unwrap_or(case.samples);
                let file = program.simulate(setting, nodes, samples, options.seed)?;
                let mut cell = Cell::new(case, setting, nodes, samples);
                measure(&mut cell, &program, &mut runtimes, &file, options.repeats, options.threads)?;
                cells.push(cell);
            }
        }
    }

    let report = peers_report::markdown(&cells, &program.version()?, options.repeats, options.threads, options.limit)?;
    write_report(&report, options.out.as_deref())?;
    let failed = cells.iter().filter(|cell| cell.failure.is_some()).count();
    ensure!(failed == 0, "npvar failed in {failed} of {} cases", cells.len());
    let broken: Vec<String> = cells.iter().filter_map(Cell::broken_promise).collect();
    ensure!(broken.is_empty(), "answers differ beyond what is stated:\n{}", broken.join("\n"));
    Ok(())
}

fn write_report(report: &str, out: Option<&Path>) -> Result<()> {
    print!("{report}");
    match out {
        Some(out) => fs::write(out, report).with_context(|| format!("cannot write {}", out.display())),
        None => Ok(()),
    }
}

/// Both programs once on every one of many data sets.
fn over_seeds(
    cases: &[&'static Case],
    program: &Program,
    runtimes: &mut Runtimes,
    options: &Options,
) -> Result<Vec<Series>> {
    let mut all = Vec::new();
    for case in cases {
        for setting in case.data {
            for &nodes in options.nodes.as_deref().unwrap_or(case.nodes) {
                let samples = options.samples.unwrap_or(case.samples);
                let mut series = Series { case, setting, nodes, samples, pairs: Vec::new(), absent: Vec::new() };
                for seed in options.seed..options.seed + options.seeds {
                    eprintln!("{} against {}: {setting}, {nodes} nodes, seed {seed}", case.learner, case.peer);
                    let file = program.simulate(setting, nodes, samples, seed)?;
                    let ours = program.learn_as(&file, case, options.threads)?;
                    let truth = read_truth(&file.with_file_name("truth.csv"))?;
                    match runtimes.run(case.peer, case.runtime, &file)? {
                        Outcome::Found(theirs) => series.pairs.push(Pair::new(&theirs, &ours, &truth)),
                        Outcome::TooLong => series.absent.push((seed, format!("more than {} s", options.limit))),
                        Outcome::Absent(why) => series.absent.push((seed, why)),
                    }
                }
                all.push(series);
            }
        }
    }
    Ok(all)
}

fn parse(arguments: &[String]) -> Result<Options> {
    let mut options = Options {
        only: Vec::new(),
        nodes: None,
        samples: None,
        repeats: 3,
        seed: 1,
        seeds: 1,
        threads: 1,
        limit: 600,
        peers: root().join("target").join("peers"),
        out: None,
    };
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let mut value = || words.next().with_context(|| format!("`{word}` needs a value"));
        let path = |path: &String| std::path::absolute(path).with_context(|| format!("`{path}` is not a path"));
        match word.as_str() {
            "--only" => options.only = value()?.split(',').map(str::to_string).collect(),
            "--nodes" => {
                let numbers: Result<_, _> = value()?.split(',').map(str::parse).collect();
                options.nodes = Some(numbers.context("`--nodes` takes whole numbers such as 20,40")?);
            }
            "--repeats" => options.repeats = value()?.parse().context("`--repeats` takes a whole number")?,
            "--samples" => {
                options.samples = Some(value()?.parse().context("`--samples` takes a whole number")?);
            }
            "--seeds" => options.seeds = value()?.parse().context("`--seeds` takes a whole number")?,
            "--seed" => options.seed = value()?.parse().context("`--seed` takes a whole number")?,
            "--threads" => options.threads = value()?.parse().context("`--threads` takes a whole number")?,
            "--limit" => options.limit = value()?.parse().context("`--limit` takes whole seconds")?,
            "--peers" => options.peers = path(value()?)?,
            "--out" => options.out = Some(path(value()?)?),
            other => bail!("`compare-peers` has no option `{other}`"),
        }
    }
    ensure!(options.repeats > 0 && options.threads > 0, "`--repeats` and `--threads` must be at least 1");
    ensure!(options.seeds > 0, "`--seeds` must be at least 1");
    Ok(options)
}

/// Peer and ours in turn, then how far they agree.
pub(crate) fn measure(
    cell: &mut Cell,
    program: &Program,
    runtimes: &mut Runtimes,
    file: &Path,
    repeats: usize,
    threads: usize,
) -> Result<()> {
    let case = cell.case;
    for _ in 0..repeats {
        let long = cell.peer.last().is_some_and(|run| run.seconds > LONG_SECONDS);
        if cell.no_peer.is_none() && !long {
            match runtimes.run(case.peer, case.runtime, file)? {
                Outcome::Found(found) => cell.peer.push(*found),
                Outcome::TooLong => cell.no_peer = Some(NoPeer::TooLong),
                Outcome::Absent(why) => cell.no_peer = Some(NoPeer::Absent(why)),
            }
        }
        match program.learn_as(file, case, threads) {
            Ok(found) => cell.ours.push(found),
            Err(error) => {
                eprintln!("{error:#}");
                cell.failure = Some(format!("{error:#}"));
                return Ok(());
            }
        }
    }
    let (Some(theirs), Some(ours)) = (cell.peer.first(), cell.ours.first()) else { return Ok(()) };
    let truth = read_truth(&file.with_file_name("truth.csv"))?;
    let scores = case.score.and_then(|score| {
        let answer = runtimes.scores(score.program(), file, &[&theirs.edges, &ours.edges]);
        // The times stand without them.
        answer.inspect_err(|error| eprintln!("no scores: {error:#}")).ok()?.try_into().ok()
    });
    let scores = scores.map(|[theirs, ours]: [f64; 2]| (theirs, ours));
    cell.agreement = Some(Agreement::new(case, theirs, ours, &truth, scores));
    Ok(())
}
