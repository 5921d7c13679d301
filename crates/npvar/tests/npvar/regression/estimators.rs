//! What every estimator of a conditional mean must do: the same tests over all of them.
// The list names every type.
#![allow(clippy::box_default)]

use std::sync::atomic::{AtomicUsize, Ordering};

use faer::{Mat, MatRef};
use npvar::regress::gp::Gp;
use npvar::regress::{
    BandwidthScope, ConditionalMean, Degree, Estimator, Forest, Gam, Grid, Kernel, Knn, Linear, Mlp, NoiseVariance,
    Relevance, Rodeo, SelectsVariables, Smoothing,
};
use npvar::smooth::{FewValued, NullSpace, SmoothSpec};
use npvar::{Error, Run, Seed};
use rand::seq::SliceRandom;
use rand_distr::{Distribution, StandardNormal};

/// Sums in another order.
const ROUNDING: f64 = 1e-6;

struct Entry {
    name: &'static str,
    estimator: Box<dyn ConditionalMean>,
    /// The largest root mean squared error on an exact line of standard deviation about 3.
    on_a_line: f64,
    /// How far predictions may move when rows or columns change places, in standard deviations of the noise: estimators
    /// that draw at random draw differently.
    on_permuting: f64,
    /// Whether the mean of any smooth function is learnt in the end.
    consistent: bool,
}

fn estimators() -> Vec<Entry> {
    let entry = |name, estimator, on_a_line, on_permuting, consistent| Entry {
        name,
        estimator,
        on_a_line,
        on_permuting,
        consistent,
    };
    let spec = SmoothSpec::Spline { dimension: 10, few_valued: FewValued::Saturated, null_space: NullSpace::Shrunk };
    let shrunk = Gam { spec, ..Gam::default() };
    let reml = Gam { smoothing: Smoothing::Reml, ..shrunk };
    let constant = Kernel { degree: Degree::Constant, ..Kernel::default() };
    let forest = Forest { trees: 100, seed: Seed(3), ..Forest::default() };
    let mlp = Mlp { units: 6, seed: Seed(3), ..Mlp::default() };
    let local = Rodeo { bandwidths: BandwidthScope::Local, ..Rodeo::default() };
    vec![
        entry("linear", Box::new(Linear), ROUNDING, ROUNDING, false),
        entry("gam", Box::new(Gam::default()), ROUNDING, ROUNDING, true),
        // A straight function is pulled towards zero, the less the more rows there are.
        entry("gam shrunk", Box::new(shrunk), 0.1, ROUNDING, true),
        entry("gam shrunk reml", Box::new(reml), 1e-3, 1e-3, true),
        // Searches for the penalty stop near the best.
        entry("gam reml", Box::new(Gam { smoothing: Smoothing::Reml, ..Gam::default() }), 1e-3, 1e-3, true),
        entry("gam gcv", Box::new(Gam { smoothing: Smoothing::Gcv, ..Gam::default() }), 1e-3, 1e-3, true),
        // The search stops within a twentieth of a nat.
        entry("gp", Box::new(Gp::default()), 0.05, 1e-2, true),
        // The search stops within 1e-9 of the criterion, so bandwidths move by about 1e-4 and fits by less.
        entry("kernel", Box::new(Kernel::default()), 1e-3, 1e-3, true),
        entry("kernel constant", Box::new(constant), 0.7, 1e-3, true),
        entry("knn", Box::new(Knn::default()), 1.0, ROUNDING, true),
        entry("forest", Box::new(forest), 1.0, 0.6, true),
        entry("mlp", Box::new(mlp), 1e-2, 0.6, true),
        // Common bandwidths come from some of the rows.
        entry("rodeo", Box::new(Rodeo::default()), 1e-3, 0.6, true),
        entry("rodeo local", Box::new(local), 1e-3, ROUNDING, true),
        entry("grid", Box::new(Grid::default()), 1e-3, 1e-3, true),
    ]
}

/// Independent normal columns.
fn columns(n: usize, d: usize, seed: u64) -> Mat<f64> {
    let mut rng = Seed(seed).child("columns", 0).rng();
    Mat::from_fn(n, d, |_, _| StandardNormal.sample(&mut rng))
}

fn noise(n: usize, seed: u64) -> Vec<f64> {
    let mut rng = Seed(seed).child("noise", 0).rng();
    (0..n).map(|_| StandardNormal.sample(&mut rng)).collect()
}

const NOISE: f64 = 0.4;

