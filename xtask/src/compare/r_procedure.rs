//! The R procedure of `benchmarks/npvar.R`: having R, running the script, reading what it prints.

use std::path::Path;
use std::str::FromStr;

use anyhow::{Context, Result, bail};

use crate::command::{command, output, root, succeeds};

const INSTALL: &str = "apt-get update && apt-get install -y --no-install-recommends r-base-core r-cran-mgcv";

/// Error of a p-value: mgcv computes it by Davies' method with an absolute tolerance of 2e-5; twice that to be safe.
pub(crate) const MGCV_P_VALUE: f64 = 4e-5;

/// What R found in one file, and how long it took. Nodes are column positions from 0.
#[derive(Debug, Default)]
pub(crate) struct PeerRun {
    /// Name and version of R, mgcv and the BLAS.
    pub(crate) versions: Vec<(String, String)>,
    pub(crate) n: usize,
    pub(crate) d: usize,
    /// Order and selection, user and system time of the R process.
    pub(crate) cpu_seconds: f64,
    /// Order and selection, by the clock.
    pub(crate) elapsed_seconds: f64,
    pub(crate) order: Vec<usize>,
    /// Per step, the residual variance of every remaining node.
    pub(crate) steps: Vec<Vec<(usize, f64)>>,
    /// Every ancestor, node and p-value of the selection.
    pub(crate) tests: Vec<(usize, usize, f64)>,
}

/// Makes sure that `Rscript` and mgcv are there, installing Debian's packages when allowed to.
pub(crate) fn require_r() -> Result<()> {
    let has_mgcv = || succeeds(command("Rscript").args(["-e", "library(mgcv)"]));
    if has_mgcv() {
        return Ok(());
    }
    let is_root = output(command("id").arg("-u")).is_ok_and(|id| id.trim() == "0");
    if !is_root || !succeeds(command("apt-get").arg("--version")) {
        bail!("R with the mgcv package is not installed; on Debian, as root:\n  {INSTALL}");
    }
    eprintln!("installing R and mgcv: {INSTALL}");
    // Standard output is for the table.
    let status = command("sh").args(["-c", &format!("{{ {INSTALL}; }} >&2")]).status()?;
    if !status.success() || !has_mgcv() {
        bail!("R and mgcv could not be installed with `{INSTALL}`");
    }
    Ok(())
}

/// Runs the R procedure on one comma-separated file with a header.
pub(crate) fn learn(file: &Path) -> Result<PeerRun> {
    let script = root().join("benchmarks").join("npvar.R");
    let printed = output(command("Rscript").arg(script).arg(file))?;
    parse(&printed).with_context(|| format!("unexpected output of benchmarks/npvar.R for {}", file.display()))
}

fn parse(printed: &str) -> Result<PeerRun> {
    let mut run = PeerRun::default();
    for line in printed.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["version", name, version] => run.versions.push((name.to_string(), version.to_string())),
            ["size", n, d] => (run.n, run.d) = (number(n)?, number(d)?),
            ["time", _stage, cpu, elapsed] => {
                run.cpu_seconds += number::<f64>(cpu)?;
                run.elapsed_seconds += number::<f64>(elapsed)?;
            }
            ["variance", step, target, value] => {
                let step: usize = number(step)?;
                run.steps.resize(run.steps.len().max(step), Vec::new());
                run.steps[step - 1].push((node(target)?, number(value)?));
            }
            ["order", nodes @ ..] => run.order = nodes.iter().map(|word| node(word)).collect::<Result<_>>()?,
            ["test", ancestor, target, p] => run.tests.push((node(ancestor)?, node(target)?, number(p)?)),
            _ => bail!("a line reads `{line}`"),
        }
    }
    if run.d == 0 || run.order.len() != run.d {
        bail!("{} nodes, but {} in the order", run.d, run.order.len());
    }
    Ok(run)
}

/// A node from R's position, which counts from 1.
fn node(word: &str) -> Result<usize> {
    number::<usize>(word)?.checked_sub(1).context("R's positions begin at 1")
}

fn number<T: FromStr<Err: std::error::Error + Send + Sync + 'static>>(word: &str) -> Result<T> {
    // R writes a missing p-value as NA or NaN.
    let word = if word == "NA" { "NaN" } else { word };
    word.parse().with_context(|| format!("`{word}` is not a number"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_the_stages_add_and_positions_count_from_zero() {
        let run = parse(
            "version R 4.2.2\nsize 500 2 \ntime order 1.5 2.0\ntime selection 0.25 0.5\n\
             variance 1 1 0.75\nvariance 1 2 0.5\norder 2 1 \ntest 2 1 NA\n",
        )
        .unwrap();
        assert_eq!((run.n, run.d), (500, 2));
        assert_eq!((run.cpu_seconds, run.elapsed_seconds), (1.75, 2.5));
        assert_eq!(run.order, [1, 0]);
        assert_eq!(run.steps, [[(0, 0.75), (1, 0.5)]]);
        assert!(matches!(run.tests[..], [(1, 0, p)] if p.is_nan()));
    }

    #[test]
    fn an_unknown_line_is_refused() {
        assert!(parse("size 500 1\norder 1\nsomething else\n").is_err());
    }
}
