//! Data that deserve a doubt, and data that do not: for the test of the doubts and for the table of their rates.

use npvar::data::Dataset;
use npvar::graph::Dag;
use npvar::simulate::{Noise, SimulateOptions, simulate};
use npvar::{Result, Seed};
use rand::RngExt;
use rand_distr::{Distribution, StandardNormal, StudentT};

/// A kind of data set.
pub(crate) struct Case {
    /// What it is.
    pub(crate) name: &'static str,
    /// The codes it deserves, sortability left aside.
    pub(crate) deserves: &'static [&'static str],
    /// The codes it may deserve, which say nothing about the rates: the trouble it was made for brings others along.
    pub(crate) may: &'static [&'static str],
    /// One of them, and its graph.
    pub(crate) draw: fn(Seed) -> Result<(Dataset, Dag)>,
}

/// Every code but those of sortability.
pub(crate) const CODES: [&str; 9] = [
    "standardised-data",
    "partly-standardised",
    "different-units",
    "unequal-residual-variances",
    "non-additive",
    "few-samples-for-ancestors",
    "near-duplicate-columns",
    "heavy-tails",
    "time-ordered-rows",
];

/// All kinds; the first deserve nothing.
pub(crate) const CASES: &[Case] = &[
    plain("ER-SIN-1, d = 10, n = 1000", |seed| setting("ER-SIN-1", 10, 1000, Noise::Gaussian, seed)),
    plain("ER-SIN-1, d = 20, n = 1000", |seed| setting("ER-SIN-1", 20, 1000, Noise::Gaussian, seed)),
    plain("ER-SIN-1, d = 10, n = 300", |seed| setting("ER-SIN-1", 10, 300, Noise::Gaussian, seed)),
    plain("ER-SIN-4, d = 10, n = 1000", |seed| setting("ER-SIN-4", 10, 1000, Noise::Gaussian, seed)),
    plain("MC-SIN, d = 10, n = 1000", |seed| setting("MC-SIN", 10, 1000, Noise::Gaussian, seed)),
    plain("ER-AGP-1, d = 10, n = 1000", |seed| setting("ER-AGP-1", 10, 1000, Noise::Gaussian, seed)),
    plain("SF-AGP-4, d = 10, n = 1000", |seed| setting("SF-AGP-4", 10, 1000, Noise::Gaussian, seed)),
    plain("ER-SIN-1, uniform noise", |seed| setting("ER-SIN-1", 10, 1000, Noise::Uniform, seed)),
    plain("ER-SIN-1, Laplace noise", |seed| setting("ER-SIN-1", 10, 1000, Noise::Laplace, seed)),
    plain("ER-SIN-1, Gumbel noise", |seed| setting("ER-SIN-1", 10, 1000, Noise::Gumbel, seed)),
    Case {
        name: "standardised, two decimals",
        deserves: &["standardised-data"],
        may: &["unequal-residual-variances", "non-additive"],
        draw: |seed| Ok(rescaled(sine(seed, &gaussian)?, |column| standardised(column, 0.01))),
    },
    Case {
        name: "rescaled to the range 0 to 1",
        deserves: &["standardised-data"],
        may: &["unequal-residual-variances", "non-additive"],
        draw: |seed| Ok(rescaled(sine(seed, &gaussian)?, to_unit_range)),
    },
    Case {
        name: "seven of ten standardised",
        deserves: &["partly-standardised"],
        may: &["unequal-residual-variances", "non-additive", "heavy-tails"],
        draw: |seed| {
            Ok(each(
                sine(seed, &gaussian)?,
                |node, column| if node < 7 { standardised(column, 1e-9) } else { times(column, 12.0) },
            ))
        },
    },
    Case {
        name: "columns in three units",
        deserves: &["different-units"],
        may: &["unequal-residual-variances", "non-additive", "heavy-tails"],
        draw: |seed| Ok(each(sine(seed, &gaussian)?, |node, column| times(column, [1.0, 1000.0, 0.01][node % 3]))),
    },
    Case {
        name: "noise variances 0.25 to 1",
        deserves: &["unequal-residual-variances"],
        // A wrong order leaves mixtures in the residuals.
        may: &["non-additive", "heavy-tails"],
        draw: |seed| {
            sine(seed, &|n, node, seed| {
                let scale = [0.5, 1.0, 0.7][node % 3];
                gaussian(n, node, seed).into_iter().map(|e| e * scale * 2_f64.sqrt()).collect()
            })
        },
    },
    Case {
        name: "noise variances 0.25 to 1, Laplace",
        deserves: &["unequal-residual-variances"],
        // A wrong order leaves mixtures in the residuals.
        may: &["non-additive", "heavy-tails"],
        draw: |seed| {
            sine(seed, &|n, node, seed| Noise::Laplace.draw(n, [0.25, 1.0, 0.5][node % 3], seed.child("noise", node)))
        },
    },
    Case {
        name: "ER-NGP-4, n = 1000",
        deserves: &["non-additive"],
        may: &["unequal-residual-variances"],
        draw: |seed| setting("ER-NGP-4", 10, 1000, Noise::Gaussian, seed),
    },
    Case {
        name: "products of parents",
        deserves: &["non-additive"],
        may: &["unequal-residual-variances", "heavy-tails"],
        draw: |seed| sem(seed, "ER-SIN-2", (10, 1000), product, &gaussian),
    },
    Case {
        name: "ER-SIN-1, d = 20, n = 200",
        deserves: &["few-samples-for-ancestors"],
        may: &[],
        draw: |seed| setting("ER-SIN-1", 20, 200, Noise::Gaussian, seed),
    },
    Case {
        name: "a column measured twice",
        deserves: &["near-duplicate-columns"],
        may: &["unequal-residual-variances", "non-additive"],
        draw: |seed| Ok(measured_twice(sine(seed, &gaussian)?, seed)),
    },
    Case {
        name: "noise with 3 degrees of freedom",
        deserves: &["heavy-tails"],
        may: &["unequal-residual-variances", "non-additive"],
        draw: |seed| sine(seed, &|n, node, seed| student(n, 3.0, seed.child("noise", node))),
    },
    Case {
        name: "noise with 2 degrees of freedom",
        deserves: &["heavy-tails"],
        may: &["unequal-residual-variances", "non-additive"],
        draw: |seed| sine(seed, &|n, node, seed| student(n, 2.0, seed.child("noise", node))),
    },
    Case {
        name: "noise follows itself, by 0.3",
        deserves: &["time-ordered-rows"],
        may: &[],
        draw: |seed| sine(seed, &|n, node, seed| autoregressive(n, 0.3, seed.child("noise", node))),
    },
    Case {
        name: "rows sorted by a column",
        deserves: &["time-ordered-rows"],
        may: &[],
        draw: |seed| {
            let (data, truth) = sine(seed, &gaussian)?;
            let mut rows: Vec<usize> = (0..data.n()).collect();
            rows.sort_by(|&a, &b| data.column(0)[a].total_cmp(&data.column(0)[b]));
            Ok((data.rows(&rows)?, truth))
        },
    },
];

