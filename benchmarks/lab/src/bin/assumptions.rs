//! Worlds × learners: which learner finds the graph where, whether the comparison chooses a good one, and whether what it says of
//! the assumptions is right.
//!
//! ```text
//! cargo run --release -p npvar-lab --bin assumptions -- seeds=10 out=grid.csv
//! cargo run --release -p npvar-lab --bin assumptions -- table=grid.csv
//! ```
//!
//! `from=N` begins at that seed (1); `only=TEXT` keeps the worlds whose names hold the text; `nodes=D` (10), `samples=200,1000`;
//! `budget=SECONDS` (20) as `npvar compare --budget`, by which learners of joint effects are begun or not.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use npvar::compare::{Assessment, Comparing, Comparison, compare};
use npvar::data::Dataset;
use npvar::graph::{Dag, Pdag};
use npvar::judge::Stopwatch;
use npvar::metrics::shd;
use npvar::{Run, Seed};
use npvar_lab::worlds::{WORLDS, World};
use rayon::prelude::*;

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// A kind of data set.
#[derive(Clone, Copy)]
struct Cell {
    world: World,
    k: usize,
    samples: usize,
    standardised: bool,
    seed: u64,
}

struct Options {
    seeds: u64,
    from: u64,
    only: String,
    nodes: usize,
    samples: Vec<usize>,
    budget: f64,
    out: Option<String>,
}

fn main() -> Result<(), Failure> {
    let mut options = Options {
        seeds: 10,
        from: 1,
        only: String::new(),
        nodes: 10,
        samples: vec![200, 1000],
        budget: 20.0,
        out: None,
    };
    for argument in std::env::args().skip(1) {
        match argument.split_once('=') {
            Some(("seeds", value)) => options.seeds = value.parse()?,
            Some(("from", value)) => options.from = value.parse()?,
            Some(("only", value)) => options.only = value.to_owned(),
            Some(("nodes", value)) => options.nodes = value.parse()?,
            Some(("samples", value)) => {
                options.samples = value.split(',').map(str::parse).collect::<Result<_, _>>()?;
            }
            Some(("budget", value)) => options.budget = value.parse()?,
            Some(("out", value)) => options.out = Some(value.to_owned()),
            Some(("table", value)) => return table(&std::fs::read_to_string(value)?),
            _ => return Err(format!("unknown option `{argument}`").into()),
        }
    }
    measure(&options)
}

fn measure(options: &Options) -> Result<(), Failure> {
    let mut cells = Vec::new();
    for seed in options.from..options.from + options.seeds {
        for &samples in &options.samples {
            for world in WORLDS.iter().filter(|world| world.name.contains(&options.only)) {
                for (k, standardised) in [(1, false), (1, true), (3, false), (3, true)] {
                    cells.push(Cell { world: *world, k, samples, standardised, seed });
                }
            }
        }
    }
    let mut file: Box<dyn Write + Send> = match &options.out {
        Some(path) => Box::new(std::fs::File::create(path)?),
        None => Box::new(std::io::stdout()),
    };
    writeln!(
        file,
        "world,edges,n,scale,seed,learner,shd,seconds,linear,gaussian,additive,equal,truly_linear,truly_equal"
    )?;
    let file = Mutex::new(file);
    cells.par_iter().try_for_each(|cell| {
        let rows = rows(cell, options)?;
        let mut file = file.lock().map_err(|_| "another cell failed")?;
        file.write_all(rows.as_bytes())?;
        file.flush()?;
        Ok(())
    })
}

/// One comparison: a row for every learner, and one for the chosen.
fn rows(cell: &Cell, options: &Options) -> Result<String, Failure> {
    let (data, truth) = cell.world.draw(options.nodes, cell.k, cell.samples, Seed(cell.seed))?;
    let data = if cell.standardised { standardised(&data)? } else { data };
    let begun = Instant::now();
    let clock = || -> Duration { begun.elapsed() };
    let comparing = Comparing { table: &data, budget: Some(options.budget), call: None };
    let comparison = compare(&comparing, &Stopwatch::start(&clock), &Run::new(Seed(cell.seed)))?;
    let all = begun.elapsed().as_secs_f64();
    let says = |name: &str| {
        let row = comparison.assumptions.iter().find(|row| row.name == name);
        row.map_or("", |row| if row.verdict == Assessment::Undecided { "" } else { row.verdict.words() })
    };
    let truly = |fact: Option<bool>| fact.map_or("", |fact| if fact { "kept" } else { "rejected" });
    let linear = cell.world.is_linear().then_some(true);
    let equal = cell.world.has_equal_variances().map(|equal| equal && !cell.standardised);
    let judgement =
        [says("linear"), says("gaussian"), says("additive"), says("equal-variances"), truly(linear), truly(equal)]
            .join(",");
    let scale = if cell.standardised { "standardised" } else { "raw" };
    let kind = format!("\"{}\",{},{},{scale},{}", cell.world.name, cell.k, cell.samples, cell.seed);
    let mut rows = String::new();
    for learner in comparison.learners.iter().filter(|learner| learner.edges.is_some()) {
        let distance = distance(&comparison, &learner.name, &truth)?;
        let seconds = learner.seconds.unwrap_or(0.0);
        writeln!(rows, "{kind},{},{distance},{seconds:.3},{judgement}", learner.name)?;
    }
    if let Some(chosen) = &comparison.chosen {
        writeln!(rows, "{kind},auto: {chosen},{},{all:.3},{judgement}", distance(&comparison, chosen, &truth)?)?;
    }
    Ok(rows)
}

