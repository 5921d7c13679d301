//! `npvar compare`: what it says of worlds whose assumptions are known.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use npvar::compare::{Assessment, Comparing, Comparison, Law, Mean, Status, compare};
use npvar::data::Dataset;
use npvar::graph::{Dag, EdgeKind};
use npvar::judge::Stopwatch;
use npvar::simulate::{LinearSem, Noise, SimulateOptions, simulate};
use npvar::{Error, Event, Flow, Observer, Run, Seed};

/// Without learners of joint effects, which take most of the time.
const QUICK: f64 = 2.0;

fn compared(data: &Dataset, run: &Run<'_>) -> Result<Comparison, Error> {
    let clock = || Duration::ZERO;
    compare(&Comparing { table: data, budget: Some(QUICK), call: None }, &Stopwatch::start(&clock), run)
}

fn judged(data: &Dataset) -> Comparison {
    compared(data, &Run::new(Seed(1))).unwrap()
}

fn verdict(comparison: &Comparison, assumption: &str) -> Assessment {
    comparison.assumptions.iter().find(|row| row.name == assumption).unwrap().verdict
}

/// a → b → c, a → c, b → d.
fn diamond() -> Dag {
    Dag::from_edges(4, [(0, 1), (1, 2), (0, 2), (1, 3)]).unwrap()
}

fn linear(noise_variances: [f64; 4]) -> Dataset {
    // Both ways from a to c have one sign: where they nearly cancel, tests would not see the edge.
    let weights = [(0, 1, 1.0), (1, 2, 0.8), (0, 2, 0.9), (1, 3, 1.2)];
    LinearSem::new(diamond(), &weights, noise_variances.to_vec()).unwrap().sample(1000, Seed(4)).unwrap()
}

fn directed(comparison: &Comparison) -> Vec<(String, String)> {
    let chosen = comparison.learners.iter().find(|row| Some(&row.name) == comparison.chosen.as_ref()).unwrap();
    let edges = chosen.edges.iter().flatten().filter(|edge| edge.kind == EdgeKind::Directed);
    edges.map(|edge| (edge.from.clone(), edge.to.clone())).collect()
}

#[test]
fn a_linear_world_of_equal_variances_is_called_so_and_its_directions_are_found() {
    let found = judged(&linear([1.0; 4]));
    for assumption in ["linear", "gaussian", "equal-variances", "common-units", "independent-noise"] {
        assert_eq!(verdict(&found, assumption), Assessment::Kept, "{assumption}: {:?}", found.assumptions);
    }
    assert_eq!((found.model.mean, found.model.law), (Mean::Linear, Law::Shared));
    assert_eq!(found.chosen.as_deref(), Some("best-order score=linear noise=shared"));
    let mut edges = directed(&found);
    edges.sort();
    let expected = [("X1", "X2"), ("X1", "X3"), ("X2", "X3"), ("X2", "X4")].map(|(a, b)| (a.to_owned(), b.to_owned()));
    assert_eq!(edges, expected);
}

#[test]
fn in_a_linear_world_of_unequal_variances_directions_stay_open_where_they_are_not_told() {
    // Residual variances that differ by a factor of 9, 1000 rows: half the log of their ratio per row is hundreds of nats.
    let found = judged(&linear([1.0, 0.3, 1.5, 0.17]));
    assert_eq!(verdict(&found, "equal-variances"), Assessment::Rejected, "{:?}", found.assumptions);
    assert_eq!(verdict(&found, "linear"), Assessment::Kept, "{:?}", found.assumptions);
    assert_eq!((found.model.mean, found.model.law), (Mean::Linear, Law::Own));
    // The true graph has no unshielded collider: its class has no direction at all.
    assert_eq!(directed(&found), []);
    assert!(found.verdict.sentence.contains("leaves directions open"), "{}", found.verdict.sentence);
}

#[test]
fn in_a_linear_world_of_variances_that_are_alike_directions_are_told_by_them() {
    let found = judged(&linear([1.0, 0.85, 1.2, 0.9]));
    assert_eq!(verdict(&found, "equal-variances"), Assessment::Rejected, "{:?}", found.assumptions);
    assert_eq!((found.model.mean, found.model.law), (Mean::Linear, Law::Own));
    assert_eq!(directed(&found).len(), 4, "{:?}", found.chosen);
    assert!(found.verdict.sentence.contains("variances that are alike"), "{}", found.verdict.sentence);
}