fn smooth(z: MatRef<'_, f64>, i: usize) -> f64 {
    (1.5 * z[(i, 0)]).sin() + 0.5 * z[(i, 1)] * z[(i, 1)].abs().min(2.0)
}

fn noisy(z: MatRef<'_, f64>, seed: u64) -> Vec<f64> {
    noise(z.nrows(), seed).iter().enumerate().map(|(i, noise)| smooth(z, i) + NOISE * noise).collect()
}

fn fitted(estimator: &dyn ConditionalMean, z: &Mat<f64>, y: &[f64], at: &Mat<f64>) -> Vec<f64> {
    estimator.fit(z.as_ref(), y).unwrap().predict(at.as_ref())
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    (a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>() / a.len() as f64).sqrt()
}

#[test]
fn a_constant_response_is_predicted_everywhere() {
    let (z, at) = (columns(60, 2, 1), columns(20, 2, 2));
    for entry in estimators() {
        let prediction = fitted(&*entry.estimator, &z, &[7.25; 60], &at);
        assert!(distance(&prediction, &[7.25; 20]) < ROUNDING, "{}: {prediction:?}", entry.name);
    }
}

#[test]
fn a_line_is_found() {
    let (z, at) = (columns(200, 3, 1), columns(50, 3, 2));
    let line = |z: &Mat<f64>| (0..z.nrows()).map(|i| 2.0 - 3.0 * z[(i, 0)] + 0.5 * z[(i, 1)]).collect::<Vec<_>>();
    for entry in estimators() {
        // P-splines are flat beyond the sample, so the additive model is asked within it.
        let at = if entry.name.starts_with("gam") { &z } else { &at };
        let error = distance(&fitted(&*entry.estimator, &z, &line(&z), at), &line(at));
        assert!(error < entry.on_a_line, "{}: {error}", entry.name);
    }
}

#[test]
fn the_order_of_rows_does_not_matter() {
    let (z, at) = (columns(120, 2, 1), columns(40, 2, 2));
    let y = noisy(z.as_ref(), 3);
    let mut rows: Vec<usize> = (0..120).collect();
    rows.shuffle(&mut Seed(4).rng());
    let permuted = Mat::from_fn(120, 2, |i, j| z[(rows[i], j)]);
    let permuted_y: Vec<f64> = rows.iter().map(|&row| y[row]).collect();
    for entry in estimators() {
        let moved =
            distance(&fitted(&*entry.estimator, &z, &y, &at), &fitted(&*entry.estimator, &permuted, &permuted_y, &at));
        assert!(moved < entry.on_permuting * NOISE, "{}: {moved}", entry.name);
    }
}

#[test]
fn the_order_of_columns_does_not_matter() {
    let (z, at) = (columns(120, 3, 1), columns(40, 3, 2));
    let y = noisy(z.as_ref(), 3);
    let turned = |z: &Mat<f64>| Mat::from_fn(z.nrows(), 3, |i, j| z[(i, (j + 1) % 3)]);
    for entry in estimators() {
        let moved = distance(
            &fitted(&*entry.estimator, &z, &y, &at),
            &fitted(&*entry.estimator, &turned(&z), &y, &turned(&at)),
        );
        assert!(moved < entry.on_permuting * NOISE, "{}: {moved}", entry.name);
    }
}

#[test]
fn units_and_zero_points_do_not_matter() {
    let (z, at) = (columns(120, 2, 1), columns(40, 2, 2));
    let y = noisy(z.as_ref(), 3);
    let changed = |z: &Mat<f64>| Mat::from_fn(z.nrows(), 2, |i, j| [-131.0, 0.3][j] * z[(i, j)] + [3.0, -1.0][j]);
    let changed_y: Vec<f64> = y.iter().map(|y| 1000.0 - 16.0 * y).collect();
    for entry in estimators() {
        let expected: Vec<f64> = fitted(&*entry.estimator, &z, &y, &at).iter().map(|fit| 1000.0 - 16.0 * fit).collect();
        let moved = distance(&expected, &fitted(&*entry.estimator, &changed(&z), &changed_y, &changed(&at))) / 16.0;
        // A column turned around meets a network's first weights, and a forest's splits at ties, from the other side.
        let allowed = if entry.name == "mlp" {
            0.6
        } else if entry.name == "forest" {
            0.2
        } else {
            1e-3
        };
        assert!(moved < allowed * NOISE, "{}: {moved}", entry.name);
    }
}