const fn plain(name: &'static str, draw: fn(Seed) -> Result<(Dataset, Dag)>) -> Case {
    Case { name, deserves: &[], may: &[], draw }
}

/// A setting of the paper.
fn setting(name: &str, nodes: usize, samples: usize, noise: Noise, seed: Seed) -> Result<(Dataset, Dag)> {
    let noise = (!name.contains("GLM")).then_some(noise);
    let options = SimulateOptions { nodes: Some(nodes), samples, noise, ..Default::default() };
    let simulated = simulate(name.parse()?, &options, seed)?;
    Ok((simulated.data, simulated.truth))
}

type DrawNoise = dyn Fn(usize, usize, Seed) -> Vec<f64>;

/// ER-SIN-1 with other noise.
fn sine(seed: Seed, noise: &DrawNoise) -> Result<(Dataset, Dag)> {
    sem(seed, "ER-SIN-1", (10, 1000), |parents| parents.iter().map(|x| x.sin()).sum(), noise)
}

/// The graph of a setting, with another mean given the parents and other noise.
fn sem(
    seed: Seed,
    graph: &str,
    (nodes, samples): (usize, usize),
    mean: fn(&[f64]) -> f64,
    noise: &DrawNoise,
) -> Result<(Dataset, Dag)> {
    let options = SimulateOptions { nodes: Some(nodes), samples: 1, ..Default::default() };
    let truth = simulate(graph.parse()?, &options, seed)?.truth;
    let mut columns = vec![Vec::new(); nodes];
    for &node in truth.order().nodes() {
        let parents: Vec<usize> = truth.parents(node).ones().collect();
        let mut column = noise(samples, node, seed);
        for (row, value) in column.iter_mut().enumerate() {
            let given: Vec<f64> = parents.iter().map(|&parent| columns[parent][row]).collect();
            *value += mean(&given);
        }
        columns[node] = column;
    }
    let names = (1..=nodes).map(|j| format!("X{j}")).collect();
    Ok((Dataset::new(names, columns)?, truth))
}

