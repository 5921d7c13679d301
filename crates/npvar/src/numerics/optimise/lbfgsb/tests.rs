use super::*;
use crate::run::Seed;
use rand::RngExt;

type Function = fn(&[f64], &mut [f64]) -> f64;

fn run(f: Function, start: &[f64], bounds: &Bounds) -> Minimum {
    minimise(&mut |x, g| Ok(f(x, g)), start, bounds, &Minimiser::default()).expect("nothing fails")
}

fn rosenbrock(x: &[f64], g: &mut [f64]) -> f64 {
    g.fill(0.0);
    let mut value = 0.0;
    for i in 0..x.len() - 1 {
        let (valley, off) = (x[i + 1] - x[i] * x[i], 1.0 - x[i]);
        value += 100.0 * valley * valley + off * off;
        g[i] += -400.0 * x[i] * valley - 2.0 * off;
        g[i + 1] += 200.0 * valley;
    }
    value
}

fn beale(x: &[f64], g: &mut [f64]) -> f64 {
    let (a, b) = (x[0], x[1]);
    g.fill(0.0);
    let mut value = 0.0;
    for (power, constant) in [(1, 1.5), (2, 2.25), (3, 2.625)] {
        let r = constant - a + a * b.powi(power);
        value += r * r;
        g[0] += 2.0 * r * (b.powi(power) - 1.0);
        g[1] += 2.0 * r * a * f64::from(power) * b.powi(power - 1);
    }
    value
}

#[test]
fn rosenbrock_without_bounds_ends_at_a_minimum() {
    for size in [2, 10, 50] {
        let start: Vec<f64> = (0..size).map(|i| if i % 2 == 0 { -1.2 } else { 1.0 }).collect();
        let minimum = run(rosenbrock, &start, &Bounds::none(size));
        // In ten or more dimensions there is a second minimum near (-1, 1, 1, …) with value 3.99.
        assert!(minimum.value < 1e-12 || (minimum.value - 3.9866).abs() < 1e-3, "{size}: {minimum:?}");
        assert!(minimum.projected_gradient < 1e-5);
    }
    assert!(run(rosenbrock, &[-1.2, 1.0], &Bounds::none(2)).value < 1e-15);
}

#[test]
fn rosenbrock_with_a_bound_ends_on_it() {
    // With x ≤ 0.5 the best y is 0.25, and the value (1 − 0.5)² (Hock & Schittkowski 1981, problem 1 and kin).
    let mut bounds = Bounds::none(2);
    bounds.restrict(0, f64::NEG_INFINITY, 0.5);
    let minimum = run(rosenbrock, &[-1.2, 1.0], &bounds);
    assert_eq!(minimum.x[0], 0.5);
    assert!((minimum.x[1] - 0.25).abs() < 1e-8 && (minimum.value - 0.25).abs() < 1e-12);
    // Hock & Schittkowski problem 2: y ≥ 1.5, solution near (1.2243, 1.5), value 0.0504261879.
    let mut bounds = Bounds::none(2);
    bounds.restrict(1, 1.5, f64::INFINITY);
    let minimum = run(rosenbrock, &[2.0, 3.0], &bounds);
    assert!((minimum.value - 0.050_426_187_9).abs() < 1e-9, "{minimum:?}");
}

#[test]
fn beale_ends_at_its_minimum_or_on_the_box() {
    let minimum = run(beale, &[1.0, 1.0], &Bounds::none(2));
    assert!((minimum.x[0] - 3.0).abs() < 1e-6 && (minimum.x[1] - 0.5).abs() < 1e-6, "{minimum:?}");
    let mut bounds = Bounds::none(2);
    bounds.restrict(0, -1.0, 2.0);
    let minimum = run(beale, &[1.0, 1.0], &bounds);
    assert_eq!(minimum.x[0], 2.0);
    assert!(minimum.projected_gradient < 1e-7);
}

#[test]
fn fixed_variables_stay_and_start_points_outside_are_projected() {
    let mut bounds = Bounds::none(3);
    bounds.restrict(1, 0.7, 0.7);
    bounds.restrict(2, 0.0, 0.2);
    let minimum = run(rosenbrock, &[5.0, 5.0, -5.0], &bounds);
    assert_eq!(minimum.x[1], 0.7);
    assert!((0.0..=0.2).contains(&minimum.x[2]));
    assert!(minimum.projected_gradient < 1e-6);
}

/// Random strictly convex quadratics with nonnegative variables, against a slow method that must end at the one minimum.
#[test]
fn quadratics_over_the_positive_orthant_satisfy_the_kkt_conditions_and_equal_coordinate_descent() {
    let mut rng = Seed(3).rng();
    for case in 0..30 {
        let size = 2 + case % 12;
        let factor: Vec<f64> = (0..size * size).map(|_| rng.random_range(-1.0..1.0)).collect();
        let linear: Vec<f64> = (0..size).map(|_| rng.random_range(-1.0..1.0)).collect();
        let hessian: Vec<f64> = (0..size * size)
            .map(|at| {
                let (i, j) = (at / size, at % size);
                let product: f64 = (0..size).map(|k| factor[i * size + k] * factor[j * size + k]).sum();
                product + if i == j { 0.1 } else { 0.0 }
            })
            .collect();
        let slope = |x: &[f64], i: usize| dot(&hessian[i * size..(i + 1) * size], x) + linear[i];
        let mut bounds = Bounds::none(size);
        (0..size).for_each(|i| bounds.restrict(i, 0.0, f64::INFINITY));
        let mut objective = |x: &[f64], g: &mut [f64]| {
            (0..size).for_each(|i| g[i] = slope(x, i));
            Ok((0..size).map(|i| x[i] * (g[i] + linear[i]) / 2.0).sum::<f64>())
        };
        let minimum =
            minimise(&mut objective, &vec![1.0; size], &bounds, &Minimiser::default()).expect("nothing fails");
        let mut expected = vec![0.0; size];
        for _ in 0..20_000 {
            for i in 0..size {
                expected[i] = f64::max(0.0, expected[i] - slope(&expected, i) / hessian[i * size + i]);
            }
        }
        for i in 0..size {
            assert!((minimum.x[i] - expected[i]).abs() < 1e-5, "case {case}: {:?} not {expected:?}", minimum.x);
            let slope = slope(&minimum.x, i);
            assert!(if minimum.x[i] > 0.0 { slope.abs() < 1e-6 } else { slope > -1e-6 });
        }
    }
}

#[test]
fn an_error_of_the_objective_ends_the_search() {
    let mut count = 0;
    let mut objective = |x: &[f64], g: &mut [f64]| {
        count += 1;
        if count == 4 { Err(crate::error::Error::Cancelled) } else { Ok(rosenbrock(x, g)) }
    };
    assert!(minimise(&mut objective, &[-1.2, 1.0], &Bounds::none(2), &Minimiser::default()).is_err());
}

#[test]
fn the_nearest_point_that_is_not_negative() {
    let mut bounds = Bounds::none(2);
    bounds.restrict(0, 0.0, f64::INFINITY);
    bounds.restrict(1, 0.0, f64::INFINITY);
    let mut distance = |x: &[f64], gradient: &mut [f64]| {
        gradient.copy_from_slice(&[x[0] - 1.0, x[1] + 1.0]);
        Ok((gradient[0] * gradient[0] + gradient[1] * gradient[1]) / 2.0)
    };
    let minimum = minimise(&mut distance, &[5.0, 5.0], &bounds, &Minimiser::default()).unwrap();
    assert!((minimum.x[0] - 1.0).abs() < 1e-9 && minimum.x[1] == 0.0);
}
