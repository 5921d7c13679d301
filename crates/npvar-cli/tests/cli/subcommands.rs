//! `simulate`, `evaluate`, `diagnose`, `demo`, `learners` and `completions`.

use serde_json::Value;

use crate::Folder;

#[test]
fn simulate_learn_evaluate_is_one_line_each() {
    let folder = Folder::new();
    let ran = folder.npvar("simulate ER-SIN-1 --nodes 10 --samples 1000 --seed 1 --out s").succeeded();
    assert_eq!(ran.stdout, "");
    assert!(ran.stderr.contains("s/data.csv: 1000 samples of 10 nodes (ER-SIN-1, seed 1)"), "{ran:?}");
    assert!(ran.stderr.contains("s/truth.csv: the true graph, 10 edges"), "{ran:?}");
    folder.npvar("learn s/data.csv --seed 1 -o g.json").succeeded();
    let evaluation = folder.npvar("evaluate g.json --truth s/truth.csv --json").succeeded().json();
    let keys: Vec<&String> = evaluation.as_object().unwrap().keys().collect();
    let expected = [
        "nodes",
        "true_edges",
        "estimated_edges",
        "truth",
        "shd",
        "class_shd",
        "sid",
        "sid_bounds",
        "directed",
        "skeleton",
        "order",
    ];
    assert_eq!(keys, expected);
    assert_eq!((&evaluation["shd"], &evaluation["order"]["recovered"]), (&Value::from(0), &Value::from(true)));
    let page = folder.npvar("evaluate g.json --truth s/truth.csv").succeeded().stdout;
    for part in ["structural Hamming distance", "order recovered", "precision"] {
        assert!(page.contains(part), "{page}");
    }
}

#[test]
fn simulate_replaces_files_only_when_told_to() {
    let folder = Folder::new();
    folder.simulate("a/b/s", "PAIR --samples 20 --seed 1");
    let before = folder.read("a/b/s/data.csv");
    folder.npvar("simulate PAIR --samples 30 --seed 2 --out a/b/s").failed(1, &["data.csv", "--force"]).one_line();
    assert_eq!(folder.read("a/b/s/data.csv"), before);
    folder.simulate("a/b/s", "PAIR --samples 30 --seed 2 --force");
    assert_eq!(folder.read("a/b/s/data.csv").lines().count(), 31);
    let unseeded = folder.npvar("simulate PAIR --samples 20 --out u").succeeded();
    assert!(unseeded.stderr.contains("seed "), "{unseeded:?}");
}

#[test]
fn simulate_lists_what_it_can_and_can_what_it_lists() {
    let folder = Folder::new();
    let list = folder.npvar("simulate --list").succeeded().stdout;
    let examples = list.split("Examples of the paper").nth(1).unwrap();
    let names: Vec<&str> = examples.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert!(names.contains(&"UNEQUAL-HALF") && list.contains("AGP"), "{list}");
    for name in names {
        folder.simulate(name, &format!("{name} --samples 20 --seed 1"));
    }
}

#[test]
fn diagnose_shows_columns_steps_and_verdicts() {
    let folder = Folder::new();
    folder.simulate("s", "MC-SIN --nodes 4 --samples 500 --seed 1");
    let page = folder.npvar("diagnose s/data.csv").succeeded();
    for part in
        ["500 samples of 4 columns", "continuous", "residual variance", "runner-up", "var-sortability", "note: "]
    {
        assert!(page.stdout.contains(part), "no {part} in {}", page.stdout);
    }
    assert_eq!(page.stderr, "");
    let diagnosis = folder.npvar("diagnose s/data.csv --json").succeeded().json();
    let keys: Vec<&String> = diagnosis.as_object().unwrap().keys().collect();
    let expected = [
        "n",
        "columns",
        "order",
        "residual_variance_ratio",
        "margins",
        "var_sortability",
        "r2_sortability",
        "diagnostics",
    ];
    assert_eq!(keys, expected);
    assert_eq!(diagnosis["margins"].as_array().unwrap().len(), 3);
}

