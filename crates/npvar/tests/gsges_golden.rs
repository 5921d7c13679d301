//! GSGES against causal-learn 0.1.3.8 (the last release that computes the score rightly): local scores and graphs.
#![allow(clippy::unwrap_used)]

mod golden;

use npvar::data::Dataset;
use npvar::equivalence::ges::{Options, Phases, ges};
use npvar::graph::{EdgeKind, Pdag};
use npvar::score::{Approximation, CrossValidated, LocalScore, MarginalLikelihood};
use npvar::{Run, Seed};
use serde_json::Value;

fn python_data(entry: &Value) -> Dataset {
    let data = golden::table(&format!("../golden_py/data/{}.csv", entry["data"].as_str().unwrap()));
    data.rows(&(0..entry["n_rows"].as_u64().unwrap() as usize).collect::<Vec<_>>()).unwrap()
}

#[test]
fn explore() {
    let local = golden::json("../golden_py/gsges_local_scores.json");
    let mut cache: std::collections::HashMap<String, Vec<CrossValidated>> = Default::default();
    let tols = [(1e-3, 100), (1e-4, 100), (1e-5, 100), (1e-6, 100), (1e-5, 200)];
    for e in local.as_array().unwrap() {
        let key = e["data"].to_string();
        let scores = cache.entry(key).or_insert_with(|| {
            let data = python_data(e);
            let mut v = vec![CrossValidated::new(&data, 10, 0.01, 0.01, Approximation::Exact).unwrap()];
            for (tolerance, rank) in tols { v.push(CrossValidated::new(&data, 10, 0.01, 0.01, Approximation::LowRank { tolerance, rank }).unwrap()); }
            v
        });
        let parents: Vec<usize> = e["parents"].as_array().unwrap().iter().map(|v| v.as_u64().unwrap() as usize).collect();
        let want = -e["cv_neg_loglik"].as_f64().unwrap();
        let node = e["i"].as_u64().unwrap() as usize;
        let got: Vec<String> = scores.iter().map(|s| { let t = std::time::Instant::now(); let v = s.local(node, &parents).unwrap(); format!("{:.1e}({:?})", (v - want) / want, t.elapsed()) }).collect();
        println!("{} {node} {parents:?} {want} {}", e["data"], got.join(" "));
    }
    let graphs = golden::json("../golden_py/gsges_graphs.json");
    for e in graphs["results"].as_array().unwrap() {
        let data = python_data(e);
        let pairs = |v: &Value, kind: EdgeKind| v.as_array().unwrap().iter().map(|p| (p[0].as_u64().unwrap() as usize, p[1].as_u64().unwrap() as usize, kind)).collect::<Vec<_>>();
        let mut edges = pairs(&e["directed"], EdgeKind::Directed);
        edges.extend(pairs(&e["undirected"], EdgeKind::Undirected));
        let graph = Pdag::from_edges(data.d(), edges).unwrap();
        let theirs = -e["score"].as_f64().unwrap();
        for approximation in [Approximation::Exact, Approximation::LowRank { tolerance: 1e-5, rank: 100 }] {
            let score = CrossValidated::new(&data, 10, 0.01, 0.01, approximation).unwrap();
            for phases in [Phases::ForwardBackward, Phases::Turning] {
                let t = std::time::Instant::now();
                let found = ges(&score, &Options { phases, max_parents: None }, &Run::new(Seed(0))).unwrap();
                println!("{} {approximation:?} {phases:?} {} vs {theirs} same {} {:?}", e["data"], found.score, found.cpdag.pdag() == &graph, t.elapsed());
                if found.cpdag.pdag() != &graph { println!("  {:?}\n  {:?} their graph scored {:?}", found.cpdag.pdag().edges(), graph.edges(), graph.consistent_extension().map(|d| score.total(&d).unwrap())); }
            }
        }
        let score = MarginalLikelihood::new(&data, Approximation::Exact);
        let t = std::time::Instant::now();
        let found = ges(&score, &Options::default(), &Run::new(Seed(0))).unwrap();
        println!("{} marginal {} {:?} {:?}", e["data"], found.score, found.cpdag.pdag().edges(), t.elapsed());
    }
}
