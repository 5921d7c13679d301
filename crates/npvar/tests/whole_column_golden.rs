//! Cubic regression and thin-plate splines against mgcv 1.8-41: bases, fits, degrees of freedom, scores.
#![allow(clippy::unwrap_used)]

mod golden;

use faer::Mat;
use npvar::data::Dataset;
use npvar::regress::{AdditiveFit, Smoothing};
use npvar::smooth::{AdditiveGram, Design, WholeColumn, WholeColumns};
use npvar::{Run, Seed};
use serde_json::Value;

/// Column spaces and penalties as forms.
const SPACE: f64 = 1e-10;

/// Fits of two nearly equal optima of the same score.
const ELSEWHERE: f64 = 1e-2;

struct Case {
    name: String,
    reference: Value,
    /// The predictors, then the response.
    data: Dataset,
    kind: WholeColumn,
    dimension: usize,
}

impl Case {
    fn read(name: &str) -> Self {
        let reference = golden::json(&format!("gam/{name}.json"));
        let source = &reference["source"];
        let data = match source["dataset"].as_str() {
            Some(dataset) => golden::dataset(dataset),
            None => golden::table(source["file"].as_str().unwrap()),
        };
        let n = source["rows"].as_str().map_or(data.n(), |rows| rows.trim_start_matches("1..").parse().unwrap());
        let names: Vec<&str> = match &reference["x"] {
            Value::Array(names) => names.iter().map(|name| name.as_str().unwrap()).collect(),
            single => vec![single.as_str().unwrap()],
        };
        let column =
            |name: &str| data.column(data.names().iter().position(|known| known == name).unwrap())[..n].to_vec();
        let mut columns: Vec<Vec<f64>> = names.iter().map(|name| column(name)).collect();
        columns.push(column(reference["y"].as_str().unwrap()));
        let m = names.len();
        let data = Dataset::new((0..=m).map(|j| j.to_string()).collect(), columns).unwrap();
        let kind = if name.contains("cr_") { WholeColumn::CubicRegression } else { WholeColumn::ThinPlate };
        let dimension = reference["k"].as_u64().map_or_else(|| dimension(&reference), |k| k as usize);
        Case { name: name.to_owned(), reference, data, kind, dimension }
    }

    fn number(&self, key: &str) -> f64 {
        self.reference[key].as_f64().unwrap()
    }

    fn refused(&self) -> bool {
        self.reference["error"].is_string()
    }
}

/// `K` of a formula with terms `s(x, k = K)`.
fn dimension(reference: &Value) -> usize {
    let formula = reference["formula"].as_str().unwrap_or("k=10");
    let digits: String = formula[formula.find('k').unwrap()..]
        .chars()
        .skip_while(|c| !c.is_ascii_digit())
        .take_while(char::is_ascii_digit)
        .collect();
    digits.parse().unwrap()
}

struct Fitted {
    designs: Vec<Design>,
    gram: AdditiveGram,
    fit: AdditiveFit,
}

impl Fitted {
    fn new(case: &Case, smoothing: Smoothing) -> Self {
        let (designs, gram) = prepare(case);
        let m = case.data.d() - 1;
        let fit = AdditiveFit::smoothed(&gram, &(0..m).collect::<Vec<_>>(), m, smoothing, 0.0);
        Fitted { designs, gram, fit }
    }

    fn predict(&self, x: &[f64]) -> f64 {
        let term = |j: usize| -> f64 {
            let raw = self.gram.term(j).raw_coefficients(self.fit.coefficients(j));
            self.designs[j].basis.row(x[j]).iter().zip(raw).map(|(row, raw)| row * raw).sum()
        };
        self.fit.intercept() + (0..x.len()).map(term).sum::<f64>()
    }

    fn assert(&self, case: &Case, tolerance: f64) {
        let m = case.data.d() - 1;
        let y = case.data.column(m);
        let level = y.iter().fold(0.0_f64, |level, y| level.max(y.abs()));
        let close = |what: &str, got: f64, expected: f64, scale: f64| {
            let error = (got - expected).abs();
            assert!(error <= tolerance * scale, "{}: {what} is {got} instead of {expected}", case.name);
        };
        let row = |i: usize| (0..m).map(|j| case.data.column(j)[i]).collect::<Vec<f64>>();
        if case.reference["fitted"].is_array() {
            for (i, expected) in golden::numbers(&case.reference["fitted"]).into_iter().enumerate() {
                close("fit", self.predict(&row(i)), expected, level);
            }
        }
        if let Some(new) = case.reference["newdata"].as_array() {
            let predicted = golden::numbers(&case.reference["predict_new"]);
            for (new, expected) in new.iter().zip(predicted) {
                let x: Vec<f64> = new.as_object().unwrap().values().map(|x| x.as_f64().unwrap()).collect();
                // Points far outside the range are a long lever.
                close("prediction", self.predict(&x), expected, 100.0 * level.max(expected.abs()));
            }
        }
        close("RSS", self.fit.residual_square(), case.number("deviance"), 10.0 * case.number("deviance"));
        close("total edf", self.fit.edf(), case.number("edf_total"), 100.0);
    }
}

