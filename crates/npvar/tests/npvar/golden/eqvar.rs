//! EqVar against the authors' R code: top-down with its conditional variances, bottom-up, and the paper's selection.

use npvar::data::Covariance;
use npvar::graph::Order;
use npvar::learner::{Direction, EqvarConfig, Input, LearnerConfig};
use npvar::order::{LayerRule, bottom_up, layers};
use npvar::{Run, Seed};

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
        let steps = reference["td_steps"].as_array().unwrap();
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
