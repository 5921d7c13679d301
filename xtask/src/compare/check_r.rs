//! `cargo xtask check-r`: is `benchmarks/npvar.R` the published procedure?
//!
//! The numbers in `reference/r/npvar` came out of the published R code. The script must give the same orders,
//! residual variances and p-values; otherwise a race against it means nothing.

use std::fs;

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use super::r_procedure::{self, MGCV_P_VALUE, PeerRun};
use crate::command::root;

/// Of residual variances: the golden numbers carry 15 significant digits, and another BLAS rounds differently.
const ROUNDING: f64 = 1e-10;

#[derive(Deserialize)]
struct Golden {
    d: usize,
    naive: Naive,
    prune: Prune,
}

#[derive(Deserialize)]
struct Naive {
    order: Vec<usize>,
    steps: Vec<Step>,
}

#[derive(Deserialize)]
struct Step {
    nodes: Vec<usize>,
    condvar: Vec<f64>,
}

#[derive(Deserialize)]
struct Prune {
    p_value: Vec<Vec<Option<f64>>>,
}

pub(crate) fn run(names: &[String]) -> Result<()> {
    r_procedure::require_r()?;
    let golden = root().join("reference/r");
    let names = if names.is_empty() { small_cases()? } else { names.to_vec() };
    let mut wrong = 0;
    for name in &names {
        let expected = read(name)?;
        let found = r_procedure::learn(&golden.join("datasets").join(format!("{name}.csv")))?;
        match difference(&expected, &found) {
            Ok(largest) => {
                println!("{name}: same order, variances within {:.1e}, p-values within {:.1e}", largest.0, largest.1)
            }
            Err(error) => {
                wrong += 1;
                println!("{name}: {error}");
            }
        }
    }
    if wrong > 0 {
        bail!("benchmarks/npvar.R differs from the published code on {wrong} of {} data sets", names.len());
    }
    println!("benchmarks/npvar.R agrees with the published code on all {} data sets", names.len());
    Ok(())
}

/// Data sets with at most 10 nodes, a second or two each in R. Names that begin with `_` are other experiments.
fn small_cases() -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(root().join("reference/r").join("npvar"))? {
        let file = entry?.file_name().to_string_lossy().into_owned();
        match file.strip_suffix(".json") {
            Some(name) if !name.starts_with('_') && read(name)?.d <= 10 => names.push(name.to_string()),
            _ => {}
        }
    }
    names.sort();
    Ok(names)
}

fn read(name: &str) -> Result<Golden> {
    let path = root().join("reference/r").join("npvar").join(format!("{name}.json"));
    let text = fs::read_to_string(&path).with_context(|| format!("no golden case `{name}`"))?;
    serde_json::from_str(&text).with_context(|| format!("unexpected content of {}", path.display()))
}

/// The largest differences of residual variances and of p-values, or the first thing that differs.
fn difference(expected: &Golden, found: &PeerRun) -> Result<(f64, f64)> {
    // Golden positions count from 1, ours from 0.
    if !expected.naive.order.iter().map(|node| node - 1).eq(found.order.iter().copied()) {
        bail!("another order");
    }
    let expected_variances = expected.naive.steps.iter().flat_map(|step| step.nodes.iter().zip(&step.condvar));
    let found_variances: Vec<&(usize, f64)> = found.steps.iter().flatten().collect();
    let mut variances: f64 = 0.0;
    let mut compared = 0;
    for ((node, expected), (found_node, found)) in expected_variances.zip(&found_variances).map(|(e, f)| (e, **f)) {
        if node - 1 != found_node || (expected - found).abs() > ROUNDING {
            bail!("residual variance of node {node}: {expected} published, {found} here");
        }
        variances = variances.max((expected - found).abs());
        compared += 1;
    }
    if compared != expected.naive.steps.iter().map(|step| step.nodes.len()).sum::<usize>()
        || compared != found_variances.len()
    {
        bail!("another number of residual variances");
    }
    // Equal to 1e-13, except where rounding decides which of two formulas mgcv uses (binary columns: rank 1 ± 1e-14).
    let mut p_values: f64 = 0.0;
    for &(ancestor, node, found) in &found.tests {
        let expected = expected.prune.p_value[ancestor][node].unwrap_or(f64::NAN);
        let same = (expected - found).abs() <= MGCV_P_VALUE || (expected.is_nan() && found.is_nan());
        if !same {
            bail!("p-value of {} for {}: {expected} published, {found} here", ancestor + 1, node + 1);
        }
        p_values = p_values.max((expected - found).abs());
    }
    if found.tests.len() != expected.d * (expected.d - 1) / 2 {
        bail!("{} tests instead of {}", found.tests.len(), expected.d * (expected.d - 1) / 2);
    }
    Ok((variances, p_values))
}
