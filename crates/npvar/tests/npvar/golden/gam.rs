//! The additive model against mgcv 1.8-41: fits, predictions, degrees of freedom, scores, residual variances.

use faer::Mat;
use npvar::data::Dataset;
use npvar::graph::Order;
use npvar::regress::{FittedGam, FittedMean, Gam, Smoothing};
use npvar::residual_variance::AdditiveFactor;
use npvar::select::gam_significance;
use npvar::smooth::{Basis, Constraint, FewValued, PSpline, SmoothSpec};
use npvar::{Run, Seed};
use serde_json::Value;

use crate::golden;

struct Case {
    name: String,
    reference: Value,
    z: Mat<f64>,
    y: Vec<f64>,
}

impl Case {
    fn new((name, reference): (String, Value)) -> Self {
        let data = golden::regression(&reference);
        let m = data.d() - 1;
        let z = Mat::from_fn(data.n(), m, |i, j| data.column(j)[i]);
        Case { name, reference, z, y: data.column(m).to_vec() }
    }

    fn fit(&self, smoothing: Smoothing) -> FittedGam {
        let spec = SmoothSpec::spline(10, FewValued::Spline);
        Gam { sp: 0.6, smoothing, spec }.fit_gam(self.z.as_ref(), &self.y).unwrap()
    }

    fn variance(&self) -> f64 {
        let mean = self.y.iter().sum::<f64>() / self.y.len() as f64;
        self.y.iter().map(|y| (y - mean).powi(2)).sum::<f64>() / (self.y.len() - 1) as f64
    }

    fn number(&self, key: &str) -> f64 {
        self.reference[key].as_f64().unwrap()
    }

    /// Largest difference to the reference's numbers, relative to their largest.
    fn assert_close(&self, what: &str, got: &[f64], expected: &[f64], tolerance: f64) {
        assert_eq!(got.len(), expected.len(), "{}: {what}", self.name);
        let scale = expected.iter().fold(1e-300_f64, |scale, x| scale.max(x.abs()));
        for (got, expected) in got.iter().zip(expected) {
            let error = (got - expected).abs();
            assert!(error <= tolerance * scale, "{}: {what} is {got} instead of {expected}", self.name);
        }
    }

    fn assert_fit(&self, gam: &FittedGam, tolerance: f64) {
        let fit = gam.fit();
        let level = self.y.iter().fold(0.0_f64, |level, y| level.max(y.abs()));
        let scale = |values: &[f64]| level / values.iter().fold(1e-300_f64, |scale, x| scale.max(x.abs()));
        let fitted = golden::numbers(&self.reference["fitted"]);
        self.assert_close("fit", &gam.predict(self.z.as_ref()), &fitted, tolerance * scale(&fitted));
        let new = self.reference["newdata"].as_array().unwrap();
        let names: Vec<String> = new[0].as_object().unwrap().keys().cloned().collect();
        let z = Mat::from_fn(new.len(), names.len(), |i, j| new[i][&names[j]].as_f64().unwrap());
        let predicted = golden::numbers(&self.reference["predict_new"]);
        // Two of the points lie 30 % outside the range, where a fit is a long lever.
        self.assert_close("prediction", &gam.predict(z.as_ref()), &predicted, 100.0 * tolerance * scale(&predicted));
        let edf: Vec<f64> =
            self.reference["smooths"].as_array().unwrap().iter().map(|s| s["edf"].as_f64().unwrap()).collect();
        let got: Vec<f64> = (0..edf.len()).map(|term| fit.term(term).edf).collect();
        self.assert_close("edf", &got, &edf, 10.0 * tolerance);
        self.assert_close("total edf", &[fit.edf()], &[self.number("edf_total")], 10.0 * tolerance);
    }

    fn assert_residual_variance(&self, gam: &FittedGam) {
        let got = (gam.fit().square() - gam.fit().fitted_square()) / (self.y.len() - 1) as f64;
        // A constant response has no variance to compare with; its rounding is that of its square.
        let scale = self.variance() + f64::EPSILON * self.y[0] * self.y[0];
        golden::assert_variances(&[got], &[self.number("npvar_condvar")], &[scale], &self.name);
    }
}

fn cases(prefix: &str) -> Vec<Case> {
    let chosen: Vec<Case> =
        golden::r_cases("gam").into_iter().filter(|(name, _)| name.starts_with(prefix)).map(Case::new).collect();
    assert!(!chosen.is_empty(), "no case starts with {prefix}");
    chosen
}

/// The degenerate inputs with P-splines; those with other bases are in `whole_column.rs`.
fn degenerate() -> Vec<Case> {
    cases("deg_").into_iter().filter(|case| case.name.contains("__ps_")).collect()
}

