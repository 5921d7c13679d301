//! GES against pcalg (R), causal-learn and ges (Python): local scores, totals, classes.
#![allow(clippy::unwrap_used)]

mod golden;

use npvar::data::Dataset;
use npvar::equivalence::ges::{Found, Options, Phases, ges};
use npvar::graph::{Cpdag, Dag, EdgeKind, Pdag};
use npvar::linalg::Covariance;
use npvar::score::{Bdeu, GaussianBic, LocalScore};
use npvar::{Run, Seed};
use serde_json::Value;

fn run() -> Run<'static> {
    Run::new(Seed(0))
}

fn search(score: &dyn LocalScore, phases: Phases) -> Found {
    ges(score, &Options { phases, max_parents: None }, &run()).unwrap()
}

fn python(name: &str) -> Value {
    golden::json(&format!("../golden_py/{name}.json"))
}

fn python_data(name: &str) -> Dataset {
    golden::table(&format!("../golden_py/data/{name}.csv"))
}

fn pairs(value: &Value) -> Vec<(usize, usize)> {
    let node = |value: &Value| value.as_u64().unwrap() as usize;
    value.as_array().unwrap().iter().map(|pair| (node(&pair[0]), node(&pair[1]))).collect()
}

fn python_graph(d: usize, value: &Value) -> Pdag {
    let directed = pairs(&value["directed"]).into_iter().map(|(a, b)| (a, b, EdgeKind::Directed));
    let undirected = pairs(&value["undirected"]).into_iter().map(|(a, b)| (a, b, EdgeKind::Undirected));
    Pdag::from_edges(d, directed.chain(undirected)).unwrap()
}

fn r_graph(value: &Value) -> Pdag {
    let edges = golden::edges(value);
    let mut graph = Pdag::empty(value.as_array().unwrap().len());
    for &(a, b) in &edges {
        graph.set(a, b, if edges.contains(&(b, a)) { EdgeKind::Undirected } else { EdgeKind::Directed });
    }
    graph
}

#[test]
fn explore() {
    for name in golden::cases("ges") {
        let reference = golden::json(&format!("ges/{name}.json"));
        let score = GaussianBic::new(&Covariance::of(&golden::dataset(&name), &run()).unwrap(), None);
        let theirs = reference["score_representative"].as_f64().unwrap();
        let graph = r_graph(&reference["cpdag"]);
        let rep = Dag::from_edges(score.nodes(), golden::edges(&reference["representative_dag"])).unwrap();
        let own = score.total(&rep).unwrap();
        let (two, three) = (search(&score, Phases::ForwardBackward), search(&score, Phases::Turning));
        println!("{name} {theirs} err {:e} two {:.6} {} three {:.6} {} steps {} {} class {}", own - theirs, two.score - theirs, two.cpdag.pdag() == &graph, three.score - theirs,
            three.cpdag.pdag() == &graph, two.steps.len(), three.steps.len(), Cpdag::from_dag(&rep).pdag() == &graph);
    }
    let bic = python("ges_bic");
    for (name, entry) in bic.as_object().unwrap() {
        let data = python_data(name);
        for (key, value) in entry.as_object().unwrap() {
            if key.starts_with("local") { continue; }
            let score: Box<dyn LocalScore> = if let Some(l) = key.strip_prefix("lambda_value=") {
                let l: f64 = l.parse().unwrap();
                Box::new(GaussianBic::new(&Covariance::of(&data, &run()).unwrap(), Some(l * (data.n() as f64).ln())))
            } else { println!("{key}"); Box::new(Bdeu::new(&data, 1.0, 1.0).unwrap()) };
            let Some(theirs) = value["score"].as_f64() else { println!("{name} {key} {value}"); continue };
            let graph = python_graph(data.d(), value);
            let own = graph.consistent_extension().map(|dag| score.total(&dag).unwrap());
            let (two, three) = (search(&*score, Phases::ForwardBackward), search(&*score, Phases::Turning));
            println!("{name} {key} {theirs} own {own:?} two {:.6} {} three {:.6} {}", two.score - theirs, two.cpdag.pdag() == &graph, three.score - theirs, three.cpdag.pdag() == &graph);
        }
    }
    let second = python("ges_bic_second_implementation");
    for (name, value) in second["results"].as_object().unwrap() {
        let data = python_data(name);
        let score = GaussianBic::new(&Covariance::of(&data, &run()).unwrap(), None);
        let theirs = value["score"].as_f64().unwrap();
        let graph = python_graph(data.d(), value);
        let (two, three) = (search(&score, Phases::ForwardBackward), search(&score, Phases::Turning));
        println!("second {name} {theirs} two {:.6} {} three {:.6} {}", two.score - theirs, two.cpdag.pdag() == &graph, three.score - theirs, three.cpdag.pdag() == &graph);
    }
    let discrete = python("pc_discrete");
    for (name, entry) in discrete.as_object().unwrap() {
        println!("{name} {:?}", entry.as_object().unwrap().keys().collect::<Vec<_>>());
        let data = python_data(name);
        let score = Bdeu::new(&data, 1.0, 1.0).unwrap();
        let mut worst = 0.0_f64;
        for row in entry.as_object().unwrap().iter().find(|(k, _)| k.to_lowercase().contains("bdeu")).unwrap().1.as_array().unwrap() {
            let mut parents: Vec<usize> = row[1].as_array().unwrap().iter().map(|v| v.as_u64().unwrap() as usize).collect();
            parents.sort();
            let (got, want) = (score.local(row[0].as_u64().unwrap() as usize, &parents).unwrap(), row[2].as_f64().unwrap());
            worst = worst.max(((got - want) / want).abs());
        }
        println!("bdeu {name} {worst:e}");
    }
}
