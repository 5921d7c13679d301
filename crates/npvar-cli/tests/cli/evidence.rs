//! `learn --bootstrap` and `--evidence`.

use serde_json::Value;

use crate::Folder;

fn folder() -> Folder {
    let folder = Folder::new();
    folder.simulate("s", "MC-SIN --nodes 5 --samples 300 --seed 1");
    folder
}

#[test]
fn bootstrap_adds_frequencies_places_and_a_consensus() {
    let folder = folder();
    let document = folder.npvar("learn s/data.csv --json --seed 1 --bootstrap 30").succeeded().json();
    let bootstrap = &document["bootstrap"];
    assert_eq!((&bootstrap["replicates"], &bootstrap["failed"]), (&Value::from(30), &Value::from(0)));
    assert_eq!((&bootstrap["resampling"], &bootstrap["position"]), (&"with-replacement".into(), &"layer".into()));
    for edge in document["edges"].as_array().unwrap() {
        let same = |other: &&Value| ["from", "to", "kind"].iter().all(|key| other[key] == edge[key]);
        let listed = bootstrap["edges"].as_array().unwrap().iter().find(same);
        assert_eq!(edge["frequency"], listed.map_or(Value::from(0.0), |other| other["frequency"].clone()));
    }
    for (node, shares) in bootstrap["positions"].as_object().unwrap() {
        let sum: f64 = shares.as_array().unwrap().iter().map(|share| share.as_f64().unwrap()).sum();
        assert!((sum - 1.0).abs() < 1e-12, "{node}: {sum}");
    }
    // A chain is found every time.
    assert!(bootstrap["consensus"].as_array().unwrap().len() >= 4);
    assert!(document["timing"]["evidence_seconds"].as_f64().unwrap() > 0.0);
}

#[test]
fn evidence_has_a_curve_for_every_edge_and_an_error_for_every_residual_variance() {
    let folder = folder();
    let document = folder.npvar("learn s/data.csv --json --seed 1 --evidence --no-timing").succeeded().json();
    assert!(document.get("bootstrap").is_none());
    let edges = document["edges"].as_array().unwrap();
    assert_eq!(document["curves"].as_array().unwrap().len(), edges.len());
    assert_eq!(document["curve_model"]["origin"], "learner");
    let curve = &document["curves"][0];
    for key in ["x", "fit", "lower", "upper"] {
        assert_eq!(curve[key].as_array().unwrap().len(), 60, "{key}");
    }
    for step in document["steps"].as_array().unwrap() {
        let [variances, errors] = ["residual_variances", "standard_errors"].map(|key| step[key].as_object().unwrap());
        assert!(variances.keys().eq(errors.keys()));
        assert!(errors.values().all(|error| error.as_f64().unwrap() > 0.0));
    }
    let margin = &document["steps"][0]["margin"];
    assert_eq!(margin["winner"], document["order"][0]);
    assert!(margin["lead"].as_f64().unwrap() > 0.0 && margin["standard_error"].as_f64().unwrap() > 0.0);
}

#[test]
fn without_being_asked_nothing_is_added() {
    let document = folder().npvar("learn s/data.csv --json --seed 1").succeeded().json();
    for key in ["bootstrap", "curves", "curve_model", "residual_model"] {
        assert!(document.get(key).is_none(), "{key}");
    }
}

#[test]
fn bootstrap_gives_the_same_bytes_on_one_thread_and_two() {
    let folder = folder();
    for options in ["", "--resampling half", "--learner pc", "--set split=half"] {
        let learn = |threads: usize| {
            let fixed = "learn s/data.csv --json --no-timing --seed 7 --bootstrap 8";
            folder.npvar(&format!("{fixed} --threads {threads} {options}")).succeeded().stdout
        };
        assert!(learn(1) == learn(2), "{options}");
    }
}

#[test]
fn the_table_shows_frequencies_and_copies_are_warned_about() {
    let folder = folder();
    let ran = folder
        .npvar("learn s/data.csv --seed 1 --bootstrap 5 --explain --set residual-variance=cross-fitted")
        .succeeded();
    assert!(ran.stdout.contains("frequency") && ran.stdout.contains("not how likely"), "{ran:?}");
    assert!(ran.stderr.contains("--resampling half"), "{ran:?}");
}

#[test]
fn wrong_numbers_and_ways_are_refused() {
    let folder = folder();
    for (options, expected) in [
        ("--bootstrap 0", "`bootstrap` must be between 1 and 100000, got 0"),
        ("--bootstrap 5 --resampling twice", "expected `with-replacement` or `half`"),
        ("--resampling half", "--bootstrap"),
    ] {
        let ran = folder.npvar(&format!("learn s/data.csv {options}"));
        assert!(ran.stderr.contains(expected), "{options}: {ran:?}");
    }
}
