//! NPVAR and RESIT with every estimator, form and selection: on the reference data, and on data that are hard to use.

use npvar::data::Dataset;
use npvar::graph::{Node, Order};
use npvar::judge::doubts;
use npvar::learner::{Assignment, Input, Learned, LearnerConfig};
use npvar::regress::{ConditionalMean, Linear};
use npvar::select::{Importance, LossTest, Selection, leave_one_out, permutation};
use npvar::{Result, Run, Seed};
use rand::RngExt;

use crate::golden;

/// Every estimator, cheap enough for a test.
const ESTIMATORS: [&[&str]; 11] = [
    &["estimator=gam"],
    &["estimator.smoothing=reml"],
    &["estimator=linear"],
    &["estimator=kernel"],
    &["estimator=knn"],
    &["estimator=gp", "estimator.iterations=10"],
    &["estimator=forest", "estimator.trees=20"],
    &["estimator=mlp", "estimator.units=4", "estimator.decay=0.01"],
    &["estimator=rodeo", "estimator.evaluation-points=20", "estimator.bandwidths=global"],
    &["estimator=grid"],
    &["estimator=auto", "estimator.gp.iterations=10"],
];
const FORMS: [&str; 8] =
    ["difference", "rss", "plug-in", "cross-fitted", "one-step", "undersmoothed", "nearest-neighbour", "own"];

fn resolve(learner: &str, settings: &[&str]) -> Result<LearnerConfig> {
    let settings: Vec<Assignment> = settings.iter().map(|text| Assignment::parse(text).unwrap()).collect();
    LearnerConfig::resolve(learner, &settings)
}

fn learn(learner: &str, data: &Dataset, settings: &[&str]) -> Result<Learned> {
    resolve(learner, settings)?.build()?.learn(&Input::new(data), &Run::new(Seed(3)))
}

fn noise(n: usize, seed: u64) -> Vec<f64> {
    let mut rng = Seed(seed).rng();
    (0..n).map(|_| rng.random_range(-1.0..1.0)).collect()
}

#[test]
fn npvar_runs_with_every_estimator_on_the_reference_data() {
    let settings =
        ["SIN", "AGP", "NGP"].map(|model| ["ER", "SF"].map(|graph| [1, 4].map(|k| format!("{graph}-{model}-{k}_d5"))));
    let chains = ["MC-SIN_d5", "MC-AGP_d5", "MC-GLM_d5", "MC-GLMp01_d5"].map(str::to_owned);
    let names: Vec<String> = settings.into_iter().flatten().flatten().chain(chains).collect();
    assert_eq!(names.len(), 16);
    for name in &names {
        let data = golden::first_rows(&golden::dataset(name), 100);
        for estimator in ESTIMATORS {
            let learned =
                learn("npvar", &data, estimator).unwrap_or_else(|error| panic!("{name}, {estimator:?}: {error}"));
            let order = learned.order.unwrap();
            assert!(learned.graph.to_dag().unwrap().is_consistent_with(&order), "{name}, {estimator:?}");
            let steps = learned.steps.unwrap();
            // Given nothing, every estimator has the columns' variances.
            for (node, variance) in steps[0].nodes.iter().zip(&steps[0].residual_variances) {
                let expected = golden::gram(&data).square(*node) / (data.n() as f64 - 1.0);
                assert!((variance - expected).abs() < 1e-9 * expected, "{name}, {estimator:?}");
            }
        }
    }
}

#[test]
fn a_combination_is_possible_or_refused_in_one_sentence() {
    let data = golden::first_rows(&golden::dataset("MC-SIN_d5"), 60);
    let data = Dataset::new(data.names()[..3].to_vec(), (0..3).map(|j| data.column(j).to_vec()).collect()).unwrap();
    let mut possible = 0;
    for estimator in [ESTIMATORS[0], ESTIMATORS[1], ESTIMATORS[2], ESTIMATORS[4]] {
        for form in FORMS {
            for split in ["none", "half", "fresh"] {
                let (form_setting, split_setting) = (format!("residual-variance={form}"), format!("split={split}"));
                let settings = [estimator, &[&form_setting, &split_setting]].concat();
                match resolve("npvar", &settings) {
                    Ok(_) => {
                        learn("npvar", &data, &settings).unwrap_or_else(|error| panic!("{settings:?}: {error}"));
                        possible += 1;
                    }
                    Err(error) => {
                        let text = error.to_string();
                        assert!(text.contains("`residual-variance`"), "{text}");
                        assert!(text.contains("must be") || text.contains("can be"), "{text}");
                    }
                }
            }
        }
    }
    // Three forms of one regression with three splits, but for `rss` of `knn` without one; then cross-fitted, one-step and
    // nearest-neighbour for all four; undersmoothed for `gam` alone; own for REML and `knn`.
    assert_eq!(possible, 4 * 9 - 1 + 4 * 3 + 1 + 2);
}

