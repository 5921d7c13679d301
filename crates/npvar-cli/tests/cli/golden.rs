//! `--set preset=reference` gives the order and edges of the published R code.

use std::path::Path;

use serde_json::Value;

use crate::Folder;

#[test]
fn the_reference_preset_repeats_the_published_code() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../reference/r");
    let folder = Folder::new();
    for name in ["ER-SIN-4_d10", "MC-AGP_d20", "SF-NGP-4_d10", "ER-AGP-1_d5", "MC-GLM_d10", "camfail-sin_n1000"] {
        let text = std::fs::read_to_string(golden.join(format!("npvar/{name}.json"))).unwrap();
        let expected: Value = serde_json::from_str(&text).unwrap();
        let data = golden.join(format!("datasets/{name}.csv"));
        let arguments = format!("learn {} --set preset=reference --json --seed 1", data.display());
        let document = folder.npvar(&arguments).succeeded().json();

        let nodes: Vec<&str> = document["nodes"].as_array().unwrap().iter().map(|n| n.as_str().unwrap()).collect();
        let position = |name: &Value| nodes.iter().position(|&node| name == node).unwrap();
        let order: Vec<usize> = document["order"].as_array().unwrap().iter().map(|name| 1 + position(name)).collect();
        assert_eq!(serde_json::json!(order), expected["naive"]["order"], "{name}");

        let mut adjacency = vec![vec![0; nodes.len()]; nodes.len()];
        for edge in document["edges"].as_array().unwrap() {
            adjacency[position(&edge["from"])][position(&edge["to"])] = 1;
        }
        assert_eq!(serde_json::json!(adjacency), expected["prune"]["adj"], "{name}");
    }
}