/// The sum of sines of one parent, sines of products of several.
fn product(parents: &[f64]) -> f64 {
    match parents {
        [] => 0.0,
        [x] => x.sin(),
        several => several.windows(2).map(|pair| (2.0 * pair[0].sin()) * pair[1].sin()).sum(),
    }
}

fn gaussian(n: usize, node: usize, seed: Seed) -> Vec<f64> {
    Noise::Gaussian.draw(n, 0.5, seed.child("noise", node))
}

/// Student's t with a scale of 1/2.
fn student(n: usize, degrees: f64, seed: Seed) -> Vec<f64> {
    let law = StudentT::new(degrees).expect("a positive number of degrees");
    let mut rng = seed.rng();
    (0..n).map(|_| 0.5 * law.sample(&mut rng)).collect()
}

/// A stationary series of variance 1/2.
fn autoregressive(n: usize, coefficient: f64, seed: Seed) -> Vec<f64> {
    let mut rng = seed.rng();
    let mut draw = || -> f64 { StandardNormal.sample(&mut rng) };
    let mut value = 0.5_f64.sqrt() * draw();
    let innovation = (0.5 * (1.0 - coefficient * coefficient)).sqrt();
    (0..n)
        .map(|_| {
            value = coefficient * value + innovation * draw();
            value
        })
        .collect()
}

/// Every column changed in its own way.
fn each((data, truth): (Dataset, Dag), change: fn(usize, &[f64]) -> Vec<f64>) -> (Dataset, Dag) {
    let columns = (0..data.d()).map(|j| change(j, data.column(j))).collect();
    (Dataset::new(data.names().to_vec(), columns).expect("changed columns are columns"), truth)
}

fn times(column: &[f64], factor: f64) -> Vec<f64> {
    column.iter().map(|x| factor * x).collect()
}

fn rescaled((data, truth): (Dataset, Dag), rescale: fn(&[f64]) -> Vec<f64>) -> (Dataset, Dag) {
    let columns = (0..data.d()).map(|j| rescale(data.column(j))).collect();
    (Dataset::new(data.names().to_vec(), columns).expect("rescaled columns are columns"), truth)
}

/// Mean 0 and variance 1, rounded.
fn standardised(column: &[f64], rounding: f64) -> Vec<f64> {
    let n = column.len() as f64;
    let mean = column.iter().sum::<f64>() / n;
    let scale = (column.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n).sqrt();
    column.iter().map(|x| ((x - mean) / scale / rounding).round() * rounding).collect()
}

fn to_unit_range(column: &[f64]) -> Vec<f64> {
    let least = column.iter().copied().fold(f64::INFINITY, f64::min);
    let most = column.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    column.iter().map(|x| (x - least) / (most - least)).collect()
}

/// With the first column again, its error a twentieth of its standard deviation.
fn measured_twice((data, truth): (Dataset, Dag), seed: Seed) -> (Dataset, Dag) {
    let mut rng = seed.child("error", 0).rng();
    let scale = standardised_scale(data.column(0)) / 20.0;
    let again = data.column(0).iter().map(|x| x + scale * 12_f64.sqrt() * (rng.random::<f64>() - 0.5)).collect();
    let mut columns: Vec<Vec<f64>> = (0..data.d()).map(|j| data.column(j).to_vec()).collect();
    columns.push(again);
    let mut names = data.names().to_vec();
    names.push("again".to_owned());
    let edges = truth.edges();
    let truth = Dag::from_edges(columns.len(), edges).expect("a graph with one more node");
    (Dataset::new(names, columns).expect("one more column"), truth)
}

fn standardised_scale(column: &[f64]) -> f64 {
    let n = column.len() as f64;
    let mean = column.iter().sum::<f64>() / n;
    (column.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n).sqrt()
}
