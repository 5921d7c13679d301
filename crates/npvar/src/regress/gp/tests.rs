use faer::Mat;
use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};

use super::evidence::Exact;
use super::hyper::Hyper;
use super::sparse::Sparse;
use super::*;
use crate::error::Error;
use crate::regress::FittedMean;
use crate::run::{Run, Seed};

/// Gradients against central differences of step 1e-5: rounding 1e-11/1e-5 and truncation 1e-10 times third derivatives.
const DIFFERENCES: f64 = 2e-4;
/// Sums of a few hundred products.
const ALGEBRA: f64 = 1e-9;

fn nobody() -> Run<'static> {
    Run::new(Seed(0))
}

fn normal(seed: u64, rows: usize, columns: usize) -> Vec<Vec<f64>> {
    let mut rng = Seed(seed).rng();
    (0..columns).map(|_| (0..rows).map(|_| StandardNormal.sample(&mut rng)).collect()).collect()
}

/// Covariates, and a response with an additive and a joint effect of the first three.
fn table(seed: u64, n: usize, p: usize, noise: f64) -> Standardised {
    let mut columns = normal(seed, n, p + 1);
    let e = columns.pop().expect("there is at least one");
    let at = |k: usize, i: usize| columns.get(k).map_or(0.0, |column| column[i]);
    let y: Vec<f64> = (0..n).map(|i| (2.0 * at(0, i)).sin() + at(1, i) * at(2, i) + noise * e[i]).collect();
    Standardised::new(columns.iter().chain([&y]).map(Vec::as_slice))
}

fn random_hyper(seed: u64, p: usize) -> Hyper {
    let mut rng = Seed(seed).rng();
    Hyper::from_logs((0..3 * p + 2).map(|_| rng.random_range(-2.0..0.5)).collect())
}

fn covariance(hyper: &Hyper, x: &[&[f64]], i: usize, j: usize) -> f64 {
    let p = x.len();
    let square = |k: usize| (x[k][i] - x[k][j]).powi(2);
    let own: f64 = (0..p).map(|k| hyper.a(k) * (-0.5 * hyper.l(k) * square(k)).exp()).sum();
    let joint: f64 = (0..p).map(|k| hyper.m(k) * square(k)).sum();
    own + hyper.b() * (-0.5 * joint).exp() + if i == j { hyper.noise() } else { 0.0 }
}

#[test]
fn many_covariates_have_a_second_start_with_shorter_lengths() {
    assert!(Hyper::short_start(9).is_none(), "the first start's lengths are hardly longer");
    let p = 16;
    let (first, second) = (Hyper::start(p, KernelParts::Full), Hyper::short_start(p).expect("many covariates"));
    assert!((0..p).all(|k| second.m(k) > 2.0 * first.m(k)));
    assert!((0..p).all(|k| second.a(k) == first.a(k) && second.l(k) == first.l(k)));
    assert!(second.b() == first.b() && second.noise() == first.noise());
}

#[test]
fn the_likelihood_is_the_density_of_a_gaussian_vector() {
    for (n, p) in [(1, 1), (7, 2), (30, 3), (61, 1)] {
        let (table, hyper) = (table(n as u64, n.max(4), p, 0.5), random_hyper(p as u64, p));
        let columns: Vec<usize> = (0..p).collect();
        let mut sample = Gp::default().sample(&table, p, &columns, &nobody()).unwrap();
        sample.covariates.iter_mut().for_each(|column| *column = &column[..n]);
        sample.y = &sample.y[..n];
        let k = Mat::from_fn(n, n, |i, j| covariance(&hyper, &sample.covariates, i, j));
        let (values, vectors) = crate::numerics::linalg::eigen(k.as_ref());
        // In the eigenvectors' coordinates the entries are independent.
        let expected: f64 = (0..n)
            .map(|e| {
                let z: f64 = (0..n).map(|i| vectors[(i, e)] * sample.y[i]).sum();
                -0.5 * ((2.0 * std::f64::consts::PI * values[e]).ln() + z * z / values[e])
            })
            .sum();
        let got = log_likelihood(&sample, &hyper, &nobody()).unwrap();
        assert!((got - expected).abs() < ALGEBRA * (1.0 + expected.abs()), "{got} against {expected}");
    }
}

