//! How soon every learner hears a wish to stop: the longest time between two questions whether to go on, and from a stop to the
//! end, in CPU seconds on one thread. Reasons to doubt the graph and curves are asked for too.
//!
//! ```text
//! cargo run --release -p npvar-lab --bin stopping -- seconds=20
//! ```
//!
//! Each run is stopped after so many CPU seconds. `only=TEXT` keeps the runs whose lines hold the text. Linux.

#[path = "../../../../crates/npvar/tests/npvar/learners/silence.rs"]
mod silence;

use npvar::Seed;
use npvar::learner::{Assignment, LEARNERS, LearnerConfig};
use npvar::simulate::{SimulateOptions, simulate};

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Columns and rows.
const TABLES: [(usize, usize); 4] = [(2000, 500), (300, 1000), (5, 1_000_000), (5, 3000)];
/// Options that reach what defaults do not.
const OPTIONS: [(&str, &str); 11] = [
    ("npvar", "estimator=gp"),
    ("npvar", "estimator=forest"),
    ("npvar", "estimator=mlp"),
    ("npvar", "estimator.smoothing=gcv"),
    ("npvar", "residual-variance=cross-fitted"),
    ("resit", "estimator=gp"),
    ("pc", "test=kci"),
    ("pc", "test=hsic"),
    ("pc", "test=rcot"),
    ("best-order", "score=gaussian-process"),
    ("best-order", "score=linear"),
];

fn main() -> Result<(), Failure> {
    let (mut seconds, mut only) = (20.0, String::new());
    for argument in std::env::args().skip(1) {
        match argument.split_once('=') {
            Some(("seconds", value)) => seconds = value.parse()?,
            Some(("only", value)) => only = value.to_owned(),
            _ => return Err(format!("unknown option `{argument}`").into()),
        }
    }
    println!("| columns × rows | learner | CPU s | questions | longest silence | stop to end |");
    println!("|---|---|---:|---:|---:|---:|");
    for (nodes, samples) in TABLES {
        let plain = LEARNERS.iter().map(|learner| (learner.name, ""));
        let mut data = None;
        for (name, setting) in plain.chain(OPTIONS) {
            let title = format!("| {nodes} × {samples} | `{}` |", format!("{name} {setting}").trim_end());
            if !title.contains(&only) {
                continue;
            }
            let data = data.get_or_insert_with(|| {
                let options = SimulateOptions { nodes: Some(nodes), samples, ..SimulateOptions::default() };
                let setting = "ER-LIN-2".parse().expect("it is one of the settings");
                simulate(setting, &options, Seed(1)).expect("the options are within their ranges").data
            });
            let set = if setting.is_empty() { Vec::new() } else { vec![Assignment::parse(setting)?] };
            let config = LearnerConfig::resolve(name, &set)?;
            let found = silence::silence(&config, data, seconds);
            println!("{title} {:.1} | {} | {:.2} | {} |", found.seconds, found.questions, found.longest, found.end);
        }
    }
    Ok(())
}
