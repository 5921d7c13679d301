//! Reference outputs of R (see tests/golden/README.md at the root of the repository) and how close we must come to them.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used)]

use std::path::PathBuf;

use npvar::data::{Dataset, summarise};
use npvar::smooth::{AdditiveGram, FewValued, RawGram, SmoothSpec};
use npvar::{Run, Seed};
use serde_json::Value;

/// Residual variances, relative: sums of squares in another order of operations.
pub const RESIDUAL_VARIANCE: f64 = 1e-9;
/// Residual variances that are zero: absolute, as a share of var(y).
pub const ZERO_VARIANCE: f64 = 1e-12;
/// Fitted values.
pub const FIT: f64 = 1e-8;
/// p-values, absolute: twice the tolerance mgcv gives Davies' method.
pub const P_VALUE: f64 = 4e-5;
/// Scores and fits where the smoothing parameter is estimated: mgcv's optimiser tolerance.
pub const ESTIMATED: f64 = 1e-4;

/// The folder of reference outputs.
pub fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden")
}

/// A reference output.
pub fn json(path: &str) -> Value {
    let text = std::fs::read_to_string(folder().join(path)).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// Names of the data sets that have an entry in a folder.
pub fn cases(subfolder: &str) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder().join(subfolder))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".json") && !name.starts_with('_'))
        .map(|name| name.trim_end_matches(".json").to_owned())
        .collect();
    names.sort();
    assert!(!names.is_empty());
    names
}

/// Reads a CSV of numbers with a header.
pub fn table(path: &str) -> Dataset {
    let text = std::fs::read_to_string(folder().join(path)).unwrap();
    let mut lines = text.lines();
    let names: Vec<String> = lines.next().unwrap().split(',').map(|name| name.trim_matches('"').to_owned()).collect();
    let mut columns = vec![Vec::new(); names.len()];
    for line in lines {
        for (column, field) in columns.iter_mut().zip(line.split(',')) {
            column.push(field.parse().unwrap());
        }
    }
    Dataset::new(names, columns).unwrap()
}

/// One of the data sets of the reference runs.
pub fn dataset(name: &str) -> Dataset {
    table(&format!("datasets/{name}.csv"))
}

/// A list of numbers; null becomes NaN.
pub fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|entry| entry.as_f64().unwrap_or(f64::NAN)).collect()
}

/// A list of 1-based nodes as 0-based ones.
pub fn nodes(value: &Value) -> Vec<usize> {
    match value {
        Value::Array(entries) => entries.iter().map(|entry| entry.as_u64().unwrap() as usize - 1).collect(),
        single => vec![single.as_u64().unwrap() as usize - 1],
    }
}

/// An adjacency matrix as edges (parent, child).
pub fn edges(value: &Value) -> Vec<(usize, usize)> {
    let mut edges = Vec::new();
    for (parent, row) in value.as_array().unwrap().iter().enumerate() {
        for (child, &entry) in numbers(row).iter().enumerate() {
            if entry != 0.0 {
                edges.push((parent, child));
            }
        }
    }
    edges
}

/// The raw Gram matrix with mgcv's basis for every column.
pub fn raw_gram(data: &Dataset) -> RawGram {
    let spec = SmoothSpec::spline(10, FewValued::Spline);
    let run = Run::new(Seed(0));
    RawGram::of(data, spec, &summarise(data, &run).unwrap(), &run).unwrap()
}

/// The Gram matrix with mgcv's basis for every column.
pub fn gram(data: &Dataset) -> AdditiveGram {
    AdditiveGram::new(&raw_gram(data))
}

/// Fails when two lists of residual variances differ; `scale` is var(y) of each.
pub fn assert_variances(got: &[f64], expected: &[f64], scales: &[f64], context: &str) {
    assert_eq!(got.len(), expected.len(), "{context}");
    for ((&got, &expected), &scale) in got.iter().zip(expected).zip(scales) {
        let error = (got - expected).abs();
        assert!(
            error <= RESIDUAL_VARIANCE * expected.abs() || error <= ZERO_VARIANCE * scale,
            "{context}: residual variance {got} instead of {expected}"
        );
    }
}
