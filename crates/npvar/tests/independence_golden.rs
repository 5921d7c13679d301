//! Independence tests against R (codeANM) and Python (lingam, causal-learn); see tests/golden and tests/golden_py.
#![allow(clippy::unwrap_used)]

mod golden;

use faer::Mat;
use npvar::data::Dataset;
use npvar::independence::hsic::{Hsic, gamma_test};
use npvar::kernel::Width;
use serde_json::Value;

/// Statistics and p-values of kernel tests, relative.
const KERNEL: f64 = 1e-6;

fn data(name: &str) -> Dataset {
    golden::table(&format!("../golden_py/data/{name}.csv"))
}

fn list(value: &Value) -> Vec<usize> {
    value.as_array().unwrap().iter().map(|entry| entry.as_u64().unwrap() as usize).collect()
}

fn columns(data: &Dataset, rows: usize, nodes: &[usize]) -> Mat<f64> {
    Mat::from_fn(rows, nodes.len(), |i, j| data.column(nodes[j])[i])
}

fn assert_relative(got: f64, expected: f64, tolerance: f64, context: &str) {
    assert!((got - expected).abs() <= tolerance * expected.abs(), "{context}: {got:e} instead of {expected:e}");
}

fn hsic_cases(file: &str, hsic: &Hsic) {
    for case in golden::json(file).as_array().unwrap() {
        let data = data(case["data"].as_str().unwrap());
        let rows = case["n_rows"].as_u64().unwrap() as usize;
        let x = columns(&data, rows, &[case["x"].as_u64().unwrap() as usize]);
        let y = columns(&data, rows, &list(&case["Y"]));
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
    hsic_cases("../golden_py/hsic_gamma.json", &Hsic::lingam());
}

#[test]
fn hsic_equals_codeanms() {
    hsic_cases("hsic_codeanm.json", &Hsic::default());
}
