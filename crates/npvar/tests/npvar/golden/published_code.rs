//! NPVAR against the published R code on 56 data sets: orders, layers and residual variances.

use npvar::graph::Order;
use npvar::learner::{Input, LearnerConfig, NpvarConfig};
use npvar::order::{Comparison, Eta, LastNode, LayerRule, Search, layers};
use npvar::residual_variance::{Additive, AdditiveFactor, Form};
use npvar::select::gam_significance;
use npvar::{Run, Seed};
use serde_json::Value;

use crate::golden;

const LAMBDA: f64 = 0.6;

fn reference_rule(eta: Eta) -> LayerRule {
    LayerRule { eta, eta_scaler: 1.0, comparison: Comparison::AtMost, last_node: LastNode::Untested }
}

fn assert_search(found: &Search, expected: &Value, context: &str) {
    let order: Vec<usize> = found.layers.order().into();
    assert_eq!(order, golden::nodes(&expected["order"]), "{context}");
    let steps = golden::entries(&expected["steps"]);
    assert_eq!(found.steps.len(), steps.len(), "{context}");
    let variances = &found.steps[0].residual_variances;
    for (step, expected) in found.steps.iter().zip(steps) {
        assert_eq!(step.given, golden::nodes(&expected["ancestors"]), "{context}");
        assert_eq!(step.nodes, golden::nodes(&expected["nodes"]), "{context}");
        let scales: Vec<f64> = step.nodes.iter().map(|&node| variances[node]).collect();
        let expected = golden::numbers(&expected["condvar"]);
        golden::assert_variances(&step.residual_variances, &expected, &scales, context);
    }
}

#[test]
fn orders_and_residual_variances_equal_the_reference() {
    for (name, reference) in golden::r_cases("npvar") {
        let gram = golden::gram(&golden::dataset(&name));
        let variances = Additive::new(&gram, LAMBDA, Form::Difference);
        let found = layers(&variances, &reference_rule(Eta::NodeByNode), &Run::new(Seed(0))).unwrap();
        assert_search(&found, &reference["naive"], &name);
    }
}

#[test]
fn layers_equal_the_reference() {
    for (name, reference) in golden::r_cases("npvar") {
        let gram = golden::gram(&golden::dataset(&name));
        for (key, eta) in [("layers_eta_0.01", 0.01), ("layers_eta_0.05", 0.05)] {
            let variances = Additive::new(&gram, LAMBDA, Form::Difference);
            let found = layers(&variances, &reference_rule(Eta::Fixed(eta)), &Run::new(Seed(0))).unwrap();
            assert_search(&found, &reference[key], &name);
            let expected: Vec<Vec<usize>> =
                reference[key]["layers"].as_array().unwrap().iter().map(golden::nodes).collect();
            assert_eq!(found.layers.layers(), expected, "{name}");
        }
    }
}

#[test]
fn the_selection_equals_the_reference() {
    for (name, reference) in golden::r_cases("npvar") {
        let gram = golden::gram(&golden::dataset(&name));
        let order = Order::new(golden::nodes(&reference["naive"]["order"])).unwrap();
        let run = Run::new(Seed(0));
        let mut factor = AdditiveFactor::new(&gram, LAMBDA);
        order.nodes().iter().for_each(|&node| factor.append(node, &run).unwrap());
        let found = gam_significance(&factor, &order, 0.001, &run).unwrap();
        let prune = &reference["prune"];
        for test in &found.tests {
            let at = |key: &str| prune[key][test.parent][test.child].as_f64();
            let context = format!("{name}: {} -> {}", test.parent + 1, test.child + 1);
            let close = |got: f64, key: &str, tolerance: f64| {
                let expected = at(key).unwrap();
                assert!((got - expected).abs() <= tolerance, "{context}: {key} is {got} instead of {expected}");
            };
            close(test.p_value, "p_value", golden::P_VALUE);
            close(test.edf.unwrap(), "edf", 1e-8);
            close(test.reference_df.unwrap(), "ref_df", 1e-7);
        }
        assert_eq!(found.tests.len(), gram.d() * (gram.d() - 1) / 2);
        assert_eq!(found.dag.edges(), golden::edges(&prune["adj"]), "{name}");
    }
}

#[test]
fn the_reference_preset_gives_the_reference_order_and_graph() {
    for (name, reference) in golden::r_cases("npvar") {
        let learner = LearnerConfig::Npvar(NpvarConfig::reference()).build().unwrap();
        let learned = learner.learn(&Input::new(&golden::dataset(&name)), &Run::new(Seed(0))).unwrap();
        assert_eq!(learned.order.unwrap().nodes(), golden::nodes(&reference["naive"]["order"]), "{name}");
        assert_eq!(learned.graph.to_dag().unwrap().edges(), golden::edges(&reference["prune"]["adj"]), "{name}");
    }
}

#[test]
fn an_adaptive_eta_from_a_second_sample_equals_the_reference() {
    for case in golden::listed("r/npvar/_adaptive_eta_cases.json") {
        let name = case["dataset"].as_str().unwrap();
        let data = golden::dataset(name);
        let half = |rows: &str| {
            let (from, to) = rows.split_once("..").unwrap();
            let rows: Vec<usize> = (from.parse::<usize>().unwrap() - 1..to.parse().unwrap()).collect();
            data.rows(&rows).unwrap()
        };
        let (first, second) = (half(case["x_rows"].as_str().unwrap()), half(case["x2_rows"].as_str().unwrap()));
        let config = NpvarConfig {
            eta: Eta::Adaptive,
            eta_scaler: case["eta_scaler"].as_f64().unwrap(),
            ..NpvarConfig::reference()
        };
        let input = Input { second_sample: Some(&second), ..Input::new(&first) };
        let learned = LearnerConfig::Npvar(config).build().unwrap().learn(&input, &Run::new(Seed(0))).unwrap();
        let expected: Vec<Vec<usize>> = case["layers"].as_array().unwrap().iter().map(golden::nodes).collect();
        assert_eq!(learned.layers.unwrap().layers(), expected, "{name}");
        let (steps, expected) = (learned.steps.unwrap(), golden::entries(&case["steps"]));
        assert_eq!(steps.len(), expected.len(), "{name}");
        for (step, expected) in steps.iter().zip(expected) {
            let eta = expected["eta"].as_f64().unwrap();
            assert!((step.eta - eta).abs() <= 1e-9 * eta, "{name}: eta {} instead of {eta}", step.eta);
            let variances = golden::numbers(&expected["condvar_x"]);
            golden::assert_variances(&step.residual_variances, &variances, &vec![1.0; variances.len()], name);
        }
    }
}
