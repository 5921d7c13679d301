//! Equivalence classes and distances against reference outputs.

use std::path::{Path, PathBuf};

use npvar::graph::{Cpdag, Dag, EdgeKind, NamedGraph, Node, Pdag};
use npvar::metrics::shd;
use serde::Deserialize;

fn reference(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests").join(path)
}

fn json<T: for<'a> Deserialize<'a>>(path: &Path) -> T {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[derive(Deserialize)]
struct ClassCase {
    d: usize,
    dag: Vec<(Node, Node)>,
    cpdag: ClassEdges,
}

#[derive(Deserialize)]
struct ClassEdges {
    directed: Vec<(Node, Node)>,
    undirected: Vec<(Node, Node)>,
    bidirected: Vec<(Node, Node)>,
}

#[test]
fn equivalence_classes_equal_those_of_causal_learn() {
    let cases: Vec<ClassCase> = json(&reference("golden_py/dag2cpdag.json"));
    assert_eq!(cases.len(), 30);
    for (position, ClassCase { d, dag, cpdag }) in cases.into_iter().enumerate() {
        let of_kind = |edges: Vec<(Node, Node)>, kind| edges.into_iter().map(move |(from, to)| (from, to, kind));
        let expected = of_kind(cpdag.directed, EdgeKind::Directed)
            .chain(of_kind(cpdag.undirected, EdgeKind::Undirected))
            .chain(of_kind(cpdag.bidirected, EdgeKind::Bidirected));
        let expected = Pdag::from_edges(d, expected).expect("a graph");
        let dag = Dag::from_edges(d, dag).expect("acyclic");
        assert_eq!(Cpdag::from_dag(&dag).pdag(), &expected, "case {position}");
    }
}

#[derive(Deserialize)]
struct OrderCase {
    dataset: String,
    prune: Selected,
}

#[derive(Deserialize)]
struct Selected {
    adj: Vec<Vec<u8>>,
    shd: usize,
}

#[test]
fn distances_equal_those_of_the_reference() {
    let folder = reference("golden/npvar");
    let mut compared = 0;
    for entry in std::fs::read_dir(folder).expect("the folder of reference outputs") {
        let path = entry.expect("a file").path();
        let name = path.file_name().and_then(|name| name.to_str()).expect("a file name");
        if name.starts_with('_') || !name.ends_with(".json") {
            continue; // cases of another shape
        }
        let case: OrderCase = json(&path);
        let truth = NamedGraph::read(reference(&format!("golden/datasets/{}.adj.csv", case.dataset))).expect("a truth");
        let truth = truth.graph().to_dag().expect("acyclic");
        let estimate = Dag::from_adjacency(&case.prune.adj).expect("acyclic");
        assert_eq!(shd(&Pdag::from(&estimate), &truth), case.prune.shd, "{}", case.dataset);
        compared += 1;
    }
    assert!(compared >= 50, "only {compared} reference outputs were found");
}
