//! FCI against causal-learn (reference/python/fci.json).

use npvar::data::Covariance;
use npvar::equivalence::{FciOptions, FciResult, PcOptions, SecondSearch, SeparatingSets, SkeletonOptions, fci};
use npvar::graph::{EdgeKind, Knowledge, Mark, Pdag};
use npvar::independence::{Contingency, Discrepancy, FisherZ, IndependenceTest};
use npvar::{Run, Seed};
use serde_json::Value;

use crate::golden;

/// causal-learn's matrix: entry `[i, j]` is the mark at `i` of the edge between `i` and `j`; 1 is an arrowhead, -1 a tail, 2 a
/// circle.
fn graph(matrix: &Value) -> Pdag {
    let rows: Vec<Vec<f64>> = matrix.as_array().unwrap().iter().map(golden::numbers).collect();
    let mark = |entry: f64| match entry as i64 {
        1 => Mark::Arrow,
        -1 => Mark::Tail,
        2 => Mark::Circle,
        other => panic!("{other} is no mark"),
    };
    let mut graph = Pdag::empty(rows.len());
    for a in 0..rows.len() {
        for b in (a + 1..rows.len()).filter(|&b| rows[a][b] != 0.0) {
            let (from, to, kind) = EdgeKind::between(a, b, mark(rows[a][b]), mark(rows[b][a]));
            graph.set(from, to, kind);
        }
    }
    graph
}

fn learn(case: &Value, second_search: SecondSearch) -> FciResult {
    let data = golden::python_dataset(case["data"].as_str().unwrap());
    let test: Box<dyn IndependenceTest> = match case["test"].as_str().unwrap() {
        "fisherz" => Box::new(FisherZ::new(&Covariance::of(&data, &Run::new(Seed(0))).unwrap()).unwrap()),
        "chisq" => Box::new(Contingency::new(&data, Discrepancy::ChiSquare).unwrap()),
        _ => Box::new(Contingency::new(&data, Discrepancy::GSquare).unwrap()),
    };
    let alpha = case["alpha"].as_f64().unwrap();
    let skeleton = SkeletonOptions { separating_sets: SeparatingSets::All, ..PcOptions::at(alpha).skeleton };
    let options = FciOptions { skeleton, second_search };
    fci(test.as_ref(), &options, &Knowledge::none(test.nodes()), &Run::new(Seed(0))).unwrap()
}

/// Where causal-learn's graph is another although no second search is made: its R4 tests anew (the last three), or tests
/// contradict each other and it takes the rule that comes first (the first four). See `docs/src/lab/differences.md`.
const DIFFERENT: [&str; 5] = [
    "hidden_d9_n1000 fisherz",
    "lin_d10_n1000 fisherz",
    "lin_d15_n500 fisherz",
    "lin_d20_n1000 fisherz",
    "disc_d5_n1000 gsq",
];

#[test]
fn without_a_second_search_graphs_equal_causal_learns() {
    let mut different = Vec::new();
    for (name, case) in golden::by_dataset("python/fci.json") {
        let (ours, theirs) = (learn(&case, SecondSearch::None), graph(&case["marks_without_second_search"]));
        let ours = Pdag::from(&ours.graph);
        assert_eq!(ours.skeleton(), theirs.skeleton(), "{name}");
        if ours != theirs {
            println!("{name}: ours {:?}\n theirs {:?}", ours.edges(), theirs.edges());
            different.push(name);
        }
    }
    assert_eq!(different, DIFFERENT);
}

/// Theirs tests no sets of one column, and only part of the larger ones.
#[test]
fn the_second_search_finds_what_causal_learns_does_and_more() {
    for (name, case) in golden::by_dataset("python/fci.json") {
        let (ours, theirs) = (learn(&case, SecondSearch::PossibleDSep), graph(&case["marks"]));
        let found = Pdag::from(&ours.graph);
        for (a, b, _) in found.edges() {
            assert!(theirs.adjacent(a, b), "{name}: {a} {b}");
        }
        if ours.separated_beyond.is_empty() && !DIFFERENT.contains(&name.as_str()) {
            assert_eq!(found, theirs, "{name}");
        }
    }
}
