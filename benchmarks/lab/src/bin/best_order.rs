//! How right the order of highest evidence is, beside NPVAR, CAM and SCORE:
//! `cargo run --release -p npvar-lab --bin best_order -- [seeds] [first seed] [nodes] [samples] [settings] [learners] [columns]`.
//!
//! Every learner sees the same data sets, with the columns as they are (`raw`) and with each divided by its standard deviation
//! (`standardised`). Shown are means over the seeds and their standard errors: wrong edges (SHD), true edges that the order found
//! violates, seconds.
//!
//! Settings are the simulator's, and worlds with 2d edges whose functions are drawn from a Gaussian process (length 1, variance 1)
//! and whose noise variances differ: `UNEQUAL` (from 0.25 to 0.75), `ODD` (0.5, and 2 at one node), and `UNITS-law` (from 0.2 to
//! 1.5, law gaussian, laplace, uniform or exponential, and every column in units of its own, factors from 0.1 to 10).
#![allow(clippy::unwrap_used)]

use std::time::Instant;

use npvar::data::Dataset;
use npvar::graph::{Dag, Order};
use npvar::learner::{Assignment, Input, Learned, LearnerConfig};
use npvar::metrics::shd;
use npvar::simulate::{Noise, SimulateOptions, simulate};
use npvar::{Run, Seed};
use rand::RngExt;
use rand::seq::SliceRandom;

const SETTINGS: &str = "ER-AGP-4,SF-AGP-4,ER-SIN-4";
const LEARNERS: &str = "best-order,best-order:start=random,npvar,cam,score";
const COLUMNS: &str = "raw,standardised";

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, default: usize| arguments.get(at).map_or(default, |text| text.parse().unwrap());
    let list = |at: usize, default: &str| -> Vec<String> {
        arguments.get(at).map_or(default, String::as_str).split(',').map(str::to_owned).collect()
    };
    let (seeds, first, nodes, samples) = (number(0, 20), number(1, 1000), number(2, 10), number(3, 500));
    let options = SimulateOptions { nodes: Some(nodes), samples, ..SimulateOptions::default() };
    println!("{seeds} data sets from seed {first}, d = {nodes}, n = {samples}");
    println!("| setting | columns | learner | wrong edges | violated edges | seconds |");
    println!("|---|---|---|---|---|---|");
    for setting in list(4, SETTINGS) {
        for columns in list(6, COLUMNS) {
            for label in list(5, LEARNERS) {
                let mut parts = label.split(':');
                let name = parts.next().unwrap();
                let settings: Vec<Assignment> = parts.map(|text| Assignment::parse(text).unwrap()).collect();
                let learner = LearnerConfig::resolve(name, &settings).unwrap().build().unwrap();
                let (mut wrong, mut violated, mut seconds) = (Vec::new(), Vec::new(), Vec::new());
                for seed in first..first + seeds {
                    let (data, truth) = world(&setting, &options, Seed(seed as u64));
                    let data = if columns == "standardised" { standardised(&data) } else { data };
                    let begin = Instant::now();
                    let learned = learner.learn(&Input::new(&data), &Run::new(Seed(seed as u64))).unwrap();
                    seconds.push(begin.elapsed().as_secs_f64());
                    wrong.push(shd(&learned.graph, &truth) as f64);
                    violated.push(violations(&learned, &truth));
                }
                let [wrong, violated] = [wrong, violated].map(|values| shown(&values));
                let seconds = seconds.iter().sum::<f64>() / seconds.len() as f64;
                println!("| {setting} | {columns} | {label} | {wrong} | {violated} | {seconds:.3} |");
            }
        }
    }
}

