//! `npvar study`: what a run writes, and what it refuses.

use std::fs::File;

use crate::Folder;

/// 2 settings × 2 n × 3 seeds × 3 learners = 36 cells.
pub(crate) const SMALL: &str = r#"
title = "Small & quick"
about = "Two kinds of data."
settings = ["MC-SIN", "ER-LIN-1"]
nodes = [4]
samples = [60, 120]
noise-variances = [0.5]
seeds = 3
time-limit = 60

[quick]
samples = [60]
seeds = 1

[[learners]]
name = "npvar"
label = "NPVAR"

[[learners]]
name = "npvar"
label = "NPVAR, layers"
options = { eta = 0.05 }

[[learners]]
name = "pc"

[[figures]]
name = "shd"
caption = "SHD against n."
measure = "shd"

[[figures]]
name = "order"
caption = "Order recovery."
measure = "order-recovery"
x = "nodes"
each = ["samples"]

[[tables]]
name = "f1"
caption = "Edges."
measure = "f1"
rows = ["setting"]

[[pictures]]
name = "layers"
caption = "Layers."
"#;

/// A table without the columns that may differ between runs.
pub(crate) fn without_timing(table: &str) -> String {
    let mut lines = table.lines().map(fields);
    let header = lines.next().unwrap();
    let kept: Vec<usize> =
        (0..header.len()).filter(|&at| !["seconds", "peak_memory_mib"].contains(&header[at].as_str())).collect();
    assert_eq!(kept.len() + 2, header.len());
    let line = |fields: Vec<String>| kept.iter().map(|&at| fields[at].as_str()).collect::<Vec<_>>().join("\t") + "\n";
    line(header) + &lines.map(line).collect::<String>()
}

/// The fields of a line of CSV.
pub(crate) fn fields(line: &str) -> Vec<String> {
    let (mut fields, mut quoted) = (vec![String::new()], false);
    for letter in line.chars() {
        match letter {
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(String::new()),
            other => fields.last_mut().unwrap().push(other),
        }
    }
    fields
}

#[test]
fn the_table_does_not_depend_on_parallelism_or_shards() {
    let folder = Folder::new();
    folder.write("s.toml", SMALL);
    folder.npvar("study run s.toml --out one --jobs 1").succeeded();
    let table = folder.read("one/table.csv");
    assert_eq!(table.lines().count(), 1 + 36);
    assert_eq!(folder.read("one/results.csv").lines().count(), 1 + 36);
    folder.npvar("study run s.toml --out two --jobs 2").succeeded();
    assert_eq!(without_timing(&folder.read("two/table.csv")), without_timing(&table));
    // Running again does nothing, and changes nothing.
    let again = folder.npvar("study run s.toml --out two").succeeded();
    assert!(again.stderr.contains("36 were done before"), "{again:?}");
    assert_eq!(folder.read("two/results.csv").lines().count(), 1 + 36);

    for part in 1..=3 {
        // Two shards share a folder, as on one machine.
        folder.npvar(&format!("study run s.toml --out part{} --shard {part}/3", part / 2)).succeeded();
    }
    assert!(!folder.path("part0/table.csv").exists());
    let merged = folder.npvar("study merge part0 part1 --out whole").succeeded();
    assert!(merged.stderr.contains("36 of 36 cells"), "{merged:?}");
    assert_eq!(without_timing(&folder.read("whole/table.csv")), without_timing(&table));
    let again = folder.npvar("study merge part0 --out whole");
    again.failed(1, &["there are results already"]).one_line();
}

#[test]
fn a_row_says_what_the_cell_was_and_can_be_repeated() {
    let folder = Folder::new();
    folder.write("s.toml", SMALL);
    folder.npvar("study run s.toml --out r --quick").succeeded();
    let table = folder.read("r/table.csv");
    let names = fields(table.lines().next().unwrap());
    let value = |row: usize, name: &str| {
        fields(table.lines().nth(row).unwrap())[names.iter().position(|known| known == name).unwrap()].clone()
    };
    assert_eq!(table.lines().count(), 1 + 6);
    let first = ["setting", "nodes", "samples", "seed", "learner", "algorithm", "status"].map(|name| value(1, name));
    assert_eq!(first, ["MC-SIN", "4", "60", "1", "NPVAR", "npvar", "ok"]);
    assert_ne!(value(1, "configuration"), value(2, "configuration"));
    assert_eq!(value(1, "data_seed"), value(3, "data_seed"));
    assert_eq!(value(3, "order_recovered"), "");
    for name in ["shd", "precision", "recall", "f1", "sid", "varsortability", "r2_sortability", "seconds", "version"] {
        assert_ne!(value(1, name), "", "{name}");
    }
    #[cfg(target_os = "linux")]
    assert!(value(1, "peak_memory_mib").parse::<f64>().unwrap() > 1.0);

    // By hand, with the seed the row gives.
    let seed = value(1, "data_seed");
    folder.simulate("s", &format!("MC-SIN --nodes 4 --samples 60 --noise-variance 0.5 --seed {seed}"));
    folder.npvar(&format!("learn s/data.csv --seed {seed} -o g.json -q")).succeeded();
    let evaluation = folder.npvar("evaluate g.json --truth s/truth.csv --json").succeeded().json();
    assert_eq!(evaluation["shd"].to_string(), value(1, "shd"));
    assert_eq!(evaluation["sid"].to_string(), value(1, "sid"));
    assert_eq!(evaluation["order"]["recovered"].to_string(), value(1, "order_recovered"));
}

