//! The ways a table can be given.

use npvar::data::{ColumnChoice, ParquetWriter, ReadOptions, RowBlocks, read};
use serde_json::{Value, json};

use crate::{Folder, csv, noise};

const SIMULATED: &str = "ER-AGP-1 --nodes 5 --samples 400 --seed 4";

fn learn(folder: &Folder, arguments: &str) -> Value {
    folder.npvar(&format!("learn {arguments} --json --no-timing --seed 1")).succeeded().answer()
}

pub(crate) fn to_parquet(folder: &Folder, from: &str, to: &str) {
    let text = std::fs::read_to_string(folder.path(from)).unwrap();
    let names = text.lines().next().unwrap().split(',').map(str::to_owned).collect();
    let options = ReadOptions { columns: ColumnChoice::Only(names), ..ReadOptions::default() };
    let data = read(folder.path(from).to_str().unwrap(), &options).unwrap().data;
    let mut writer = ParquetWriter::create(folder.path(to).to_str().unwrap(), data.names()).unwrap();
    data.for_each_block(&mut |block| writer.write(block)).unwrap();
    writer.finish().unwrap();
}

#[test]
fn parquet_gives_what_csv_gives() {
    let folder = Folder::new();
    folder.simulate("s", SIMULATED);
    to_parquet(&folder, "s/data.csv", "t.parquet");
    for arguments in
        ["", "--threads 1", "--learner eqvar", "--set eta=adaptive", "--set split=half", "--set split=fresh"]
    {
        let from_csv = learn(&folder, &format!("s/data.csv {arguments}"));
        assert_eq!(from_csv, learn(&folder, &format!("t.parquet {arguments}")), "{arguments}");
    }
    let diagnosed = |data: &str| folder.npvar(&format!("diagnose {data} --json")).succeeded().answer();
    assert_eq!(diagnosed("s/data.csv"), diagnosed("t.parquet"));
}

#[test]
fn a_streamed_table_is_checked_too() {
    let folder = Folder::new();
    let a = noise(100, 1);
    let id = (1..=100).map(f64::from).collect();
    folder.write("t.csv", &csv(&["id", "a", "b", "c"], &[id, a.clone(), a, vec![1.0; 100]]));
    to_parquet(&folder, "t.csv", "t.parquet");
    let codes = |data: &str| {
        let document = learn(&folder, data);
        let diagnostics = document["diagnostics"].as_array().unwrap();
        let mut codes: Vec<String> = diagnostics.iter().map(|d| d.to_string()).collect();
        codes.sort();
        codes
    };
    let streamed = codes("t.parquet");
    for code in ["identifier-column", "duplicate-columns", "constant-column"] {
        assert_eq!(streamed.iter().filter(|found| found.contains(code)).count(), 1, "{streamed:?}");
    }
    assert_eq!(streamed, codes("t.csv --columns id,a,b,c"));
}

#[test]
fn standard_input_is_a_table() {
    let folder = Folder::new();
    folder.simulate("s", SIMULATED);
    let text = folder.read("s/data.csv");
    let ran = folder.npvar_with_input("learn - --json --no-timing --seed 1", &text).succeeded();
    assert_eq!(ran.answer(), learn(&folder, "s/data.csv"));
}

#[test]
fn separators_are_found_or_given() {
    let folder = Folder::new();
    folder.simulate("s", SIMULATED);
    let text = folder.read("s/data.csv");
    let expected = learn(&folder, "s/data.csv");
    for (name, by, flag) in
        [("a.csv", ",", ","), ("b.csv", ";", ";"), ("c.tsv", "\t", "tab"), ("d.txt", "  ", "whitespace")]
    {
        folder.write(name, &text.replace(',', by));
        assert_eq!(learn(&folder, name), expected, "{name}");
        assert_eq!(learn(&folder, &format!("{name} --separator {flag}")), expected, "{name}");
        assert_eq!(learn(&folder, &format!("{name} --separator auto")), expected, "{name}");
    }
}

#[test]
fn a_table_without_a_header() {
    let folder = Folder::new();
    folder.simulate("s", SIMULATED);
    let text = folder.read("s/data.csv");
    folder.write("bare.csv", text.split_once('\n').unwrap().1);
    assert_eq!(learn(&folder, "bare.csv --no-header"), learn(&folder, "s/data.csv"));
}

#[test]
fn columns_are_chosen_by_name() {
    let folder = Folder::new();
    folder.write("t.csv", "id,a,b,c\nx,1,2,9\ny,2,4.5,7\nz,3,1,8\nu,5,0,1\nv,2.5,1,3\n");
    assert_eq!(learn(&folder, "t.csv --exclude id,b")["nodes"], json!(["a", "c"]));
    assert_eq!(learn(&folder, "t.csv --columns c,a")["nodes"], json!(["c", "a"]));
    assert_eq!(learn(&folder, "t.csv --columns c --columns a")["nodes"], json!(["c", "a"]));
    let ran = std::process::Command::new(crate::binary())
        .current_dir(folder.path("."))
        .args(["learn", "t.csv", "--columns", "c, a", "--json", "--seed", "1"])
        .output()
        .unwrap();
    let document: Value = serde_json::from_slice(&ran.stdout).unwrap();
    assert_eq!(document["nodes"], json!(["c", "a"]));
}

