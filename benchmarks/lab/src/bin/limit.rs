//! The limit of the data on the simulator's Gaussian-process settings (NGP, AGP):
//! `cargo run --release -p npvar-lab --bin limit -- [seeds] [first seed] [nodes] [samples] [settings]`.
//!
//! With the true order, the true covariance and the true noise variance `s` known, the log posterior of a node's parent set
//! among the `P` nodes before it is
//!
//! ```text
//! −½ x'K⁻¹x − ½ log|K| − log(P + 1) − log C(P, k),    K = s I + exp(−|t_S|²/2)   (NGP),   s I + Σ_{k ∈ S} exp(−t_k²/2)   (AGP)
//! ```
//!
//! for a set of `k`: every number of parents equally likely, then every set. The set of highest posterior is looked for by
//! climbs, one node put in or taken out at a time, the one that gains most: from the true parents and from none, and the
//! better end counts. Shown is how many edges it has wrong, the mean over the data sets and its standard error: who knows less
//! cannot expect fewer. The data sets are those that `best_order` and `estimators` draw from the same seeds.
#![allow(clippy::unwrap_used)]

use faer::linalg::solvers::Solve;
use faer::{Mat, Par, Side};
use npvar::Seed;
use npvar::data::Dataset;
use npvar::graph::Node;
use npvar::simulate::{SimulateOptions, simulate};
use rayon::prelude::*;

const SETTINGS: &str = "ER-NGP-4,SF-NGP-4,ER-AGP-4,SF-AGP-4";

/// What is known of a node.
struct Known<'a> {
    /// Functions of each parent that add up, or one of all.
    adds_up: bool,
    noise: f64,
    /// The values, less their mean.
    x: Vec<f64>,
    /// The columns before it.
    before: Vec<&'a [f64]>,
}

fn main() {
    // Data sets and nodes run side by side, each on one thread.
    faer::set_global_parallelism(Par::Seq);
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, default: usize| arguments.get(at).map_or(default, |text| text.parse().unwrap());
    let (seeds, first, nodes, samples) = (number(0, 20), number(1, 1000), number(2, 10), number(3, 500));
    let noise = 0.5;
    let options =
        SimulateOptions { nodes: Some(nodes), samples, noise_variance: Some(noise), ..SimulateOptions::default() };
    println!("{seeds} data sets from seed {first}, d = {nodes}, n = {samples}");
    println!("| setting | edges | wrong at the limit |");
    println!("|---|---|---|");
    for setting in arguments.get(4).map_or(SETTINGS, String::as_str).split(',') {
        let adds_up = match setting.split('-').nth(1) {
            Some("AGP") => true,
            Some("NGP") => false,
            _ => panic!("{setting}: the limit is that of Gaussian-process settings, NGP and AGP"),
        };
        let counted: Vec<(usize, usize)> = (first..first + seeds)
            .into_par_iter()
            .map(|seed| {
                let simulated = simulate(setting.parse().unwrap(), &options, Seed(seed as u64)).unwrap();
                let (truth, order) = (&simulated.truth, simulated.truth.order().nodes().to_vec());
                let columns: Vec<Vec<f64>> = (0..nodes).map(|node| centred(&simulated.data, node)).collect();
                let wrong = (0..nodes).into_par_iter().with_max_len(1).map(|at| {
                    let (node, before) = (order[at], &order[..at]);
                    let x = columns[node].clone();
                    let before_columns = before.iter().map(|&other| &columns[other][..]).collect();
                    let known = Known { adds_up, noise, x, before: before_columns };
                    known.wrong(&before.iter().map(|&other| truth.parents(node).contains(other)).collect::<Vec<_>>())
                });
                (wrong.sum(), truth.edge_count())
            })
            .collect();
        let edges = counted.iter().map(|counted| counted.1 as f64).sum::<f64>() / counted.len() as f64;
        println!(
            "| {setting} | {edges} | {} |",
            shown(&counted.iter().map(|counted| counted.0 as f64).collect::<Vec<_>>())
        );
    }
}

impl Known<'_> {
    /// How many of the nodes before are wrongly in or out in the set of highest posterior found.
    fn wrong(&self, truth: &[bool]) -> usize {
        let from_truth = self.climbed(truth.to_vec());
        let from_none = self.climbed(vec![false; truth.len()]);
        let best = if from_none.0 > from_truth.0 { from_none.1 } else { from_truth.1 };
        best.iter().zip(truth).filter(|(found, truth)| found != truth).count()
    }

    /// The end of the climb from a set.
    fn climbed(&self, mut chosen: Vec<bool>) -> (f64, Vec<bool>) {
        let mut value = self.log_posterior(&chosen);
        loop {
            let toggled = |node: Node| {
                let mut other = chosen.clone();
                other[node] = !other[node];
                (self.log_posterior(&other), other)
            };
            let best = (0..chosen.len()).map(toggled).max_by(|a, b| a.0.total_cmp(&b.0));
            match best {
                Some((better, other)) if better > value => (value, chosen) = (better, other),
                _ => return (value, chosen),
            }
        }
    }

    fn log_posterior(&self, chosen: &[bool]) -> f64 {
        let (n, among) = (self.x.len(), chosen.len());
        let columns: Vec<&[f64]> = (0..among).filter(|&node| chosen[node]).map(|node| self.before[node]).collect();
        let mut covariance: Mat<f64> = Mat::zeros(n, n);
        for j in 0..n {
            let target = &mut covariance.col_as_slice_mut(j)[j..];
            for column in &columns {
                let square = |i: usize| (column[j + i] - column[j]).powi(2);
                if self.adds_up {
                    (0..n - j).for_each(|i| target[i] += (-0.5 * square(i)).exp());
                } else {
                    (0..n - j).for_each(|i| target[i] += square(i));
                }
            }
            if !self.adds_up && !columns.is_empty() {
                target.iter_mut().for_each(|entry| *entry = (-0.5 * *entry).exp());
            }
            target[0] += self.noise;
        }
        let factor = covariance.llt(Side::Lower).expect("noise makes a covariance positive definite");
        let x = Mat::from_fn(n, 1, |i, _| self.x[i]);
        let square = (x.transpose() * factor.solve(&x))[(0, 0)];
        let half_log_determinant: f64 = (0..n).map(|i| factor.L()[(i, i)].ln()).sum();
        let k = columns.len();
        let log_sets: f64 = (0..k).map(|i| ((among - i) as f64 / (i + 1) as f64).ln()).sum();
        -0.5 * square - half_log_determinant - (among as f64 + 1.0).ln() - log_sets
    }
}

fn centred(data: &Dataset, node: Node) -> Vec<f64> {
    let column = data.column(node);
    let mean = column.iter().sum::<f64>() / column.len() as f64;
    column.iter().map(|x| x - mean).collect()
}

/// A mean and its standard error.
fn shown(values: &[f64]) -> String {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
    format!("{mean:.2} ± {:.2}", (variance / n).sqrt())
}