#[test]
fn the_demo_writes_its_files_and_touches_no_others() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("npvar-demo")).unwrap();
    folder.write("npvar-demo/mine.txt", "mine");
    for _ in 0..2 {
        let ran = folder.npvar("demo").succeeded();
        for part in ["NPVAR", "EqVar", "SHD", "order recovered", "npvar learn npvar-demo/data.csv"] {
            assert!(ran.stdout.contains(part), "{ran:?}");
        }
    }
    let mut files: Vec<String> = std::fs::read_dir(folder.path("npvar-demo"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    files.sort();
    assert_eq!(
        files,
        [
            "data.csv",
            "eqvar.json",
            "graph.dot",
            "graph.json",
            "graph.svg",
            "mine.txt",
            "notears.json",
            "report.html",
            "truth.csv"
        ]
    );
    assert_eq!(folder.read("npvar-demo/mine.txt"), "mine");
    let svg = folder.read("npvar-demo/graph.svg");
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n") && !svg.contains("<script"), "{svg}");
    folder.npvar("evaluate npvar-demo/graph.json --truth npvar-demo/truth.csv").succeeded();
    folder.npvar("demo --seed 2 --out elsewhere").succeeded();
    assert_eq!(folder.files(), ["elsewhere", "npvar-demo"]);
}

/// The object inside a report, without how long anything took.
fn report(page: &str) -> Value {
    let begin = page.find("id=\"npvar-data\">").unwrap() + "id=\"npvar-data\">".len();
    let end = begin + page[begin..].find("</script>").unwrap();
    let mut object: Value = serde_json::from_str(&page[begin..end]).unwrap();
    assert!(object["document"].as_object_mut().unwrap().remove("timing").is_some());
    object
}

#[test]
fn the_demo_shows_the_point_and_its_commands_make_its_files_again() {
    let folder = Folder::new();
    let ran = folder.npvar("demo --out d").succeeded();
    let line = |learner: &str| ran.stdout.lines().find(|line| line.trim_start().starts_with(learner)).unwrap();
    let shd = |learner: &str| line(learner).split_whitespace().nth(4).unwrap().parse::<usize>().unwrap();
    assert_eq!(shd("NPVAR"), 0, "{ran:?}");
    assert!(line("NPVAR").contains(" yes ") && line("EqVar").contains(" no "), "{ran:?}");
    assert!(shd("EqVar") > 4 && shd("NOTEARS") > 10, "{ran:?}");
    let files = ["data.csv", "truth.csv", "graph.json", "graph.dot", "graph.svg", "report.html"];
    let before = files.map(|name| folder.read(&format!("d/{name}")));
    std::fs::remove_dir_all(folder.path("d")).unwrap();
    let commands: Vec<&str> = ran.stdout.lines().filter_map(|line| line.trim().strip_prefix("npvar ")).collect();
    assert_eq!(commands.len(), 5, "{ran:?}");
    commands.iter().for_each(|command| drop(folder.npvar(command).succeeded()));
    for (name, before) in files.iter().zip(before) {
        let after = folder.read(&format!("d/{name}"));
        match *name {
            "report.html" => {
                assert!(before.contains("\"truth\"") && before.contains("\"bootstrap\""));
                assert_eq!(report(&after), report(&before));
                // What is not timing is the same byte for byte: the page around the object too.
                let around = |page: &str| page[..page.find("id=\"npvar-data\">").unwrap()].to_owned();
                assert_eq!(around(&after), around(&before));
            }
            "graph.json" => {
                let timeless = |text: &str| text[..text.find("\"timing\"").unwrap()].to_owned();
                assert_eq!(timeless(&after), timeless(&before));
            }
            _ => assert!(after == before, "{name}"),
        }
    }
}

#[test]
fn learners_are_listed_with_their_options() {
    let folder = Folder::new();
    let list = folder.npvar("learners").succeeded().stdout;
    let object = folder.npvar("learners --json").succeeded().json();
    for learner in object.as_array().unwrap() {
        let name = learner["name"].as_str().unwrap();
        assert!(list.contains(name) && list.contains(learner["assumes"].as_str().unwrap()));
        let options = folder.npvar(&format!("learners {name} --json")).succeeded().json()["options"].clone();
        let page = folder.npvar(&format!("learners {name}")).succeeded().stdout;
        for option in options.as_array().unwrap() {
            let name = option["name"].as_str().unwrap();
            assert!(page.contains(name), "{name}");
            assert!(!option["description"].as_str().unwrap().is_empty(), "{option}");
        }
        let selects = options.as_array().unwrap().iter().any(|option| option["name"] == "selection.sp");
        assert!(selects || !["npvar", "eqvar"].contains(&name), "{name}");
    }
}

/// Every option with a default set to it.
fn to_their_defaults(options: &Value) -> String {
    let given = options.as_array().unwrap().iter().filter(|option| !option["default"].is_null());
    let setting = |option: &Value| {
        let default = &option["default"];
        let value = default.as_str().map_or_else(|| default.to_string(), str::to_owned);
        format!(" --set {}={value}", option["name"].as_str().unwrap())
    };
    given.map(setting).collect()
}

#[test]
fn every_kind_of_estimator_is_listed_with_its_options() {
    let folder = Folder::new();
    let kinds = ["gam", "linear", "kernel", "knn", "gp", "forest", "mlp", "rodeo", "grid", "auto"];
    for learner in ["npvar", "resit"] {
        let page = folder.npvar(&format!("learners {learner}")).succeeded().stdout;
        let listed = folder.npvar(&format!("learners {learner} --json")).succeeded().json()["kinds"].clone();
        let listed = listed.as_array().unwrap();
        // RESIT has no use for `auto`.
        let others = &kinds[1..if learner == "npvar" { 10 } else { 9 }];
        let with: Vec<String> = others.iter().map(|kind| format!("estimator={kind}")).collect();
        assert_eq!(listed.iter().map(|kind| kind["with"].as_str().unwrap()).collect::<Vec<_>>(), with);
        for kind in listed {
            let (with, options) = (kind["with"].as_str().unwrap(), kind["options"].as_array().unwrap());
            assert!(page.contains(with) && (with == "estimator=linear") == options.is_empty(), "{with}");
            for option in options {
                let name = option["name"].as_str().unwrap();
                assert!(page.contains(name) && !option["description"].as_str().unwrap().is_empty(), "{with}: {option}");
            }
        }
    }
    folder.simulate("s", "MC-SIN --nodes 2 --samples 60 --seed 1");
    let listed = folder.npvar("learners npvar --json").succeeded().json()["kinds"].clone();
    for kind in listed.as_array().unwrap() {
        let settings = to_their_defaults(&kind["options"]);
        let learn = |settings: &str| {
            let with = kind["with"].as_str().unwrap();
            let arguments = format!("learn s/data.csv --json --no-timing --seed 1 --set {with}{settings}");
            folder.npvar(&arguments).succeeded().stdout
        };
        assert_eq!(learn(&settings), learn(""));
    }
}

#[test]
fn every_option_listed_can_be_set_to_its_default() {
    let folder = Folder::new();
    folder.simulate("s", "MC-SIN --nodes 3 --samples 50 --seed 1");
    for learner in ["npvar", "eqvar", "ges", "gsges"] {
        let options = folder.npvar(&format!("learners {learner} --json")).succeeded().json()["options"].clone();
        let learn = |settings: &str| {
            let arguments = format!("learn s/data.csv --learner {learner} --json --no-timing --seed 1{settings}");
            folder.npvar(&arguments).succeeded().stdout
        };
        assert_eq!(learn(&to_their_defaults(&options)), learn(""));
    }
}

#[test]
fn completions_are_written_for_every_shell() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = Folder::new().npvar(&format!("completions {shell}")).succeeded().stdout;
        assert!(script.contains("npvar") && script.contains("diagnose"), "{shell}");
    }
}

#[test]
fn help_and_version_go_to_standard_output() {
    for arguments in ["--help", "learn --help", "simulate --help", "--version"] {
        let ran = Folder::new().npvar(arguments).succeeded();
        assert!(!ran.stdout.is_empty() && ran.stderr.is_empty(), "{arguments}");
    }
}
