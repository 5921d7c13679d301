//! NPVAR with every estimator on the data sets that the reference outputs were made from: wrong edges, violated edges, seconds.
//!
//! ```text
//! cargo run --release -p npvar-lab --bin golden_estimators -- limit=900 > docs/src/lab/estimators-golden.csv
//! ```
//!
//! As many runs go side by side as there are cores for `threads` (one) each, the slow estimators first. A run that takes more
//! than `limit` seconds is stopped, and its row says so. Run it from the root of the repository. Words without `=` choose data sets by the beginning of their names,
//! `estimators=a,b` chooses estimators, and `done=FILE` takes over what an earlier table found and runs the rest.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use npvar::data::{Dataset, Header, ReadOptions, read};
use npvar::graph::Dag;
use npvar::learner::{Assignment, Input, LearnerConfig};
use npvar::metrics::{order_recovery, shd};
use npvar::{Error, Run, Seed};

const ESTIMATORS: [&str; 10] = ["mlp", "kernel", "gp", "auto", "forest", "rodeo", "grid", "knn", "gam", "linear"];

type Failure = Box<dyn std::error::Error + Send + Sync>;

fn main() -> Result<(), Failure> {
    let (mut limit, mut threads, mut beginnings, mut done) = (300, 1, Vec::new(), String::new());
    let mut estimators = ESTIMATORS.map(str::to_owned).to_vec();
    for argument in std::env::args().skip(1) {
        match argument.split_once('=') {
            Some(("limit", value)) => limit = value.parse()?,
            Some(("threads", value)) => threads = value.parse()?,
            Some(("estimators", value)) => estimators = value.split(',').map(str::to_owned).collect(),
            Some(("done", file)) => done = std::fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?,
            Some(_) => return Err(format!("unknown option `{argument}`").into()),
            None => beginnings.push(argument),
        }
    }
    let folder = Path::new("reference/r/datasets");
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))? {
        let name = entry?.file_name().into_string().map_err(|_| "a file name is not text")?;
        if let Some(name) = name.strip_suffix(".adj.csv") {
            names.push(name.to_owned());
        }
    }
    names.retain(|name| beginnings.is_empty() || beginnings.iter().any(|beginning| name.starts_with(beginning)));
    names.sort();
    let tasks: Vec<(&str, &str)> =
        estimators.iter().flat_map(|estimator| names.iter().map(|name| (name.as_str(), estimator.as_str()))).collect();
    let found = |name: &str, estimator: &str| {
        let beginning = format!("{name},{estimator},");
        done.lines().find(|row| row.starts_with(&beginning) && row.ends_with(",found")).map(str::to_owned)
    };
    let next = AtomicUsize::new(0);
    let work = || -> Result<Vec<String>, Failure> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
        let mut rows = Vec::new();
        while let Some((name, estimator)) = tasks.get(next.fetch_add(1, Ordering::Relaxed)) {
            rows.push(match found(name, estimator) {
                Some(row) => row,
                None => {
                    let row = pool.install(|| one(folder, name, estimator, Duration::from_secs(limit)))?;
                    eprintln!("{row}");
                    row
                }
            });
        }
        Ok(rows)
    };
    let at_once = (std::thread::available_parallelism()?.get() / threads).max(1);
    let mut rows = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..at_once).map(|_| scope.spawn(work)).collect();
        let results = workers.into_iter().map(|worker| worker.join().map_err(|_| "a run panicked")?);
        results.collect::<Result<Vec<_>, Failure>>()
    })?
    .concat();
    rows.sort();
    println!("data set,estimator,d,n,true edges,shd,violated edges,seconds,outcome");
    rows.iter().for_each(|row| println!("{row}"));
    Ok(())
}

fn one(folder: &Path, name: &str, estimator: &str, limit: Duration) -> Result<String, Failure> {
    let data = read(&folder.join(format!("{name}.csv")).to_string_lossy(), &ReadOptions::default())?.data;
    let bare = ReadOptions { header: Header::No, ..ReadOptions::default() };
    let truth = adjacency(&read(&folder.join(format!("{name}.adj.csv")).to_string_lossy(), &bare)?.data)?;
    let facts = format!("{name},{estimator},{},{},{}", data.d(), data.n(), truth.edge_count());
    let learner = LearnerConfig::resolve("npvar", &[Assignment::parse(&format!("estimator={estimator}"))?])?.build()?;
    let stop = AtomicBool::new(false);
    let begun = Instant::now();
    let (finished, waiting) = channel::<()>();
    let learned = std::thread::scope(|scope| {
        let stop = &stop;
        scope.spawn(move || {
            if waiting.recv_timeout(limit).is_err() {
                stop.store(true, Ordering::Relaxed);
            }
        });
        let learned = learner.learn(&Input::new(&data), &Run::new(Seed(1)).stopped_by(stop));
        let _ = finished.send(()); // nobody waits any more once the time is up
        learned
    });
    let seconds = begun.elapsed().as_secs_f64();
    Ok(match learned {
        Ok(learned) => {
            let order = learned.order.ok_or("NPVAR finds an order")?;
            let violated = order_recovery(&order, &truth).violated_edges;
            format!("{facts},{},{violated},{seconds:.2},found", shd(&learned.graph, &truth))
        }
        Err(Error::Cancelled) => format!("{facts},,,{seconds:.0},stopped"),
        Err(error) => format!("{facts},,,{seconds:.2},\"{}\"", error.to_string().replace('"', "'")),
    })
}

/// A graph from a matrix with a one in row i and column j for an edge from i to j.
fn adjacency(matrix: &Dataset) -> Result<Dag, Failure> {
    let edges =
        (0..matrix.d()).flat_map(|j| (0..matrix.n()).map(move |i| (i, j))).filter(|&(i, j)| matrix.column(j)[i] != 0.0);
    Ok(Dag::from_edges(matrix.d(), edges)?)
}
