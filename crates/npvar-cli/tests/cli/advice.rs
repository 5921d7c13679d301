//! Advice is followed as it stands: every option that a diagnostic names, and every next command of a verdict, runs.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use crate::reading::to_parquet;
use crate::{Folder, csv, noise};

const ROWS: usize = 150;

/// A column made of others.
fn made(rows: usize, of: impl Fn(usize) -> f64) -> Vec<f64> {
    (0..rows).map(of).collect()
}

/// Tables that deserve a warning, and learners whose advice may differ.
fn tables(folder: &Folder) -> Vec<(&'static str, &'static [&'static str])> {
    let draws: Vec<Vec<f64>> = (0..10).map(|seed| noise(ROWS, 20 + seed)).collect();
    let [a, b, c] = [&draws[0], &draws[1], &draws[2]];
    let scaled = |column: &[f64], factor: f64| column.iter().map(|x| factor * x).collect::<Vec<_>>();
    let standardised = |column: &[f64]| {
        let mean = column.iter().sum::<f64>() / column.len() as f64;
        let spread = (column.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / column.len() as f64).sqrt();
        column.iter().map(|x| (x - mean) / spread).collect::<Vec<_>>()
    };
    let sine = made(ROWS, |i| (2.0 * a[i]).sin() + 0.3 * b[i]);
    let write = |name: &str, names: &[&str], columns: &[Vec<f64>]| folder.write(name, &csv(names, columns));
    write("units.csv", &["weight", "price", "age"], &[scaled(a, 0.01), scaled(&sine, 400.0), c.clone()]);
    let [x, y, z] = [a, &sine, c].map(|column| standardised(column));
    write("standardised.csv", &["x", "y", "z"], &[x.clone(), y.clone(), z.clone()]);
    write("partly.csv", &["x", "y", "z", "target"], &[x, y, z, scaled(b, 30.0)]);
    let product = made(ROWS, |i| 2.0 * a[i] * b[i] + a[i] + b[i] + 0.3 * c[i]);
    write("product.csv", &["a", "b", "y"], &[a.clone(), b.clone(), product]);
    write(
        "unequal.csv",
        &["a", "b", "y"],
        &[a.clone(), scaled(b, 4.0), made(ROWS, |i| (a[i] + b[i]).sin() + 0.1 * c[i])],
    );
    let again = made(ROWS, |i| a[i] + 0.02 * c[i]);
    write("near.csv", &["first one", "second one", "c"], &[a.clone(), again, sine.clone()]);
    write(
        "tails.csv",
        &["a", "b", "y"],
        &[a.clone(), made(ROWS, |i| b[i].powi(5)), made(ROWS, |i| b[i] + c[i].powi(7))],
    );
    let mut walk = 0.0;
    let series = made(ROWS, |i| i as f64 * 0.01).iter().zip(c).map(|(t, e)| t + e).collect::<Vec<_>>();
    let walked = (0..ROWS)
        .map(|i| {
            walk += b[i];
            walk
        })
        .collect();
    write("series.csv", &["a", "walk", "trend"], &[a.clone(), walked, series]);
    let names: Vec<String> = (0..10).map(|j| format!("x{j}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let first = |rows: usize| draws.iter().map(|column| column[..rows].to_vec()).collect::<Vec<_>>();
    write("few.csv", &names, &first(30));
    write("ancestors.csv", &names, &first(100));
    write("fewest.csv", &names, &first(9));
    let constant = vec![5.0; ROWS];
    let index = made(ROWS, |i| i as f64);
    write(
        "useless.csv",
        &["id", "a", "same", "copy", "line", "y"],
        &[index, a.clone(), constant, a.clone(), made(ROWS, |i| 2.0 * a[i] + 1.0), sine],
    );
    to_parquet(folder, "useless.csv", "useless.parquet");
    folder.write("numbers.csv", &csv(&["1", "2"], &[a.clone(), b.clone()]));
    // One cell in five, and two columns that are never there together.
    let with_gaps = |lacks: &dyn Fn(usize, usize) -> bool| {
        let cell = |i: usize, j: usize| if lacks(i, j) { "NA".to_owned() } else { draws[j][i].to_string() };
        let row = |i: usize| format!("{},{},{}\n", cell(i, 0), cell(i, 1), cell(i, 2));
        format!("a,b,c\n{}", (0..ROWS).map(row).collect::<String>())
    };
    folder.write("gaps.csv", &with_gaps(&|i, j| (i * 7 + j * 3) % 5 == 0));
    folder.write("apart.csv", &with_gaps(&|i, j| j < 2 && i % 2 == j && i < 140 + 4 * j));
    const ORDERED: &[&str] = &["npvar", "eqvar", "cam", "score", "best-order"];
    const ALL: &[&str] =
        &["npvar", "eqvar", "cam", "score", "best-order", "pc", "ges", "notears", "gds", "var-sort-regress"];
    vec![
        ("units.csv", ALL),
        ("standardised.csv", ALL),
        ("partly.csv", ORDERED),
        ("product.csv", ALL),
        ("unequal.csv", ORDERED),
        ("near.csv", &["npvar", "pc"]),
        ("tails.csv", ORDERED),
        ("series.csv", ORDERED),
        ("few.csv", ORDERED),
        ("ancestors.csv", &["npvar", "eqvar"]),
        ("fewest.csv", &["npvar", "ges"]),
        ("useless.csv", &["npvar", "pc"]),
        ("useless.parquet", &["npvar", "pc"]),
        ("gaps.csv", &["npvar", "pc", "ges"]),
        ("apart.csv", &["pc"]),
        ("numbers.csv", &["npvar"]),
    ]
}

/// The options that a text names.
fn options(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2).filter(|span| span.starts_with("--"))
}

/// The words that a shell makes of a command.
fn words(command: &str) -> Vec<String> {
    let (mut words, mut inside, mut letters) = (vec![String::new()], false, command.chars());
    while let Some(letter) = letters.next() {
        match letter {
            '\'' => inside = !inside,
            '\\' if !inside => words.last_mut().unwrap().extend(letters.next()),
            ' ' if !inside => words.push(String::new()),
            letter => words.last_mut().unwrap().push(letter),
        }
    }
    words
}

/// The command with the options of an advice: what was said of the same thing before gives way.
fn followed(file: &str, learner: &str, advice: &str) -> Vec<String> {
    let mut command = words(&format!("npvar learn {file} {advice} --seed 1"));
    if !advice.contains("--learner") {
        command.extend(["--learner".to_owned(), learner.to_owned()]);
    }
    if advice.contains("--resampling") {
        command.extend(["--bootstrap".to_owned(), "4".to_owned()]);
    }
    command
}

#[test]
fn every_option_that_a_diagnostic_names_and_every_next_command_runs() {
    let folder = Folder::new();
    let (mut commands, mut codes) = (BTreeSet::new(), BTreeSet::new());
    for (file, learners) in tables(&folder) {
        for learner in learners {
            let arguments = format!("learn {file} --learner {learner} --seed 1 --json --quiet");
            let document = folder.npvar(&arguments).succeeded().json();
            for diagnostic in document["diagnostics"].as_array().unwrap() {
                let text = |key: &str| diagnostic[key].as_str().unwrap_or_default().to_owned();
                codes.insert(text("code"));
                let advice = [text("message"), text("advice")];
                commands.extend(
                    advice.iter().flat_map(|text| options(text)).map(|options| followed(file, learner, options)),
                );
            }
            if let Value::String(next) = &document["verdict"]["next"] {
                commands.insert(words(next));
            }
        }
    }
    for code in [
        "different-units",
        "partly-standardised",
        "standardised-data",
        "unequal-residual-variances",
        "non-additive",
        "near-duplicate-columns",
        "heavy-tails",
        "time-ordered-rows",
        "few-samples-for-ancestors",
        "more-coefficients-than-samples",
        "few-samples",
        "small-sample",
        "constant-column",
        "duplicate-columns",
        "affine-columns",
        "identifier-column",
        "values-imputed",
        "values-skipped",
        "few-complete-rows",
    ] {
        assert!(codes.contains(code), "no table deserves `{code}`: {codes:?}");
    }
    assert!(commands.len() > 40, "{}", commands.len());
    for command in commands {
        let command: Vec<&str> = command[1..].iter().map(String::as_str).collect();
        folder.npvar_words(&command).succeeded();
    }
}

#[test]
fn pc_is_not_advised_to_change_an_estimator_it_has_not() {
    let folder = Folder::new();
    tables(&folder);
    let joint = "--learner best-order --set score=gaussian-process";
    for (learner, advised) in [("npvar", joint), ("pc", "--set test=kci"), ("cam", "--learner score")] {
        let document =
            folder.npvar(&format!("learn product.csv --learner {learner} --seed 1 --json")).succeeded().json();
        let found = document["diagnostics"].as_array().unwrap();
        let advice = found.iter().find(|one| one["code"] == "non-additive").map(|one| one["advice"].to_string());
        let advice = advice.unwrap_or_else(|| panic!("{learner}: {found:?}"));
        assert!(advice.contains(advised), "{learner}: {advice}");
        assert!(advice.contains("seconds") || advice.contains("about "), "no time: {advice}");
    }
}

/// What the messages in the sources name between backquotes that begins with `begin`; what a message fills in is `x`.
fn named_in_sources(begin: &str) -> BTreeSet<String> {
    fn gather(folder: &Path, begin: &str, spans: &mut BTreeSet<String>) {
        for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() {
                gather(&entry, begin, spans);
            } else if entry.extension().is_some_and(|extension| extension == "rs") {
                let text = std::fs::read_to_string(&entry).unwrap();
                let text = text.split("#[cfg(test)]").next().unwrap();
                let lines = text.lines().map(str::trim_start).filter(|line| !line.starts_with("//"));
                let text: String = lines.map(|line| line.strip_suffix('\\').unwrap_or(line)).collect();
                let named = text.split('`').skip(1).step_by(2).filter(|span| span.starts_with(begin));
                spans.extend(named.map(|span| {
                    let parts = span.split('{').map(|part| part.split_once('}').map_or(part, |(_, rest)| rest));
                    parts.collect::<Vec<_>>().join("x")
                }));
            }
        }
    }
    let mut spans = BTreeSet::new();
    for name in ["npvar", "npvar-cli", "npvar-web", "npvar-study"] {
        gather(&Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name).join("src"), begin, &mut spans);
    }
    spans
}

