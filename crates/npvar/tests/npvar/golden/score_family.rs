//! DAS, NoGAM and CaPS against their authors' code (reference/python/score_family.json).

use npvar::data::Dataset;
use npvar::graph::Knowledge;
use npvar::order::{CandidateRule, RidgeRule, SteinRule, caps_within, nogam_within, parent_scores, stein_candidates};
use npvar::{Run, Seed};

use crate::golden;

/// Derivatives, relative to the largest of a step: the condition number of the kernel matrix with its ridge is about 1e6, and
/// the other side inverts it.
const DERIVATIVES: f64 = 1e-7;
/// Errors of predictions, relative: the residuals of one kernel regression are the inputs of the next.
const ERRORS: f64 = 1e-7;

fn columns(data: &Dataset) -> Vec<&[f64]> {
    (0..data.d()).map(|node| data.column(node)).collect()
}

fn assert_close(got: &[f64], expected: &[f64], tolerance: f64, context: &str) {
    assert_eq!(got.len(), expected.len(), "{context}");
    let largest = expected.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
    for (got, expected) in got.iter().zip(expected) {
        assert!((got - expected).abs() <= tolerance * largest, "{context}: {got} instead of {expected}");
    }
}

#[test]
fn das_has_the_derivatives_and_candidates_of_the_reference() {
    let run = Run::new(Seed(0));
    for case in golden::listed("python/score_family.json") {
        let (data, name) = (golden::python_rows(&case), &case["data"]);
        let known = (None, &Knowledge::none(data.d()));
        let (rule, few) = (SteinRule::default(), CandidateRule::default());
        let (order, _, found) = stein_candidates(&columns(&data), &rule, few, known, &run).unwrap();
        assert_eq!(order.nodes(), golden::indices(&case["das"]["order"]), "{name}");
        let steps = golden::entries(&case["das"]["steps"]);
        assert_eq!(found.len(), steps.len());
        for (found, step) in found.iter().zip(steps) {
            let context = format!("{name}, sink {}", found.child);
            assert_eq!(found.nodes, golden::indices(&step["nodes"]), "{context}");
            assert_close(&found.medians, &golden::numbers(&step["medians"]), DERIVATIVES, &context);
            assert_eq!(found.candidates, golden::indices(&step["candidates"]), "{context}");
        }
    }
}

/// The package's kernel has the ridge for its `γ`.
#[test]
fn nogam_has_the_errors_and_orders_of_the_reference() {
    let run = Run::new(Seed(0));
    for case in golden::listed("python/score_family.json") {
        let (data, name) = (golden::python_rows(&case), &case["data"]);
        let ridge = RidgeRule { gamma: 0.01, ..RidgeRule::default() };
        let nothing = Knowledge::none(data.d());
        let (order, steps) = nogam_within(&columns(&data), &SteinRule::default(), ridge, &nothing, &run).unwrap();
        assert_eq!(order.nodes(), golden::indices(&case["nogam"]["order"]), "{name}");
        for (step, expected) in steps.iter().zip(golden::entries(&case["nogam"]["steps"])) {
            assert_close(&step.errors, &golden::numbers(&expected["errors"]), ERRORS, &format!("{name}"));
        }
    }
}

#[test]
fn caps_has_the_orders_and_parent_scores_of_the_reference() {
    let run = Run::new(Seed(0));
    for case in golden::listed("python/score_family.json") {
        let (data, name) = (golden::python_rows(&case), &case["data"]);
        let (columns, rule) = (columns(&data), SteinRule::default());
        let (order, _) = caps_within(&columns, &rule, &Knowledge::none(data.d()), &run).unwrap();
        assert_eq!(order.nodes(), golden::indices(&case["caps"]["order"]), "{name}");
        let scores = parent_scores(&columns, &rule, &run).unwrap();
        let expected: Vec<f64> =
            golden::entries(&case["caps"]["parent_scores"]).iter().flat_map(golden::numbers).collect();
        assert_close(&scores.concat(), &expected, DERIVATIVES, &format!("{name}"));
    }
}
