//! What is known beforehand: tiers, edges that must or cannot be there. Every learner respects it.
//!
//! ```text
//! cargo run --release -p npvar --example background_knowledge
//! ```

use npvar::graph::{Knowledge, WrittenKnowledge};
use npvar::learner::{Input, LearnerConfig};
use npvar::metrics::shd;
use npvar::simulate::{SimulateOptions, simulate};
use npvar::{Result, Run, Seed};

fn main() -> Result<()> {
    // Few samples, so that there is something to gain.
    let options = SimulateOptions { nodes: Some(8), samples: 60, ..Default::default() };
    let simulated = simulate("ER-SIN-1".parse()?, &options, Seed(4))?;
    let names = simulated.data.names();

    // As in a knowledge file: the first nodes of the true order were measured before the others, and one edge is known.
    let order = simulated.truth.order().nodes().iter().map(|&node| names[node].clone());
    let order: Vec<String> = order.collect();
    let known = simulated.truth.edges().first().map(|&(from, to)| [names[from].clone(), names[to].clone()]);
    let written = WrittenKnowledge {
        tiers: vec![order[..4].to_vec(), order[4..].to_vec()],
        required: known.into_iter().collect(),
        ..Default::default()
    };
    // Names are looked up here, and pieces that contradict each other are refused.
    let knowledge = Knowledge::new(names, &written)?;

    for name in ["npvar", "pc"] {
        let learner = LearnerConfig::resolve(name, &[])?.build()?;
        let alone = learner.learn(&Input::new(&simulated.data), &Run::new(Seed(1)))?;
        let informed = Input { knowledge: Some(&knowledge), ..Input::new(&simulated.data) };
        let informed = learner.learn(&informed, &Run::new(Seed(1)))?;
        println!(
            "{name}: structural Hamming distance {} alone, {} with what is known",
            shd(&alone.graph, &simulated.truth),
            shd(&informed.graph, &simulated.truth)
        );
    }
    Ok(())
}
