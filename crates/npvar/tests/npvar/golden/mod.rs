//! Outputs of other systems (`reference/r` and `reference/python` at the root of the repository, whose READMEs name the
//! systems and their calls) and how close we must come to them.

mod cam;
mod direct_lingam;
mod eqvar;
mod fci;
mod flop;
mod gam;
mod ges;
mod gsges;
mod independence;
mod kernel;
mod metrics;
mod notears;
mod pc;
mod published_code;
mod resit;
mod score;
mod score_family;
mod sort_regress;
mod whole_column;

use std::path::PathBuf;

use npvar::data::{Dataset, summarise};
use npvar::graph::{EdgeKind, Pdag};
use npvar::smooth::{AdditiveGram, FewValued, RawGram, SmoothSpec};
use npvar::{Run, Seed};
use serde_json::Value;

/// Residual variances, relative: sums of squares in another order of operations.
const RESIDUAL_VARIANCE: f64 = 1e-9;
/// Residual variances that are zero: absolute, as a share of var(y).
const ZERO_VARIANCE: f64 = 1e-12;
/// Fitted values.
const FIT: f64 = 1e-8;
/// p-values, absolute: twice the tolerance mgcv gives Davies' method.
const P_VALUE: f64 = 4e-5;
/// Scores and fits where the smoothing parameter is estimated: mgcv's optimiser tolerance.
const ESTIMATED: f64 = 1e-4;

/// How many cases each file or folder holds, as the READMEs state; a loop over fewer would pass unnoticed.
const CASES: [(&str, usize); 31] = [
    ("r/cam", 41),
    ("r/eqvar", 56),
    ("r/gam", 104),
    ("r/ges", 56),
    ("r/npvar", 56),
    ("r/npvar/_adaptive_eta_cases.json", 16),
    ("r/npvar/_np_kernel_cases.json", 6),
    ("r/pc", 56),
    ("r/resit", 21),
    ("r/hsic_codeanm.json", 8),
    ("python/dag2cpdag.json", 30),
    ("python/direct_lingam.json", 10),
    ("python/fci.json", 20),
    ("python/fisherz_tests.json", 13),
    ("python/flop.json", 18),
    ("python/ges_bic.json", 17),
    ("python/ges_bic_second_implementation.json", 10),
    ("python/gsges_graphs.json", 4),
    ("python/gsges_local_scores.json", 24),
    ("python/hsic_gamma.json", 40),
    ("python/kci.json", 36),
    ("python/notears_linear.json", 4),
    ("python/notears_mlp.json", 2),
    ("python/notears_mlp_gradients.json", 2),
    ("python/pc_discrete.json", 4),
    ("python/pc_fisherz.json", 13),
    ("python/resit_cubic.json", 6),
    ("python/score_family.json", 6),
    ("python/score_orders.json", 22),
    ("python/sid_gadjid.json", 200),
    ("python/sort_regress.json", 12),
];

fn assert_all_there(path: &str, found: usize) {
    let (_, stated) = CASES.iter().find(|(known, _)| *known == path).unwrap_or_else(|| panic!("{path} is not listed"));
    assert_eq!(found, *stated, "cases of {path}");
}

/// A file of `reference`.
fn path(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../reference").join(path)
}

