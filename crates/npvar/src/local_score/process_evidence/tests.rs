//! The evidence against a direct dense evaluation, its slopes against differences, and its walks.

use faer::Mat;
use faer::linalg::solvers::Solve;

use super::evidence::{ProcessEvidence, Wanted};
use super::numbers::Numbers;
use super::split::{Split, Toggle};
use crate::data::Dataset;
use crate::error::Error;
use crate::graph::{Node, NodeSet};
use crate::local_score::{AfterSet, Noise, NoiseKind, ParentChoice, Refit};
use crate::run::{Run, Seed};
use crate::simulate::{SimulateOptions, Simulated, simulate};

/// Sums over a hundred rows in another order, and entries rounded at 2⁻⁴⁰.
const DENSE: f64 = 1e-8;
/// Central differences of a smooth function, relative to its largest slope.
const DIFFERENCES: f64 = 1e-6;

fn drawn(setting: &str, nodes: usize, samples: usize, seed: u64) -> Simulated {
    let options = SimulateOptions { nodes: Some(nodes), samples, ..SimulateOptions::default() };
    simulate(setting.parse().unwrap(), &options, Seed(seed)).unwrap()
}

fn evidence(data: &Dataset, noise: Noise) -> ProcessEvidence {
    let mut evidence = ProcessEvidence::new(data, Seed(3));
    evidence.noise = noise;
    for (node, numbers) in evidence.numbers.iter_mut().enumerate() {
        numbers.logs = [0.3, -0.4, 0.9, -0.2].map(|log: f64| log + 0.1 * node as f64);
    }
    evidence
}

/// `−½ log|K| − ½ x'K⁻¹x` with `K` the covariance of the model as it is written, less the prior of the numbers.
fn dense(evidence: &ProcessEvidence, node: Node, split: &Split) -> f64 {
    let (n, numbers) = (evidence.rows(), evidence.numbers[node]);
    let [a, l, b, m] = numbers.logs.map(f64::exp);
    let distance = |k: Node, i: usize, j: usize| {
        let x = evidence.rows.covariate(k);
        (x[i] - x[j]).powi(2)
    };
    let entry = |i: usize, j: usize| {
        let additive: f64 = split.additive.iter().map(|&k| (-0.5 * l * distance(k, i, j)).exp()).sum();
        let square: f64 = split.joint.iter().map(|&k| distance(k, i, j)).sum();
        let joint = if split.joint.is_empty() { 0.0 } else { (-0.5 * m * square).exp() };
        a * additive + b * joint + if i == j { 1.0 } else { 0.0 }
    };
    let ratio = Mat::from_fn(n, n, entry);
    let x = Mat::from_fn(n, 1, |i, _| evidence.rows.response(node)[i]);
    let s = match evidence.noise {
        Noise::Shared(s) => s,
        Noise::Own => (x.transpose() * ratio.partial_piv_lu().solve(&x))[(0, 0)] / n as f64,
    };
    let covariance = Mat::from_fn(n, n, |i, j| s * ratio[(i, j)]);
    let llt = covariance.llt(faer::Side::Lower).unwrap();
    let log_determinant = 2.0 * (0..n).map(|i| llt.L()[(i, i)].ln()).sum::<f64>();
    let square = (x.transpose() * llt.solve(&x))[(0, 0)];
    let price = if evidence.noise == Noise::Own { 0.5 * (n as f64).ln() } else { 0.0 };
    -0.5 * (log_determinant + square) - price - numbers.price_around(&evidence.common)
}

fn split(additive: &[Node], joint: &[Node]) -> Split {
    Split { additive: additive.to_vec(), joint: joint.to_vec() }
}

#[test]
fn values_equal_a_dense_evaluation_whichever_split_they_were_reached_from() {
    let data = drawn("ER-NGP-4", 5, 110, 1).data;
    let run = Run::new(Seed(0));
    for noise in [Noise::Own, Noise::Shared(0.4)] {
        let here = evidence(&data, noise);
        let toggles: Vec<Toggle> =
            [0, 1, 3, 4].into_iter().flat_map(|k| [Toggle::Additive(k), Toggle::Joint(k)]).collect();
        for base in [split(&[], &[]), split(&[0, 3], &[]), split(&[], &[1]), split(&[0, 4], &[0, 1, 3])] {
            here.learn(&[Wanted { node: 2, split: &base, toggles: &toggles }], &run).unwrap();
            for split in std::iter::once(base.clone()).chain(toggles.iter().map(|&toggle| base.toggled(toggle))) {
                let (value, expected) = (here.known(2, &split).unwrap(), dense(&here, 2, &split));
                assert!((value - expected).abs() < DENSE * expected.abs(), "{split:?}: {value}, {expected}");
                assert_eq!(value, here.valued_split(2, &split).nats, "{split:?}");
            }
        }
    }
}