fn prepare(case: &Case) -> (Vec<Design>, AdditiveGram) {
    let run = Run::new(Seed(0));
    let whole = WholeColumns::new(&case.data, case.kind, case.dimension, &run).unwrap();
    (whole.designs(case.dimension), whole.gram(case.dimension))
}

fn cases(prefix: &str) -> Vec<Case> {
    let names = golden::cases("gam");
    let wanted = |name: &&String| name.starts_with(prefix) && !name.contains("__ps_");
    let chosen: Vec<Case> = names.iter().filter(wanted).map(|name| Case::read(name)).collect();
    assert!(!chosen.is_empty(), "no case starts with {prefix}");
    chosen
}

#[test]
fn estimated_smoothing_gives_the_score_and_fit_of_mgcv() {
    let reml = ["est_cr_REML", "est_tp_REML"].map(|prefix| (prefix, Smoothing::Reml));
    let gcv = ["est_cr_GCV", "est_tp_GCV", "cam_train_gam"].map(|prefix| (prefix, Smoothing::Gcv));
    for (prefix, smoothing) in reml.into_iter().chain(gcv) {
        for case in cases(prefix).iter().filter(|case| !case.refused()) {
            let fitted = Fitted::new(case, smoothing);
            let score = match smoothing {
                Smoothing::Reml => fitted.fit.reml(&fitted.gram),
                Smoothing::Fixed | Smoothing::Gcv => fitted.fit.gcv(),
            };
            let expected = case.number("score");
            println!("{}: score {:e}", case.name, score / expected - 1.0);
            assert!((score / expected - 1.0).abs() <= golden::ESTIMATED, "{}: {score} not {expected}", case.name);
            assert!(
                score <= expected + 1e-6 * expected.abs(),
                "{}: {score} is worse than mgcv's {expected}",
                case.name
            );
            // Where mgcv stopped at a score that is not the best, its fit is another one.
            let elsewhere = score < expected - 1e-6 * expected.abs();
            fitted.assert(case, if elsewhere { ELSEWHERE } else { 5.0 * golden::ESTIMATED });
        }
    }
}

/// With a fixed parameter the fit depends on the scale of the penalty, which for thin plates depends on how the null space is
/// spanned; so the parameter is converted to our scale.
#[test]
fn fixed_smoothing_gives_the_fit_of_mgcv() {
    for case in cases("fixed_cr").into_iter().chain(cases("fixed_tp")) {
        let (designs, gram) = prepare(&case);
        let m = case.data.d() - 1;
        let scales: Vec<f64> = case.reference["smooths"]
            .as_array()
            .unwrap()
            .iter()
            .map(|smooth| smooth["S_scale"].as_f64().unwrap())
            .collect();
        let lambda: Vec<f64> = (0..m).map(|j| 0.6 * designs[j].penalty_scale() / scales[j]).collect();
        if case.kind == WholeColumn::CubicRegression {
            assert!(lambda.iter().all(|lambda| (lambda / 0.6 - 1.0).abs() < SPACE), "{}: {lambda:?}", case.name);
        }
        let fit = AdditiveFit::new(&gram, &(0..m).collect::<Vec<_>>(), m, &lambda);
        println!("{}: {lambda:?}", case.name);
        let gcv = fit.gcv();
        assert!((gcv / case.number("score") - 1.0).abs() < golden::FIT, "{}", case.name);
        Fitted { designs, gram, fit }.assert(&case, golden::FIT);
    }
}

