//! `learn --report`.

use serde_json::Value;

use crate::Folder;

/// The object inside a report.
fn data_of(page: &str) -> Value {
    let begin = page.find("id=\"npvar-data\">").unwrap() + "id=\"npvar-data\">".len();
    let end = begin + page[begin..].find("</script>").unwrap();
    serde_json::from_str(&page[begin..end]).unwrap()
}

#[test]
fn the_report_holds_what_json_prints() {
    let folder = Folder::new();
    folder.simulate("s", "MC-SIN --nodes 4 --samples 700 --seed 1");
    let arguments = "learn s/data.csv --set cutoff=0.01 --exclude X2 --seed 1 --no-timing --json --report r.html";
    let ran = folder.npvar(arguments).succeeded();
    assert!(ran.stderr.contains("wrote r.html"), "{ran:?}");
    let page = folder.read("r.html");
    assert!(page.starts_with("<!doctype html>") && page.len() < 300_000);
    let report = data_of(&page);
    assert_eq!(report["document"], ran.json());
    assert_eq!((&report["title"], &report["samples"]), (&Value::from("data.csv"), &Value::from(700)));
    assert_eq!(report["sample"]["columns"]["X1"].as_array().unwrap().len(), 350);
    assert_eq!(report["repeat"]["command"], "npvar learn s/data.csv --set cutoff=0.01 --exclude X2 --seed 1");
}

#[test]
fn the_command_in_the_report_repeats_the_run() {
    let folder = Folder::new();
    folder.simulate("s", "MC-SIN --nodes 4 --samples 300 --seed 1");
    for options in [
        "--learner pc --set alpha=0.2",
        "--learner cam --set preset=reference",
        "--set eta=adaptive --second-sample s/data.csv",
    ] {
        let first = folder.npvar(&format!("learn s/data.csv {options} --json --no-timing --report r.html")).succeeded();
        let report = data_of(&folder.read("r.html"));
        let command = report["repeat"]["command"].as_str().unwrap().strip_prefix("npvar ").unwrap();
        let again = folder.npvar(&format!("{command} --json --no-timing")).succeeded();
        assert_eq!(first.stdout, again.stdout, "{command}");
    }
}

#[test]
fn a_report_that_cannot_be_written_is_refused_before_the_work() {
    let folder = Folder::new();
    folder.write("t.csv", "a,b\n1,2\n3,4\n5,7\n");
    folder
        .npvar("learn t.csv --report no/such/r.html -o g.json")
        .failed(1, &["no/such/r.html", "not there"])
        .one_line();
    assert_eq!(folder.files(), ["t.csv"]);
}

#[test]
fn names_that_look_like_markup_stay_text() {
    let folder = Folder::new();
    folder.write("t.csv", "</script><script>alert(1)</script>,b\n1,2\n3,4\n5,7\n2,2\n9,1\n4,4\n");
    folder.npvar("learn t.csv --seed 1 --report r.html").succeeded();
    let page = folder.read("r.html");
    assert_eq!(page.matches("<script").count(), 2);
    assert_eq!(data_of(&page)["document"]["nodes"][0], "</script><script>alert(1)</script>");
}
