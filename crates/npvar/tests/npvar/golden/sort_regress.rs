//! Var-sort-regress and R²-sort-regress against scikit-learn (reference/python/sort_regress.json).

use npvar::data::Covariance;
use npvar::graph::Order;
use npvar::learner::{Input, LearnerConfig};
use npvar::select::sparse_linear;
use npvar::{Run, Seed};

use crate::golden;

/// Scores and coefficients, relative to the largest of a data set: another order of operations, normal equations here
/// and orthogonal factors there.
const LEAST_SQUARES: f64 = 1e-8;

#[test]
fn coefficients_equal_those_of_scikit_learn() {
    let run = Run::new(Seed(0));
    let mut worst = 0.0_f64;
    for (name, case) in golden::by_dataset("python/sort_regress.json") {
        let covariance = Covariance::of(&golden::dataset(&name), &run).unwrap();
        for by in ["var", "r2"] {
            let order = Order::new(golden::indices(&case[by]["order"])).unwrap();
            let selected = sparse_linear(&covariance, &order, &run).unwrap();
            let d = order.nodes().len();
            let mut got = vec![vec![0.0; d]; d];
            selected.coefficients.iter().for_each(|&(parent, child, value)| got[parent][child] = value);
            let expected: Vec<Vec<f64>> = golden::entries(&case[by]["weights"]).iter().map(golden::numbers).collect();
            let largest = expected.iter().flatten().fold(0.0_f64, |largest, value| largest.max(value.abs()));
            for parent in 0..d {
                for child in 0..d {
                    let (got, expected) = (got[parent][child], expected[parent][child]);
                    worst = worst.max((got - expected).abs() / largest);
                    assert!(
                        (got - expected).abs() <= LEAST_SQUARES * largest,
                        "{name} by {by}, {parent} to {child}: {got} instead of {expected}"
                    );
                }
            }
        }
    }
    println!("worst error of a coefficient: {worst:e}");
}

#[test]
fn the_learners_sort_as_the_reference_and_give_its_graph() {
    let run = Run::new(Seed(0));
    for (name, case) in golden::by_dataset("python/sort_regress.json") {
        let data = golden::dataset(&name);
        for (learner, by) in [("var-sort-regress", "var"), ("r2-sort-regress", "r2")] {
            let learned =
                LearnerConfig::resolve(learner, &[]).unwrap().build().unwrap().learn(&Input::new(&data), &run).unwrap();
            assert_eq!(learned.order.unwrap().nodes(), golden::indices(&case[by]["order"]), "{name}");
            assert_eq!(learned.graph.to_dag().unwrap().edges(), golden::edges(&case[by]["weights"]), "{name} by {by}");
        }
        let r2 = Covariance::of(&data, &run).unwrap().r_squared();
        for (got, expected) in r2.iter().zip(golden::numbers(&case["r2"]["scores"])) {
            assert!((got - expected).abs() < LEAST_SQUARES, "{name}: R² {got} instead of {expected}");
        }
    }
}