fn text(file: &str) -> String {
    std::fs::read_to_string(path(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// One of R's outputs.
pub(crate) fn r(file: &str) -> Value {
    serde_json::from_str(&text(&format!("r/{file}"))).unwrap()
}

/// The data sets that have an entry in a folder of R's outputs, with that entry.
fn r_cases(folder: &str) -> Vec<(String, Value)> {
    let mut names: Vec<String> = std::fs::read_dir(path("r").join(folder))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".json") && !name.starts_with('_'))
        .map(|name| name.trim_end_matches(".json").to_owned())
        .collect();
    names.sort();
    assert_all_there(&format!("r/{folder}"), names.len());
    names.into_iter().map(|name| (name.clone(), r(&format!("{folder}/{name}.json")))).collect()
}

/// The cases of a file that holds a list of them.
fn listed(file: &str) -> Vec<Value> {
    let cases = match serde_json::from_str(&text(file)).unwrap() {
        Value::Array(cases) => cases,
        Value::Object(mut described) => described["results"].take().as_array().unwrap().clone(),
        other => panic!("{file}: {other}"),
    };
    assert_all_there(file, cases.len());
    cases
}

/// The cases of a file that holds one entry per data set.
fn by_dataset(file: &str) -> Vec<(String, Value)> {
    let mut cases: serde_json::Map<String, Value> = serde_json::from_str(&text(file)).unwrap();
    if let Some(Value::Object(results)) = cases.remove("results") {
        cases = results;
    }
    cases.remove("versions");
    assert_all_there(file, cases.len());
    cases.into_iter().collect()
}

/// Reads a CSV of numbers with a header.
fn table(file: &str) -> Dataset {
    let text = text(file);
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

/// One of the data sets of the runs with R.
pub(crate) fn dataset(name: &str) -> Dataset {
    table(&format!("r/datasets/{name}.csv"))
}

/// One of the data sets of the runs with Python.
fn python_dataset(name: &str) -> Dataset {
    table(&format!("python/data/{name}.csv"))
}

/// The first rows of a data set, or all where there are fewer.
pub(crate) fn first_rows(data: &Dataset, count: usize) -> Dataset {
    data.rows(&(0..count.min(data.n())).collect::<Vec<_>>()).unwrap()
}

/// The first rows of a data set of the runs with Python, as an entry's `data` and `n_rows` say.
fn python_rows(entry: &Value) -> Dataset {
    let data = python_dataset(entry["data"].as_str().unwrap());
    first_rows(&data, entry["n_rows"].as_u64().unwrap() as usize)
}

/// The data of one of mgcv's regressions: the predictors, then the response.
fn regression(reference: &Value) -> Dataset {
    let source = &reference["source"];
    let data = match source["dataset"].as_str() {
        Some(dataset) => self::dataset(dataset),
        None => table(&format!("r/{}", source["file"].as_str().unwrap())),
    };
    let n = source["rows"].as_str().map_or(data.n(), |rows| rows.trim_start_matches("1..").parse().unwrap());
    let predictors = match &reference["x"] {
        Value::Array(names) => names.iter().collect(),
        single => vec![single],
    };
    let named = |name: &Value| data.names().iter().position(|known| known == name.as_str().unwrap()).unwrap();
    let columns: Vec<Vec<f64>> =
        predictors.into_iter().chain([&reference["y"]]).map(|name| data.column(named(name))[..n].to_vec()).collect();
    Dataset::new((0..columns.len()).map(|j| j.to_string()).collect(), columns).unwrap()
}

/// The entries of a list inside a case, of which there must be some: a loop over none would pass unnoticed.
fn entries(value: &Value) -> &[Value] {
    let entries = value.as_array().unwrap();
    assert!(!entries.is_empty(), "an empty list in a reference case");
    entries
}

/// A list of numbers; null becomes NaN.
fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|entry| entry.as_f64().unwrap_or(f64::NAN)).collect()
}

/// A list of 0-based nodes, as Python counts.
fn indices(value: &Value) -> Vec<usize> {
    value.as_array().unwrap().iter().map(|node| node.as_u64().unwrap() as usize).collect()
}

/// A list of 1-based nodes, as R counts, as 0-based ones.
pub(crate) fn nodes(value: &Value) -> Vec<usize> {
    match value {
        Value::Array(entries) => entries.iter().map(|entry| entry.as_u64().unwrap() as usize - 1).collect(),
        single => vec![single.as_u64().unwrap() as usize - 1],
    }
}

/// An adjacency matrix as edges (parent, child).
fn edges(value: &Value) -> Vec<(usize, usize)> {
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

/// A partially directed graph as R writes it: entries in both directions are an undirected edge.
fn pdag_from_matrix(value: &Value) -> Pdag {
    let edges = edges(value);
    let mut graph = Pdag::empty(value.as_array().unwrap().len());
    for &(a, b) in &edges {
        graph.set(a, b, if edges.contains(&(b, a)) { EdgeKind::Undirected } else { EdgeKind::Directed });
    }
    graph
}

/// A partially directed graph as lists of pairs by kind.
fn pdag_from_lists(d: usize, value: &Value) -> Pdag {
    let mut graph = Pdag::empty(d);
    for (key, kind) in
        [("directed", EdgeKind::Directed), ("undirected", EdgeKind::Undirected), ("bidirected", EdgeKind::Bidirected)]
    {
        if kind == EdgeKind::Bidirected && value.get(key).is_none() {
            continue;
        }
        for edge in value[key].as_array().unwrap() {
            let [a, b] = indices(edge)[..] else { panic!("{edge} is no edge") };
            graph.set(a, b, kind);
        }
    }
    graph
}

/// The raw Gram matrix with mgcv's basis for every column.
pub(crate) fn raw_gram(data: &Dataset) -> RawGram {
    let spec = SmoothSpec::spline(10, FewValued::Spline);
    let run = Run::new(Seed(0));
    RawGram::of(data, spec, &summarise(data, &run).unwrap(), &run).unwrap()
}

/// The Gram matrix with mgcv's basis for every column.
pub(crate) fn gram(data: &Dataset) -> AdditiveGram {
    AdditiveGram::new(&raw_gram(data))
}

/// Fails when two lists of residual variances differ; `scale` is var(y) of each.
fn assert_variances(got: &[f64], expected: &[f64], scales: &[f64], context: &str) {
    assert_eq!(got.len(), expected.len(), "{context}");
    for ((&got, &expected), &scale) in got.iter().zip(expected).zip(scales) {
        let error = (got - expected).abs();
        assert!(
            error <= RESIDUAL_VARIANCE * expected.abs() || error <= ZERO_VARIANCE * scale,
            "{context}: residual variance {got} instead of {expected}"
        );
    }
}