#[test]
fn a_report_has_figures_tables_and_a_page_of_its_own() {
    let folder = Folder::new();
    folder.write("s.toml", SMALL);
    folder.npvar("study report r").failed(1, &["r holds no study"]).one_line();
    folder.npvar("study run s.toml --out r --quick").succeeded();
    let told = folder.npvar("study report r").succeeded();
    assert!(told.stderr.contains("r/report.html: 4 figures, 3 tables"), "{told:?}");
    for name in ["shd", "order-n60", "layers-MC-SIN", "layers-ER-LIN-1"] {
        let svg = folder.read(&format!("r/figures/{name}.svg"));
        assert!(svg.starts_with("<svg") && !svg.contains("NaN") && !svg.contains("<script"), "{name}");
        assert!(std::fs::read(folder.path(&format!("r/figures/{name}.png"))).unwrap().starts_with(b"\x89PNG"));
    }
    let svg = folder.read("r/figures/shd.svg");
    for part in ["MC-SIN", "ER-LIN-1", ">NPVAR</text>", ">pc</text>", ">var "] {
        assert!(svg.contains(part), "no {part} in {svg}");
    }
    // PC has no order, and so no line there.
    assert!(!folder.read("r/figures/order-n60.svg").contains(">pc</text>"));
    let table = folder.read("r/tables/f1.md");
    assert!(
        table.contains("| setting | learner | n = 60 |") && table.contains("| ER-LIN-1 | NPVAR, layers |"),
        "{table}"
    );
    assert!(folder.read("r/tables/f1.tex").contains("\\begin{tabular}{llr}"));
    assert!(
        folder.read("r/tables/summary.csv").starts_with("setting,nodes,samples,noise_variance,p,learner,cells,ok,shd,")
    );
    let page = folder.read("r/report.html");
    for part in [
        "<h1>Small &amp; quick</h1>",
        "6 of 6 cells, quick size",
        "<svg",
        "id=\"table-sortability\"",
        "&quot;eta&quot;",
    ] {
        assert!(page.contains(part), "no {part}");
    }
    for never in ["<script", "http://", "https://", "href="] {
        let other = page.replace("http://www.w3.org/2000/svg", "");
        assert!(!other.contains(never), "{never}");
    }
}

#[test]
fn limits_and_failures_are_rows() {
    let folder = Folder::new();
    let study = r#"
        title = "Limits"
        settings = ["ER-SIN-2"]
        nodes = [20]
        samples = [150]
        seeds = 1
        time-limit = 0.2
        learners = [
            { name = "notears-mlp", label = "slow" },
            { name = "pc", label = "refuses", options = { test = "chi-square" } },
            { name = "eqvar", nodes-at-most = 10 },
        ]
    "#;
    folder.write("s.toml", study);
    let told = folder.npvar("study run s.toml --out r").succeeded();
    assert!(told.stderr.contains("2 cells did not finish"), "{told:?}");
    let table = folder.read("r/table.csv");
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines.len(), 3, "{table}");
    assert!(lines[1].contains(",slow,notears-mlp,") && lines[1].contains(",time-limit,"), "{table}");
    assert!(lines[2].contains(",error,") && lines[2].contains("is for discrete columns"), "{table}");
    folder.npvar("study report r").succeeded();
    assert!(folder.read("r/tables/unfinished.md").contains("| slow | ER-SIN-2 | 20 | 150 | time-limit | 1 |"));
    // Tried again where that is asked for; the last word counts.
    folder.npvar("study run s.toml --out r --retry").succeeded();
    assert_eq!(folder.read("r/results.csv").lines().count(), 5);
    assert_eq!(folder.read("r/table.csv").lines().count(), 3);
}

#[cfg(target_os = "linux")]
#[test]
fn a_cell_that_takes_too_much_memory_is_recorded_so() {
    let folder = Folder::new();
    let study = r#"
        title = "Memory"
        settings = ["ER-SIN-2"]
        nodes = [60]
        samples = [300]
        seeds = 2
        learners = [{ name = "notears-mlp" }]
    "#;
    folder.write("s.toml", study);
    // One MiB is less than the program itself takes, and the work takes minutes.
    folder.npvar("study run s.toml --out r --memory 0.001 --jobs 2").succeeded();
    let table = folder.read("r/table.csv");
    assert_eq!(table.matches(",memory-limit,").count(), 2, "{table}");
}

