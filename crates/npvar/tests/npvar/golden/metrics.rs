//! Equivalence classes and distances against reference outputs.

use npvar::graph::{Cpdag, Dag, NamedGraph, Pdag};
use npvar::metrics::{shd, sid};

use crate::golden;

#[test]
fn equivalence_classes_equal_those_of_causal_learn() {
    for (position, case) in golden::listed("python/dag2cpdag.json").iter().enumerate() {
        let d = case["d"].as_u64().unwrap() as usize;
        let edges = golden::entries(&case["dag"]).iter().map(golden::indices).map(|edge| (edge[0], edge[1]));
        let dag = Dag::from_edges(d, edges).unwrap();
        let expected = golden::pdag_from_lists(d, &case["cpdag"]);
        assert_eq!(Cpdag::from_dag(&dag).pdag(), &expected, "case {position}");
    }
}

#[test]
fn structural_intervention_distances_equal_those_of_gadjid() {
    for (position, case) in golden::listed("python/sid_gadjid.json").iter().enumerate() {
        let d = case["d"].as_u64().unwrap() as usize;
        let dag = |key: &str| {
            let edges = case[key].as_array().unwrap().iter().map(golden::indices).map(|edge| (edge[0], edge[1]));
            Dag::from_edges(d, edges).unwrap()
        };
        let got = sid(&dag("estimate"), &dag("truth")) as u64;
        assert_eq!(got, case["sid"].as_u64().unwrap(), "case {position}");
    }
}

#[test]
fn distances_equal_those_of_the_reference() {
    for (name, case) in golden::r_cases("npvar") {
        let truth = NamedGraph::read(golden::path(&format!("r/datasets/{name}.adj.csv"))).unwrap();
        let truth = truth.graph().to_dag().unwrap();
        let estimate = Dag::from_edges(truth.nodes(), golden::edges(&case["prune"]["adj"])).unwrap();
        assert_eq!(shd(&Pdag::from(&estimate), &truth) as u64, case["prune"]["shd"].as_u64().unwrap(), "{name}");
    }
}
