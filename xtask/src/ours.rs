//! Our program: building it, simulating files with it, learning with it and reading its JSON.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use serde::Deserialize;

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
        let folder = target.join("compare-r").join(format!("{setting}_d{nodes}_n{samples}_seed{seed}"));
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
        let mut learn = command(self.path()?);
        learn.arg("learn").arg(file);
        learn.args(["--set", "preset=reference", "--json", "--threads", &threads.to_string()]);
        let start = Instant::now();
        let printed = output(&mut learn)?;
        let process_seconds = start.elapsed().as_secs_f64();
        let graph: LearnedGraph = serde_json::from_str(&printed).context("unexpected JSON of `npvar learn`")?;
        graph.into_run(process_seconds)
    }

    fn path(&self) -> Result<&str> {
        self.0.to_str().context("the path of the build directory is not UTF-8")
    }
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
    order: Vec<String>,
    tests: Vec<Test>,
    timing: Timing,
}

#[derive(Deserialize)]
struct Edge {
    from: String,
    to: String,
}

#[derive(Deserialize)]
struct Test {
    from: String,
    to: String,
    p_value: Option<f64>,
}

#[derive(Deserialize)]
struct Timing {
    order_seconds: f64,
    selection_seconds: f64,
}

impl LearnedGraph {
    /// Nodes by position: the program lists them in the order of the file's columns.
    fn into_run(self, process_seconds: f64) -> Result<OurRun> {
        let node = |name: &String| {
            self.nodes.iter().position(|node| node == name).with_context(|| format!("`{name}` is not among the nodes"))
        };
        Ok(OurRun {
            d: self.nodes.len(),
            order: self.order.iter().map(node).collect::<Result<_>>()?,
            edges: self.edges.iter().map(|edge| Ok((node(&edge.from)?, node(&edge.to)?))).collect::<Result<_>>()?,
            tests: self
                .tests
                .iter()
                .map(|test| Ok((node(&test.from)?, node(&test.to)?, test.p_value)))
                .collect::<Result<_>>()?,
            library_seconds: self.timing.order_seconds + self.timing.selection_seconds,
            process_seconds,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_positions_and_stage_times_add() {
        let graph: LearnedGraph = serde_json::from_str(
            r#"{"format": "npvar-graph/1", "nodes": ["a", "b"],
                "edges": [{"from": "b", "to": "a", "kind": "directed", "p_value": 1e-9}],
                "tests": [{"from": "b", "to": "a", "p_value": 1e-9}], "order": ["b", "a"],
                "timing": {"read_seconds": 9.0, "order_seconds": 0.5, "selection_seconds": 0.25, "total_seconds": 10.0}}"#,
        )
        .unwrap();
        let run = graph.into_run(11.0).unwrap();
        assert_eq!(run.order, [1, 0]);
        assert_eq!(run.edges, [(1, 0)]);
        assert_eq!(run.tests, [(1, 0, Some(1e-9))]);
        assert_eq!((run.library_seconds, run.process_seconds), (0.75, 11.0));
    }
}
