//! EqVar against the authors' R code: top-down with its conditional variances, bottom-up, and the paper's selection.

use npvar::data::Covariance;
use npvar::graph::Order;
use npvar::independence::FisherZ;
use npvar::learner::{Direction, EqvarConfig, Input, LearnerConfig};
use npvar::order::{LayerRule, bottom_up, layers};
use npvar::{Run, Seed};
use statrs::distribution::{ContinuousCDF, Normal};

use crate::golden;

fn nodes(order: &Order) -> Vec<usize> {
    order.nodes().to_vec()
}

#[test]
fn top_down_orders_and_conditional_variances_equal_the_reference() {
    let run = Run::new(Seed(0));
    for (name, reference) in golden::r_cases("eqvar") {
        let covariance = Covariance::of(&golden::dataset(&name), &run).unwrap();
        let found = layers(&covariance, &LayerRule::default(), &run).unwrap();
        assert_eq!(nodes(&found.layers.order()), golden::nodes(&reference["td_order"]), "{name}");
        let steps = golden::entries(&reference["td_steps"]);
        let variances = found.steps[0].residual_variances.clone();
        assert!(steps.len() <= found.steps.len());
        for (step, expected) in found.steps.iter().zip(steps) {
            assert_eq!(step.nodes, golden::nodes(&expected["nodes"]), "{name}");
            let scales: Vec<f64> = step.nodes.iter().map(|&node| variances[node]).collect();
            let expected = match &expected["condvar"] {
                list @ serde_json::Value::Array(_) => golden::numbers(list),
                single => vec![single.as_f64().unwrap()],
            };
            golden::assert_variances(&step.residual_variances, &expected, &scales, &name);
        }
    }
}

/// The package's own selection: along the order, Fisher's z of each pair given the other predecessors, at 0.05 over all
/// pairs. It scales by √(n − k) for a node with k predecessors where the test has √(n − k − 2) (here `|S| = k − 1`).
#[test]
fn partial_correlations_along_the_order_give_the_packages_own_selection() {
    let run = Run::new(Seed(0));
    for (name, reference) in golden::r_cases("eqvar") {
        let covariance = Covariance::of(&golden::dataset(&name), &run).unwrap();
        let (test, n) = (FisherZ::new(&covariance).unwrap(), covariance.n() as f64);
        let order = golden::nodes(&reference["td_order"]);
        let pairs = (order.len() * (order.len() - 1) / 2) as f64;
        let quantile = Normal::standard().inverse_cdf(1.0 - 0.05 / pairs / 2.0);
        let mut edges = Vec::new();
        for (k, &child) in order.iter().enumerate() {
            for &parent in &order[..k] {
                let others: Vec<usize> = order[..k].iter().copied().filter(|&other| other != parent).collect();
                let z = test.partial_correlation(parent, child, &others).atanh();
                if (n - k as f64).sqrt() * z.abs() > quantile {
                    edges.push((parent, child));
                }
            }
        }
        edges.sort_unstable();
        assert_eq!(edges, golden::edges(&reference["td_ztest_adj"]), "{name}");
    }
}

#[test]
fn bottom_up_orders_equal_the_reference() {
    let run = Run::new(Seed(0));
    for (name, reference) in golden::r_cases("eqvar") {
        let (order, _, singular) = bottom_up(&Covariance::of(&golden::dataset(&name), &run).unwrap(), &run).unwrap();
        assert!(!singular);
        assert_eq!(nodes(&order), golden::nodes(&reference["bu_order"]), "{name}");
    }
}

#[test]
fn the_learner_gives_the_reference_graph() {
    let run = Run::new(Seed(0));
    let config = LearnerConfig::Eqvar(EqvarConfig { direction: Direction::TopDown, ..EqvarConfig::reference() });
    for (name, reference) in golden::r_cases("eqvar") {
        let learned = config.build().unwrap().learn(&Input::new(&golden::dataset(&name)), &run).unwrap();
        let edges = learned.graph.to_dag().unwrap().edges();
        assert_eq!(edges, golden::edges(&reference["td_gamprune_adj"]), "{name}");
    }
}