#[test]
fn the_error_falls_with_the_sample() {
    let at = columns(200, 2, 9);
    let truth: Vec<f64> = (0..200).map(|i| smooth(at.as_ref(), i)).collect();
    for entry in estimators().into_iter().filter(|entry| entry.consistent) {
        let error = |n: usize| {
            let z = columns(n, 2, 5);
            distance(&fitted(&*entry.estimator, &z, &noisy(z.as_ref(), 6), &at), &truth)
        };
        let (few, many) = (error(60), error(500));
        println!("{}: {few} {many}", entry.name);
        // The slowest rate here, n^(-1/4) for the root of the error, makes 0.59 of it.
        assert!(many < 0.8 * few, "{}: {few} {many}", entry.name);
        assert!(many < 0.45, "{}: {many}", entry.name);
    }
}

/// However long a regression takes, it is in pieces, and each ends where the answer is no.
#[test]
fn a_regression_asks_whether_to_go_on_and_is_the_same_for_it() {
    let (z, at) = (columns(150, 2, 1), columns(200, 2, 2));
    let y = noisy(z.as_ref(), 3);
    for entry in estimators() {
        let left = AtomicUsize::new(usize::MAX);
        let run = Run::new(Seed(0)).stopped_after(&left);
        let asked = || usize::MAX - left.swap(usize::MAX, Ordering::Relaxed);
        let fit = entry.estimator.fit_during(z.as_ref(), &y, &run).unwrap();
        let in_fitting = asked();
        let predicted = fit.predict_during(at.as_ref(), &run).unwrap();
        let in_predicting = asked();
        assert_eq!(predicted, fitted(&*entry.estimator, &z, &y, &at), "{}", entry.name);
        // One system of equations is solved at once; all others search, grow or look at one row after the other.
        let at_once = entry.name.starts_with("gam") || entry.name == "linear";
        assert!(at_once || in_fitting >= 10, "{} asks {in_fitting} times", entry.name);
        assert!(at_once || entry.name == "mlp" || in_predicting == 4, "{} asks {in_predicting} times", entry.name);
        for after in [0, in_fitting / 2, in_fitting - 1] {
            left.store(after, Ordering::Relaxed);
            let ended = entry.estimator.fit_during(z.as_ref(), &y, &run);
            assert!(matches!(ended, Err(Error::Cancelled)), "{} after {after} of {in_fitting}", entry.name);
        }
        left.store(in_predicting - 1, Ordering::Relaxed);
        assert!(matches!(fit.predict_during(at.as_ref(), &run), Err(Error::Cancelled)), "{}", entry.name);
    }
}

#[test]
fn the_error_of_a_line_falls_with_the_sample() {
    let (at, line) = (columns(200, 2, 9), |z: &Mat<f64>, i: usize| 1.0 + z[(i, 0)] - 0.5 * z[(i, 1)]);
    let truth: Vec<f64> = (0..200).map(|i| line(&at, i)).collect();
    let error = |n: usize| {
        let (z, noise) = (columns(n, 2, 5), noise(n, 6));
        let y: Vec<f64> = (0..n).map(|i| line(&z, i) + NOISE * noise[i]).collect();
        distance(&fitted(&Linear, &z, &y, &at), &truth)
    };
    // Three coefficients: a root mean squared error of about NOISE √(3/n).
    assert!(error(5000) < 0.5 * error(50) && error(5000) < 2.0 * NOISE * (3.0_f64 / 5000.0).sqrt());
}

#[test]
fn degenerate_columns_give_finite_predictions_or_one_sentence() {
    for n in [1, 3, 8, 25, 60] {
        let base = columns(n, 1, 1);
        let y = noise(n, 2);
        let z = Mat::from_fn(n, 5, |i, j| match j {
            0 => base[(i, 0)],
            1 => 1.0 - 2.0 * base[(i, 0)],
            2 => 4.5,
            3 => f64::from(u8::from(i % 3 == 0)),
            _ => base[(i, 0)],
        });
        let far = Mat::from_fn(4, 5, |i, j| [-1e6, 0.0, 1.0, 1e6][(i + j) % 4]);
        let none = Mat::<f64>::zeros(n, 0);
        for entry in estimators() {
            match entry.estimator.fit(z.as_ref(), &y) {
                Ok(fit) => {
                    for points in [&z, &far] {
                        assert!(fit.predict(points.as_ref()).iter().all(|fit| fit.is_finite()), "{} {n}", entry.name);
                    }
                }
                Err(error) => {
                    assert!(n < 25, "{} with {n} rows: {error}", entry.name);
                    assert!(error.to_string().contains("needs at least"), "{}: {error}", entry.name);
                }
            }
            if let Ok(fit) = entry.estimator.fit(none.as_ref(), &y) {
                let mean = y.iter().sum::<f64>() / n as f64;
                let moved = distance(&fit.predict(none.as_ref()), &vec![mean; n]);
                // A forest's mean is that of its bootstrap samples.
                let allowed = if entry.name == "forest" {
                    1.0
                } else if entry.name == "mlp" {
                    1e-2
                } else {
                    ROUNDING
                };
                assert!(moved < allowed, "{} {n}: {moved}", entry.name);
            }
        }
    }
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let (z, at) = (columns(100, 3, 1), columns(30, 3, 2));
    let y = noisy(z.as_ref(), 3);
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    for entry in estimators() {
        let with = |threads| pool(threads).install(|| fitted(&*entry.estimator, &z, &y, &at));
        assert_eq!(with(1), with(4), "{}", entry.name);
    }
}

