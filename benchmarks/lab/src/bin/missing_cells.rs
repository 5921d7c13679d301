//! Cells that are missing at random: rows left out, cells imputed, and tests on the rows that have their columns.
//!
//! ```text
//! cargo run --release -p npvar-lab --bin missing_cells -- 20
//! ```
//!
//! The argument is the number of seeds (20). Ten columns, 300 rows; Erdős–Rényi graphs with one or two edges per node;
//! sines, Gaussian processes and lines. Two columns are whole; whether a cell of another is missing depends on the value of
//! one of these two in its row: its odds are those of the logistic curve, scaled to 5, 10 or 20 % on average. Prints
//! Markdown: the mean structural Hamming distance to the true graph, and its standard error over the seeds in brackets.

use std::io::Write;

use npvar::data::{Dataset, HeldColumn, Missing, ReadOptions, take_in};
use npvar::learner::{Input, LearnerConfig};
use npvar::metrics::shd;
use npvar::simulate::{SimulateOptions, Simulated, simulate};
use npvar::{Run, Seed};
use rand::RngExt;

type Failure = Box<dyn std::error::Error>;

const NODES: usize = 10;
const ROWS: usize = 300;
/// A learner's setting, and the ways in which it takes missing cells.
const CASES: [(&str, &str, &[Missing]); 7] = [
    ("npvar", "ER-SIN-2", &[Missing::Auto, Missing::DropRows]),
    ("npvar", "ER-AGP-2", &[Missing::Auto, Missing::DropRows]),
    ("npvar", "ER-LIN-2", &[Missing::Auto, Missing::DropRows]),
    ("pc", "ER-LIN-1", &[Missing::Auto, Missing::DropRows, Missing::Pairwise, Missing::Impute]),
    ("pc", "ER-LIN-2", &[Missing::Auto, Missing::DropRows, Missing::Pairwise, Missing::Impute]),
    ("ges", "ER-LIN-1", &[Missing::Auto, Missing::DropRows, Missing::Pairwise, Missing::Impute]),
    ("ges", "ER-LIN-2", &[Missing::Auto, Missing::DropRows, Missing::Pairwise, Missing::Impute]),
];

fn main() -> Result<(), Failure> {
    let seeds: u64 = std::env::args().nth(1).map_or(Ok(20), |text| text.parse())?;
    let mut out = std::io::stdout();
    writeln!(
        out,
        "| learner | data | missing | complete rows | nothing missing | auto | drop-rows | pairwise | impute |"
    )?;
    writeln!(out, "|---|---|---:|---:|---:|---:|---:|---:|---:|")?;
    for (learner, setting, ways) in CASES {
        let config = LearnerConfig::resolve(learner, &[])?;
        for share in [0.05, 0.1, 0.2] {
            let (mut whole, mut complete) = (Vec::new(), Vec::new());
            let mut wrong: Vec<Vec<f64>> = vec![Vec::new(); ways.len()];
            for seed in 1..=seeds {
                let options = SimulateOptions { nodes: Some(NODES), samples: ROWS, ..Default::default() };
                let simulated = simulate(setting.parse()?, &options, Seed(seed))?;
                whole.push(distance(&config, &simulated.data, &simulated, seed)?);
                let columns = with_gaps(&simulated.data, share, Seed(seed));
                complete
                    .push((0..ROWS).filter(|&row| columns.iter().all(|column| !column[row].is_nan())).count() as f64);
                let held: Vec<HeldColumn<'_>> = columns.iter().map(|column| HeldColumn::Numbers(column)).collect();
                for (wrong, &missing) in wrong.iter_mut().zip(ways) {
                    let options = config.reading(ReadOptions { missing, ..ReadOptions::default() });
                    let loaded = take_in(simulated.data.names(), &held, &options)?;
                    wrong.push(distance(&config, &loaded.data, &simulated, seed)?);
                }
            }
            let of = |missing: Missing| {
                ways.iter().position(|&way| way == missing).map_or_else(|| "–".to_owned(), |way| mean(&wrong[way]))
            };
            writeln!(
                out,
                "| {learner} | {setting} | {:.0} % | {:.0} | {} | {} | {} | {} | {} |",
                100.0 * share,
                complete.iter().sum::<f64>() / seeds as f64,
                mean(&whole),
                of(Missing::Auto),
                of(Missing::DropRows),
                of(Missing::Pairwise),
                of(Missing::Impute)
            )?;
        }
    }
    Ok(())
}

fn mean(values: &[f64]) -> String {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0);
    format!("{mean:.2} ({:.2})", (variance / n).sqrt())
}

fn distance(config: &LearnerConfig, data: &Dataset, simulated: &Simulated, seed: u64) -> Result<f64, Failure> {
    let learned = config.build()?.learn(&Input::new(data), &Run::new(Seed(seed)))?;
    assert_eq!(learned.names, simulated.data.names(), "no column is left out");
    Ok(shd(&learned.graph, &simulated.truth) as f64)
}

/// The columns with NaN in place of what is missing.
fn with_gaps(data: &Dataset, share: f64, seed: Seed) -> Vec<Vec<f64>> {
    let mut rng = seed.child("gaps", 0).rng();
    let whole = [rng.random_range(0..NODES / 2), rng.random_range(NODES / 2..NODES)];
    let mut columns = Vec::new();
    for node in 0..NODES {
        let mut column = data.column(node).to_vec();
        if !whole.contains(&node) {
            let by = data.column(whole[rng.random_range(0..2)]);
            let mean = by.iter().sum::<f64>() / ROWS as f64;
            let deviation = (by.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / ROWS as f64).sqrt();
            let odds: Vec<f64> = by.iter().map(|value| 1.0 / (1.0 + ((mean - value) / deviation).exp())).collect();
            let scale = share * ROWS as f64 / odds.iter().sum::<f64>();
            for (value, odd) in column.iter_mut().zip(odds) {
                if rng.random_range(0.0..1.0) < odd * scale {
                    *value = f64::NAN;
                }
            }
        }
        columns.push(column);
    }
    columns
}