fn check_gradient(sample: &Observed<'_>, hyper: &Hyper, value: &dyn Fn(&Hyper) -> f64, gradient: &[f64]) {
    for at in 0..hyper.logs().len() {
        let shifted = |step: f64| {
            let mut logs = hyper.logs().to_vec();
            logs[at] += step;
            value(&Hyper::from_logs(logs))
        };
        let expected = (shifted(1e-5) - shifted(-1e-5)) / 2e-5;
        let scale = 1.0 + expected.abs() + 1e-2 * sample.y.len() as f64;
        assert!((gradient[at] - expected).abs() < DIFFERENCES * scale, "{at}: {} against {expected}", gradient[at]);
    }
}

#[test]
fn the_gradient_is_that_of_the_likelihood() {
    for (n, p) in [(40, 1), (45, 3), (300, 2)] {
        let (table, hyper) = (table(3, n, p, 0.4), random_hyper(9 + p as u64, p));
        let sample = Gp::default().sample(&table, p, &(0..p).collect::<Vec<_>>(), &nobody()).unwrap();
        let mut gradient = vec![0.0; 3 * p + 2];
        let (value, trace) = Exact::new(&sample).with_gradient(&hyper, &mut gradient, &nobody()).unwrap();
        assert!((value - log_likelihood(&sample, &hyper, &nobody()).unwrap()).abs() < ALGEBRA * value.abs());
        assert!(trace > 0.0 && hyper.noise() * trace <= n as f64);
        check_gradient(&sample, &hyper, &|hyper| log_likelihood(&sample, hyper, &nobody()).unwrap(), &gradient);
    }
}

#[test]
fn the_bound_is_below_the_likelihood_and_its_gradient_is_its_own() {
    let (n, p) = (90, 2);
    let (table, hyper) = (table(5, n, p, 0.4), random_hyper(4, p));
    let exact =
        log_likelihood(&Gp::default().sample(&table, p, &[0, 1], &nobody()).unwrap(), &hyper, &nobody()).unwrap();
    let mut below = f64::NEG_INFINITY;
    for points in [5, 20, 90] {
        let gp = Gp { exact_rows: 10, inducing_points: points, ..Gp::default() };
        let sample = gp.sample(&table, p, &[0, 1], &nobody()).unwrap();
        let inducing = sample.inducing.as_ref().expect("more rows than are exact");
        // Points that add nothing to working precision are left out.
        assert!(if points < 90 { inducing[0].len() == points } else { inducing[0].len() > 40 });
        let sparse = Sparse::new(&sample, inducing);
        let mut gradient = vec![0.0; 3 * p + 2];
        let (value, _) = sparse.with_gradient(&hyper, &mut gradient, &nobody()).unwrap();
        assert!(value > below && value <= exact + 1e-6, "{value} with {points} points, {exact} exactly");
        below = value;
        check_gradient(&sample, &hyper, &|hyper| sparse.value(hyper, &nobody()).unwrap(), &gradient);
    }
    assert!((below - exact).abs() < 1e-2, "all rows as points: {below} against {exact}");
}

fn with_columns(columns: &[Vec<f64>]) -> Mat<f64> {
    Mat::from_fn(columns[0].len(), columns.len(), |i, k| columns[k][i])
}

fn smooth(columns: &[Vec<f64>], noise: &[f64]) -> Vec<f64> {
    (0..noise.len()).map(|i| (1.5 * columns[0][i]).sin() * columns[1][i].cos() + 0.3 * noise[i]).collect()
}

fn mean_square(fit: &[f64], truth: &[f64]) -> f64 {
    fit.iter().zip(truth).map(|(a, b)| (a - b).powi(2)).sum::<f64>() / fit.len() as f64
}

#[test]
fn the_error_falls_with_the_sample_and_the_noise_variance_is_found() {
    let new = normal(100, 200, 2);
    let truth = smooth(&new, &[0.0; 200]);
    let errors: Vec<f64> = [30, 100, 300]
        .into_iter()
        .map(|n| {
            let mut columns = normal(n as u64, n, 3);
            let noise = columns.pop().expect("three columns");
            let fitted = Gp::default().fit_gp(with_columns(&columns).as_ref(), &smooth(&columns, &noise)).unwrap();
            if n == 300 {
                // The estimate has a standard error of 0.09 sqrt(2/300) = 0.007 or a little more.
                assert!((fitted.noise_variance() - 0.09).abs() < 0.03, "{}", fitted.noise_variance());
            }
            mean_square(&fitted.predict(with_columns(&new).as_ref()), &truth)
        })
        .collect();
    assert!(errors[2] < errors[1] && errors[1] < errors[0] && errors[2] < 0.03, "{errors:?}");
}