#[test]
fn estimates_of_the_noise_are_near_it() {
    let z = columns(400, 2, 5);
    let y = noisy(z.as_ref(), 6);
    let own: Vec<(&str, Box<dyn NoiseVariance>)> = vec![
        ("kernel", Box::new(Kernel::default())),
        ("knn", Box::new(Knn::default())),
        ("gp", Box::new(Gp::default())),
        ("forest", Box::new(Forest { trees: 100, ..Forest::default() })),
        ("mlp", Box::new(Mlp { units: 6, ..Mlp::default() })),
        ("grid", Box::new(Grid::default())),
    ];
    for (name, estimator) in own {
        let variance = estimator.noise_variance(z.as_ref(), &y).unwrap();
        // Standard error of a variance from 400 normals: 7 %. Neighbours, trees and held-out rows add the mean's error.
        assert!((0.8..1.6).contains(&(variance / NOISE.powi(2))), "{name}: {variance}");
    }
}

#[test]
fn interactions_are_found_by_the_estimators_that_select() {
    let z = columns(500, 5, 7);
    let noise = noise(500, 8);
    let y: Vec<f64> = (0..500).map(|i| z[(i, 0)] * z[(i, 1)] + z[(i, 2)] + 0.5 * noise[i]).collect();
    let grid = Grid::default().fit_grid(z.as_ref(), &y).unwrap();
    let expected =
        [Relevance::Nonlinear, Relevance::Nonlinear, Relevance::Linear, Relevance::Irrelevant, Relevance::Irrelevant];
    assert_eq!(grid.relevance(), expected);
    let rodeo = Rodeo::default().fit_rodeo(z.as_ref(), &y).unwrap();
    println!("{:?} {:?}", rodeo.relevance(), rodeo.bandwidths());
    assert_eq!(rodeo.relevant_variables(), [0, 1, 2]);
}

#[test]
fn noise_is_rarely_selected() {
    // Per set each of the three kinds of tests errs with probability at most 0.01; more than 3 of 20 below 1e-3.
    let mut wrong = [0; 2];
    for seed in 0..20 {
        let z = columns(150, 3, 100 + seed);
        let y = noise(150, seed);
        wrong[0] += usize::from(!Grid::default().fit_grid(z.as_ref(), &y).unwrap().relevant_variables().is_empty());
        wrong[1] += usize::from(!Rodeo::default().fit_rodeo(z.as_ref(), &y).unwrap().relevant_variables().is_empty());
    }
    assert!(wrong[0] <= 3 && wrong[1] <= 3, "{wrong:?}");
}

#[test]
fn options_have_ranges_and_defaults() {
    assert_eq!(serde_json::from_str::<Forest>("{}").unwrap(), Forest::default());
    assert_eq!(serde_json::from_str::<Knn>(r#"{"max-k": 7}"#).unwrap(), Knn { max_k: 7, ..Knn::default() });
    assert!(serde_json::from_str::<Forest>(r#"{"seed": 3}"#).is_err());
    assert!(serde_json::from_str::<Kernel>(r#"{"degre": "linear"}"#).is_err());
    for outside in [
        Kernel { bandwidth_scale: 0.0, ..Kernel::default() }.check(),
        Knn { k: Some(0), ..Knn::default() }.check(),
        Forest { trees: 0, ..Forest::default() }.check(),
        Mlp { decay: Some(-1.0), ..Mlp::default() }.check(),
        Rodeo { shrink: 1.0, ..Rodeo::default() }.check(),
        Grid { level: 0.0, ..Grid::default() }.check(),
    ] {
        assert!(outside.unwrap_err().to_string().contains("must be"));
    }
}
