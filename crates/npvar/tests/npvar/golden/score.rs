//! SCORE's order search against dodiscover (reference/python/score_orders.json).

use npvar::data::Dataset;
use npvar::order::{SteinRule, SteinStep, stein};
use npvar::{Run, Seed};

use crate::golden;

/// Variances of the first step, relative: the condition number of the kernel matrix with its ridge is about 1e6.
const FIRST_STEP: f64 = 1e-9;
/// Variances closer than this, relative to the smallest, are a tie.
const TIE: f64 = 1e-6;

fn search(data: &Dataset) -> (Vec<usize>, Vec<SteinStep>) {
    let columns: Vec<&[f64]> = (0..data.d()).map(|node| data.column(node)).collect();
    let (order, steps) = stein(&columns, &SteinRule::default(), &Run::new(Seed(0))).unwrap();
    (order.nodes().to_vec(), steps)
}

#[test]
fn first_variances_and_orders_equal_the_reference() {
    let mut worst = 0.0_f64;
    for (name, expected) in golden::by_dataset("python/score_orders.json") {
        let (order, steps) = search(&golden::dataset(&name));
        let variances = golden::numbers(&expected["first_step_variance_of_hessian_diagonal"]);
        for (got, expected) in steps[0].variances.iter().zip(&variances) {
            let error = (got - expected).abs() / expected;
            worst = worst.max(error);
            assert!(error <= FIRST_STEP, "{name}: {got} instead of {expected}");
        }
        let expected = golden::indices(&expected["order"]);
        if order != expected {
            let at = (0..order.len()).rev().find(|&at| order[at] != expected[at]).unwrap();
            let step = &steps[order.len() - 1 - at];
            let mut sorted = step.variances.clone();
            sorted.sort_by(f64::total_cmp);
            assert!(sorted[1] - sorted[0] <= TIE * sorted[0], "{name}: {order:?} instead of {expected:?}");
        }
    }
    println!("worst relative error of a first-step variance: {worst:e}");
}
