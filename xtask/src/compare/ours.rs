//! Our program: building it, simulating files with it, learning with it and reading its JSON.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use super::cases::{Case, Clock};
use super::found::{Edges, Found};
use crate::command::{cargo, command, output};

/// The release build of the `npvar` program.
pub(crate) struct Program(PathBuf);

/// What we found in one file, and how long it took. Nodes are column positions from 0.
pub(crate) struct OurRun {
    pub(crate) d: usize,
    pub(crate) order: Vec<usize>,
    pub(crate) edges: Vec<(usize, usize)>,
    pub(crate) tests: Vec<(usize, usize, Option<f64>)>,
    /// Order and selection, by the clock.
    pub(crate) library_seconds: f64,
    /// From starting the process to its end.
    pub(crate) process_seconds: f64,
}

impl Program {
    /// Builds the program with `cargo build --release`.
    pub(crate) fn build() -> Result<Self> {
        let mut build = cargo();
        build.args(["build", "--release", "--package", "npvar-cli", "--message-format", "json-render-diagnostics"]);
        let result = build.stderr(Stdio::inherit()).output().context("cannot start cargo")?;
        if !result.status.success() {
            bail!("the release build of npvar-cli failed");
        }
        // One JSON message per line; the one about the program carries its path.
        for line in String::from_utf8(result.stdout)?.lines() {
            let message: BuildMessage = serde_json::from_str(line).context("unexpected message of cargo build")?;
            if let Some(path) = message.executable {
                return Ok(Self(path));
            }
        }
        bail!("npvar-cli built no program")
    }

    pub(crate) fn version(&self) -> Result<String> {
        Ok(output(command(self.path()?).arg("--version"))?.trim().to_string())
    }

    /// Simulates one data set into a folder of the build directory and returns its data file.
    pub(crate) fn simulate(&self, setting: &str, nodes: usize, samples: usize, seed: u64) -> Result<PathBuf> {
        let target = self.0.ancestors().nth(2).context("the program stands in target/release")?;
        let folder = target.join("simulated").join(format!("{setting}_d{nodes}_n{samples}_seed{seed}"));
        if folder.exists() {
            fs::remove_dir_all(&folder).with_context(|| format!("cannot replace {}", folder.display()))?;
        }
        let mut simulate = command(self.path()?);
        simulate.args(["simulate", setting, "--nodes", &nodes.to_string(), "--samples", &samples.to_string()]);
        simulate.args(["--seed", &seed.to_string(), "--out"]).arg(&folder);
        output(&mut simulate)?;
        Ok(folder.join("data.csv"))
    }

    /// Learns from one file as the R code does.
    pub(crate) fn learn(&self, file: &Path, threads: usize) -> Result<OurRun> {
        let (graph, process) = self.graph(file, "npvar", &["preset=reference"], threads)?;
        graph.into_run(process.seconds)
    }

    /// Learns from one file as a case asks.
    pub(crate) fn learn_as(&self, file: &Path, case: &Case, threads: usize) -> Result<Found> {
        let (graph, process) = self.graph(file, case.learner, case.settings, threads)?;
        graph.into_found(process, case.clock)
    }

    /// The graph, and what the process took.
    fn graph(&self, file: &Path, learner: &str, settings: &[&str], threads: usize) -> Result<(LearnedGraph, Process)> {
        let mut learn = command(self.path()?);
        learn.arg("learn").arg(file).args(["--learner", learner, "--json", "--seed", "1"]);
        learn.args(["--threads", &threads.to_string()]);
        learn.args(settings.iter().flat_map(|setting| ["--set", setting]));
        let (start, before) = (Instant::now(), children_cpu_seconds());
        let printed = output(&mut learn)?;
        let seconds = start.elapsed().as_secs_f64();
        let cpu_seconds = children_cpu_seconds().zip(before).map(|(after, before)| after - before);
        let process = Process { seconds, cpu_seconds: cpu_seconds.filter(|cpu| *cpu >= LEAST_CPU_SECONDS) };
        Ok((serde_json::from_str(&printed).context("unexpected JSON of `npvar learn`")?, process))
    }

    fn path(&self) -> Result<&str> {
        self.0.to_str().context("the path of the build directory is not UTF-8")
    }
}

/// Processor time is counted in hundredths of a second; below this it is too coarse to be of use.
pub(crate) const LEAST_CPU_SECONDS: f64 = 0.5;

/// What one process took.
struct Process {
    /// From its start to its end.
    seconds: f64,
    /// Its user and system time, reading the file included, where it can be told.
    cpu_seconds: Option<f64>,
}

/// User and system time of all processes this one has waited for, where Linux tells.
fn children_cpu_seconds() -> Option<f64> {
    const TICKS_PER_SECOND: f64 = 100.0;
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    // The second field, in parentheses, may hold anything; `cutime` and `cstime` are the 16th and 17th.
    let ticks: Vec<f64> = stat.rsplit_once(')')?.1.split_whitespace().skip(13).take(2).flat_map(str::parse).collect();
    (ticks.len() == 2).then(|| (ticks[0] + ticks[1]) / TICKS_PER_SECOND)
}

#[derive(Deserialize)]
struct BuildMessage {
    executable: Option<PathBuf>,
}

