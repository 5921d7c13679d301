//! The `npvar-graph/1` object and the files `learn` writes.

use serde_json::Value;

use crate::{Folder, csv, noise};

fn learned(arguments: &str) -> (Folder, Value) {
    let folder = Folder::new();
    folder.simulate("s", "ER-SIN-1 --nodes 6 --samples 300 --seed 3");
    let document = folder.npvar(&format!("learn s/data.csv --json {arguments}")).succeeded().json();
    (folder, document)
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

#[test]
fn the_object_has_the_keys_of_the_contract_in_their_order() {
    let (_folder, document) = learned("--seed 5");
    let expected = [
        "format",
        "verdict",
        "nodes",
        "edges",
        "tests",
        "order",
        "layers",
        "steps",
        "diagnostics",
        "learner",
        "seed",
        "version",
        "timing",
    ];
    assert_eq!(keys(&document), expected);
    assert_eq!(document["format"], "npvar-graph/1");
    assert_eq!(document["seed"], 5);
    assert_eq!(document["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(document["learner"]["algorithm"], "npvar");
    assert_eq!(document["learner"]["eta"], "node-by-node");
    assert_eq!(document["learner"]["cutoff"], 0.001);
    let edge = &document["edges"][0];
    assert_eq!(keys(edge), ["from", "to", "kind", "p_value", "strength", "frequency"]);
    assert_eq!((&edge["kind"], &edge["frequency"]), (&Value::from("directed"), &Value::Null));
    assert!(edge["p_value"].is_f64() && edge["strength"].is_f64());
    assert_eq!(keys(&document["tests"][0]), ["from", "to", "p_value", "statistic", "edf"]);
    assert_eq!(document["tests"].as_array().unwrap().len(), 6 * 5 / 2);
    assert_eq!(keys(&document["steps"][0]), ["given", "eta", "residual_variances"]);
    assert_eq!(document["steps"][0]["residual_variances"].as_object().unwrap().len(), 6);
    assert_eq!(document["layers"].as_array().unwrap().len(), 6);
    let timing = &document["timing"];
    assert_eq!(keys(timing), ["read_seconds", "order_seconds", "selection_seconds", "total_seconds"]);
    let seconds = |key: &str| timing[key].as_f64().unwrap();
    let parts = seconds("read_seconds") + seconds("order_seconds") + seconds("selection_seconds");
    assert!((parts - seconds("total_seconds")).abs() < 1e-6 && seconds("order_seconds") > 0.0);
}

#[test]
fn what_a_learner_has_not_is_null_and_timing_can_be_left_out() {
    let (_folder, document) = learned("--learner eqvar --set direction=bottom-up --no-timing --seed 1");
    assert_eq!((&document["layers"], &document["steps"]), (&Value::Null, &Value::Null));
    assert!(document.get("timing").is_none());
    let keys = keys(&document);
    assert!(keys.contains(&"layers") && keys.contains(&"steps"));
}

#[test]
fn a_run_without_a_seed_picks_one_and_reports_it() {
    let (folder, document) = learned("--no-timing");
    let seed = document["seed"].as_u64().unwrap();
    let again = folder.npvar(&format!("learn s/data.csv --json --no-timing --seed {seed}")).succeeded();
    assert_eq!(again.json(), document);
    let human = folder.npvar("learn s/data.csv").succeeded();
    assert!(human.stderr.contains("note: the seed was picked at random; --seed "), "{human:?}");
}

#[test]
fn every_output_format_is_written_and_read_back() {
    let (folder, _) = learned("--seed 1 -o g.json -o g.csv -o g.dot -o g.gv -o g.graphml");
    assert_eq!(folder.files(), ["g.csv", "g.dot", "g.graphml", "g.gv", "g.json", "s"]);
    for name in ["g.json", "g.csv", "g.dot", "g.gv", "g.graphml"] {
        let evaluation = folder.npvar(&format!("evaluate {name} --truth g.csv --json")).succeeded().json();
        assert_eq!(evaluation["shd"], 0, "{name}");
        assert!(evaluation["true_edges"].as_u64().unwrap() > 0);
        assert_eq!(evaluation["order"].is_object(), name == "g.json", "{name}");
    }
    let matrix = folder.read("g.csv");
    assert_eq!(matrix.lines().next(), Some("X1,X2,X3,X4,X5,X6"));
    assert!(matrix.lines().skip(1).all(|line| line.split(',').all(|entry| entry == "0" || entry == "1")));
}

#[test]
fn pictures_hold_the_same_graph_in_every_format() {
    let (folder, document) = learned("--seed 1 -o g.svg -o g.png -o g.PDF");
    let svg = folder.read("g.svg");
    let nodes = document["nodes"].as_array().expect("nodes");
    for node in nodes {
        assert!(svg.contains(&format!(">{}</text>", node.as_str().expect("a name"))), "{node}");
    }
    let edges = document["edges"].as_array().expect("edges").len();
    assert_eq!(svg.matches("<g><title>").count(), nodes.len() + edges);
    let bytes = |name: &str| std::fs::read(folder.path(name)).expect("a file");
    assert!(bytes("g.png").starts_with(b"\x89PNG") && bytes("g.PDF").starts_with(b"%PDF-1.5"));
}

#[test]
fn the_file_and_standard_output_hold_the_same_object() {
    let folder = Folder::new();
    folder.simulate("s", "MC-SIN --nodes 4 --samples 100 --seed 1");
    let ran = folder.npvar("learn s/data.csv --json --seed 1 -o g.json").succeeded();
    assert_eq!(folder.read("g.json"), ran.stdout);
}

#[test]
fn an_output_replaces_the_file_that_was_there() {
    let folder = Folder::new();
    folder.simulate("s", "MC-SIN --nodes 4 --samples 100 --seed 1");
    folder.write("g.dot", "something else");
    folder.npvar("learn s/data.csv --seed 1 -o g.dot").succeeded();
    assert!(folder.read("g.dot").starts_with("digraph {"));
}

#[test]
fn people_get_a_table_with_the_order_and_programs_can_ask_for_silence() {
    let folder = Folder::new();
    folder.simulate("s", "MC-SIN --nodes 3 --samples 500 --seed 2");
    let ran = folder.npvar("learn s/data.csv --seed 1").succeeded();
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert!(lines[0].starts_with("Believable: ") && lines[1].starts_with("next: npvar learn s/data.csv "), "{ran:?}");
    assert_eq!(lines[3], "2 edges between 3 nodes, from 500 samples", "{ran:?}");
    assert_eq!(lines[5], "  from      to  p-value  strength");
    assert!(lines.last().unwrap().starts_with("order: "), "{ran:?}");
    assert!(ran.stderr.starts_with("2 edges, 0 warnings; took "), "{ran:?}");
    assert!(!ran.stdout.contains('\u{1b}') && !ran.stderr.contains('\u{1b}'));
    let layered = folder.npvar("learn s/data.csv --seed 1 --quiet --set eta=100").succeeded();
    assert!(layered.stdout.contains("layers: X1, X2, X3"), "{layered:?}");
    assert_eq!(layered.stderr, "");
}

#[test]
fn a_reader_who_has_seen_enough_is_no_error() {
    let folder = Folder::new();
    folder.simulate("s", "ER-SIN-2 --nodes 40 --samples 200 --seed 1");
    // Nearly 800 tests make more output than a pipe holds; the reading end is closed at once.
    let mut child = std::process::Command::new(crate::binary())
        .args(["learn", "s/data.csv", "--json", "--seed", "1", "--quiet"])
        .current_dir(folder.path(""))
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), String::from_utf8(output.stderr).unwrap()), (Some(0), String::new()));
}

#[test]
fn control_characters_of_names_do_not_reach_the_terminal() {
    let folder = Folder::new();
    let names = ["red\u{1b}[31m", "bell\u{7}", "next\u{9b}2J"];
    folder.write("t.csv", &csv(&names, &[noise(60, 1), noise(60, 2), noise(60, 3)]));
    for command in
        ["learn t.csv --seed 1", "learn t.csv --seed 1 --set cutoff=0.9", "diagnose t.csv", "learn t.csv --columns x"]
    {
        let ran = folder.npvar(command);
        for text in [&ran.stdout, &ran.stderr] {
            assert!(!text.contains(|c: char| c.is_control() && c != '\n'), "{command}: {text:?}");
        }
        assert!((ran.stdout + &ran.stderr).contains("red\u{fffd}[31m"), "{command}");
    }
    // They are replaced while the table is read, which `intake` says.
    let document = folder.npvar("learn t.csv --seed 1 --json").succeeded().json();
    let shown = ["red\u{fffd}[31m", "bell\u{fffd}", "next\u{fffd}2J"];
    assert_eq!(document["nodes"], serde_json::json!(shown));
}
