//! `cargo xtask compare-r`: the R procedure and ours on the same files, in one run.
//!
//! The programs take turns, so that a busy moment of the machine touches both. Fails when an order or an edge differs.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

use super::ours::{OurRun, Program};
use super::r_procedure::{self, MGCV_P_VALUE, PeerRun};
use super::r_report;

/// Numbers of threads our program is run with.
pub(crate) const THREADS: [usize; 2] = [1, 2];

const SETTING: &str = "ER-SIN-4";
const SAMPLES: usize = 1000;

/// The level of the parent selection in the published code and in our `reference` preset.
const CUTOFF: f64 = 0.001;

struct Options {
    files: Vec<PathBuf>,
    large: bool,
    seeds: u64,
    repeat: usize,
    out: Option<PathBuf>,
}

/// Everything measured on one file.
pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) peer: Vec<PeerRun>,
    /// For each of [`THREADS`], one run per repetition.
    pub(crate) ours: [Vec<OurRun>; THREADS.len()],
    pub(crate) agreement: Agreement,
}

/// How far the two programs agree on one file, over all runs.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Agreement {
    pub(crate) order_differs: bool,
    /// Pairs on which the programs decide differently, R's p-value being clearly on one side.
    pub(crate) edges_differ: BTreeSet<(usize, usize)>,
    /// Pairs on which they decide differently, R's p-value being too near the cutoff to tell.
    pub(crate) borderline: BTreeSet<(usize, usize)>,
    pub(crate) largest_p_value_difference: f64,
}

impl Agreement {
    pub(crate) fn holds(&self) -> bool {
        !self.order_differs && self.edges_differ.is_empty()
    }

    fn add(&mut self, peer: &PeerRun, ours: &OurRun) {
        self.order_differs |= peer.order != ours.order;
        for &(ancestor, node, p) in &peer.tests {
            let edge = (ancestor, node);
            if (p < CUTOFF) != ours.edges.contains(&edge) {
                // Too near the cutoff for mgcv to tell: either answer is right.
                let near = (p - CUTOFF).abs() <= MGCV_P_VALUE;
                if near { &mut self.borderline } else { &mut self.edges_differ }.insert(edge);
            }
            let same_test = ours.tests.iter().find(|(from, to, _)| (*from, *to) == edge);
            if let Some(&(_, _, Some(our_p))) = same_test
                && !p.is_nan()
            {
                self.largest_p_value_difference = self.largest_p_value_difference.max((p - our_p).abs());
            }
        }
        let tested = |edge| peer.tests.iter().any(|&(ancestor, node, _)| (ancestor, node) == edge);
        self.edges_differ.extend(ours.edges.iter().filter(|&&edge| !tested(edge)));
    }
}

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let options = parse(arguments)?;
    r_procedure::require_r()?;
    let program = Program::build()?;
    let files = if options.files.is_empty() { simulate(&program, &options)? } else { options.files };
    let mut rows = Vec::new();
    for (name, file) in files.iter().map(|file| (name(file), file)) {
        eprintln!("{name}: {} runs of R and of npvar with {THREADS:?} threads", options.repeat);
        rows.push(measure(&program, name, file, options.repeat)?);
    }
    let report = r_report::markdown(&rows, &program.version()?, options.repeat)?;
    print!("{report}");
    if let Some(out) = options.out {
        fs::write(&out, &report).with_context(|| format!("cannot write {}", out.display()))?;
    }
    let differing: Vec<&str> = rows.iter().filter(|row| !row.agreement.holds()).map(|row| row.name.as_str()).collect();
    ensure!(differing.is_empty(), "R and npvar disagree on {}", differing.join(", "));
    Ok(())
}

