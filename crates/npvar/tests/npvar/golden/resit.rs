//! RESIT against the authors' R code with mgcv's thin plates (reference/r/resit), and against lingam with a cubic
//! polynomial (reference/python/resit_cubic.json), which comes in through `ConditionalMean` as a user's own estimator would.

use faer::{Mat, MatRef};
use npvar::data::{Dataset, Residuals};
use npvar::graph::Node;
use npvar::independence::{GammaTest, Hsic, LowRankFrom};
use npvar::learner::{Assignment, Input, LearnerConfig};
use npvar::order::{Dependence, Weakest, resit_order, resit_parents};
use npvar::regress::{AdditiveResiduals, ConditionalMean, FittedMean, Linear, Regressed, Smoothing};
use npvar::smooth::WholeColumn;
use npvar::{Result, Run, Seed};
use serde_json::Value;

use crate::golden;

/// lingam's statistics and p-values, relative: the same definition, another order of operations.
const AGAINST_LINGAM: f64 = 1e-10;
/// The R code's statistics and p-values: its residuals carry the tolerance of a cross-validation optimiser.
const AGAINST_R: f64 = 1e-2;
/// p-values closer than this are a tie for the R code's choice of a sink, and with its level.
const TIE: f64 = 1e-2;

/// Tests of the R code that are not met to [`AGAINST_R`], with how far off they are; docs/src/lab/differences.md has the evidence.
///
/// Three times mgcv seems to lose part of a penalty to rounding: other terms are straight lines with parameters some 4e11
/// times as large (followed up in R on one regression of this kind: with the large ones made smaller it agrees with us).
/// Once the score has two minima, of which ours is the lower by 1e-4.
const NOT_MET: [(&str, usize, f64); 4] =
    [("ER-AGP-4_d5", 3, 0.015), ("SF-AGP-1_d5", 1, 0.015), ("SF-NGP-1_d5", 3, 0.015), ("ER-NGP-1_d5", 8, 0.1)];

const EXACT: LowRankFrom = LowRankFrom { exact_up_to: usize::MAX, rank: 1 };

struct Test<'a>(&'a Dataset, Hsic);

impl Dependence for Test<'_> {
    fn test(&self, residuals: &[f64], nodes: &[Node], run: &Run<'_>) -> Result<GammaTest> {
        let columns: Vec<&[f64]> = nodes.iter().map(|&node| self.0.column(node)).collect();
        self.1.columns_test(&columns, residuals, EXACT, run)
    }
}

/// Ordinary least squares on x, x² and x³ of every predictor.
struct Cubic;

struct FittedCubic(Box<dyn FittedMean>);

fn powers(z: MatRef<'_, f64>) -> Mat<f64> {
    Mat::from_fn(z.nrows(), 3 * z.ncols(), |i, j| z[(i, j / 3)].powi(j as i32 % 3 + 1))
}

impl ConditionalMean for Cubic {
    fn fit(&self, z: MatRef<'_, f64>, y: &[f64]) -> Result<Box<dyn FittedMean>> {
        Ok(Box::new(FittedCubic(Linear.fit(powers(z).as_ref(), y)?)))
    }
}

impl FittedMean for FittedCubic {
    fn predict(&self, z: MatRef<'_, f64>) -> Vec<f64> {
        self.0.predict(powers(z).as_ref())
    }
}

#[test]
fn statistics_and_orders_equal_those_of_lingam() {
    let run = Run::new(Seed(0));
    let cases = golden::listed("python/resit_cubic.json");
    let mut worst = 0.0_f64;
    for case in &cases {
        let name = case["data"].as_str().unwrap();
        let data = golden::python_rows(case);
        let residuals = Regressed { data: &data, estimator: &Cubic };
        let test = Test(&data, Hsic::lingam());
        let nodes: Vec<Node> = (0..data.d()).collect();
        let (order, steps) = resit_order(&nodes, &residuals, &test, Weakest::Statistic, &run).unwrap();
        assert_eq!(order, golden::indices(&case["order"]), "{name}");
        let alpha = case["alpha"].as_f64().unwrap();
        let (dag, removals) = resit_parents(&order, data.d(), &residuals, &test, alpha, &run).unwrap();
        let mut transposed = golden::edges(&case["adjacency_row_is_child"]);
        transposed.iter_mut().for_each(|edge| *edge = (edge.1, edge.0));
        transposed.sort_unstable();
        assert_eq!(dag.edges(), transposed, "{name}");
        let got: Vec<GammaTest> = steps
            .iter()
            .flat_map(|step| step.tests.clone())
            .chain(removals.iter().map(|removal| removal.test))
            .collect();
        let trace = golden::entries(&case["hsic_trace"]);
        assert_eq!(got.len(), trace.len(), "{name}");
        for (got, expected) in got.iter().zip(trace.iter().map(golden::numbers)) {
            for (got, expected) in [(got.statistic, expected[0]), (got.p_value, expected[1])] {
                let error = (got - expected).abs() / expected;
                worst = worst.max(error);
                assert!(error <= AGAINST_LINGAM, "{name}: {got} instead of {expected}");
            }
        }
    }
    println!("{} data sets, worst relative error {worst:e}", cases.len());
}

/// Data sets the R code could run, with its answer.
fn r_cases() -> Vec<(String, Value)> {
    golden::r_cases("resit").into_iter().filter(|(_, value)| value["error"].is_null()).collect()
}

