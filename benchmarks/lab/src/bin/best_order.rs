//! How right the order of highest evidence is, beside other learners:
//! `cargo run --release -p npvar-lab --bin best_order -- [name=value] …`, with
//!
//! | name | what | default |
//! |---|---|---|
//! | `seeds`, `first` | how many data sets, and the seed of the first | 20, 1000 |
//! | `nodes`, `samples` | sizes, with commas between | 10, 500 |
//! | `settings` | see below, with commas between | ER-AGP-4,SF-AGP-4,ER-SIN-4 |
//! | `learners` | names with options, `best-order:noise=own:restarts=2`, with commas between (`cam@order` is given the true order) | best-order and four others |
//! | `columns` | `raw`, `standardised` (each divided by its standard deviation) | both |
//! | `each` | `yes` says on the standard error what became of every data set | no |
//!
//! Every learner sees the same data sets, one after the other on one thread; data sets are shared between all cores. Shown are
//! means over the data sets and their standard errors: wrong edges (SHD), of these true pairs without an edge (missing) and
//! edges between other pairs (extra), true edges that the order found violates, how often own noise was chosen, and seconds on
//! one core. Data sets that a learner fails on are counted and left out.
//!
//! Settings are the simulator's, and worlds with 2d edges whose functions are drawn from a Gaussian process (length 1, variance 1)
//! and whose noise variances differ: `UNEQUAL` (from 0.25 to 0.75), `ODD` (0.5, and 2 at one node), and `UNITS-law` (from 0.2 to
//! 1.5, law gaussian, laplace, uniform or exponential, and every column in units of its own, factors from 0.1 to 10). `JOINT-law`
//! is `UNITS-law` with one function of all parents at each node.
#![allow(clippy::unwrap_used)]

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use npvar::data::Dataset;
use npvar::graph::{Dag, Order};
use npvar::learner::{Assignment, Input, Learned, LearnerConfig};
use npvar::local_score::NoiseKind;
use npvar::metrics::shd;
use npvar::simulate::{Noise, SimulateOptions, simulate};
use npvar::{Run, Seed};
use rand::RngExt;
use rand::seq::SliceRandom;

const ARGUMENTS: [(&str, &str); 8] = [
    ("seeds", "20"),
    ("first", "1000"),
    ("nodes", "10"),
    ("samples", "500"),
    ("settings", "ER-AGP-4,SF-AGP-4,ER-SIN-4"),
    ("learners", "best-order,best-order:start=random,npvar,cam,score"),
    ("columns", "raw,standardised"),
    ("each", "no"),
];

/// What is measured of one answer.
const MEASURES: usize = 7;

fn main() {
    let given: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<(&str, &str)> = given.iter().map(|text| text.split_once('=').expect("name=value")).collect();
    for (name, _) in &words {
        assert!(ARGUMENTS.iter().any(|(known, _)| known == name), "there is no `{name}`");
    }
    let all = words.iter().copied().chain(ARGUMENTS);
    let text = |name: &str| all.clone().find(|(known, _)| *known == name).map(|(_, value)| value).unwrap();
    let list = |name: &str| text(name).split(',');
    let number = |name: &str| text(name).parse::<usize>().unwrap();
    let seeds = number("first")..number("first") + number("seeds");
    println!("{} data sets from seed {}", seeds.len(), seeds.start);
    println!(
        "| setting | d | n | columns | learner | wrong edges | missing | extra | violated edges | own noise | s |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    for setting in list("settings") {
        for (nodes, samples) in list("nodes").flat_map(|nodes| list("samples").map(move |samples| (nodes, samples))) {
            let options = SimulateOptions {
                nodes: Some(nodes.parse().unwrap()),
                samples: samples.parse().unwrap(),
                ..SimulateOptions::default()
            };
            for columns in list("columns") {
                for label in list("learners") {
                    let one = |seed| measured(setting, &options, columns, label, Seed(seed as u64));
                    let measured: Vec<Option<[f64; MEASURES]>> = on_all_cores(seeds.clone(), one);
                    let failed = measured.iter().filter(|one| one.is_none()).count();
                    if text("each") == "yes" {
                        seeds.clone().zip(&measured).for_each(|(seed, one)| eprintln!("{seed} {label} {one:?}"));
                    }
                    let column = |at: usize| -> Vec<f64> { measured.iter().flatten().map(|one| one[at]).collect() };
                    let [wrong, missing, extra, violated] = [0, 1, 2, 3].map(|at| shown(&column(at)));
                    let [own, seconds] = [4, 5].map(|at| mean(&column(at)));
                    let failed = if failed > 0 { format!(" (fails on {failed})") } else { String::new() };
                    println!(
                        "| {setting} | {nodes} | {samples} | {columns} | {label}{failed} | {wrong} | {missing} | {extra} | \
                         {violated} | {own:.2} | {seconds:.3} |"
                    );
                }
            }
        }
    }
}

