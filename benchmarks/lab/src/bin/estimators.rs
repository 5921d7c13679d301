//! Recovery by estimator: mean SHD and violated edges of the order, with standard errors, over simulated data sets.
//!
//! ```text
//! cargo run --release -p npvar-lab --bin estimators -- seeds=20 ER-NGP-4 SF-NGP-4 MC-SIN
//! ```
//!
//! Words with `=` are options: `nodes` (10), `samples` (500), `seeds` (20, from 1 on), `estimators` (gam,gp,auto). The
//! others are settings; without any, all of the paper's. Data sets run side by side, each on as many threads as are free;
//! `seeds=1` with one setting tells how long one takes. Noise variance 0.5 (GLM: p = 0.3).

use std::time::Instant;

use npvar::graph::Order;
use npvar::learner::{Assignment, Input, LearnerConfig};
use npvar::metrics::{order_recovery, shd};
use npvar::simulate::{SimulateOptions, simulate};
use npvar::{Run, Seed};
use rayon::prelude::*;

/// The settings of the paper's experiments.
const SETTINGS: &str = "MC-SIN MC-AGP MC-NGP MC-GLM ER-SIN-1 ER-SIN-4 ER-AGP-1 ER-AGP-4 ER-NGP-1 ER-NGP-4 ER-GLM-1 \
                        ER-GLM-4 SF-SIN-1 SF-SIN-4 SF-AGP-1 SF-AGP-4 SF-NGP-1 SF-NGP-4 SF-GLM-1 SF-GLM-4";

type Failure = Box<dyn std::error::Error + Send + Sync>;

struct Outcome {
    shd: f64,
    violated: f64,
    seconds: f64,
    /// What `auto` chose.
    chosen: Option<String>,
}

fn main() -> Result<(), Failure> {
    let (mut nodes, mut samples, mut seeds, mut estimators) = (10, 500, 20, "gam,gp,auto".to_owned());
    let mut settings = Vec::new();
    for argument in std::env::args().skip(1) {
        match argument.split_once('=') {
            Some(("nodes", value)) => nodes = value.parse()?,
            Some(("samples", value)) => samples = value.parse()?,
            Some(("seeds", value)) => seeds = value.parse()?,
            Some(("estimators", value)) => estimators = value.to_owned(),
            Some(_) => return Err(format!("unknown option `{argument}`").into()),
            None => settings.push(argument),
        }
    }
    if settings.is_empty() {
        settings = SETTINGS.split_whitespace().map(str::to_owned).collect();
    }
    println!("d = {nodes}, n = {samples}, {seeds} seeds; mean ± standard error\n");
    println!("| setting | estimator | SHD | violated edges | seconds | `auto` chose `gp` |");
    println!("|---|---|---:|---:|---:|---:|");
    let tasks: Vec<(usize, &str, u64)> = (0..settings.len())
        .flat_map(|s| {
            estimators.split(',').flat_map(move |estimator| (1..=seeds).map(move |seed| (s, estimator, seed)))
        })
        .collect();
    let outcomes: Vec<Outcome> = tasks
        .par_iter()
        .with_max_len(1)
        .map(|&(s, estimator, seed)| one(&settings[s], nodes, samples, estimator, seed))
        .collect::<Result<_, _>>()?;
    for (tasks, outcomes) in tasks.chunks(seeds as usize).zip(outcomes.chunks(seeds as usize)) {
        let (shd, violated) = (summary(outcomes, |one| one.shd), summary(outcomes, |one| one.violated));
        let seconds = outcomes.iter().map(|one| one.seconds).sum::<f64>() / outcomes.len() as f64;
        let chosen = match outcomes[0].chosen {
            Some(_) => outcomes.iter().filter(|one| one.chosen.as_deref() == Some("gp")).count().to_string(),
            None => String::new(),
        };
        println!("| {} | {} | {shd} | {violated} | {seconds:.2} | {chosen} |", settings[tasks[0].0], tasks[0].1);
    }
    Ok(())
}

fn one(setting: &str, nodes: usize, samples: usize, estimator: &str, seed: u64) -> Result<Outcome, Failure> {
    let simulated_as = SimulateOptions { nodes: Some(nodes), samples, ..SimulateOptions::default() };
    let simulated = simulate(setting.parse()?, &simulated_as, Seed(seed))?;
    let (kind, options) = estimator.split_once(':').unwrap_or((estimator, ""));
    let mut chosen = vec![Assignment::parse(&format!("estimator={kind}"))?];
    for option in options.split('+').filter(|option| !option.is_empty()) {
        chosen.push(Assignment::parse(option)?);
    }
    let config = LearnerConfig::resolve("npvar", &chosen)?;
    let start = Instant::now();
    let learned = config.build()?.learn(&Input::new(&simulated.data), &Run::new(Seed(1)))?;
    let seconds = start.elapsed().as_secs_f64();
    let order: &Order = learned.order.as_ref().ok_or("NPVAR finds an order")?;
    let chosen = learned.diagnostics.iter().find(|diagnostic| diagnostic.code == "estimator-chosen");
    Ok(Outcome {
        shd: shd(&learned.graph, &simulated.truth) as f64,
        violated: order_recovery(order, &simulated.truth).violated_edges as f64,
        seconds,
        chosen: chosen.map(|chosen| if chosen.message.contains("is `gp`") { "gp" } else { "gam" }.to_owned()),
    })
}

fn summary(outcomes: &[Outcome], of: impl Fn(&Outcome) -> f64) -> String {
    let n = outcomes.len() as f64;
    let mean = outcomes.iter().map(&of).sum::<f64>() / n;
    let variance = outcomes.iter().map(|one| (of(one) - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
    format!("{mean:.2} ± {:.2}", (variance / n).sqrt())
}