#[test]
fn every_test_of_the_r_code_is_met() {
    let run = Run::new(Seed(0));
    let mut worst = [0.0_f64; 2];
    let (mut count, mut closely) = (0, 0);
    for (name, case) in r_cases() {
        let data = golden::first_rows(&golden::dataset(&name), 300);
        let residuals =
            AdditiveResiduals::whole_columns(&data, (WholeColumn::ThinPlate, 10), Smoothing::Gcv, 0.0, &run).unwrap();
        let test = Test(&data, Hsic::default());
        let order = golden::nodes(&case["order_source_first"]);
        let expected = case["tests"].as_array().unwrap();
        // Phase 1 along the order R found, so that every one of its tests is compared.
        let mut got = Vec::new();
        for left in (2..=order.len()).rev() {
            let mut nodes = order[..left].to_vec();
            nodes.sort_unstable();
            for &node in &nodes {
                let others: Vec<Node> = nodes.iter().copied().filter(|&other| other != node).collect();
                let residuals = residuals.residuals(node, &others, &Run::new(Seed(0))).unwrap();
                got.push((others.len(), test.test(&residuals, &others, &run).unwrap()));
            }
        }
        // Phase 2; R goes from the last node to the first.
        let (dag, removals) = resit_parents(&order, data.d(), &residuals, &test, 0.05, &run).unwrap();
        assert_eq!(dag.edges(), golden::edges(&case["adj"]), "{name}");
        for position in (1..order.len()).rev() {
            let of_child = removals.iter().filter(|removal| removal.child == order[position]);
            got.extend(of_child.map(|removal| (position, removal.test)));
        }
        assert_eq!(got.len(), expected.len(), "{name}");
        for (at, ((dimension, got), expected)) in got.iter().zip(expected).enumerate() {
            assert_eq!(*dimension as u64, expected["dim_x"].as_u64().unwrap());
            let (statistic, p_value) = (expected["stat"].as_f64().unwrap(), expected["p"].as_f64().unwrap());
            let errors = [(got.statistic - statistic).abs() / statistic, (got.p_value - p_value).abs()];
            if let Some((.., bound)) = NOT_MET.iter().find(|(known, test, _)| *known == name && *test == at) {
                assert!(errors.iter().all(|error| error <= bound), "{name}, test {at}: {got:?} instead of {expected}");
                continue;
            }
            for (worst, error) in worst.iter_mut().zip(errors) {
                *worst = worst.max(error);
                assert!(error <= AGAINST_R, "{name}, test {at}: {got:?} instead of {expected}");
            }
            count += 1;
            closely += usize::from(errors.iter().all(|&error| error <= AGAINST_R / 10.0));
        }
    }
    println!(
        "{count} tests: worst relative error of a statistic {:e}, worst error of a p-value {:e}",
        worst[0], worst[1]
    );
    assert_eq!((count, closely), (372, 369), "as docs/src/lab/differences.md states");
}

#[test]
fn the_learner_gives_the_r_order_and_both_graphs() {
    let run = Run::new(Seed(0));
    let (mut same, mut all) = (0, 0);
    for (name, case) in r_cases() {
        let data = golden::first_rows(&golden::dataset(&name), 300);
        let learn = |settings: &[&str], input: &Input<'_>| {
            let settings: Vec<Assignment> = settings.iter().map(|text| Assignment::parse(text).unwrap()).collect();
            LearnerConfig::resolve("resit", &settings).unwrap().build().unwrap().learn(input, &run).unwrap()
        };
        let own = learn(&["preset=reference", "parents=independence"], &Input::new(&data));
        let common = learn(&["preset=reference"], &Input { order: own.order.clone(), ..Input::new(&data) });
        let order = golden::nodes(&case["order_source_first"]);
        all += 1;
        if own.order.as_ref().unwrap().nodes() == order {
            same += 1;
            assert_eq!(own.graph.to_dag().unwrap().edges(), golden::edges(&case["adj"]), "{name}");
            assert_eq!(common.graph.to_dag().unwrap().edges(), golden::edges(&case["npvar_prune_adj"]), "{name}");
        } else {
            assert!(tied(&case, &order, own.order.as_ref().unwrap().nodes()), "{name}");
        }
    }
    println!("{same} of {all} orders are the same");
    assert_eq!((same, all), (19, 19), "as docs/src/lab/differences.md states");
}

/// Whether R's own p-values were a tie where the orders part.
fn tied(case: &Value, reference: &[Node], order: &[Node]) -> bool {
    let mut tests = case["tests"].as_array().unwrap().iter().map(|test| test["p"].as_f64().unwrap());
    for left in (2..=reference.len()).rev() {
        let p_values: Vec<f64> = tests.by_ref().take(left).collect();
        if reference[left - 1] != order[left - 1] {
            let mut nodes = reference[..left].to_vec();
            nodes.sort_unstable();
            let p = |node: Node| p_values[nodes.iter().position(|&known| known == node).unwrap()];
            return p(reference[left - 1]) - p(order[left - 1]) <= TIE;
        }
    }
    true
}

/// mgcv stops here: "A term has fewer unique covariate combinations than specified maximum degrees of freedom".
#[test]
fn binary_chains_on_which_the_r_code_stops_get_a_graph() {
    let run = Run::new(Seed(0));
    for name in ["MC-GLM_d5", "MC-GLMp01_d5", "MC-GLM_d10"] {
        let data = golden::first_rows(&golden::dataset(name), 200);
        for settings in [&[][..], &["preset=reference"], &["parents=independence"], &["estimator=linear"]] {
            let settings: Vec<Assignment> = settings.iter().map(|text| Assignment::parse(text).unwrap()).collect();
            let learner = LearnerConfig::resolve("resit", &settings).unwrap().build().unwrap();
            let learned = learner.learn(&Input::new(&data), &run).unwrap();
            assert!(learned.graph.to_dag().is_some(), "{name}");
        }
    }
}
