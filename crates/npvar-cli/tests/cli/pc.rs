//! The learner `pc` and background knowledge on the command line.

use serde_json::json;

use crate::{Folder, csv, noise};

/// a -> b -> c and a -> b <- e: a chain and a collider.
fn folder() -> Folder {
    let folder = Folder::new();
    let (a, e, u, v) = (noise(400, 1), noise(400, 2), noise(400, 3), noise(400, 4));
    let b: Vec<f64> = (0..400).map(|i| a[i] + e[i] + 0.5 * u[i]).collect();
    let c: Vec<f64> = b.iter().zip(&v).map(|(b, v)| b + v).collect();
    folder.write("t.csv", &csv(&["a", "b", "c", "e"], &[a, b, c, e]));
    folder
}

#[test]
fn a_collider_directs_what_lies_below_and_a_chain_stays_undirected() {
    let folder = folder();
    let document = folder.npvar("learn t.csv --learner pc --json --no-timing --seed 1").succeeded().json();
    let edges: Vec<(&str, &str, &str)> = document["edges"]
        .as_array()
        .unwrap()
        .iter()
        .map(|edge| ["from", "to", "kind"].map(|key| edge[key].as_str().unwrap()).into())
        .collect();
    assert_eq!(edges, [("a", "b", "directed"), ("b", "c", "directed"), ("e", "b", "directed")]);
    assert_eq!((&document["tests"], &document["order"]), (&json!(null), &json!(null)));
    assert_eq!(document["learner"]["test"], json!({"kind": "fisher-z"}));
    let document = folder.npvar("learn t.csv --learner pc --columns a,b,c --json --set test=hsic").succeeded().json();
    assert!(document["edges"].as_array().unwrap().iter().all(|edge| edge["kind"] == "undirected"));
}

#[test]
fn knowledge_directs_edges() {
    let folder = folder();
    folder.write("k.toml", "forbidden = [[\"c\", \"b\"]]\ntiers = [[\"a\"], [\"b\", \"c\"]]\n");
    let learn = "learn t.csv --columns a,b,c --knowledge k.toml --json";
    for learner in ["pc", "ges"] {
        let document = folder.npvar(&format!("{learn} --learner {learner}")).succeeded().json();
        let edges = document["edges"].as_array().unwrap();
        assert!(!edges.is_empty() && edges.iter().all(|edge| edge["kind"] == "directed"), "{learner}: {edges:?}");
    }
    let document = folder.npvar(learn).succeeded().json();
    let edges = document["edges"].as_array().unwrap();
    assert!(!edges.is_empty() && edges.iter().all(|edge| (&edge["from"], &edge["to"]) != (&json!("c"), &json!("b"))));
}

#[test]
fn knowledge_files_that_make_no_sense_are_explained() {
    let folder = folder();
    for (knowledge, part) in [
        ("required = [[\"a\", \"x\"]]", "there is no column `x`"),
        ("required = [[\"a\", \"b\"]]\nforbidden = [[\"a\", \"b\"]]", "is required and forbidden"),
        ("\nneeded = []", "k.toml, line 2: unknown field `needed`"),
        ("required = [[\"a\"]]", "k.toml, line 1"),
        ("tiers = [[", "k.toml, line 1"),
        ("required = [[\"a\", \"b\"]]\nroots = [\"b\"]", "k.toml: the edge `a` -> `b` is required, but `b` is a root"),
        ("required = [[\"a\", \"b\"], [\"b\", \"a\"]]", "`a` -> `b` -> `a` form a cycle"),
    ] {
        folder.write("k.toml", knowledge);
        folder.npvar("learn t.csv --knowledge k.toml").failed(2, &[part]).one_line();
    }
    folder.npvar("learn t.csv --learner pc --knowledge none.toml").failed(1, &["none.toml"]).one_line();
}