/// The part of `npvar-graph/1` that is compared.
#[derive(Deserialize)]
struct LearnedGraph {
    nodes: Vec<String>,
    edges: Vec<Edge>,
    order: Option<Vec<String>>,
    tests: Option<Vec<Test>>,
    #[serde(default)]
    diagnostics: Vec<Diagnostic>,
    version: String,
    timing: Timing,
}

#[derive(Deserialize)]
struct Diagnostic {
    code: String,
    message: String,
}

#[derive(Deserialize)]
struct Edge {
    from: String,
    to: String,
    kind: Kind,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Kind {
    Directed,
    Undirected,
    Bidirected,
    PartiallyDirected,
    Undetermined,
    PartiallyUndirected,
}

#[derive(Deserialize)]
struct Test {
    from: String,
    to: String,
    p_value: Option<f64>,
}

#[derive(Deserialize)]
struct Timing {
    read_seconds: f64,
    order_seconds: f64,
    selection_seconds: f64,
    total_seconds: f64,
}

impl LearnedGraph {
    /// Nodes by position: the program lists them in the order of the file's columns.
    fn node(&self, name: &str) -> Result<usize> {
        self.nodes.iter().position(|node| node == name).with_context(|| format!("`{name}` is not among the nodes"))
    }

    fn order(&self) -> Result<Option<Vec<usize>>> {
        self.order.as_ref().map(|names| names.iter().map(|name| self.node(name)).collect()).transpose()
    }

    /// The first number of the remark about it; learners that optimise make one.
    fn objective(&self) -> Option<f64> {
        let remark = self.diagnostics.iter().find(|remark| remark.code == "objective")?;
        remark.message.split([' ', ',']).find_map(|word| word.parse().ok())
    }

    fn into_run(self, process_seconds: f64) -> Result<OurRun> {
        let tests = self.tests.iter().flatten();
        let pair = |from, to| Ok((self.node(from)?, self.node(to)?));
        Ok(OurRun {
            d: self.nodes.len(),
            order: self.order()?.context("`npvar learn` gave no order")?,
            edges: self.edges.iter().map(|edge| pair(&edge.from, &edge.to)).collect::<Result<_>>()?,
            tests: tests
                .map(|test| pair(&test.from, &test.to).map(|(from, to)| (from, to, test.p_value)))
                .collect::<Result<_>>()?,
            library_seconds: self.timing.order_seconds + self.timing.selection_seconds,
            process_seconds,
        })
    }

    fn into_found(self, process: Process, clock: Clock) -> Result<Found> {
        let mut edges = Edges::default();
        for edge in &self.edges {
            let list = match edge.kind {
                Kind::Directed => &mut edges.directed,
                Kind::Undirected => &mut edges.undirected,
                Kind::Bidirected => &mut edges.bidirected,
                Kind::PartiallyDirected => &mut edges.partially_directed,
                Kind::Undetermined => &mut edges.undetermined,
                Kind::PartiallyUndirected => &mut edges.partially_undirected,
            };
            list.push((self.node(&edge.from)?, self.node(&edge.to)?));
        }
        let seconds = match clock {
            Clock::Learning => self.timing.total_seconds - self.timing.read_seconds,
            Clock::Order => self.timing.order_seconds,
        };
        Ok(Found {
            order: self.order()?,
            version: format!("npvar {}", self.version),
            seconds,
            cpu_seconds: process.cpu_seconds,
            process_seconds: Some(process.seconds),
            edges,
            objective: self.objective(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph() -> LearnedGraph {
        serde_json::from_str(
            r#"{"format": "npvar-graph/1", "nodes": ["a", "b"], "version": "0.1.0",
                "edges": [{"from": "b", "to": "a", "kind": "directed", "p_value": 1e-9}],
                "tests": [{"from": "b", "to": "a", "p_value": 1e-9}], "order": ["b", "a"],
                "diagnostics": [{"level": "info", "code": "objective", "message": "the objective ended at 6.5, h at 1e-9"}],
                "timing": {"read_seconds": 9.0, "order_seconds": 0.5, "selection_seconds": 0.25, "total_seconds": 10.0}}"#,
        )
        .unwrap()
    }

    #[test]
    fn reading_is_not_learning() {
        let found = graph().into_found(Process { seconds: 11.0, cpu_seconds: None }, Clock::Learning).unwrap();
        assert_eq!((found.seconds, found.process_seconds, found.objective), (1.0, Some(11.0), Some(6.5)));
        assert_eq!((found.edges.directed, found.order), (vec![(1, 0)], Some(vec![1, 0])));
        assert_eq!(
            graph().into_found(Process { seconds: 11.0, cpu_seconds: None }, Clock::Order).unwrap().seconds,
            0.5
        );
    }

    #[test]
    fn names_become_positions_and_stage_times_add() {
        let run = graph().into_run(11.0).unwrap();
        assert_eq!(run.order, [1, 0]);
        assert_eq!(run.edges, [(1, 0)]);
        assert_eq!(run.tests, [(1, 0, Some(1e-9))]);
        assert_eq!((run.library_seconds, run.process_seconds), (0.75, 11.0));
    }
}