#[test]
fn a_wrong_study_is_one_sentence() {
    let folder = Folder::new();
    let without = |part: &str| SMALL.replace(part, "");
    for (study, parts) in [
        (
            SMALL.replace("seeds = 3", "sedes = 3"),
            &["s.toml, line", "unknown field `sedes`, expected one of `title`"][..],
        ),
        (SMALL.replace("\"MC-SIN\"", "\"MC-COS\""), &["s.toml, line 4", "must be MC-<model>", "got MC-COS"]),
        (SMALL.replace("\"pc\"", "\"pcc\""), &["learner `pcc`", "unknown learner `pcc` (did you mean `pc`?); the"]),
        (
            SMALL.replace("eta = 0.05", "etta = 0.05"),
            &["learner `NPVAR, layers`", "unknown field `etta` (did you mean `eta`?), expected one of `eta`"],
        ),
        (SMALL.replace("eta = 0.05", "eta = -1"), &["`eta` must be", "got -1"]),
        (
            SMALL.replace("[\"samples\"]", "[\"sample\"]"),
            &["unknown variant `sample`, expected one of `setting`, `nodes`"],
        ),
        (SMALL.replace("\"shd\"\n\n", "\"sdh\"\n\n"), &["unknown variant `sdh`, expected one of `shd`"]),
        (SMALL.replace("samples = [60]", "sample = [60]"), &["unknown field `sample`, expected one of `settings`"]),
        (SMALL.replace("[4]", "[1]"), &["`nodes` must be at least 2, got 1"]),
        (SMALL.replace("[4]", "[4, 4]"), &["`nodes` has `4` twice"]),
        (SMALL.replace("seeds = 3", "seeds = 999999999999"), &["at most 10000000 data sets; lower `seeds`"]),
        (SMALL.replace("[0.5]", "[-0.5]"), &["`noise-variance` must be positive and finite, got -0.5"]),
        (SMALL.replace("seeds = 3", "seeds = 3\np = [0.3]"), &["`p` is given, but every setting"]),
        (
            SMALL.replace("label = \"NPVAR, layers\"", "label = \"NPVAR\""),
            &["learner `NPVAR`", "two learners have this label"],
        ),
        (SMALL.replace("time-limit = 60", "time-limit = 0"), &["`time-limit` must be positive, got 0"]),
        (SMALL.replace("name = \"shd\"", "name = \"a/b\""), &["`a/b` cannot be the name of a file"]),
        (without("nodes = [4]\n"), &["`nodes` is missing, which MC-SIN needs"]),
        (without("seeds = 3\n"), &["missing field `seeds`"]),
        ("title = ".to_owned(), &["s.toml, line 1"]),
    ] {
        folder.write("s.toml", &study);
        folder.npvar("study run s.toml --out r").failed(2, parts).one_line();
    }
    assert_eq!(folder.files(), ["s.toml"]);
    folder.npvar("study run none.toml --out r").failed(1, &["none.toml: No such file"]).one_line();
    assert_eq!(folder.npvar("study run s.toml --out r --shard 4/3").code, Some(2));
}

#[test]
fn a_folder_that_cannot_be_used_is_one_sentence_and_nothing_is_lost() {
    let folder = Folder::new();
    folder.write("s.toml", SMALL);
    folder.write("file", "");
    folder.npvar("study run s.toml --out file/r").failed(1, &["file/r: Not a directory"]).one_line();

    folder.npvar("study run s.toml --out r --quick").succeeded();
    let kept = folder.read("r/results.csv");
    let full = folder.npvar("study run s.toml --out r");
    full.failed(1, &["r was begun with another study", "`samples` was [60], is [60,120]", "quick size"]).one_line();
    folder.write("t.toml", &SMALL.replace("eta = 0.05", "eta = 0.06"));
    let other = folder.npvar("study run t.toml --out r --quick");
    other.failed(1, &["r was begun with another study", "`learners` or their options"]).one_line();
    // A new caption is no other study.
    folder.write("t.toml", &SMALL.replace("SHD against n.", "Distances."));
    folder.npvar("study run t.toml --out r --quick").succeeded();
    assert_eq!(folder.read("r/results.csv"), kept);

    let lock = File::create(folder.path("r/.results.lock")).unwrap();
    lock.lock().unwrap();
    folder.npvar("study run s.toml --out r --quick").failed(1, &["r is in use by another run"]).one_line();
    drop(lock);
    folder.npvar("study run s.toml --out r --quick").succeeded();
}