/// A term's own values and standard errors, at the points inside the data's range and beyond.
fn assert_terms(case: &Case, gam: &FittedGam, tolerance: f64) {
    let new = case.reference["newdata"].as_array().unwrap();
    let names: Vec<String> = new[0].as_object().unwrap().keys().cloned().collect();
    let terms = case.reference["predict_new_terms"].as_array().unwrap();
    let errors = golden::numbers(&case.reference["predict_new_se"]);
    // The intercept is independent of the centred terms, so with one term its error can be taken out of the prediction's.
    let intercept = case.number("intercept_se");
    let scale = case.variance().sqrt();
    for (at, point) in new.iter().enumerate() {
        let expected = match &terms[at] {
            Value::Array(_) => golden::numbers(&terms[at]),
            single => vec![single.as_f64().unwrap()],
        };
        for (term, name) in names.iter().enumerate() {
            let got = gam.term(term, point[name].as_f64().unwrap());
            let error = (got - expected[term]).abs();
            assert!(error <= 100.0 * tolerance * scale.max(expected[term].abs()), "{}: term {got}", case.name);
        }
        if let [name] = &names[..] {
            let error = gam.term_error(0, point[name].as_f64().unwrap()).unwrap();
            let whole = error.hypot(intercept);
            assert!(
                (whole - errors[at]).abs() <= 100.0 * tolerance * errors[at],
                "{}: standard error {whole} instead of {}",
                case.name,
                errors[at]
            );
        }
    }
}

#[test]
fn terms_and_their_standard_errors_are_those_of_mgcv() {
    let mut with_one_term = 0;
    for case in cases("npvar_ps_sp06").into_iter().filter(|case| !case.reference["error"].is_string()) {
        assert_terms(&case, &case.fit(Smoothing::Fixed), golden::FIT);
        with_one_term += usize::from(case.z.ncols() == 1);
    }
    assert!(with_one_term > 0);
}

#[test]
fn fixed_smoothing_gives_the_fit_of_mgcv() {
    for case in cases("npvar_ps_sp06").into_iter().chain(cases("glm_binary_ps_sp06")) {
        let gam = case.fit(Smoothing::Fixed);
        if case.reference["error"].is_string() {
            // mgcv refuses more coefficients than rows; the penalty makes the fit well defined.
            assert!(case.reference["error"].as_str().unwrap().contains("more coefficients than data"));
            assert!(gam.predict(case.z.as_ref()).iter().all(|fit| fit.is_finite()));
            continue;
        }
        case.assert_fit(&gam, golden::FIT);
        case.assert_residual_variance(&gam);
        case.assert_close("GCV", &[gam.fit().gcv()], &[case.number("score")], golden::FIT);
        case.assert_close("RSS", &[gam.fit().residual_square()], &[case.number("deviance")], golden::FIT);
        let coefficients = golden::numbers(&case.reference["coefficients"]);
        if case.reference["smooths"].as_array().unwrap().iter().all(|s| s["constraint_nonzero_columns"].is_null()) {
            let mut got = vec![gam.fit().intercept()];
            (0..case.z.ncols()).for_each(|term| got.extend_from_slice(gam.fit().coefficients(term)));
            case.assert_close("coefficients", &got, &coefficients, golden::FIT);
        }
    }
}

/// p-values, degrees of freedom and `F` of every term through the growing factor, which the selection uses.
#[test]
fn term_tests_equal_those_of_mgcv() {
    let (mut same, mut compared) = (0, 0);
    for case in cases("npvar_ps_sp06").into_iter().chain(cases("glm_binary_ps_sp06")).chain(degenerate()) {
        let table = &case.reference["s_table"];
        if !table.is_array() || case.name.starts_with("deg_perfect") || case.name.starts_with("deg_yconst") {
            // Errors of mgcv, and responses without noise, of which mgcv's p-values are noise (NaN, 0 or 1).
            continue;
        }
        let m = case.z.ncols();
        let mut columns: Vec<Vec<f64>> = (0..m).map(|j| case.z.col_as_slice(j).to_vec()).collect();
        columns.push(case.y.clone());
        let names = (0..=m).map(|j| j.to_string()).collect();
        let gram = golden::gram(&Dataset::new(names, columns).unwrap());
        let run = Run::new(Seed(0));
        let mut factor = AdditiveFactor::new(&gram, 0.6);
        (0..m).for_each(|j| factor.append(j, &run).unwrap());
        let order = Order::new((0..=m).collect()).unwrap();
        let selection = gam_significance(&factor, &order, 0.001, &run).unwrap();
        for test in selection.tests.iter().filter(|test| test.child == m) {
            let row = &table[test.parent];
            let Some(p_value) = row["p-value"].as_f64() else {
                // A constant column: mgcv says NaN, we say 1.
                assert_eq!((test.p_value, test.reference_df), (1.0, Some(0.0)), "{}", case.name);
                continue;
            };
            let context = format!("{}, term {}", case.name, test.parent + 1);
            assert!((test.p_value - p_value).abs() <= golden::P_VALUE, "{context}: p {} not {p_value}", test.p_value);
            // The tests of duplicated columns rest on a generalised inverse, found to fewer digits.
            let tolerance = if case.name.contains("dup") { 1e-5 } else { 1e-7 };
            for (key, got) in [("edf", test.edf.unwrap()), ("Ref.df", test.reference_df.unwrap())] {
                let expected = row[key].as_f64().unwrap();
                assert!((got - expected).abs() <= tolerance, "{context}: {key} {got} not {expected}");
            }
            let (got, expected) = (test.statistic, row["F"].as_f64().unwrap());
            let close = (got - expected).abs() <= tolerance * got.max(1.0);
            assert!(close || expected < got, "{context}: F {got} not {expected}");
            compared += 1;
            same += usize::from(close);
        }
    }
    // F has two values, by the sign of an eigenvector; mgcv gives the one its coordinates happen to choose, we the larger.
    println!("{same} of {compared} F the same");
    assert!(2 * same > compared, "{same} of {compared} F are the same");
}