/// A setting of the simulator, or a world with noise variances that differ.
fn world(setting: &str, options: &SimulateOptions, seed: Seed) -> (Dataset, Dag) {
    let (nodes, samples) = (options.nodes.unwrap(), options.samples);
    let mut rng = seed.child("variances and units", 0).rng();
    let mut between = |low: f64, high: f64| rng.random_range(low..high);
    let (law, variances, units): (&str, Vec<f64>, Vec<f64>) = match setting.split_once('-') {
        None if setting == "UNEQUAL" => {
            ("gaussian", (0..nodes).map(|_| between(0.25, 0.75)).collect(), vec![1.0; nodes])
        }
        None if setting == "ODD" => {
            let odd = between(0.0, nodes as f64) as usize;
            ("gaussian", (0..nodes).map(|node| if node == odd { 2.0 } else { 0.5 }).collect(), vec![1.0; nodes])
        }
        Some(("UNITS", law)) => {
            let variances = (0..nodes).map(|_| between(0.2, 1.5)).collect();
            (law, variances, (0..nodes).map(|_| 10_f64.powf(between(-1.0, 1.0))).collect())
        }
        _ => {
            let simulated = simulate(setting.parse().unwrap(), options, seed).unwrap();
            return (simulated.data, simulated.truth);
        }
    };
    let mut rng = seed.child("graph", 0).rng();
    let mut order: Vec<usize> = (0..nodes).collect();
    order.shuffle(&mut rng);
    let mut pairs: Vec<(usize, usize)> =
        (0..nodes).flat_map(|i| (i + 1..nodes).map(move |j| (i, j))).map(|(i, j)| (order[i], order[j])).collect();
    pairs.shuffle(&mut rng);
    let truth = Dag::from_edges(nodes, pairs.into_iter().take(2 * nodes)).unwrap();
    let mut columns: Vec<Vec<f64>> =
        (0..nodes).map(|v| noise(law, samples, variances[v], seed.child("noise", v))).collect();
    for &child in &order {
        for parent in truth.parents(child).ones() {
            let drawn = function(&columns[parent], seed.child("function", parent * nodes + child));
            columns[child].iter_mut().zip(drawn).for_each(|(x, value)| *x += value);
        }
    }
    columns.iter_mut().zip(units).for_each(|(column, unit)| column.iter_mut().for_each(|x| *x *= unit));
    let names = (1..=nodes).map(|node| format!("X{node}")).collect();
    (Dataset::new(names, columns).unwrap(), truth)
}

/// Independent values with mean zero.
fn noise(law: &str, samples: usize, variance: f64, seed: Seed) -> Vec<f64> {
    if law != "exponential" {
        let law = law.parse::<Noise>().unwrap();
        return law.draw(samples, variance, seed);
    }
    let mut rng = seed.rng();
    (0..samples).map(|_| variance.sqrt() * (-(1.0 - rng.random::<f64>()).ln() - 1.0)).collect()
}

/// A function drawn from a Gaussian process with the kernel exp(−t²/2), by random cosines.
fn function(x: &[f64], seed: Seed) -> Vec<f64> {
    const COSINES: usize = 200;
    let frequencies = Noise::Gaussian.draw(COSINES, 1.0, seed.child("frequencies", 0));
    let weights = Noise::Gaussian.draw(COSINES, 2.0 / COSINES as f64, seed.child("weights", 0));
    let mut rng = seed.child("phases", 0).rng();
    let phases: Vec<f64> = (0..COSINES).map(|_| rng.random_range(0.0..std::f64::consts::TAU)).collect();
    let value = |x: &f64| (0..COSINES).map(|m| weights[m] * (frequencies[m] * x + phases[m]).cos()).sum();
    let values: Vec<f64> = x.iter().map(value).collect();
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    values.into_iter().map(|value| value - mean).collect()
}

fn standardised(data: &Dataset) -> Dataset {
    let column = |j: usize| {
        let (column, n) = (data.column(j), data.n() as f64);
        let mean = column.iter().sum::<f64>() / n;
        let deviation = (column.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0)).sqrt();
        column.iter().map(|x| (x - mean) / deviation).collect()
    };
    Dataset::new(data.names().to_vec(), (0..data.d()).map(column).collect()).unwrap()
}

/// True edges whose child the order puts first; not a number where there is no order.
fn violations(learned: &Learned, truth: &Dag) -> f64 {
    let Some(positions) = learned.order.as_ref().map(Order::positions) else { return f64::NAN };
    truth.edges().into_iter().map(|(parent, child)| f64::from(u8::from(positions[parent] > positions[child]))).sum()
}

/// A mean and its standard error.
fn shown(values: &[f64]) -> String {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
    format!("{mean:.1} ± {:.1}", (variance / n).sqrt())
}
