//! Cubic regression and thin-plate splines against mgcv 1.8-41: bases, fits, degrees of freedom, scores.

use npvar::data::Dataset;
use npvar::regress::{AdditiveFit, Smoothing};
use npvar::smooth::{AdditiveGram, Design, WholeColumn, WholeColumns};
use npvar::{Run, Seed};
use serde_json::Value;

use crate::golden;

/// Column spaces and penalties as forms.
const SPACE: f64 = 1e-10;

/// Our scores may be better than mgcv's but not worse, but for the tolerances of both searches (8.5e-7 where a term is a straight line).
const NOT_WORSE: f64 = 1e-6;
/// Scores of two minima of the same GCV.
const MANY_MINIMA: f64 = 5e-4;

struct Case {
    name: String,
    reference: Value,
    /// The predictors, then the response.
    data: Dataset,
    kind: WholeColumn,
    dimension: usize,
}

impl Case {
    fn new((name, reference): (String, Value)) -> Self {
        let data = golden::regression(&reference);
        let kind = if name.contains("cr_") { WholeColumn::CubicRegression } else { WholeColumn::ThinPlate };
        let dimension = reference["k"].as_u64().map_or_else(|| dimension(&reference), |k| k as usize);
        Case { name, reference, data, kind, dimension }
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
    let wanted = |(name, _): &(String, Value)| name.starts_with(prefix) && !name.contains("__ps_");
    let chosen: Vec<Case> = golden::r_cases("gam").into_iter().filter(wanted).map(Case::new).collect();
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
            // With 19 terms, five of them straight lines, GCV has many minima and rounding decides which one is found.
            if case.name == "cam_train_gam__ER-AGP-4_d20_n500_m19" {
                assert!((score / expected - 1.0).abs() <= MANY_MINIMA, "{}: {score} not {expected}", case.name);
                continue;
            }
            assert!((score / expected - 1.0).abs() <= golden::ESTIMATED, "{}: {score} not {expected}", case.name);
            assert!(
                score <= expected + NOT_WORSE * expected.abs(),
                "{}: {score} is worse than mgcv's {expected}",
                case.name
            );
            fitted.assert(case, 5.0 * golden::ESTIMATED);
        }
    }
}

/// With a fixed parameter the fit depends on the scale of the penalty, which must be mgcv's.
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
        assert!(lambda.iter().all(|lambda| (lambda / 0.6 - 1.0).abs() < SPACE), "{}: {lambda:?}", case.name);
        let fit = AdditiveFit::new(&gram, &(0..m).collect::<Vec<_>>(), m, &lambda);
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
        assert!((score / case.number("score") - 1.0).abs() < golden::ESTIMATED, "{}: {score}", case.name);
        fitted.assert(case, 5.0 * golden::ESTIMATED);
    }
}

#[test]
fn the_anatomy_of_a_cubic_regression_spline_equals_that_of_mgcv() {
    let reference = &golden::r("gam/basis_anatomy.json")["cr"];
    let column = golden::dataset("ER-SIN-1_d10").column(0)[..100].to_vec();
    let design = design(&column, WholeColumn::CubicRegression);
    for (i, row) in golden::entries(&reference["X_raw_first10"]).iter().enumerate() {
        for (got, expected) in design.basis.row(column[i]).iter().zip(golden::numbers(row)) {
            assert!((got - expected).abs() < 1e-12);
        }
    }
    let (roughness, _) = design.basis.roughness();
    let expected: Vec<f64> = golden::entries(&reference["S_raw"]).iter().flat_map(golden::numbers).collect();
    for (got, expected) in roughness.iter().zip(expected) {
        assert!((got - expected).abs() < 1e-10 * 100.0, "{got} {expected}");
    }
    assert!((design.penalty_scale() / reference["S_scale"].as_f64().unwrap() - 1.0).abs() < SPACE);
}

/// Function by function; an eigenvector's sign is arbitrary, so each may be turned over.
#[test]
fn the_anatomy_of_a_thin_plate_spline_equals_that_of_mgcv() {
    let reference = &golden::r("gam/basis_anatomy.json")["tp"];
    let column = golden::dataset("ER-SIN-1_d10").column(0)[..100].to_vec();
    let design = design(&column, WholeColumn::ThinPlate);
    let theirs: Vec<Vec<f64>> = golden::entries(&reference["X_raw_first10"]).iter().map(golden::numbers).collect();
    let ours: Vec<Vec<f64>> = (0..10).map(|i| design.basis.row(column[i])).collect();
    let sign = |j: usize| (ours[0][j] * theirs[0][j]).signum();
    for (ours, theirs) in ours.iter().zip(&theirs) {
        for j in 0..10 {
            assert!((ours[j] - sign(j) * theirs[j]).abs() < SPACE, "function {j}: {} {}", ours[j], theirs[j]);
        }
    }
    let (roughness, _) = design.basis.roughness();
    for (i, row) in golden::entries(&reference["S_raw"]).iter().enumerate() {
        for (j, expected) in golden::numbers(row).into_iter().enumerate() {
            let got = sign(i) * sign(j) * roughness[i * 10 + j];
            assert!((got - expected).abs() < SPACE * 1e3, "penalty {i}, {j}: {got} {expected}");
        }
    }
    assert!((design.penalty_scale() / reference["S_scale"].as_f64().unwrap() - 1.0).abs() < SPACE);
}

fn design(column: &[f64], kind: WholeColumn) -> Design {
    let data = Dataset::new(vec!["x".into(), "copy".into()], vec![column.to_vec(), column.to_vec()]).unwrap();
    WholeColumns::new(&data, kind, 10, &Run::new(Seed(0))).unwrap().designs(10).remove(0)
}
