//! Wrong usage ends with status 2 and says what would be right.

use crate::{Folder, csv, noise};

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("t.csv", &csv(&["a", "b"], &[noise(50, 1), noise(50, 2)]));
    folder
}

#[test]
fn flags_that_do_not_exist_or_contradict_each_other() {
    for (arguments, part) in [
        ("", "Usage"),
        ("lern t.csv", "lern"),
        ("learn", "<DATA>"),
        ("learn t.csv --no-such-flag", "--no-such-flag"),
        ("learn t.csv --report", "--report"),
        ("serve --port 70000", "--port"),
        ("serve --upload-limit 0", "--upload-limit"),
        ("learn t.csv --boot-strap 5", "--boot-strap"),
        ("learn t.csv --knowledge", "--knowledge"),
        ("learn t.csv --seed x", "--seed"),
        ("learn t.csv --seed -1", "-1"),
        ("learn t.csv --threads two", "--threads"),
        ("learn t.csv --threads 3000", "512 threads are the most"),
        ("learn t.csv --missing mean", "`drop-rows`, `drop-columns`, `impute`, `pairwise` or `error`"),
        ("learn t.csv --decimal x", "expected auto, `.` or `,`"),
        ("learn t.csv --separator ab", "a separator is auto, tab, whitespace or one character"),
        ("learn t.csv --columns a --exclude b", "cannot be used with"),
        ("learn t.csv -o graph.bmp", ".json, .csv, .edges.csv, .dot, .gv or .graphml"),
        ("simulate ER-SIN-1", "--out"),
        ("simulate ER-COS-1 --out d", "MC-<model>"),
        ("simulate MC-SIN --noise cauchy --out d", "gaussian, uniform, laplace, gumbel"),
        ("evaluate a.csv", "--truth"),
        ("completions tcsh", "bash"),
    ] {
        let ran = folder().npvar(arguments);
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{arguments}: {ran:?}");
        assert!(ran.stderr.contains(part), "{arguments}: {ran:?}");
    }
}

#[test]
fn unknown_learners_options_and_values_name_the_known_ones() {
    for (arguments, part) in [
        ("--learner cams", "unknown learner `cams` (did you mean `cam`?); the learners are `npvar`, `eqvar`"),
        ("--set etaa=0.1", "`etaa=0.1`: unknown field `etaa` (did you mean `eta`?), expected one of `eta`"),
        ("--set estimator.spp=1", "unknown field `spp` (did you mean `sp`?), expected one of `sp`"),
        (
            "--set estimator=kernels",
            "unknown variant `kernels` (did you mean `kernel`?), expected one of `gam`, `linear`",
        ),
        ("--set split=third", "expected one of `none`, `half`, `fresh`"),
        ("--set preset=papers", "the presets are `paper` and `reference`"),
        ("--set eta=-0.1", "got -0.1"),
        ("--set eta=soon", "`node-by-node`, `adaptive` or a number"),
        ("--set cutoff=0", "`cutoff` must be above 0"),
        ("--set cutoff=low", "cutoff=low"),
        ("--set k=10", "unknown field `k`"),
        ("--set selection.k=3", "`k` must be between 4 and 60"),
        ("--set eta=adaptive --set split=half", "cannot be `adaptive` with a sample split"),
        ("--learner eqvar --set eta=0.1", "unknown field `eta`, expected one of `direction`"),
        ("--second-sample t.csv", "`second-sample` is for `eta=adaptive`"),
    ] {
        folder().npvar(&format!("learn t.csv {arguments}")).failed(2, &[part]).one_line();
    }
    folder().npvar("learn t.csv --set eta").failed(2, &["expected `key=value`"]);
    folder().npvar("learners cams").failed(2, &["the learners are `npvar`, `eqvar`"]).one_line();
}

#[test]
fn a_configuration_file_is_answered_with_its_line() {
    for (content, parts) in [
        ("cutoff = 0.01\netaa = 1\n", ["c.toml, line 2: ", "unknown field `etaa`"]),
        ("cutoff = 0.01\n\n[estimator]\nsp = \"much\"\n", ["c.toml, line 4: ", "much"]),
        ("cutoff = \n", ["c.toml, line 1: ", ""]),
        ("cutoff = 0.01\ncutoff = 0.02\n", ["c.toml, line 2: ", "duplicate"]),
        ("learner = 3\n", ["c.toml, line 1: ", "`learner` is a name, got 3"]),
        ("learner = \"cams\"\n", ["unknown learner `cams`", ""]),
        ("\n[selection]\nk = 99\n", ["c.toml, line 3: ", "between 4 and 60"]),
        ("\n[selection]\nsp = nan\n", ["c.toml, line 3: ", ""]),
    ] {
        let folder = folder();
        folder.write("c.toml", content);
        folder.npvar("learn t.csv --config c.toml").failed(2, &parts).one_line();
    }
    folder().npvar("learn t.csv --config none.toml").failed(1, &["none.toml: "]).one_line();
}

#[test]
fn a_simulation_is_refused_what_its_setting_lacks() {
    for (arguments, part) in [
        ("MC-GLM --noise-variance 1", "`noise-variance` cannot be chosen for MC-GLM"),
        ("MC-SIN --p 0.1", "`p` cannot be chosen for MC-SIN"),
        ("PAIR --nodes 4", "`nodes` must be 2 for PAIR"),
        ("MC-SIN --nodes 1", "`nodes` must be at least 2"),
        ("MC-SIN --samples 0", "`samples` must be at least 1"),
        ("MC-SIN --noise-variance=-1", "must be positive"),
    ] {
        let folder = Folder::new();
        folder.npvar(&format!("simulate {arguments} --out d")).failed(2, &[part]).one_line();
        assert!(folder.files().is_empty(), "{arguments}");
    }
}

#[test]
fn a_column_that_is_not_there_is_answered_with_those_that_are() {
    folder().npvar("learn t.csv --columns a,z").failed(1, &["no column `z`; the columns are `a`, `b`"]).one_line();
    folder().npvar("learn t.csv --exclude z").failed(1, &["no column `z`"]).one_line();
    folder().npvar("learn t.csv --exclude b").failed(1, &["at least two columns"]).one_line();
}