#[test]
fn units_origins_and_the_order_of_rows_and_columns_change_nothing() {
    let mut columns = normal(8, 70, 3);
    let noise = columns.pop().expect("three columns");
    let y = smooth(&columns, &noise);
    let fit = |z: &Mat<f64>, y: &[f64]| Gp::default().fit_gp(z.as_ref(), y).expect("70 rows are enough");
    let z = with_columns(&columns);
    let (plain, expected) = (fit(&z, &y), fit(&z, &y).predict(z.as_ref()));

    let units = Mat::from_fn(70, 2, |i, k| 1e3 * z[(i, k)] - 5.0);
    let shifted: Vec<f64> = y.iter().map(|y| 7.0 - 0.01 * y).collect();
    let other = fit(&units, &shifted);
    let got: Vec<f64> = other.predict(units.as_ref()).iter().map(|fit| (7.0 - fit) / 0.01).collect();
    assert!(mean_square(&got, &expected) < 1e-8, "{}", mean_square(&got, &expected));
    assert!((other.noise_variance() / 1e-4 - plain.noise_variance()).abs() < 1e-3 * plain.noise_variance());

    let swapped = Mat::from_fn(70, 2, |i, k| z[(69 - i, 1 - k)]);
    let backwards: Vec<f64> = y.iter().rev().copied().collect();
    let mut got = fit(&swapped, &backwards).predict(swapped.as_ref());
    got.reverse();
    assert!(mean_square(&got, &expected) < 1e-6, "{}", mean_square(&got, &expected));
}

#[test]
fn constant_and_linear_responses_and_degenerate_covariates_are_answered() {
    let x = normal(2, 60, 1).remove(0);
    let z = Mat::from_fn(60, 4, |i, k| [x[i], x[i], 3.0, f64::from(i as u32 % 2)][k]);
    let fit = |y: &[f64]| Gp::default().fit_gp(z.as_ref(), y).expect("60 rows are enough");
    let constant = fit(&[2.5; 60]);
    assert!(constant.predict(z.as_ref()).iter().all(|fit| *fit == 2.5));
    assert_eq!(constant.noise_variance(), 0.0);
    let line: Vec<f64> = x.iter().map(|x| 1.0 - 3.0 * x).collect();
    let found = fit(&line);
    assert!(mean_square(&found.predict(z.as_ref()), &line) < 1e-3 * 9.0);
    assert!(found.noise_variance() < 0.01);
    let steps: Vec<f64> = (0..60).map(|i| f64::from(i % 2) - 0.5).collect();
    assert!(mean_square(&fit(&steps).predict(z.as_ref()), &steps) < 1e-3);
    assert!(matches!(
        Gp::default().fit_gp(z.as_ref().subrows(0, 3), &[1.0, 2.0, 0.0]),
        Err(Error::TooFewSamples { .. })
    ));
}

#[test]
fn inducing_points_predict_nearly_as_well_as_all_rows() {
    let mut columns = normal(12, 250, 3);
    let noise = columns.pop().expect("three columns");
    let (z, y) = (with_columns(&columns), smooth(&columns, &noise));
    let new = normal(13, 100, 2);
    let truth = smooth(&new, &[0.0; 100]);
    let error = |gp: Gp| {
        let fitted = gp.fit_gp(z.as_ref(), &y).expect("250 rows are enough");
        (mean_square(&fitted.predict(with_columns(&new).as_ref()), &truth), fitted.noise_variance())
    };
    let (exact, sparse) = (error(Gp::default()), error(Gp { exact_rows: 100, inducing_points: 60, ..Gp::default() }));
    assert!(sparse.0 < 1.5 * exact.0 + 0.005, "{sparse:?} against {exact:?}");
    assert!((sparse.1 - exact.1).abs() < 0.02);
}
