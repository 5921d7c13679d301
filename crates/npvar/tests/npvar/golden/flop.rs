//! `best-order` with `preset=flop` against the package `flopsearch`, whose searches draw their own random numbers: our class is
//! its class on most tables, and where it is another its score is not far below.

use npvar::data::Covariance;
use npvar::graph::Pdag;
use npvar::learner::{Assignment, Input, LearnerConfig};
use npvar::local_score::{GaussianBic, LocalScore};
use npvar::{Run, Seed};
use serde_json::Value;

use crate::golden;

/// Totals of members of one class, relative: sums of logarithms in another order of operations.
const TOTAL: f64 = 1e-9;
/// The largest `lambda_bic` that keeps an edge was found by bisection from data that were orthogonal to rounding.
const BISECTION: f64 = 1e-9;

#[test]
fn flops_penalty_counts_half_log_n_for_a_coefficient() {
    let whole: Value = serde_json::from_str(&golden::text("python/flop.json")).unwrap();
    let calibration = whole["calibration"].as_array().unwrap();
    assert_eq!(calibration.len(), 4);
    for case in calibration {
        let [n, gain, largest] = ["n", "gain", "largest_lambda"].map(|key| case[key].as_f64().unwrap());
        assert!((largest * 0.5 * n.ln() - gain).abs() < BISECTION * gain, "{case}");
    }
}

/// How far below flopsearch's total a search may end, as a share of it (2.6 nats of 10,277 is seen).
const LOWER: f64 = 1e-3;

#[test]
fn flops_class_is_found_nearly_always_and_never_one_far_below() {
    let (mut same, mut below) = (0, Vec::new());
    for case in golden::listed("python/flop.json") {
        let data = golden::python_dataset(case["data"].as_str().unwrap());
        let penalty = case["lambda_bic"].as_f64().unwrap();
        let settings = ["preset=flop".to_owned(), format!("penalty={penalty}")];
        let settings = settings.map(|text| Assignment::parse(&text).unwrap());
        let learner = LearnerConfig::resolve("best-order", &settings).unwrap().build().unwrap();
        let ours = learner.learn(&Input::new(&data), &Run::new(Seed(1))).unwrap().graph;
        let theirs = golden::pdag_from_lists(data.d(), &case);
        let covariance = Covariance::of(&data, &Run::new(Seed(1))).unwrap();
        let score = GaussianBic::new(&covariance, Some(penalty * 0.5 * (data.n() as f64).ln()));
        let total = |graph: &Pdag| score.total(&graph.consistent_extension().unwrap()).unwrap();
        let (ours_total, their_total) = (total(&ours), total(&theirs));
        let rounding = TOTAL * their_total.abs();
        if ours_total < their_total - rounding {
            // A search from random orders: where it ended lower, by little.
            assert!(ours_total > their_total * (1.0 + LOWER), "{}: {ours_total} below {their_total}", case["data"]);
            below.push(format!("{} {penalty}", case["data"]));
        } else if ours_total < their_total + rounding {
            assert_eq!(ours, theirs, "{}", case["data"]);
            same += 1;
        }
    }
    println!("the same class {same} times of 18, below: {below:?}");
    assert!(same >= 15 && below.len() <= 2, "the same class {same} times of 18, below: {below:?}");
}
