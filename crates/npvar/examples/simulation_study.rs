//! A small study: how often three learners find the true order, and how far their graphs are from the truth, as samples grow.
//!
//! ```text
//! cargo run --release -p npvar --example simulation_study
//! ```
//!
//! For studies that run for hours there is `npvar study`, which reads a plan from a file, measures memory and time, goes on
//! where it was stopped, and draws the figures.

use npvar::graph::Order;
use npvar::learner::{Input, LearnerConfig};
use npvar::metrics::{order_recovery, shd};
use npvar::simulate::{SimulateOptions, simulate};
use npvar::{Result, Run, Seed};

const LEARNERS: [&str; 3] = ["npvar", "eqvar", "cam"];
const DATA_SETS: u64 = 10;

fn main() -> Result<()> {
    println!("{:<8} {:>7} {:>12} {:>9}", "learner", "samples", "right orders", "mean SHD");
    for samples in [100, 300, 1000] {
        for name in LEARNERS {
            let learner = LearnerConfig::resolve(name, &[])?.build()?;
            let (mut right, mut distance) = (0, 0);
            for seed in 0..DATA_SETS {
                // The same seed gives every learner the same graph and the same data.
                let options = SimulateOptions { nodes: Some(6), samples, ..Default::default() };
                let simulated = simulate("ER-SIN-1".parse()?, &options, Seed(seed))?;
                let learned = learner.learn(&Input::new(&simulated.data), &Run::new(Seed(seed)))?;
                let found = |order: &Order| order_recovery(order, &simulated.truth).recovered;
                right += usize::from(learned.order.as_ref().is_some_and(found));
                distance += shd(&learned.graph, &simulated.truth);
            }
            println!("{name:<8} {samples:>7} {right:>9}/{DATA_SETS} {:>9.1}", distance as f64 / DATA_SETS as f64);
        }
    }
    Ok(())
}
