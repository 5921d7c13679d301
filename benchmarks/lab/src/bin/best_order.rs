//! How right the order of highest evidence is, beside NPVAR, CAM and SCORE:
//! `cargo run --release -p npvar-lab --bin best_order -- [seeds] [first seed] [nodes] [samples] [settings] [learners]`.
//!
//! Every learner sees the same data sets, with the columns as they are and with each divided by its standard deviation. Shown
//! are means over the seeds and their standard errors: wrong edges (SHD), true edges that the order found violates, seconds.
#![allow(clippy::unwrap_used)]

use std::time::Instant;

use npvar::data::Dataset;
use npvar::graph::Dag;
use npvar::learner::{Assignment, Input, Learned, LearnerConfig};
use npvar::metrics::shd;
use npvar::simulate::{SimulateOptions, simulate};
use npvar::{Run, Seed};

const SETTINGS: &str = "ER-AGP-4,SF-AGP-4,ER-SIN-4";
const LEARNERS: &str = "best-order,best-order:start=random,npvar,cam,score";

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
        for standardise in [false, true] {
            for label in list(5, LEARNERS) {
                let mut parts = label.split(':');
                let name = parts.next().unwrap();
                let settings: Vec<Assignment> = parts.map(|text| Assignment::parse(text).unwrap()).collect();
                let learner = LearnerConfig::resolve(name, &settings).unwrap().build().unwrap();
                let (mut wrong, mut violated, mut seconds) = (Vec::new(), Vec::new(), Vec::new());
                for seed in first..first + seeds {
                    let simulated = simulate(setting.parse().unwrap(), &options, Seed(seed as u64)).unwrap();
                    let data = if standardise { standardised(&simulated.data) } else { simulated.data };
                    let begin = Instant::now();
                    let learned = learner.learn(&Input::new(&data), &Run::new(Seed(seed as u64))).unwrap();
                    seconds.push(begin.elapsed().as_secs_f64());
                    wrong.push(shd(&learned.graph, &simulated.truth) as f64);
                    violated.push(violations(&learned, &simulated.truth));
                }
                let columns = if standardise { "standardised" } else { "raw" };
                let [wrong, violated] = [wrong, violated].map(|values| shown(&values));
                let seconds = seconds.iter().sum::<f64>() / seconds.len() as f64;
                println!("| {setting} | {columns} | {label} | {wrong} | {violated} | {seconds:.3} |");
            }
        }
    }
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

/// True edges whose child the order puts first.
fn violations(learned: &Learned, truth: &Dag) -> f64 {
    let positions = learned.order.as_ref().unwrap().positions();
    truth.edges().into_iter().map(|(parent, child)| f64::from(u8::from(positions[parent] > positions[child]))).sum()
}

/// A mean and its standard error.
fn shown(values: &[f64]) -> String {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
    format!("{mean:.1} ± {:.1}", (variance / n).sqrt())
}