#[test]
fn every_form_of_the_additive_model_finds_a_clear_chain() {
    let data = golden::dataset("MC-SIN_d5");
    let expected: Vec<Node> = golden::nodes(&golden::r("npvar/MC-SIN_d5.json")["naive"]["order"]);
    for form in ["difference", "rss", "plug-in", "cross-fitted", "one-step", "undersmoothed"] {
        let learned = learn("npvar", &data, &[&format!("residual-variance={form}")]).unwrap();
        assert_eq!(learned.order.unwrap().nodes(), expected, "{form}");
    }
}

#[test]
fn awkward_columns_give_a_result_or_one_sentence() {
    let n = 60;
    let (x, y) = (noise(n, 1), noise(n, 2));
    let binary: Vec<f64> = x.iter().map(|x| f64::from(u8::from(*x > 0.0))).collect();
    let effect: Vec<f64> = x.iter().zip(&y).map(|(x, y)| x + 0.5 * y).collect();
    let columns = vec![x.clone(), x, binary, vec![2.0; n], effect];
    let names: Vec<String> = ["a", "copy", "binary", "constant", "effect"].map(String::from).to_vec();
    let data = Dataset::new(names, columns).unwrap();
    for estimator in ESTIMATORS {
        for rows in [n, 12, 5] {
            match learn("npvar", &golden::first_rows(&data, rows), estimator) {
                Ok(learned) => {
                    let touches = |node: Node| learned.graph.edges().iter().any(|(a, b, _)| *a == node || *b == node);
                    assert!(!touches(3), "{estimator:?}: a constant column has no neighbours");
                    let tells = |code: &str, what: &str| {
                        learned.diagnostics.iter().any(|found| found.code == code && found.message.contains(what))
                    };
                    assert!(tells("constant-column", "`constant`"), "{estimator:?}");
                    assert!(tells("dependent-columns", "`copy`"), "{estimator:?}");
                    assert!(tells("few-valued-columns", "`binary`"), "{estimator:?}");
                    let additive = estimator[0].contains("=gam")
                        || estimator[0].contains("=reml")
                        || tells("estimator-chosen", "is `gam`");
                    assert_eq!(tells("few-valued-columns", "every value has an effect"), additive, "{estimator:?}");
                    assert_eq!(tells("small-sample", "samples are few"), rows < 50, "{estimator:?}");
                }
                Err(error) => {
                    let text = error.to_string();
                    assert!(text.contains("needs at least"), "{estimator:?}, {rows} rows: {text}");
                    assert!(text.contains(&format!("got {rows}")) || text.contains(&format!("of the {rows} are left")));
                }
            }
        }
    }
    for form in ["cross-fitted", "nearest-neighbour"] {
        for parents in ["leave-one-out", "permutation", "rodeo", "grid"] {
            let settings = [&*format!("residual-variance={form}"), &*format!("parents={parents}")];
            let learned = learn("npvar", &data, &settings).unwrap();
            assert!(learned.graph.edges().iter().all(|(a, b, _)| *a != 3 && *b != 3), "{settings:?}");
        }
    }
}

#[test]
fn options_without_effect_are_named() {
    let data = golden::first_rows(&golden::dataset("MC-SIN_d5"), 60);
    let unused = |settings: &[&str]| {
        let diagnostics = learn("npvar", &data, settings).unwrap().diagnostics;
        diagnostics.iter().find(|found| found.code == "unused-options").map(|found| found.message.clone())
    };
    let gp = unused(&["estimator=gp", "estimator.iterations=5", "cutoff=0.01", "selection.sp=3"]).unwrap();
    assert!(gp.contains("`cutoff` and `selection`"), "{gp}");
    assert!(unused(&["false-discovery-rate=0.1"]).unwrap().contains("`false-discovery-rate`"));
    assert!(unused(&["loss-test=sign"]).unwrap().contains("`loss-test`"));
    assert_eq!(unused(&["cutoff=0.01", "selection.sp=3"]), None);
    assert_eq!(unused(&["estimator=knn", "cutoff=0.01", "loss-test=sign"]), None);
    assert_eq!(unused(&["estimator=gp", "estimator.iterations=5", "false-discovery-rate=0.1"]), None);
}

#[test]
fn rows_that_a_process_uses_up_are_not_counted_twice() {
    // What candidates cost along an elimination does not add up to degrees of freedom of one fit.
    let n = 100;
    let (a, b, e) = (noise(n, 11), noise(n, 12), noise(n, 13));
    let s: Vec<f64> = (0..n).map(|i| a[i] * b[i] + 0.01 * e[i]).collect();
    let data = Dataset::new(["a", "b", "s"].map(String::from).to_vec(), vec![a, b, s]).unwrap();
    let learned = learn("npvar", &data, &["estimator=gp"]).unwrap();
    let doubts = doubts(&data, &learned, &Run::new(Seed(3))).unwrap();
    assert!(doubts.iter().all(|doubt| doubt.code != "few-samples-for-ancestors"), "{doubts:?}");
}

