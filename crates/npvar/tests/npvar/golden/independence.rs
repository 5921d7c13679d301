//! Independence tests against R (codeANM) and Python (lingam, causal-learn); see reference/r and reference/python.

use faer::Mat;
use npvar::data::Covariance;
use npvar::data::Dataset;
use npvar::independence::Width;
use npvar::independence::hsic::{Hsic, gamma_test};
use npvar::independence::kci::kci_test;
use npvar::independence::{Contingency, Discrepancy, FisherZ, IndependenceTest, KciWidth};
use npvar::{Run, Seed};

use crate::golden;

/// Statistics and p-values of kernel tests, relative.
const KERNEL: f64 = 1e-6;
/// p-values of the other tests: absolute for Fisher's z (causal-learn's is one minus the normal distribution), relative for
/// tables.
const EXACT: f64 = 1e-10;

fn columns(data: &Dataset, rows: usize, nodes: &[usize]) -> Mat<f64> {
    Mat::from_fn(rows, nodes.len(), |i, j| data.column(nodes[j])[i])
}

fn assert_relative(got: f64, expected: f64, tolerance: f64, context: &str) {
    assert!((got - expected).abs() <= tolerance * expected.abs(), "{context}: {got:e} instead of {expected:e}");
}

fn hsic_cases(file: &str, hsic: &Hsic) {
    for case in golden::listed(file) {
        let data = golden::python_dataset(case["data"].as_str().unwrap());
        let rows = case["n_rows"].as_u64().unwrap() as usize;
        let x = columns(&data, rows, &[case["x"].as_u64().unwrap() as usize]);
        let y = columns(&data, rows, &golden::indices(&case["Y"]));
        let test = gamma_test(x.as_ref(), y.as_ref(), hsic).unwrap();
        let context = case.to_string();
        assert_relative(test.statistic, case["stat"].as_f64().unwrap(), KERNEL, &context);
        assert_relative(test.p_value, case["p"].as_f64().unwrap(), KERNEL, &context);
        if let Some(width) = case.get("width_Y") {
            assert_relative(Width::First100.of(y.as_ref()).unwrap(), width.as_f64().unwrap(), KERNEL, &context);
        }
    }
}

#[test]
fn hsic_equals_lingams() {
    hsic_cases("python/hsic_gamma.json", &Hsic::lingam());
}

#[test]
fn hsic_equals_codeanms() {
    hsic_cases("r/hsic_codeanm.json", &Hsic::default());
}

#[test]
fn kci_equals_causal_learns() {
    for case in golden::listed("python/kci.json") {
        let data = golden::python_dataset(case["data"].as_str().unwrap());
        let rows = case["n_rows"].as_u64().unwrap() as usize;
        let side = |key: &str| columns(&data, rows, &[case[key].as_u64().unwrap() as usize]);
        let width = match case["est_width"].as_str().unwrap() {
            "empirical" => KciWidth::Empirical,
            _ => KciWidth::MedianUnscaled,
        };
        let given = columns(&data, rows, &golden::indices(&case["S"]));
        let test = kci_test(side("x").as_ref(), side("y").as_ref(), given.as_ref(), width).unwrap();
        let context = case.to_string();
        assert_relative(test.statistic, case["stat"].as_f64().unwrap(), KERNEL, &context);
        if let Some(shape) = case["gamma_shape"].as_f64() {
            assert_relative(test.shape, shape, KERNEL, &context);
            assert_relative(test.scale, case["gamma_scale"].as_f64().unwrap(), KERNEL, &context);
        }
        // Below 1e-10 theirs is 1 − cdf, which has lost its digits: absolute there.
        let p = case["p"].as_f64().unwrap();
        assert!((test.p_value - p).abs() <= KERNEL * p + 2e-15, "{context}: {}", test.p_value);
    }
}

#[test]
fn fisher_z_equals_causal_learns() {
    for (name, cases) in golden::by_dataset("python/fisherz_tests.json") {
        let covariance = Covariance::of(&golden::python_dataset(&name), &Run::new(Seed(0))).unwrap();
        let test = FisherZ::new(&covariance).unwrap();
        for case in golden::entries(&cases) {
            let [x, y] = ["x", "y"].map(|key| case[key].as_u64().unwrap() as usize);
            let given = golden::indices(&case["S"]);
            let r = test.partial_correlation(x, y, &given);
            assert!((r - case["partial_corr"].as_f64().unwrap()).abs() < EXACT, "{name}: {case}: {r}");
            let p = test.p_value(x, y, &given).unwrap();
            assert!((p - case["p"].as_f64().unwrap()).abs() < EXACT, "{name}: {case}: {p}");
            assert!(p > 0.0 || r.abs() > 0.5);
        }
    }
}

#[test]
fn chi_square_and_g_square_equal_causal_learns() {
    for (name, cases) in golden::by_dataset("python/pc_discrete.json") {
        for (key, discrepancy) in [("chisq_pvalues", Discrepancy::ChiSquare), ("gsq_pvalues", Discrepancy::GSquare)] {
            let test = Contingency::new(&golden::python_dataset(&name), discrepancy).unwrap();
            for case in golden::entries(&cases[key]) {
                let [x, y] = [0, 1].map(|at| case[at].as_u64().unwrap() as usize);
                let p = test.p_value(x, y, &golden::indices(&case[2])).unwrap();
                assert_relative(p, case[3].as_f64().unwrap(), EXACT, &format!("{name} {key} {case}"));
            }
        }
    }
}
