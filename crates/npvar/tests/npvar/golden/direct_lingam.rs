//! DirectLiNGAM against the authors' package (reference/python/direct_lingam.json).

use npvar::learner::{Input, LearnerConfig};
use npvar::order::lingam;
use npvar::{Run, Seed};

use crate::golden;

/// What the first step compares, relative to the largest: squares of differences between entropies of order one, so that
/// rounding at 1e-16 of these shows at about 1e-13 of the largest square (1e-3 and more).
const FIRST_STEP: f64 = 1e-10;
/// Weights, relative to the largest into the same child: normal equations here, orthogonal factors there.
const LEAST_SQUARES: f64 = 1e-6;

#[test]
fn orders_and_weights_equal_those_of_the_authors_package() {
    let run = Run::new(Seed(0));
    let learner = LearnerConfig::resolve("direct-lingam", &[]).unwrap().build().unwrap();
    let (mut worst_step, mut worst_weight) = (0.0_f64, 0.0_f64);
    for (name, case) in golden::by_dataset("python/direct_lingam.json") {
        let data = golden::python_dataset(&name);
        let learned = learner.learn(&Input::new(&data), &run).unwrap();
        assert_eq!(learned.order.as_ref().unwrap().nodes(), golden::indices(&case["order"]), "{name}");
        assert_eq!(learned.graph.to_dag().unwrap().edges(), golden::edges(&case["weights"]), "{name}");

        let columns: Vec<&[f64]> = (0..data.d()).map(|node| data.column(node)).collect();
        let expected = golden::numbers(&case["first_step"]);
        let largest = expected.iter().copied().fold(0.0, f64::max);
        let step = &lingam(&columns, &run).unwrap().1[0];
        let least = expected.iter().copied().fold(f64::INFINITY, f64::min);
        // What is known of the others is no more than all of it, and enough to give them up.
        for ((node, got), expected) in step.nodes.iter().zip(&step.dependences).zip(&expected) {
            let within = if *node == step.source { (*expected, *expected) } else { (least, *expected) };
            let error = (within.0 - got).max(got - within.1).max(0.0);
            worst_step = worst_step.max(error / largest);
            assert!(error <= FIRST_STEP * largest, "{name}, {node}: {got} instead of {expected}");
        }

        let expected: Vec<Vec<f64>> = golden::entries(&case["weights"]).iter().map(golden::numbers).collect();
        let weights = learned.weights.unwrap();
        assert_eq!(weights.len(), learned.graph.edge_count(), "{name}");
        for edge in weights {
            let into: f64 = expected.iter().map(|row| row[edge.child].abs()).fold(0.0, f64::max);
            let (got, expected) = (edge.weight, expected[edge.parent][edge.child]);
            worst_weight = worst_weight.max((got - expected).abs() / into);
            let context = format!("{name}, {} to {}", edge.parent, edge.child);
            assert!((got - expected).abs() <= LEAST_SQUARES * into, "{context}: {got} instead of {expected}");
        }
    }
    println!("worst errors: first step {worst_step:e}, weights {worst_weight:e}");
}