#[test]
fn estimated_smoothing_gives_the_score_and_fit_of_mgcv() {
    for case in cases("est_ps_GCV") {
        let gam = case.fit(Smoothing::Gcv);
        case.assert_score(gam.fit().gcv());
        case.assert_fit_loosely(&gam);
    }
    for case in cases("est_ps_REML") {
        let gam = case.fit(Smoothing::Reml);
        case.assert_score(gam.fit().reml(gam.gram()));
        case.assert_fit_loosely(&gam);
    }
}

impl Case {
    /// Fitted values where the smoothing parameters carry an optimiser's tolerance. Where the score asks for a straight
    /// line (`sp` without bound) mgcv stops on the way there, with a fit that is still a little curved.
    fn assert_fit_loosely(&self, gam: &FittedGam) {
        let fitted = golden::numbers(&self.reference["fitted"]);
        let on_the_way = golden::numbers(&self.reference["sp_full"]).iter().any(|&sp| sp > 1e5 && sp < 1e7);
        let tolerance = if on_the_way { 3.0 * golden::ESTIMATED } else { golden::ESTIMATED };
        self.assert_close("fit", &gam.predict(self.z.as_ref()), &fitted, tolerance);
    }

    /// Our score may be better than mgcv's, not worse (but for the tolerances of both searches).
    fn assert_score(&self, score: f64) {
        self.assert_close("score", &[score], &[self.number("score")], golden::ESTIMATED);
        assert!(score <= self.number("score") * (1.0 + 1e-6), "{}: {score} is worse than mgcv's", self.name);
    }
}

#[test]
fn degenerate_columns_give_what_mgcv_gives_or_a_result_where_it_stops() {
    for case in degenerate() {
        let gam = case.fit(Smoothing::Fixed);
        match case.name.as_str() {
            // mgcv stops ("missing value where TRUE/FALSE needed"); a constant explains nothing.
            "deg_const__ps_sp06_m1" => {
                assert!(case.reference["error"].is_string());
                assert_eq!(gam.fit().fitted_square(), 0.0);
            }
            // mgcv stops ("Model has more coefficients than data"); the penalised fit exists.
            "deg_smalln__ps_sp06_m2" => {
                assert!(case.reference["error"].is_string());
                assert!(gam.fit().residual_square() >= 0.0 && gam.fit().edf() < case.y.len() as f64);
            }
            _ => {
                case.assert_residual_variance(&gam);
                case.assert_fit(&gam, golden::FIT);
            }
        }
    }
}

#[test]
fn the_anatomy_of_a_smooth_equals_that_of_mgcv() {
    let reference = golden::r("gam/basis_anatomy.json");
    let column = golden::dataset("ER-SIN-1_d10").column(0)[..100].to_vec();
    let (min, max) = column.iter().fold((f64::MAX, f64::MIN), |(a, b), &x| (a.min(x), b.max(x)));
    let spline = PSpline::over(min, max, 10);
    let close = |what: &str, got: &[f64], expected: &[f64]| {
        assert_eq!(got.len(), expected.len(), "{what}");
        for (got, expected) in got.iter().zip(expected) {
            assert!((got - expected).abs() < 1e-12, "{what}: {got} instead of {expected}");
        }
    };
    let rows =
        |key: &str| -> Vec<Vec<f64>> { reference[key].as_array().unwrap().iter().map(golden::numbers).collect() };
    close("knots", &spline.knots(), &golden::numbers(&reference["knots"]));
    let basis = Basis::PSpline(spline);
    let raw: Vec<Vec<f64>> = column.iter().map(|&x| basis.row(x)).collect();
    for (got, expected) in raw.iter().zip(rows("X_raw_first10")) {
        close("raw design", got, &expected);
    }
    let means: Vec<f64> = (0..10).map(|i| raw.iter().map(|row| row[i]).sum::<f64>() / 100.0).collect();
    close("constraint", &means, &golden::numbers(&reference["C_colmeans"]));
    let constraint = Constraint::new(&means);
    for (got, expected) in raw.iter().zip(rows("X_absorbed_first10")) {
        close("absorbed design", &constraint.reduce(got), &expected);
    }
    let z = rows("Z");
    for i in 0..9 {
        let unit: Vec<f64> = (0..9).map(|j| if i == j { 1.0 } else { 0.0 }).collect();
        let expected: Vec<f64> = z.iter().map(|row| row[i]).collect();
        close("Z", &constraint.expand(&unit), &expected);
    }
    let scaled: Vec<f64> = rows("S_raw").concat().iter().map(|entry| entry / 16.0).collect();
    close("penalty", &basis.penalty(), &scaled);
}
