//! Tables that come with the program: the protein signalling data of Sachs et al. 2005, and simulated sets of the paper.

use npvar::Seed;
use npvar::data::write_csv;
use npvar::graph::{Dag, NamedGraph};
use npvar::simulate::{SimulateOptions, simulate};
use serde_json::{Value, json};

use super::failure::Failure;
use super::uploads::{Upload, Uploads};

/// `log(x + 10)` of the measurements, unchanged from the public repository `cmu-phil/example-causal-datasets` (CC0 1.0).
const SACHS: &str = include_str!("../../examples/sachs.txt");
/// The consensus network as that repository states it.
const CONSENSUS: &str = include_str!("../../examples/sachs-consensus.txt");

const SACHS_NOTE: &str = "7466 cells, 11 proteins, log(x + 10) of what was measured. The cells come from several experiments \
    in which proteins were activated or inhibited, pooled here as if they were one: the assumptions of every learner for \
    observational data fail, and the residual variances are not equal. The consensus network is what biologists held to be \
    known in 2005, not a measured truth, and signalling in cells has feedback, which no DAG shows. Agreement with it shows little, \
    disagreement no error.";

/// A simulated set: its setting, nodes, and what it is for.
const SIMULATED: &[(&str, usize, &str)] = &[
    ("ER-SIN-1", 10, "sums of sines on a sparse random graph: every method that can bend finds most of it"),
    ("ER-AGP-4", 10, "smooth additive effects on a dense random graph"),
    ("SF-SIN-4", 20, "sums of sines on a scale-free graph of 20 nodes"),
    ("ER-NGP-2", 10, "effects that are not additive: the additive model misses edges"),
    ("MC-GLM", 10, "a chain of binary columns"),
    ("ER-LIN-2", 10, "linear effects of equal noise"),
];
const SAMPLES: usize = 1000;
const SEED: u64 = 1;

/// The list for the page.
pub(super) fn list() -> Value {
    let mut list = vec![
        json!({"name": "sachs", "about": "protein signalling in cells (Sachs et al. 2005), with a consensus network"}),
    ];
    list.extend(SIMULATED.iter().map(|(name, nodes, about)| {
        json!({"name": name, "about": format!("{about}; {nodes} nodes, {SAMPLES} samples, simulated")})
    }));
    list.into()
}

/// Makes the example called `name` into a table.
pub(super) fn table(name: &str, uploads: &Uploads) -> Result<Upload, Failure> {
    if name == "sachs" {
        let mut table = uploads.fresh("sachs.txt")?;
        uploads.write(&table, SACHS.as_bytes())?;
        table.truth = Some((
            "the consensus network".to_owned(),
            consensus().ok_or_else(|| Failure::internal("the consensus network"))?,
        ));
        table.note = Some(SACHS_NOTE.to_owned());
        return Ok(table);
    }
    let Some((setting, nodes, about)) = SIMULATED.iter().find(|(setting, ..)| *setting == name) else {
        return Err(Failure::not_found());
    };
    let options = SimulateOptions { nodes: Some(*nodes), samples: SAMPLES, ..SimulateOptions::default() };
    let made = setting.parse().and_then(|setting| simulate(setting, &options, Seed(SEED)));
    let made = made.map_err(Failure::internal)?;
    let mut table = uploads.fresh(&format!("{setting}.csv"))?;
    let mut text = Vec::new();
    write_csv(&made.data, &mut text).map_err(Failure::internal)?;
    uploads.write(&table, &text)?;
    let truth = NamedGraph::from_dag(made.data.names().to_vec(), &made.truth).map_err(Failure::internal)?;
    table.truth = Some(("the truth".to_owned(), truth));
    table.note = Some(format!("Simulated, so that the graph is known ({setting}, seed {SEED}): {about}."));
    table.made_by =
        Some(format!("npvar simulate {setting} --nodes {nodes} --samples {SAMPLES} --seed {SEED} --out {setting}"));
    Ok(table)
}

/// Reads lines like `3. pip2 --> pkc`.
fn consensus() -> Option<NamedGraph> {
    let names: Vec<String> = CONSENSUS.lines().nth(1)?.trim().split(';').map(str::to_owned).collect();
    let node = |name: &str| names.iter().position(|known| known == name.trim());
    let pair = |line: &str| {
        let (from, to) = line.split_once("-->")?;
        Some((node(from.split_once('.')?.1)?, node(to)?))
    };
    let edges: Vec<(usize, usize)> = CONSENSUS.lines().filter_map(pair).collect();
    let dag = Dag::from_edges(names.len(), edges).ok()?;
    NamedGraph::from_dag(names, &dag).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::Limits;

    #[test]
    fn the_consensus_network_has_its_twenty_edges() {
        assert_eq!(consensus().unwrap().edges().len(), 20);
    }

    #[test]
    fn every_example_listed_can_be_made() {
        let folder = tempfile::tempdir().unwrap();
        let uploads = Uploads::new(folder.path(), Limits::default()).unwrap();
        for example in list().as_array().unwrap() {
            let name = example["name"].as_str().unwrap();
            let table = table(name, &uploads).unwrap();
            assert!(table.path.exists() && table.truth.is_some() && table.note.is_some(), "{name}");
        }
        assert!(table("../sachs", &uploads).is_err());
    }
}