#[test]
fn every_option_that_a_message_names_is_taken_by_a_learner() {
    /// How options are written, not one of them.
    const PATTERNS: [&str; 2] = ["--set option=value", "--set preset=x"];
    let folder = Folder::new();
    let list = folder.npvar("learners --json").succeeded().json();
    let learners: Vec<&str> = list.as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    let help = folder.npvar("learn --help").succeeded().stdout + &folder.npvar("compare --help").succeeded().stdout;
    let named = named_in_sources("--");
    assert!(named.len() > 20, "{named:?}");
    for span in named.iter().filter(|span| !PATTERNS.contains(&span.as_str())) {
        if !span.contains(' ') {
            assert!(help.contains(span.as_str()), "no command has `{span}`");
            continue;
        }
        // Options are looked at before the table is, which is not there.
        let is_taken = |learner: &&str| {
            let command = words(&format!("learn nowhere.csv --learner {learner} --bootstrap 2 {span}"));
            // What is said twice is said by the advice alone.
            let own = |option: &str| span.contains(option);
            let mut command: Vec<&str> = command.iter().map(String::as_str).collect();
            if own("--bootstrap") {
                command.drain(4..6);
            }
            if own("--learner") {
                command.drain(2..4);
            }
            let ran = folder.npvar_words(&command);
            assert!(matches!(ran.code, Some(1 | 2)), "{ran:?}");
            ran.code == Some(1)
        };
        assert!(learners.iter().any(is_taken), "no learner takes `{span}`");
    }
    for span in named_in_sources("npvar ") {
        let (options, command): (Vec<String>, Vec<String>) =
            words(&span).into_iter().skip(1).partition(|word| word.starts_with("--"));
        let lower = command.iter().take_while(|word| word.chars().all(|c| c.is_ascii_lowercase()));
        let line = lower.cloned().chain(["--help".to_owned()]).collect::<Vec<_>>().join(" ");
        let help = folder.npvar(&line).succeeded().stdout;
        assert!(options.iter().all(|option| help.contains(option.as_str())), "`{span}`");
    }
}