#[test]
fn degenerate_columns_give_what_mgcv_gives_or_a_smaller_basis_where_it_stops() {
    for case in cases("deg_") {
        let case = &case;
        let fitted = Fitted::new(case, Smoothing::Gcv);
        let distinct = {
            let mut values = case.data.column(0).to_vec();
            values.sort_by(f64::total_cmp);
            values.dedup();
            values.len()
        };
        if case.refused() {
            assert!(distinct < 10, "{}", case.name);
            assert_eq!(fitted.gram.term(0).size(), distinct - 1, "{}", case.name);
            assert!(fitted.predict(&[case.data.column(0)[0]]).is_finite());
            continue;
        }
        if case.name.contains("perfect") || case.name.contains("yconst") {
            // No noise: mgcv's score is rounding. The fit is the response.
            let level = case.data.column(1).iter().fold(0.0_f64, |level, y| level.max(y.abs()));
            for i in 0..case.data.n() {
                let error = fitted.predict(&[case.data.column(0)[i]]) - case.data.column(1)[i];
                assert!(error.abs() <= 1e-6 * level, "{}: {error}", case.name);
            }
            continue;
        }
        let score = fitted.fit.gcv();
        println!("{}: score {:e}", case.name, score / case.number("score") - 1.0);
        assert!((score / case.number("score") - 1.0).abs() < golden::ESTIMATED, "{}: {score}", case.name);
        fitted.assert(case, 5.0 * golden::ESTIMATED);
    }
}

#[test]
fn the_anatomy_of_a_cubic_regression_spline_equals_that_of_mgcv() {
    let reference = &golden::json("gam/basis_anatomy.json")["cr"];
    let column = golden::dataset("ER-SIN-1_d10").column(0)[..100].to_vec();
    let design = design(&column, WholeColumn::CubicRegression);
    for (i, row) in reference["X_raw_first10"].as_array().unwrap().iter().enumerate() {
        for (got, expected) in design.basis.row(column[i]).iter().zip(golden::numbers(row)) {
            assert!((got - expected).abs() < 1e-12);
        }
    }
    let (roughness, _) = design.basis.roughness();
    let expected: Vec<f64> = reference["S_raw"].as_array().unwrap().iter().flat_map(golden::numbers).collect();
    for (got, expected) in roughness.iter().zip(expected) {
        assert!((got - expected).abs() < 1e-10 * 100.0, "{got} {expected}");
    }
    assert!((design.penalty_scale() / reference["S_scale"].as_f64().unwrap() - 1.0).abs() < SPACE);
}

/// mgcv's first ten rows span a space; with the penalty as a form on functions: a function given by its values at ten points
/// has the same coefficients up to the choice of basis, and the same roughness.
#[test]
fn a_thin_plate_basis_spans_the_space_of_mgcvs_with_the_same_penalty() {
    let reference = &golden::json("gam/basis_anatomy.json")["tp"];
    let column = golden::dataset("ER-SIN-1_d10").column(0)[..100].to_vec();
    let design = design(&column, WholeColumn::ThinPlate);
    let rows = reference["X_raw_first10"].as_array().unwrap();
    let theirs = Mat::from_fn(10, 10, |i, j| golden::numbers(&rows[i])[j]);
    let ours_rows: Vec<Vec<f64>> = (0..10).map(|i| design.basis.row(column[i])).collect();
    let ours = Mat::from_fn(10, 10, |i, j| ours_rows[i][j]);
    // Both are invertible: A = ours⁻¹ theirs turns their coefficients into ours; penalties must agree under it.
    use faer::linalg::solvers::Solve;
    let transform = ours.partial_piv_lu().solve(&theirs);
    let (roughness, _) = design.basis.roughness();
    let s = Mat::from_fn(10, 10, |i, j| roughness[i * 10 + j]);
    let ours = transform.transpose() * &s * &transform;
    let expected: Vec<Vec<f64>> = reference["S_raw"].as_array().unwrap().iter().map(golden::numbers).collect();
    let largest = expected.iter().flatten().fold(0.0_f64, |largest, entry| largest.max(entry.abs()));
    let mut worst = 0.0_f64;
    for i in 0..10 {
        for j in 0..10 {
            worst = worst.max((ours[(i, j)] - expected[i][j]).abs() / largest);
        }
    }
    println!("thin plate: penalties differ by {worst:e}");
    // Ten neighbouring values tell ten functions apart only just: the condition number eats digits.
    assert!(worst < 1e-4, "{worst}");
    assert_eq!(design.basis.functions(), 10);
}

fn design(column: &[f64], kind: WholeColumn) -> Design {
    let data = Dataset::new(vec!["x".into(), "copy".into()], vec![column.to_vec(), column.to_vec()]).unwrap();
    WholeColumns::new(&data, kind, 10, &Run::new(Seed(0))).unwrap().designs(10).remove(0)
}