/// What comes of every seed. Each is done on one thread: rayon's own pool would begin others while one waits.
fn on_all_cores<T: Send>(seeds: Range<usize>, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let (next, done) = (AtomicUsize::new(seeds.start), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..rayon::current_num_threads() {
            scope.spawn(|| {
                let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= seeds.end {
                        break;
                    }
                    let made = alone.install(|| work(seed));
                    done.lock().unwrap().push((seed, made));
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap();
    done.sort_by_key(|(seed, _)| *seed);
    done.into_iter().map(|(_, made)| made).collect()
}

/// Wrong, missing, extra and violated edges, whether own noise was chosen, seconds, total evidence; nothing where the learner
/// fails.
fn measured(
    setting: &str,
    options: &SimulateOptions,
    columns: &str,
    label: &str,
    seed: Seed,
) -> Option<[f64; MEASURES]> {
    let mut parts = label.split(':');
    let name = parts.next().unwrap();
    let (name, given) = name.strip_suffix("@order").map_or((name, false), |name| (name, true));
    let settings: Vec<Assignment> = parts.map(|text| Assignment::parse(text).unwrap()).collect();
    let learner = LearnerConfig::resolve(name, &settings).unwrap().build().unwrap();
    let (data, truth) = world(setting, options, seed);
    let data = if columns == "standardised" { standardised(&data) } else { data };
    let begin = Instant::now();
    let input = Input { order: given.then(|| truth.order().clone()), ..Input::new(&data) };
    let learned = learner.learn(&input, &Run::new(seed)).ok()?;
    let seconds = begin.elapsed().as_secs_f64();
    let edges = learned.graph.edges();
    let is_true = |from: usize, to: usize| truth.has_edge(from, to) || truth.has_edge(to, from);
    let found = |from: usize, to: usize| edges.iter().any(|edge| [(from, to), (to, from)].contains(&(edge.0, edge.1)));
    let extra = edges.iter().filter(|edge| !is_true(edge.0, edge.1)).count();
    let missing = truth.edges().into_iter().filter(|edge| !found(edge.0, edge.1)).count();
    let total = learned.nats.as_ref().map(|nats| nats.total);
    let own = total.is_some_and(|total| total.chosen == NoiseKind::Own);
    let total = total.and_then(|total| if own { total.own } else { total.shared }).unwrap_or(f64::NAN);
    let [wrong, missing, extra] = [shd(&learned.graph, &truth), missing, extra].map(|count| count as f64);
    Some([wrong, missing, extra, violations(&learned, &truth), f64::from(u8::from(own)), seconds, total])
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
        Some(("UNITS" | "JOINT", law)) => {
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
        let parents: Vec<usize> = truth.parents(child).ones().collect();
        let functions = if setting.starts_with("JOINT") { vec![&parents[..]] } else { parents.chunks(1).collect() };
        for of in functions.into_iter().filter(|of| !of.is_empty()) {
            let inputs: Vec<&[f64]> = of.iter().map(|&parent| &columns[parent][..]).collect();
            let drawn = function(&inputs, seed.child("function", of[0] * nodes + child));
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

/// A function drawn from a Gaussian process with the kernel exp(−|t|²/2), by random cosines.
fn function(inputs: &[&[f64]], seed: Seed) -> Vec<f64> {
    const COSINES: usize = 200;
    let frequencies = |k: usize| Noise::Gaussian.draw(COSINES, 1.0, seed.child("frequencies", k));
    let frequencies: Vec<Vec<f64>> = (0..inputs.len()).map(frequencies).collect();
    let weights = Noise::Gaussian.draw(COSINES, 2.0 / COSINES as f64, seed.child("weights", 0));
    let mut rng = seed.child("phases", 0).rng();
    let phases: Vec<f64> = (0..COSINES).map(|_| rng.random_range(0.0..std::f64::consts::TAU)).collect();
    let angle = |m: usize, i: usize| -> f64 {
        phases[m] + inputs.iter().zip(&frequencies).map(|(x, frequencies)| frequencies[m] * x[i]).sum::<f64>()
    };
    let value = |i: usize| (0..COSINES).map(|m| weights[m] * angle(m, i).cos()).sum();
    let values: Vec<f64> = (0..inputs[0].len()).map(value).collect();
    let mean = mean(&values);
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

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// A mean and its standard error.
fn shown(values: &[f64]) -> String {
    let (n, mean) = (values.len() as f64, mean(values));
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
    format!("{mean:.2} ± {:.2}", (variance / n).sqrt())
}
