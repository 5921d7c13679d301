//! NOTEARS against the authors' code (notears 4a9ab19): linear solutions, and the networks' objective, gradients and solutions.

use faer::Mat;
use npvar::data::Covariance;
use npvar::learner::{Input, LearnerConfig, NotearsConfig};
use npvar::notears::{
    Acyclicity, AugmentedLagrangian, Constrained, LinearProblem, MlpProblem, Network, augmented_lagrangian, prune,
};
use npvar::{Run, Seed};
use serde_json::Value;

use crate::golden;

/// Values and gradients at a given point: sums in another order of operations.
const ROUNDING: f64 = 1e-12;
/// The threshold of the reference's edge lists.
const THRESHOLD: f64 = 0.3;

/// All numbers of nested lists.
fn flat(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(entries) => entries.iter().flat_map(flat).collect(),
        number => vec![number.as_f64().unwrap()],
    }
}

fn pairs(value: &Value) -> Vec<(usize, usize)> {
    flat(value).chunks(2).map(|pair| (pair[0] as usize, pair[1] as usize)).collect()
}

fn number(value: &Value, key: &str) -> f64 {
    value[key].as_f64().unwrap()
}

/// The reference's objective at its own weights, so that our loss is compared with numpy's too.
#[test]
fn the_linear_objective_equals_the_reference_at_its_weights() {
    let run = Run::new(Seed(0));
    for (name, cases) in golden::by_dataset("python/notears_linear.json") {
        let covariance = Covariance::of(&golden::python_dataset(&name), &run).unwrap();
        for (key, case) in cases.as_object().unwrap() {
            let lambda1: f64 = key.strip_prefix("lambda1=").unwrap().parse().unwrap();
            let problem = LinearProblem::new(&covariance, lambda1, Acyclicity::Exponential);
            let w = flat(&case["W_unthresholded"]);
            let x: Vec<f64> = w.iter().map(|w| w.max(0.0)).chain(w.iter().map(|w| (-w).max(0.0))).collect();
            let parts = problem.evaluate(&x, 1.0, 0.0, &mut vec![0.0; x.len()], &Run::new(Seed(0))).unwrap();
            assert!((parts.loss - number(case, "loss")).abs() <= ROUNDING * parts.loss, "{name} {key}");
            assert!((parts.l1 - number(case, "l1")).abs() <= ROUNDING * parts.l1.max(1.0), "{name} {key}");
            // The reference subtracts d from a trace near d: its h has about 14 digits after the point.
            assert!((parts.h - number(case, "h")).abs() < 1e-13, "{name} {key}: {} {}", parts.h, case["h"]);
        }
    }
}

fn solves_as_well_as_the_reference(chosen: impl Fn(&str, &str) -> bool) {
    let run = Run::new(Seed(0));
    let mut solved = 0;
    for (name, cases) in golden::by_dataset("python/notears_linear.json") {
        let covariance = Covariance::of(&golden::python_dataset(&name), &run).unwrap();
        for (key, case) in cases.as_object().unwrap().iter().filter(|(key, _)| chosen(&name, key)) {
            let lambda1: f64 = key.strip_prefix("lambda1=").unwrap().parse().unwrap();
            let problem = LinearProblem::new(&covariance, lambda1, Acyclicity::Exponential);
            let options = AugmentedLagrangian::linear();
            let solution = augmented_lagrangian(&problem, problem.start(), &options, &run).unwrap();
            assert!(solution.converged, "{name} {key}");
            let expected = number(case, "loss") + lambda1 * number(case, "l1");
            let got = solution.parts.objective;
            assert!(got <= expected, "{name} {key}: objective {got} above {expected}");
            let d = covariance.matrix().nrows();
            let pruned = prune(&problem.weights(&solution.x), d, THRESHOLD);
            assert!(pruned.cut.is_empty(), "{name} {key}");
            assert_eq!(pruned.dag.edges(), pairs(&case["edges_w_ge_0_3"]), "{name} {key}");
            solved += 1;
        }
    }
    assert!(solved > 0);
}

#[test]
fn linear_solutions_are_not_worse_and_have_the_same_edges() {
    solves_as_well_as_the_reference(|name, key| {
        name != "lin_d20_n1000" && (name != "lin_d10_n1000" || key == "lambda1=0.1")
    });
}

#[test]
fn linear_solutions_of_twenty_nodes_are_not_worse_and_have_the_same_edges() {
    solves_as_well_as_the_reference(|name, key| {
        name == "lin_d20_n1000" || (name == "lin_d10_n1000" && key != "lambda1=0.1")
    });
}

#[test]
fn the_learner_gives_the_reference_edges() {
    let learned = LearnerConfig::Notears(NotearsConfig::default())
        .build()
        .unwrap()
        .learn(&Input::new(&golden::python_dataset("lin_d5_n500")), &Run::new(Seed(0)))
        .unwrap();
    let cases = golden::by_dataset("python/notears_linear.json");
    let (_, cases) = cases.iter().find(|(name, _)| name == "lin_d5_n500").unwrap();
    let expected = pairs(&cases["lambda1=0.1"]["edges_w_ge_0_3"]);
    let dag = learned.graph.to_dag().unwrap();
    assert_eq!(dag.edges(), expected);
    assert!(dag.is_consistent_with(learned.order.as_ref().unwrap()));
}

