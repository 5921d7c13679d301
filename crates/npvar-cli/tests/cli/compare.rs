//! `npvar compare`.

use crate::Folder;

fn table() -> Folder {
    let folder = Folder::new();
    folder.simulate("s", "ER-LIN-1 --nodes 4 --samples 200 --seed 3");
    folder
}

#[test]
fn the_object_has_the_keys_of_the_contract_and_equal_runs_give_equal_bytes() {
    let folder = table();
    let run = || folder.npvar("compare s/data.csv --json --seed 5 --no-timing --budget 30").succeeded();
    let ran = run();
    let document = ran.json();
    let keys: Vec<&str> = document.as_object().unwrap().keys().map(String::as_str).collect();
    let expected = [
        "format",
        "verdict",
        "chosen",
        "model",
        "nodes",
        "n",
        "learners",
        "models",
        "assumptions",
        "edges",
        "consensus",
        "voices",
        "diagnostics",
        "seed",
        "version",
    ];
    assert_eq!(keys, expected);
    assert_eq!((&document["format"], &document["seed"]), (&"npvar-compare/1".into(), &5.into()));
    let learner = &document["learners"][0];
    let keys: Vec<&str> = learner.as_object().unwrap().keys().map(String::as_str).collect();
    let expected = ["name", "learner", "assumes", "status", "edges", "held_out", "residuals", "sentence"];
    assert_eq!(keys, expected);
    let next = document["verdict"]["next"].as_str().unwrap();
    assert!(next.starts_with("npvar learn s/data.csv --learner "), "{next}");
    assert_eq!(run().stdout, ran.stdout);
    // What it advises works.
    folder.npvar(next.strip_prefix("npvar ").unwrap()).succeeded();
}

#[test]
fn the_page_names_the_chosen_learner_the_assumptions_and_the_votes() {
    let ran = table().npvar("compare s/data.csv --seed 5 --budget 30").succeeded();
    for words in
        ["Learners", "chosen", "direct-lingam", "Assumptions", "equal-variances: ", "Edges by votes", "Consensus of"]
    {
        assert!(ran.stdout.contains(words), "{words}\n{}", ran.stdout);
    }
}

#[test]
fn the_report_is_one_page_with_the_object_inside() {
    let folder = table();
    let ran = folder.npvar("compare s/data.csv --seed 5 --budget 30 --report r.html").succeeded();
    let page = folder.read("r.html");
    assert!(page.contains("npvar-compare/1") && page.contains("npvar compare s/data.csv --seed 5"));
    assert!(ran.stderr.contains("wrote r.html"), "{}", ran.stderr);
    let ran = folder.npvar("compare s/data.csv --report s/data.csv");
    assert!(ran.code == Some(1) && ran.stderr.contains("is read as"), "{}", ran.stderr);
}

#[test]
fn a_budget_is_a_time_and_a_table_has_columns() {
    let folder = table();
    assert_eq!(folder.npvar("compare s/data.csv --budget 0").code, Some(2));
    folder.write("one.csv", "a\n1\n2\n3\n");
    let ran = folder.npvar("compare one.csv");
    assert!(ran.code == Some(1) && ran.stderr.contains("at least two columns"), "{}", ran.stderr);
}

#[test]
fn auto_learns_with_the_chosen_learner_and_says_which() {
    let folder = table();
    let chosen = folder.npvar("compare s/data.csv --json --seed 5 --budget 30").succeeded().json()["chosen"].clone();
    let learned = folder.npvar("learn s/data.csv --learner auto --json --seed 5 --budget 30").succeeded().json();
    assert_eq!(learned["format"], "npvar-graph/1");
    let algorithm = learned["learner"]["algorithm"].as_str().unwrap();
    assert_eq!(chosen.as_str().unwrap().split(' ').next(), Some(algorithm));
    let diagnostic = &learned["diagnostics"][0];
    assert_eq!(diagnostic["code"], "chosen-learner");
    assert!(diagnostic["message"].as_str().unwrap().contains(algorithm), "{diagnostic}");
    for (options, word) in [("--set cutoff=0.1", "chooses the learner"), ("--order o.txt", "order")] {
        folder.write("o.txt", "X1 X2 X3 X4");
        let ran = folder.npvar(&format!("learn s/data.csv --learner auto {options}"));
        assert!(ran.code == Some(2) && ran.stderr.contains(word), "{}", ran.stderr);
    }
}