#[test]
fn rows_with_missing_values_are_dropped_and_counted() {
    let folder = Folder::new();
    let mut text = csv(&["a", "b"], &[noise(100, 1), noise(100, 2)]);
    text += "NA,1\n2,\nnan,3\n";
    folder.write("t.csv", &text);
    let ran = folder.npvar("learn t.csv --missing drop --seed 1").succeeded();
    assert!(ran.stdout.contains("from 100 samples"), "{ran:?}");
    let told = "read: left out 3 of 103 rows (values are missing: `a` 2, `b` 1)";
    assert!(ran.stderr.starts_with(told), "{ran:?}");
    assert!(!ran.stderr.contains("dropped 3"), "said once: {ran:?}");
    let document = learn(&folder, "t.csv --missing drop");
    assert_eq!(document["diagnostics"][0]["code"], "rows-dropped");
    let diagnosed = folder.npvar("diagnose t.csv --missing drop").succeeded();
    assert!(diagnosed.stdout.contains("dropped 3 of 103 rows"), "{diagnosed:?}");
}

#[test]
fn a_given_order_is_kept_and_only_parents_are_selected() {
    let folder = Folder::new();
    folder.simulate("s", "MC-SIN --nodes 4 --samples 500 --seed 1");
    let found = learn(&folder, "s/data.csv");
    let order: Vec<&str> = found["order"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    for separator in ["\n", ",", " ", ", "] {
        folder.write("o.txt", &order.join(separator));
        let given = learn(&folder, "s/data.csv --order o.txt");
        assert_eq!((&given["order"], &given["edges"]), (&found["order"], &found["edges"]));
        assert_eq!((&given["layers"], &given["steps"]), (&Value::Null, &Value::Null));
    }
}

#[test]
fn a_second_sample_sets_the_adaptive_eta() {
    let folder = Folder::new();
    folder.simulate("s", "MC-SIN --nodes 4 --samples 500 --seed 1");
    let text = folder.read("s/data.csv");
    let lines: Vec<&str> = text.lines().collect();
    folder.write("first.csv", &lines[..251].join("\n"));
    folder.write("second.csv", &format!("{}\n{}", lines[0], lines[251..].join("\n")));
    let document = learn(&folder, "first.csv --second-sample second.csv --set eta=adaptive");
    assert!(document["steps"][0]["eta"].as_f64().unwrap() > 0.0);
    let again = learn(&folder, "first.csv --second-sample second.csv --set eta=adaptive");
    assert_eq!(document, again);
}

#[test]
fn a_configuration_file_comes_before_the_command_line() {
    let folder = Folder::new();
    folder.simulate("s", SIMULATED);
    folder.write("c.toml", "learner = \"eqvar\"\ndirection = \"bottom-up\"\ncutoff = 0.01\n\n[selection]\nsp = 2\n");
    let learner = learn(&folder, "s/data.csv --config c.toml --set cutoff=0.05")["learner"].clone();
    assert_eq!((&learner["algorithm"], &learner["direction"]), (&json!("eqvar"), &json!("bottom-up")));
    assert_eq!((&learner["cutoff"], &learner["selection"]["sp"]), (&json!(0.05), &json!(2.0)));
    folder.write("n.toml", "preset = \"reference\"\neta_scaler = 2\n[estimator]\nsp = 1.5\nkind = \"gam\"\n");
    let learner = learn(&folder, "s/data.csv --config n.toml --set estimator.k=8")["learner"].clone();
    assert_eq!((&learner["comparison"], &learner["eta-scaler"]), (&json!("at-most"), &json!(2.0)));
    assert_eq!((&learner["estimator"]["sp"], &learner["estimator"]["k"]), (&json!(1.5), &json!(8)));
    // A learner's own options written down again give the same learner.
    folder.write("l.toml", "[estimator]\nkind = \"linear\"\n");
    assert_eq!(learn(&folder, "s/data.csv --config l.toml")["learner"]["estimator"], json!({"kind": "linear"}));
}

#[test]
fn several_files_a_folder_and_a_pattern_are_one_table() {
    let folder = Folder::new();
    folder.simulate("s", SIMULATED);
    let text = std::fs::read_to_string(folder.path("s/data.csv")).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    std::fs::create_dir(folder.path("pieces")).unwrap();
    for (i, rows) in lines[1..].chunks(150).enumerate() {
        let piece = format!("{}\n{}\n", lines[0], rows.join("\n"));
        std::fs::write(folder.path(&format!("pieces/{i}.csv")), piece).unwrap();
    }
    let whole = learn(&folder, "s/data.csv");
    for data in ["pieces", "pieces/*.csv", "pieces/0.csv pieces/1.csv pieces/2.csv"] {
        assert_eq!(learn(&folder, data), whole, "{data}");
    }
    std::fs::write(folder.path("pieces/3.csv"), "a,b\n1,2\n").unwrap();
    folder.npvar("learn pieces").failed(1, &["pieces/3.csv: has a column `a` that", "pieces/0.csv has not"]).one_line();
}