fn parse(arguments: &[String]) -> Result<Options> {
    let mut options = Options { files: Vec::new(), large: false, seeds: 3, repeat: 3, out: None };
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let mut value = || words.next().with_context(|| format!("`{word}` needs a value"));
        match word.as_str() {
            "--large" => options.large = true,
            "--seeds" => options.seeds = value()?.parse().context("`--seeds` takes a whole number")?,
            "--repeat" => options.repeat = value()?.parse().context("`--repeat` takes a whole number")?,
            "--out" => options.out = Some(here(value()?)?),
            option if option.starts_with('-') => bail!("`compare-r` has no option `{option}`"),
            file => options.files.push(here(file)?),
        }
    }
    ensure!(options.seeds > 0 && options.repeat > 0, "`--seeds` and `--repeat` must be at least 1");
    if let Some(missing) = options.files.iter().find(|file| !file.is_file()) {
        bail!("there is no file {}", missing.display());
    }
    ensure!(options.files.is_empty() || !options.large, "`--large` is for simulated files; files were given");
    Ok(options)
}

/// A path as the user sees it: the programs are started in the root of the repository.
fn here(path: &str) -> Result<PathBuf> {
    std::path::absolute(path).with_context(|| format!("`{path}` is not a path"))
}

fn simulate(program: &Program, options: &Options) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for nodes in [5, 10, 20].into_iter().chain(options.large.then_some(40)) {
        for seed in 1..=options.seeds {
            files.push(program.simulate(SETTING, nodes, SAMPLES, seed)?);
        }
    }
    Ok(files)
}

/// The file's name; a simulated `data.csv` is known by its folder.
fn name(file: &Path) -> String {
    let last = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    match (last(file).as_str(), file.parent()) {
        ("data.csv", Some(folder)) => last(folder),
        (name, _) => name.to_string(),
    }
}

/// R and ours in turn on one file.
pub(crate) fn measure(program: &Program, name: String, file: &Path, repeat: usize) -> Result<Row> {
    let mut row = Row { name, peer: Vec::new(), ours: Default::default(), agreement: Agreement::default() };
    for _ in 0..repeat {
        let peer = r_procedure::learn(file)?;
        for (runs, threads) in row.ours.iter_mut().zip(THREADS) {
            let ours = program.learn(file, threads)?;
            ensure!(peer.d == ours.d, "{}: R reads {} columns, npvar learns {} nodes", row.name, peer.d, ours.d);
            row.agreement.add(&peer, &ours);
            runs.push(ours);
        }
        row.peer.push(peer);
    }
    Ok(row)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn peer(p: f64) -> PeerRun {
        PeerRun { d: 2, order: vec![0, 1], tests: vec![(0, 1, p)], ..PeerRun::default() }
    }

    fn ours(order: [usize; 2], edges: &[(usize, usize)]) -> OurRun {
        let (edges, tests) = (edges.to_vec(), vec![(0, 1, Some(0.0))]);
        OurRun { d: 2, order: order.to_vec(), edges, tests, library_seconds: 0.0, process_seconds: 0.0 }
    }

    fn agreement(peer: &PeerRun, ours: &OurRun) -> Agreement {
        let mut agreement = Agreement::default();
        agreement.add(peer, ours);
        agreement
    }

    #[test]
    fn the_same_order_and_edges_agree() {
        let found = agreement(&peer(1e-5), &ours([0, 1], &[(0, 1)]));
        assert_eq!(found, Agreement { largest_p_value_difference: 1e-5, ..Agreement::default() });
        assert!(found.holds());
    }

    #[test]
    fn a_missing_edge_disagrees_unless_its_p_value_is_at_the_cutoff() {
        assert!(!agreement(&peer(1e-5), &ours([0, 1], &[])).holds());
        let near = agreement(&peer(0.00098), &ours([0, 1], &[]));
        assert!(near.holds());
        assert_eq!(near.borderline, BTreeSet::from([(0, 1)]));
    }

    #[test]
    fn an_edge_r_never_tested_disagrees() {
        assert!(!agreement(&peer(0.5), &ours([0, 1], &[(1, 0)])).holds());
    }

    #[test]
    fn another_order_disagrees() {
        assert!(!agreement(&peer(0.5), &ours([1, 0], &[])).holds());
    }
}