#[test]
fn importance_finds_parents_and_leaves_out_noise() {
    let n = 300;
    let (a, b, e) = (noise(n, 4), noise(n, 5), noise(n, 6));
    let y: Vec<f64> = a.iter().zip(&e).map(|(a, e)| a + 0.5 * e).collect();
    let data = Dataset::new(["a", "b", "y"].map(String::from).to_vec(), vec![a, b, y]).unwrap();
    let order = Order::new(vec![0, 1, 2]).unwrap();
    for test in [LossTest::Wilcoxon, LossTest::Sign, LossTest::T] {
        let importance = Importance { folds: 5, test, cutoff: 0.001 };
        for select in [leave_one_out, permutation] {
            let found = select(&data, &Linear, &order, importance, &Run::new(Seed(7))).unwrap();
            assert_eq!(found.dag.edges(), [(0, 2)], "{test:?}");
            // a explains 1/3 of y's variance of 1/3 + 1/12: four fifths; shuffling it doubles what is lost.
            let strength = found.tests.iter().find(|test| (test.parent, test.child) == (0, 2)).unwrap().strength;
            assert!((0.7..=1.0).contains(&strength), "{strength}");
        }
    }
}

#[test]
fn irrelevant_candidates_are_rarely_parents() {
    // 40 samples with three tests of noise each at level 0.05: were they exact and independent, more than 16 of 120 would
    // have probability below 1e-4 (binomial with mean 6).
    type Select = fn(&Dataset, &dyn ConditionalMean, &Order, Importance, &Run<'_>) -> Result<Selection>;
    let selections: [(Select, LossTest); 4] = [
        (leave_one_out, LossTest::T),
        (leave_one_out, LossTest::Wilcoxon),
        (leave_one_out, LossTest::Sign),
        (permutation, LossTest::T),
    ];
    for (select, test) in selections {
        let found: usize = (0..40)
            .map(|seed| {
                let columns = (0..3).map(|j| noise(80, 100 + 3 * seed + j)).collect();
                let data = Dataset::new(["a", "b", "c"].map(String::from).to_vec(), columns).unwrap();
                let importance = Importance { folds: 5, test, cutoff: 0.05 };
                let order = Order::new(vec![0, 1, 2]).unwrap();
                select(&data, &Linear, &order, importance, &Run::new(Seed(seed))).unwrap().dag.edges().len()
            })
            .sum();
        assert!(found <= 16, "{test:?}: {found} of 120");
    }
}

#[test]
fn an_interaction_is_seen_by_what_is_not_additive() {
    let n = 300;
    let (a, b, e) = (noise(n, 8), noise(n, 9), noise(n, 10));
    let y: Vec<f64> = (0..n).map(|i| 4.0 * a[i] * b[i] + 0.3 * e[i]).collect();
    let data = Dataset::new(["a", "b", "y"].map(String::from).to_vec(), vec![a, b, y]).unwrap();
    let input = Input { order: Some(Order::new(vec![0, 1, 2]).unwrap()), ..Input::new(&data) };
    let edges = |settings: &[&str]| {
        let learner = resolve("npvar", settings).unwrap().build().unwrap();
        learner.learn(&input, &Run::new(Seed(3))).unwrap().graph.to_dag().unwrap().edges()
    };
    for settings in [&["estimator=knn"][..], &["estimator=knn", "parents=permutation"], &["estimator=kernel"]] {
        assert_eq!(edges(settings), [(0, 2), (1, 2)], "{settings:?}");
    }
}

#[test]
fn resit_takes_any_estimator() {
    let data = golden::first_rows(&golden::dataset("MC-SIN_d5"), 60);
    for estimator in &ESTIMATORS[..10] {
        let learned = learn("resit", &data, estimator).unwrap_or_else(|error| panic!("{estimator:?}: {error}"));
        assert_eq!(learned.order.unwrap().nodes().len(), 5);
    }
    let few = learn("resit", &golden::first_rows(&data, 30), &["estimator=linear"]).unwrap();
    assert!(few.diagnostics.iter().any(|found| found.code == "small-sample"));
    let refused = learn("resit", &data, &["estimator=auto"]).unwrap_err().to_string();
    assert!(refused.contains("must be a single one for RESIT"), "{refused}");
    let refused = learn("resit", &data, &["estimator=knn", "basis=tp"]).unwrap_err().to_string();
    assert!(refused.contains("`basis` is for `estimator=gam`"), "{refused}");
}

#[test]
fn the_same_bytes_on_one_and_two_threads() {
    let data = golden::first_rows(&golden::dataset("ER-SIN-1_d5"), 80);
    let settings: [&[&str]; 5] = [
        &["estimator=forest", "estimator.trees=20", "parents=permutation"],
        &["estimator=knn", "residual-variance=cross-fitted"],
        &["residual-variance=nearest-neighbour", "parents=leave-one-out", "estimator=linear"],
        &["residual-variance=undersmoothed"],
        &["eta=adaptive", "residual-variance=cross-fitted"],
    ];
    for settings in settings {
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let learned = pool.install(|| learn("npvar", &data, settings).unwrap());
            serde_json::to_string(&learned.document(None)).unwrap()
        };
        assert_eq!(on(1), on(2), "{settings:?}");
    }
}