fn standardised(data: &Dataset) -> Result<Dataset, Failure> {
    let variances = data.variances();
    let column = |node: usize| data.column(node).iter().map(|x| x / variances[node].sqrt()).collect();
    Ok(Dataset::new(data.names().to_vec(), (0..data.d()).map(column).collect())?)
}

fn distance(comparison: &Comparison, learner: &str, truth: &Dag) -> Result<usize, Failure> {
    let place = |name: &String| comparison.nodes.iter().position(|node| node == name).ok_or("an edge of no column");
    let row = comparison.learners.iter().find(|row| row.name == learner).ok_or("no such learner")?;
    let edges = row.edges.iter().flatten().map(|edge| Ok((place(&edge.from)?, place(&edge.to)?, edge.kind)));
    let graph = Pdag::from_edges(comparison.nodes.len(), edges.collect::<Result<Vec<_>, Failure>>()?)?;
    Ok(shd(&graph, truth))
}

/// Distances of one cell, by learner.
type Distances = BTreeMap<String, Vec<f64>>;

/// Mean distances by world and learner, how often the choice is near the best single learner, and whether reasons are right.
fn table(text: &str) -> Result<(), Failure> {
    let mut cells: BTreeMap<String, Distances> = BTreeMap::new();
    let mut reasons: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for line in text.lines().skip(1) {
        // The world's name has commas between quotes.
        let (world, rest) = line.trim_start_matches('"').split_once('"').ok_or("no world")?;
        let fields: Vec<&str> = rest.trim_start_matches(',').split(',').collect();
        let [k, n, scale, _seed, learner, distance, _seconds, linear, _, _, equal, truly_linear, truly_equal] =
            fields[..]
        else {
            return Err(format!("a row of {} fields: {line}", fields.len()).into());
        };
        let name = if learner.starts_with("auto: ") { "auto" } else { learner };
        let cell = format!("{world}; {k} edges per node; n = {n}; {scale}");
        cells.entry(cell).or_default().entry(name.to_owned()).or_default().push(distance.parse()?);
        if name == "auto" {
            let mut count = |what, right: bool| {
                let entry = reasons.entry(what).or_default();
                entry.0 += usize::from(right);
                entry.1 += 1;
            };
            if truly_linear == "kept" {
                count("linear worlds called linear", linear == "kept");
            }
            if truly_equal == "rejected" && n == "1000" {
                count("equal variances rejected where false, n = 1000", equal == "rejected");
            }
            if truly_equal == "kept" {
                count("equal variances kept where true", equal == "kept");
            }
        }
    }
    let learners: Vec<String> = {
        let mut all: Vec<String> = cells.values().flat_map(|cell| cell.keys().cloned()).collect();
        all.sort();
        all.dedup();
        all
    };
    println!("| world | {} |\n|---|{}", learners.join(" | "), "---:|".repeat(learners.len()));
    let (mut near, mut count) = (0, 0);
    let mut far = Vec::new();
    for (cell, distances) in &cells {
        let shown: Vec<String> = learners
            .iter()
            .map(|learner| distances.get(learner).map_or_else(String::new, |values| format!("{:.1}", mean(values))))
            .collect();
        println!("| {cell} | {} |", shown.join(" | "));
        let Some(auto) = distances.get("auto") else { continue };
        // A learner that was not begun everywhere in the cell is no rival.
        let rivals = distances.iter().filter(|(name, values)| *name != "auto" && values.len() == auto.len());
        let best = rivals.min_by(|a, b| mean(a.1).total_cmp(&mean(b.1)));
        if let Some((name, best)) = best {
            let behind = mean(auto) - mean(best);
            let is_near = behind <= error(auto).max(0.5);
            near += usize::from(is_near);
            count += 1;
            if !is_near {
                far.push(format!("{cell}: {behind:.1} behind {name}"));
            }
        }
    }
    println!(
        "\nThe chosen learner is within one standard error or 0.5 of the best single one in {near} of {count} cells.\n"
    );
    far.iter().for_each(|cell| println!("- {cell}"));
    println!();
    for (what, (right, of)) in reasons {
        println!("{what}: {right} of {of} ({:.0} %)", 100.0 * right as f64 / of.max(1) as f64);
    }
    Ok(())
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn error(values: &[f64]) -> f64 {
    let (mean, n) = (mean(values), values.len() as f64);
    (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / ((n - 1.0).max(1.0) * n)).sqrt()
}