fn network_problem(case: &Value) -> (MlpProblem, Network) {
    let data = golden::python_rows(case);
    let matrix = Mat::from_fn(data.n(), data.d(), |i, j| data.column(j)[i]);
    let start = &case["init_params"];
    let biases = flat(&start["fc1_pos.bias"]).into_iter().zip(flat(&start["fc1_neg.bias"]));
    let network = Network {
        positive: flat(&start["fc1_pos.weight"]),
        negative: flat(&start["fc1_neg.weight"]),
        hidden_bias: biases.map(|(positive, negative)| positive - negative).collect(),
        output: flat(&start["fc2.0.weight"]),
        output_bias: flat(&start["fc2.0.bias"]),
    };
    (MlpProblem::new(matrix, 10, 0.01, 0.01, Acyclicity::Exponential), network)
}

#[test]
fn the_networks_objective_and_gradients_equal_the_reference_at_its_start() {
    for case in &golden::listed("python/notears_mlp.json") {
        let (problem, network) = network_problem(case);
        let x = network.parameters();
        let sizes = [&network.positive, &network.negative, &network.hidden_bias, &network.output, &network.output_bias];
        let layers = ["fc1_pos.weight", "fc1_neg.weight", "fc1_pos.bias", "fc2.0.weight", "fc2.0.bias"];
        for expected in golden::entries(&case["objective_at_init"]) {
            let (rho, alpha) = (number(expected, "rho"), number(expected, "alpha"));
            let mut gradient = vec![0.0; x.len()];
            let parts = problem.evaluate(&x, rho, alpha, &mut gradient, &Run::new(Seed(0))).unwrap();
            let total = parts.objective + alpha * parts.h + 0.5 * rho * parts.h * parts.h;
            let pairs =
                [("total", total), ("loss", parts.loss), ("h", parts.h), ("l2_reg", parts.l2), ("fc1_l1", parts.l1)];
            for (key, got) in pairs {
                let expected = number(expected, key);
                assert!((got - expected).abs() <= ROUNDING * expected, "{key}: {got} instead of {expected}");
            }
            let mut first = 0;
            for (layer, size) in layers.iter().zip(sizes) {
                let norm = gradient[first..first + size.len()].iter().map(|slope| slope * slope).sum::<f64>().sqrt();
                let expected = number(&expected["grad_norm"], layer);
                assert!((norm - expected).abs() <= ROUNDING * expected, "{layer}: {norm} instead of {expected}");
                first += size.len();
            }
            assert_eq!(first, x.len());
        }
    }
}

/// Entry by entry, against derivatives by the complex step (`scripts/notears_mlp_gradients.py`); what the reference holds
/// as two biases is their difference here.
#[test]
fn every_entry_of_the_networks_gradient_equals_the_reference() {
    let mut compared = 0;
    let gradients = golden::listed("python/notears_mlp_gradients.json");
    for (case, slopes) in golden::listed("python/notears_mlp.json").iter().zip(&gradients) {
        assert_eq!((&case["data"], &case["n_rows"]), (&slopes["data"], &slopes["n_rows"]));
        let (problem, network) = network_problem(case);
        let x = network.parameters();
        for point in golden::entries(&slopes["points"]) {
            let layers = ["fc1_pos.weight", "fc1_neg.weight", "fc1_pos.bias", "fc2.0.weight", "fc2.0.bias"];
            let expected: Vec<f64> = layers.iter().flat_map(|layer| flat(&point["gradient"][layer])).collect();
            let mut got = vec![0.0; x.len()];
            problem.evaluate(&x, number(point, "rho"), number(point, "alpha"), &mut got, &Run::new(Seed(0))).unwrap();
            assert_eq!(got.len(), expected.len());
            let scale = expected.iter().fold(0.0_f64, |scale, slope| scale.max(slope.abs()));
            for (entry, (got, expected)) in got.iter().zip(&expected).enumerate() {
                assert!((got - expected).abs() <= ROUNDING * scale, "entry {entry}: {got} instead of {expected}");
            }
            compared += expected.len();
        }
    }
    assert!(compared > 1000, "{compared} entries");
}

#[test]
fn networks_end_at_objectives_that_are_not_worse() {
    for case in &golden::listed("python/notears_mlp.json") {
        ends_not_worse(case, &Run::new(Seed(0)));
    }
}

/// From the reference's start and from one of our own, on the reference's data.
fn ends_not_worse(case: &Value, run: &Run<'_>) {
    let (problem, network) = network_problem(case);
    let last = golden::entries(&case["dual_steps"]).last().unwrap();
    let expected = number(last, "loss") + 0.01 * number(last, "fc1_l1") + 0.005 * number(last, "l2_reg");
    for start in [network, Network::random(problem.shape(), Seed(5))] {
        let options = AugmentedLagrangian::networks();
        let solution = augmented_lagrangian(&problem, start.parameters(), &options, run).unwrap();
        assert!(solution.converged);
        let got = solution.parts.objective;
        assert!(got <= expected, "{}: objective {got} above {expected}", case["data"]);
        let pruned = prune(&problem.weights(&solution.x), problem.shape().nodes, THRESHOLD);
        assert_eq!(pruned.dag.edges(), pairs(&case["edges_w_ge_0_3"]));
    }
}
