//! The verdict comes first, everywhere; warnings are lines, and `--explain` says the rest.

use serde_json::Value;

use crate::{Folder, csv, noise};

fn folder() -> Folder {
    let folder = Folder::new();
    let (a, b) = (noise(200, 1), noise(200, 2));
    let price = (0..200).map(|i| 300.0 * ((2.0 * a[i]).sin() + 0.4 * b[i])).collect();
    folder.write("units.csv", &csv(&["weight", "price"], &[a, price]));
    folder.simulate("s", "MC-SIN --nodes 4 --samples 500 --seed 1");
    folder
}

#[test]
fn believable_answers_say_what_would_leave_no_trace() {
    let folder = folder();
    let document = folder.npvar("learn s/data.csv --seed 1 --json").succeeded().json();
    let verdict = &document["verdict"];
    assert_eq!(verdict["level"], "believable");
    assert!(verdict["sentence"].as_str().unwrap().contains("hidden common causes"), "{verdict}");
    assert_eq!(verdict["next"], "npvar learn s/data.csv --bootstrap 200 --seed 1");
    let drawn = folder.npvar("learn s/data.csv --seed 1 --bootstrap 20 --json").succeeded().json();
    let sentence = drawn["verdict"]["sentence"].as_str().unwrap();
    assert!(sentence.contains("3 of 3 edges came back in at least half of 20 bootstrap samples"), "{sentence}");
}

#[test]
fn different_units_come_first_in_terminal_and_json() {
    let folder = folder();
    let document = folder.npvar("learn units.csv --seed 1 --json --quiet").succeeded().json();
    let verdict = &document["verdict"];
    assert_eq!(verdict["level"], "directions-doubtful");
    let sentence = verdict["sentence"].as_str().unwrap();
    assert!(sentence.starts_with("Directions doubtful: columns are in different units: `price` varies "), "{sentence}");
    assert!(sentence.contains("directions here follow the choice of units"), "{sentence}");
    assert_eq!(verdict["next"], "npvar learn units.csv --learner best-order --set noise=own --seed 1");
    let ran = folder.npvar("learn units.csv --seed 1").succeeded();
    assert!(ran.stdout.starts_with(sentence), "{ran:?}");
    assert_eq!(
        ran.stdout.lines().nth(1),
        Some("next: npvar learn units.csv --learner best-order --set noise=own --seed 1")
    );
    let drawn = folder.npvar("learn units.csv --seed 1 --bootstrap 5").succeeded();
    assert!(drawn.stdout.contains("frequencies do not answer the doubt about units"), "{drawn:?}");
    // For a learner that no unit changes there is nothing to say.
    let own = folder.npvar("learn units.csv --seed 1 --json --learner best-order --set noise=own").succeeded().json();
    let codes: Vec<&Value> = own["diagnostics"].as_array().unwrap().iter().map(|found| &found["code"]).collect();
    assert!(!codes.contains(&&"different-units".into()), "{codes:?}");
}

#[test]
fn too_few_samples_cannot_be_used() {
    let folder = Folder::new();
    let columns: Vec<Vec<f64>> = (0..6).map(|seed| noise(6, seed)).collect();
    folder.write("t.csv", &csv(&["a", "b", "c", "d", "e", "f"], &columns));
    let document = folder.npvar("learn t.csv --seed 1 --json").succeeded().json();
    assert_eq!(document["verdict"]["level"], "not-usable", "{}", document["verdict"]);
    assert_eq!(document["verdict"]["next"], Value::Null);
}