#[test]
fn slopes_equal_central_differences() {
    let data = drawn("ER-NGP-4", 4, 90, 2).data;
    for noise in [Noise::Own, Noise::Shared(0.7)] {
        let here = evidence(&data, noise);
        for split in [split(&[0, 1], &[]), split(&[], &[0, 3]), split(&[0], &[0, 1, 3])] {
            let numbers = Numbers { logs: [0.2, 0.5, -0.3, -0.6] };
            let (_, slopes) = here.with_slopes(2, &split, numbers);
            let largest = slopes.iter().fold(1.0_f64, |largest, slope| largest.max(slope.abs()));
            for i in 0..4 {
                let at = |step: f64| {
                    let mut logs = numbers.logs;
                    logs[i] += step;
                    here.with_slopes(2, &split, Numbers { logs }).0.nats
                };
                let step = 1e-4;
                let difference = (8.0 * (at(step) - at(-step)) - (at(2.0 * step) - at(-2.0 * step))) / (12.0 * step);
                assert!((slopes[i] - difference).abs() < DIFFERENCES * largest, "{i}: {slopes:?}, {difference}");
            }
        }
    }
}

fn after(node: Node, candidates: &[Node], start: &[Node]) -> ParentChoice {
    let candidates = candidates.iter().copied().collect();
    ParentChoice { node, candidates, barred: NodeSet::new(), required: Vec::new(), start: start.to_vec() }
}

#[test]
fn a_node_finds_its_parents_and_keeps_those_it_must_have() {
    let simulated = drawn("ER-NGP-4", 5, 250, 4);
    let order = simulated.truth.order().nodes().to_vec();
    let (last, before) = order.split_last().unwrap();
    let run = Run::new(Seed(0));
    let first = ProcessEvidence::new(&simulated.data, Seed(1));
    let parents: Vec<Vec<Node>> = (0..5).map(|node| simulated.truth.parents(node).ones().collect()).collect();
    let here = first.refitted(NoiseKind::Shared, &parents, &run).unwrap();
    let Noise::Shared(variance) = here.noise() else { panic!("the noise is shared") };
    // Drawn with 0.5; the estimate has a relative error of about √(2/(5·250)) = 0.04.
    assert!((variance / 0.5).ln().abs() < 0.25, "{variance}");
    let starts = [&[][..], &parents[*last], before];
    let answers = here.choose(&starts.map(|start| after(*last, before, start)), &run).unwrap();
    assert!(answers.iter().all(|answer| answer.parents == parents[*last]), "{answers:?}");
    // Node by node: required parents stay whatever they cost, barred ones are out.
    let mut must = after(*last, &before[1..], &[]);
    must.required = vec![before[0]];
    must.barred = [before[1]].into_iter().collect();
    let answer = here.choose(&[must], &run).unwrap().remove(0);
    assert!(answer.parents.contains(&before[0]) && !answer.parents.contains(&before[1]));
}

#[test]
fn refitting_does_not_lower_the_total() {
    let simulated = drawn("ER-NGP-4", 4, 120, 5);
    let run = Run::new(Seed(0));
    let parents: Vec<Vec<Node>> = (0..4).map(|node| simulated.truth.parents(node).ones().collect()).collect();
    for kind in [NoiseKind::Own, NoiseKind::Shared] {
        let first = ProcessEvidence::new(&simulated.data, Seed(1)).refitted(kind, &parents, &run).unwrap();
        let splits = first.splits(&parents, &run).unwrap();
        let total = |evidence: &ProcessEvidence| -> f64 {
            let nodes: f64 = (0..4).map(|node| evidence.valued_split(node, &splits[node]).nats).sum();
            nodes - evidence.common_price()
        };
        let second = first.refitted(kind, &parents, &run).unwrap();
        assert!(total(&second) >= total(&first) - 0.05, "{kind:?}: {} {}", total(&second), total(&first));
    }
}

#[test]
fn numbers_that_suit_too_many_parents_do_not_keep_them() {
    let simulated = drawn("ER-NGP-4", 5, 250, 4);
    let order = simulated.truth.order().nodes().to_vec();
    let run = Run::new(Seed(0));
    let mut all: Vec<Vec<Node>> = vec![Vec::new(); 5];
    let mut choices = Vec::new();
    for (at, &node) in order.iter().enumerate() {
        all[node] = order[..at].to_vec();
        choices.push(after(node, &order[..at], &order[..at]));
        all[node].sort_unstable();
    }
    let first = ProcessEvidence::new(&simulated.data, Seed(1)).refitted(NoiseKind::Shared, &all, &run).unwrap();
    let before: f64 = first.choose(&choices, &run).unwrap().iter().map(|chosen| chosen.nats).sum();
    let (anew, chosen) = first.afresh(&choices, &run).unwrap().unwrap();
    assert!(chosen.iter().map(|chosen| chosen.nats).sum::<f64>() >= before);
    for (choice, chosen) in choices.iter().zip(&chosen) {
        let truth: Vec<Node> = simulated.truth.parents(choice.node).ones().collect();
        assert!(truth.iter().all(|parent| chosen.parents.contains(parent)), "{}: {chosen:?}", choice.node);
    }
    // From there a walk with these numbers finds nothing worse.
    for (mut choice, chosen) in choices.into_iter().zip(&chosen) {
        choice.start.clone_from(&chosen.parents);
        assert!(anew.choose(&[choice], &run).unwrap()[0].nats >= chosen.nats);
    }
}

#[test]
fn a_stop_is_heard_between_factorisations() {
    let data = drawn("ER-NGP-4", 5, 100, 6).data;
    let stop = std::sync::atomic::AtomicBool::new(true);
    let run = Run::new(Seed(0)).stopped_by(&stop);
    let answer = ProcessEvidence::new(&data, Seed(1)).choose(&[after(2, &[0, 1], &[])], &run);
    assert!(matches!(answer, Err(Error::Cancelled)));
}
