//! Input with a flaw that can be lived with gives a result, status 0, and a diagnostic that names the columns.

use crate::{Folder, csv, noise};

/// Learns from the table with both learners and returns the codes of the diagnostics of NPVAR, whose messages name `column`.
#[track_caller]
fn learned(names: &[&str], columns: &[Vec<f64>], code: &str, column: &str) {
    let folder = Folder::new();
    folder.write("t.csv", &csv(names, columns));
    for learner in ["npvar", "eqvar"] {
        let ran = folder.npvar(&format!("learn t.csv --json --explain --seed 1 --learner {learner}")).succeeded();
        let document = ran.json();
        assert_eq!(document["order"].as_array().unwrap().len(), names.len());
        let diagnostics = document["diagnostics"].as_array().unwrap();
        let found = diagnostics.iter().find(|diagnostic| diagnostic["code"] == code);
        let message = found.unwrap_or_else(|| panic!("no {code} in {diagnostics:?}"))["message"].as_str().unwrap();
        assert!(message.contains(column), "{message}");
        assert!(ran.stderr.contains(message), "{ran:?}");
        let same = diagnostics.iter().filter(|diagnostic| diagnostic["message"] == message).count();
        assert_eq!(same, 1, "said twice: {message}");
    }
    folder.npvar("diagnose t.csv").succeeded();
    let diagnosis = folder.npvar("diagnose t.csv --json").succeeded().json();
    assert_eq!(diagnosis["columns"].as_array().unwrap().len(), names.len());
}

#[test]
fn a_constant_column() {
    learned(
        &["a", "b", "c"],
        &[noise(100, 1), vec![2.5; 100], noise(100, 2)],
        "constant-column",
        "`b` is constant (2.5)",
    );
}

#[test]
fn two_equal_columns() {
    let a = noise(100, 1);
    learned(&["a", "b", "c"], &[a.clone(), noise(100, 2), a], "duplicate-columns", "`a` and `c`");
}

#[test]
fn an_affine_copy() {
    let a = noise(100, 1);
    let b = a.iter().map(|x| 3.0 - 2.0 * x).collect();
    learned(&["a", "b", "c"], &[a, b, noise(100, 2)], "affine-columns", "`b`");
}

#[test]
fn a_column_that_numbers_the_rows() {
    let id = (1..=100).map(f64::from).collect();
    let folder = Folder::new();
    folder.write("t.csv", &csv(&["id", "a", "b"], &[id, noise(100, 1), noise(100, 2)]));
    let ran = folder.npvar("learn t.csv --json --seed 1").succeeded();
    assert_eq!(ran.json()["nodes"], serde_json::json!(["a", "b"]));
    let entry = serde_json::json!({"column": "id", "did": "left out", "why": "it numbers the rows"});
    assert_eq!(ran.json()["intake"], serde_json::json!([entry]));
    assert!(ran.stderr.starts_with("read: `id`: left out (it numbers the rows)\n"), "{ran:?}");
    // Who names the column gets it, with a warning.
    let asked = folder.npvar("learn t.csv --columns id,a,b --json --seed 1").succeeded();
    assert_eq!(asked.json()["nodes"], serde_json::json!(["id", "a", "b"]));
    assert!(asked.stderr.contains("column `id` numbers the rows"), "{asked:?}");
}

#[test]
fn standardised_data() {
    let standardise = |x: Vec<f64>| {
        let mean = x.iter().sum::<f64>() / x.len() as f64;
        let variance = x.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (x.len() - 1) as f64;
        x.iter().map(|v| (v - mean) / variance.sqrt()).collect::<Vec<f64>>()
    };
    let columns: Vec<Vec<f64>> = (1..4).map(|seed| standardise(noise(200, seed))).collect();
    learned(&["a", "b", "c"], &columns, "standardised-data", "all 3 columns");
}

#[test]
fn more_coefficients_than_samples() {
    let columns: Vec<Vec<f64>> = (0..8).map(|seed| noise(30, seed)).collect();
    let names = ["a", "b", "c", "d", "e", "f", "g", "h"];
    learned(&names, &columns, "more-coefficients-than-samples", "30 samples");
}

#[test]
fn a_handful_of_rows() {
    let folder = Folder::new();
    folder.write("t.csv", "a,b,c\n1,2,7\n2,1,5\n3,5,6.5\n4,3,1\n");
    for arguments in ["", "--learner eqvar", "--set split=half", "--set eta=adaptive", "--set estimator.smoothing=gcv"]
    {
        let ran = folder.npvar(&format!("learn t.csv --json --explain --seed 1 {arguments}")).succeeded();
        assert_eq!(ran.json()["nodes"], serde_json::json!(["a", "b", "c"]), "{arguments}");
    }
}

#[test]
fn binary_and_few_valued_columns() {
    let folder = Folder::new();
    folder.simulate("glm", "MC-GLM --nodes 6 --samples 400 --seed 1");
    let diagnosis = folder.npvar("diagnose glm/data.csv --json").succeeded().json();
    assert!(diagnosis["columns"].as_array().unwrap().iter().all(|column| column["kind"] == "binary"));
    folder.npvar("learn glm/data.csv --seed 1").succeeded();
}

#[test]
fn outliers_of_any_size() {
    let mut a = noise(100, 1);
    a[7] = 1e12;
    let folder = Folder::new();
    folder.write("t.csv", &csv(&["a", "b", "c"], &[a, noise(100, 2), noise(100, 3)]));
    let document = folder.npvar("learn t.csv --json --seed 1").succeeded().json();
    assert_eq!(document["tests"].as_array().unwrap().len(), 3);
}