#[test]
fn smooth_functions_and_laws_that_are_not_gaussian_are_noticed() {
    let options = |noise| SimulateOptions { nodes: Some(5), noise: Some(noise), ..SimulateOptions::default() };
    let curved = simulate("ER-SIN-1".parse().unwrap(), &options(Noise::Gaussian), Seed(2)).unwrap().data;
    let curved = judged(&curved);
    assert_eq!(verdict(&curved, "linear"), Assessment::Rejected, "{:?}", curved.assumptions);
    assert_eq!(verdict(&curved, "equal-variances"), Assessment::Kept, "{:?}", curved.assumptions);
    let peaked = simulate("ER-LIN-1".parse().unwrap(), &options(Noise::Laplace), Seed(2)).unwrap();
    let found = judged(&peaked.data);
    assert_eq!(verdict(&found, "linear"), Assessment::Kept, "{:?}", found.assumptions);
    assert_eq!(verdict(&found, "gaussian"), Assessment::Rejected, "{:?}", found.assumptions);
    assert_eq!(found.model.law, Law::Any);
}

#[test]
fn standardised_columns_are_noticed() {
    let data = linear([1.0; 4]);
    let deviations: Vec<f64> = data.variances().iter().map(|variance| variance.sqrt()).collect();
    let columns = (0..4).map(|node| data.column(node).iter().map(|x| x / deviations[node]).collect()).collect();
    let found = judged(&Dataset::new(data.names().to_vec(), columns).unwrap());
    assert_eq!(verdict(&found, "common-units"), Assessment::Rejected, "{:?}", found.assumptions);
}

#[test]
fn the_same_table_and_seed_give_the_same_bytes_on_any_number_of_threads() {
    let data = linear([1.0, 0.5, 1.0, 2.0]);
    let text = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| serde_json::to_string(&judged(&data).without_timing()).unwrap())
    };
    assert_eq!(text(1), text(3));
}

#[test]
fn every_learner_is_a_row_and_votes_are_of_those_that_learned() {
    let found = judged(&linear([1.0; 4]));
    let learned: Vec<&str> =
        (found.learners.iter()).filter(|row| row.status == Status::Learned).map(|row| row.name.as_str()).collect();
    assert!(learned.len() >= 8, "{learned:?}");
    for row in &found.learners {
        assert_eq!(row.edges.is_some(), row.status == Status::Learned, "{}", row.name);
        assert!(!row.sentence.is_empty(), "{}", row.name);
    }
    for edge in &found.edges {
        let mut voters: Vec<&str> = edge.votes.keys().map(String::as_str).collect();
        let mut expected = learned.clone();
        voters.sort_unstable();
        expected.sort_unstable();
        assert_eq!(voters, expected);
    }
    let names: Vec<&str> = found.assumptions.iter().map(|row| row.name.as_str()).collect();
    let expected =
        ["linear", "additive", "gaussian", "equal-variances", "common-units", "independent-noise", "faithful"];
    assert_eq!(names, expected);
}

/// Sets the flag when a learner begins.
struct Until<'a> {
    learner: &'a str,
    enough: &'a AtomicBool,
}

impl Observer for Until<'_> {
    fn on(&self, event: &Event<'_>) -> Flow {
        if let Event::Working { phase, .. } = event
            && phase.ends_with(self.learner)
        {
            self.enough.store(true, Ordering::Relaxed);
        }
        Flow::Continue
    }
}

#[test]
fn what_was_done_when_it_is_enough_is_judged_and_the_rest_says_so() {
    let enough = AtomicBool::new(false);
    let until = Until { learner: "direct-lingam", enough: &enough };
    let found = compared(&linear([1.0; 4]), &Run::new(Seed(1)).until(&enough).observed(&until)).unwrap();
    let status = |name: &str| found.learners.iter().find(|row| row.name == name).unwrap();
    assert_eq!(status("eqvar").status, Status::Learned);
    assert_eq!(status("direct-lingam").status, Status::Skipped);
    assert_eq!(status("cam").sentence, "the time was up");
    assert!(found.chosen.is_some());
    assert!(found.diagnostics.iter().any(|found| found.code == "stopped-early"));
    let enough = AtomicBool::new(true);
    let nothing = compared(&linear([1.0; 4]), &Run::new(Seed(1)).until(&enough));
    assert!(matches!(nothing, Err(Error::Cancelled)), "{nothing:?}");
}