#[test]
fn warnings_are_lines_and_explain_says_the_rest() {
    let folder = folder();
    let brief = folder.npvar("learn units.csv --seed 1 --no-timing").succeeded();
    assert!(brief.stderr.lines().all(|line| line.len() < 200 && !line.contains("what to do")), "{brief:?}");
    let warnings = brief.stderr.lines().filter(|line| line.starts_with("warning: ")).count();
    let closing = brief.stderr.lines().last().unwrap();
    assert!(warnings > 0 && closing.contains(&format!("{warnings} warning")), "{brief:?}");
    assert!(closing.starts_with("1 edge, ") && closing.contains("(--explain says more)"), "{closing}");
    let full = folder.npvar("learn units.csv --seed 1 --no-timing --explain").succeeded();
    assert!(full.stderr.contains("what to do: "), "{full:?}");
    assert_eq!(full.stdout, brief.stdout);
}

#[test]
fn every_warning_that_is_counted_is_shown() {
    let tables = concat!(env!("CARGO_MANIFEST_DIR"), "/../../reference/tables/files");
    let folder = Folder::new();
    let before = |text: &str, what: &str| -> usize {
        let mut words = text.split(what).next().unwrap().split(' ');
        words
            .next_back()
            .and_then(|word| word.parse().ok())
            .unwrap_or_else(|| panic!("no number before `{what}`: {text}"))
    };
    for options in
        ["sklearn_diabetes.csv --bootstrap 20", "sklearn_wine.csv", "statsmodels_longley.csv", "plotly_tips.csv"]
    {
        let ran = folder.npvar(&format!("learn {tables}/{options} --seed 1 --no-timing")).succeeded();
        let shown = ran.stderr.lines().filter(|line| line.starts_with("warning: ")).count();
        let closing = ran.stderr.lines().last().unwrap();
        assert!(shown > 0 && before(closing, " warning") == shown, "{options}: {ran:?}");
        let verdict = ran.stdout.lines().next().unwrap();
        if verdict.contains(" further warning") {
            assert!(before(verdict, " further warning") < shown, "{options}: {ran:?}");
        }
    }
}

#[test]
fn colours_are_for_those_who_look() {
    let folder = folder();
    let plain = folder.npvar("learn units.csv --seed 1").succeeded();
    assert!(!plain.stdout.contains('\u{1b}') && !plain.stderr.contains('\u{1b}'));
    let forced = folder.npvar_in("learn units.csv --seed 1", &[("CLICOLOR_FORCE", "1")]).succeeded();
    assert!(forced.stdout.contains("\u{1b}[") && forced.stderr.contains("\u{1b}["), "{forced:?}");
}

#[test]
fn an_edge_list_has_a_row_for_every_edge_and_csv_stays_the_adjacency() {
    let folder = folder();
    folder.npvar("learn s/data.csv --seed 1 -o g.csv -o g.edges.csv -o g.adjacency.csv -o edges.csv").succeeded();
    assert_eq!(folder.read("edges.csv"), folder.read("g.edges.csv"));
    let list = folder.read("g.edges.csv");
    assert!(list.starts_with("from,to,kind,p_value,strength\n"), "{list}");
    assert_eq!(list.lines().count(), 4);
    assert_eq!(folder.read("g.csv"), folder.read("g.adjacency.csv"));
    folder.npvar("evaluate g.adjacency.csv --truth s/truth.csv").succeeded();
}

#[test]
fn slips_are_recognised() {
    let folder = folder();
    folder.npvar("learn s/data.csv --learner npavr").failed(2, &["did you mean `npvar`?"]).one_line();
    folder.npvar("learn s/data.csv --set cutof=0.1").failed(2, &["did you mean `cutoff`?"]).one_line();
    folder.npvar("learn s/data.csv --set estimator=gpp").failed(2, &["did you mean `gp`?"]).one_line();
    let flag = folder.npvar("learn s/data.csv --bootstrp 5");
    assert!(flag.code == Some(2) && flag.stderr.contains("--bootstrap"), "{flag:?}");
}

#[test]
fn a_list_of_columns_may_have_spaces() {
    let folder = folder();
    let ran =
        folder.npvar_words(&["learn", "s/data.csv", "--columns", "X1, X2 ,X3", "--seed", "1", "--json"]).succeeded();
    assert_eq!(ran.json()["nodes"], serde_json::json!(["X1", "X2", "X3"]));
}
