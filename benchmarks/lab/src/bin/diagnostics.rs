//! How often every doubt about a result speaks, on data that deserve it and on data that do not, and what the doubts cost.
//!
//! ```text
//! cargo run --release -p npvar-lab --bin diagnostics -- seeds=200
//! ```
//!
//! `from=N` begins at that seed (1); `only=TEXT` keeps the kinds of data whose names hold the text.

#[path = "../../../../crates/npvar/tests/npvar/learners/doubt_cases.rs"]
mod doubt_cases;

use std::time::Instant;

use doubt_cases::{CASES, CODES, Case};
use npvar::judge::doubts;
use npvar::metrics::{r2_sortability, var_sortability};
use npvar::simulate::{SimulateOptions, simulate};
use npvar::{Run, Seed};
use rayon::prelude::*;

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// From here on a true graph is sorted; below the other it is not. Between them either answer will do.
const SORTED: f64 = 0.95;
const NOT_SORTED: f64 = 0.8;

/// A sortability of the true graph.
type Measure = fn(&Outcome) -> Option<f64>;

/// What one data set led to.
struct Outcome {
    codes: Vec<String>,
    /// The sortability of the true graph.
    var_sortability: Option<f64>,
    r2_sortability: Option<f64>,
}

fn main() -> Result<(), Failure> {
    let (mut seeds, mut from, mut only) = (100, 1, String::new());
    for argument in std::env::args().skip(1) {
        match argument.split_once('=') {
            Some(("seeds", value)) => seeds = value.parse()?,
            Some(("from", value)) => from = value.parse()?,
            Some(("only", value)) => only = value.to_owned(),
            _ => return Err(format!("unknown option `{argument}`").into()),
        }
    }
    let mut all = Vec::new();
    println!(
        "Data sets of each kind: {seeds}, from seed {from} on. Per cent of them for which NPVAR's answer was doubted; bold: deserved.\n"
    );
    println!("| data | {} |", CODES.join(" | "));
    println!("|---|{}", "---:|".repeat(CODES.len()));
    for case in CASES.iter().filter(|case| case.name.contains(&only)) {
        let outcomes: Vec<Outcome> = (from..from + seeds)
            .into_par_iter()
            .map(|seed| outcome(case, seed))
            .collect::<Result<_, npvar::Error>>()?;
        let rates = CODES.iter().map(|code| {
            let rate = format!("{:.0}", 100.0 * share(&outcomes, code));
            match (case.deserves.contains(code), case.may.contains(code)) {
                (true, _) => format!("**{rate}**"),
                (_, true) => format!("({rate})"),
                _ => rate,
            }
        });
        println!("| {} | {} |", case.name, rates.collect::<Vec<_>>().join(" | "));
        all.push((case, outcomes));
    }
    summary(&all);
    cost()
}

fn outcome(case: &Case, seed: usize) -> Result<Outcome, npvar::Error> {
    let seed = Seed(1).child(case.name, seed);
    let run = Run::new(seed);
    let (data, truth) = (case.draw)(seed)?;
    let learned = npvar::learn(&data, &run)?;
    let doubts = doubts(&data, &learned, &run)?;
    Ok(Outcome {
        codes: learned.diagnostics.iter().chain(&doubts).map(|found| found.code.clone()).collect(),
        var_sortability: var_sortability(&data, &truth),
        r2_sortability: r2_sortability(&data, &truth),
    })
}

fn share(outcomes: &[Outcome], code: &str) -> f64 {
    outcomes.iter().filter(|outcome| outcome.codes.iter().any(|found| found == code)).count() as f64
        / outcomes.len() as f64
}

/// Every code over all kinds of data together.
fn summary(all: &[(&Case, Vec<Outcome>)]) {
    println!("\n| code | fires where deserved | of | silent where not | of |\n|---|---:|---:|---:|---:|");
    let row = |code: &str, deserved: [Vec<bool>; 2]| {
        let [yes, no] = deserved;
        let fired = yes.iter().filter(|fired| **fired).count();
        let silent = no.iter().filter(|fired| !**fired).count();
        let per_cent = |count: usize, of: usize| 100.0 * count as f64 / of.max(1) as f64;
        println!(
            "| `{code}` | {:.1} % | {} | {:.1} % | {} |",
            per_cent(fired, yes.len()),
            yes.len(),
            per_cent(silent, no.len()),
            no.len()
        );
    };
    for code in CODES {
        let mut deserved = [Vec::new(), Vec::new()];
        for (case, outcomes) in all.iter().filter(|(case, _)| !case.may.contains(&code)) {
            let side = usize::from(!case.deserves.contains(&code));
            deserved[side].extend(outcomes.iter().map(|outcome| outcome.codes.iter().any(|found| found == code)));
        }
        row(code, deserved);
    }
    let measures: [(&str, Measure); 2] = [
        ("high-var-sortability", |outcome| outcome.var_sortability),
        ("high-r2-sortability", |outcome| outcome.r2_sortability),
    ];
    for (code, truth) in measures {
        let mut deserved = [Vec::new(), Vec::new()];
        let plain = all.iter().filter(|(case, _)| case.deserves.is_empty());
        for outcome in plain.flat_map(|(_, outcomes)| outcomes) {
            let fired = outcome.codes.iter().any(|found| found == code);
            match truth(outcome) {
                Some(share) if share >= SORTED => deserved[0].push(fired),
                Some(share) if share < NOT_SORTED => deserved[1].push(fired),
                _ => {}
            }
        }
        row(code, deserved);
    }
}

/// The time of the doubts beside that of learning.
fn cost() -> Result<(), Failure> {
    println!("\n| ER-SIN-1, n = 1000 | learning, ms | doubts, ms |\n|---|---:|---:|");
    for nodes in [20, 40, 100] {
        let options = SimulateOptions { nodes: Some(nodes), ..Default::default() };
        let data = simulate("ER-SIN-1".parse()?, &options, Seed(1))?.data;
        let run = Run::new(Seed(1));
        let learned = npvar::learn(&data, &run)?;
        let best = |work: &dyn Fn() -> Result<(), npvar::Error>| -> Result<f64, npvar::Error> {
            let mut best = f64::INFINITY;
            for _ in 0..20 {
                let start = Instant::now();
                work()?;
                best = best.min(start.elapsed().as_secs_f64());
            }
            Ok(1e3 * best)
        };
        let learning = best(&|| npvar::learn(&data, &run).map(drop))?;
        let doubting = best(&|| doubts(&data, &learned, &run).map(drop))?;
        println!("| d = {nodes} | {learning:.1} | {doubting:.1} |");
    }
    Ok(())
}
