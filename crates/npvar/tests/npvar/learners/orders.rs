//! SCORE, DAS, NoGAM, CaPS, RESIT, DirectLiNGAM and the two sorting learners: what must not change their answer, and what awkward tables get.

use std::sync::atomic::{AtomicBool, Ordering};

use npvar::data::Dataset;
use npvar::learner::{Assignment, Input, Learned, LearnerConfig};
use npvar::order::{SteinRows, SteinRule, stein};
use npvar::simulate::{SimulateOptions, simulate};
use npvar::{Error, Event, Flow, Observer, Result, Run, Seed};

/// Every learner with the options that take other paths through the code; small enough to be fast.
const LEARNERS: [(&str, &[&str]); 16] = [
    ("score", &[]),
    ("score", &["exact-up-to=50", "inducing=40"]),
    ("score", &["eta-g=0.01", "units=standardised"]),
    ("direct-lingam", &[]),
    ("direct-lingam", &["parents=significance"]),
    ("das", &[]),
    ("das", &["exact-up-to=50", "inducing=40", "min-parents=1", "selection.smoothing=gcv"]),
    ("nogam", &[]),
    ("nogam", &["exact-up-to=50", "inducing=40", "units=standardised"]),
    ("caps", &["eta-g=0.01", "units=standardised"]),
    ("var-sort-regress", &[]),
    ("r2-sort-regress", &[]),
    ("r2-sort-regress", &["parents=significance"]),
    ("resit", &[]),
    ("resit", &["estimator.smoothing=fixed", "exact-up-to=50", "parents=independence"]),
    ("resit", &["basis=tp", "hsic.width=first-100", "hsic.null-variance=joint", "weakest=statistic"]),
];

fn data(setting: &str, nodes: usize, samples: usize, seed: u64) -> Dataset {
    let options = SimulateOptions { nodes: Some(nodes), samples, ..SimulateOptions::default() };
    simulate(setting.parse().unwrap(), &options, Seed(seed)).unwrap().data
}

fn try_learn(name: &str, settings: &[&str], data: &Dataset, run: &Run<'_>) -> Result<Learned> {
    let settings: Vec<Assignment> = settings.iter().map(|text| Assignment::parse(text).unwrap()).collect();
    LearnerConfig::resolve(name, &settings).unwrap().build().unwrap().learn(&Input::new(data), run)
}

fn learn(name: &str, settings: &[&str], data: &Dataset) -> Learned {
    try_learn(name, settings, data, &Run::new(Seed(3))).unwrap()
}

fn changed(data: &Dataset, column: impl Fn(usize) -> (String, Vec<f64>)) -> Dataset {
    let (names, columns) = (0..data.d()).map(column).unzip();
    Dataset::new(names, columns).unwrap()
}

/// The order and the edges by name.
fn by_name(learned: &Learned) -> (Vec<String>, Vec<(String, String)>) {
    let name = |node: usize| learned.names[node].clone();
    let order = learned.order.as_ref().unwrap().nodes().iter().map(|&node| name(node)).collect();
    let mut edges: Vec<_> = learned.graph.edges().into_iter().map(|(from, to, _)| (name(from), name(to))).collect();
    edges.sort();
    (order, edges)
}

fn codes(learned: &Learned) -> Vec<&str> {
    learned.diagnostics.iter().map(|diagnostic| diagnostic.code.as_str()).collect()
}

#[test]
fn permuting_columns_permutes_the_answer() {
    let original = data("ER-AGP-1", 5, 150, 4);
    let shuffle = [3, 0, 4, 1, 2];
    let permuted = changed(&original, |j| (original.names()[shuffle[j]].clone(), original.column(shuffle[j]).to_vec()));
    for (name, settings) in LEARNERS {
        let (a, b) = (learn(name, settings, &original), learn(name, settings, &permuted));
        assert_eq!(by_name(&a), by_name(&b), "{name} {settings:?}");
    }
}

#[test]
fn where_zero_is_does_not_matter_and_for_some_neither_does_the_unit() {
    let original = data("ER-SIN-1", 5, 150, 7);
    let shifted = changed(&original, |j| {
        (original.names()[j].clone(), original.column(j).iter().map(|x| x + 10.0 * (j as f64 - 2.0)).collect())
    });
    let units = changed(&original, |j| {
        (original.names()[j].clone(), original.column(j).iter().map(|x| x * [8.0, 0.25, 1.0, 32.0, 0.5][j]).collect())
    });
    for (name, settings) in LEARNERS {
        let answer = by_name(&learn(name, settings, &original));
        assert_eq!(answer, by_name(&learn(name, settings, &shifted)), "{name} {settings:?}");
        if ["r2-sort-regress", "direct-lingam"].contains(&name) || settings.contains(&"units=standardised") {
            assert_eq!(answer, by_name(&learn(name, settings, &units)), "{name} {settings:?}");
        }
    }
}

#[test]
fn the_number_of_threads_does_not_change_a_bit() {
    let table = data("SF-SIN-1", 5, 210, 2);
    for (name, settings) in LEARNERS {
        let with = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| learn(name, settings, &table))
        };
        let one = with(1);
        for threads in [2, 3] {
            assert!(with(threads) == one, "{name} {settings:?} on {threads} threads");
        }
    }
}

#[test]
fn a_given_order_is_kept_and_a_second_sample_is_refused() {
    let table = data("MC-SIN", 4, 120, 5);
    let order = npvar::graph::Order::new(vec![3, 1, 0, 2]).unwrap();
    for (name, settings) in LEARNERS {
        let settings: Vec<Assignment> = settings.iter().map(|text| Assignment::parse(text).unwrap()).collect();
        let learner = LearnerConfig::resolve(name, &settings).unwrap().build().unwrap();
        let input = Input { order: Some(order.clone()), ..Input::new(&table) };
        assert_eq!(learner.learn(&input, &Run::new(Seed(1))).unwrap().order, Some(order.clone()));
        let input = Input { second_sample: Some(&table), ..Input::new(&table) };
        assert!(matches!(learner.learn(&input, &Run::new(Seed(1))), Err(Error::InvalidOption { .. })));
    }
}

#[test]
fn constant_duplicated_binary_and_few_valued_columns_get_a_graph_and_a_remark() {
    let base = data("MC-SIN", 3, 120, 6);
    let a = base.column(0).to_vec();
    let names = ["a", "b", "copy", "constant", "binary", "three"].map(str::to_owned).to_vec();
    let columns = vec![
        a.clone(),
        base.column(1).to_vec(),
        a.clone(),
        vec![4.0; 120],
        a.iter().map(|x| f64::from(u8::from(*x > 0.0))).collect(),
        base.column(2).iter().map(|x| x.round().clamp(-1.0, 1.0)).collect(),
    ];
    let table = Dataset::new(names, columns).unwrap();
    for (name, settings) in LEARNERS {
        let learned = learn(name, settings, &table);
        assert!(learned.graph.to_dag().is_some(), "{name}");
        let codes = codes(&learned);
        assert!(codes.contains(&"constant-column"), "{name} {settings:?}: {codes:?}");
        // Whoever regresses on both copies says so; nobody does where one of them is last.
        let last = *learned.order.as_ref().unwrap().nodes().last().unwrap();
        let unseen = settings.contains(&"parents=independence") || last == 0 || last == 2;
        assert!(unseen || codes.contains(&"dependent-columns"), "{name} {settings:?}: {codes:?}");
        assert!(!learned.graph.edges().iter().any(|&(from, to, _)| from == 3 || to == 3), "{name} {settings:?}");
    }
}

#[test]
fn tables_of_constants_and_tables_of_few_rows_get_an_answer_or_one_sentence() {
    let constants = Dataset::new(vec!["a".into(), "b".into()], vec![vec![1.0; 20], vec![2.0; 20]]).unwrap();
    for (name, settings) in LEARNERS {
        assert_eq!(learn(name, settings, &constants).graph.edges().len(), 0, "{name}");
        for rows in 4..9 {
            let small = data("MC-SIN", 4, rows, 8);
            match try_learn(name, settings, &small, &Run::new(Seed(3))) {
                Ok(learned) => assert!(learned.graph.to_dag().is_some()),
                Err(Error::TooFewSamples { needed, n, .. }) => assert!(n < needed),
                Err(other) => panic!("{name} {settings:?} with {rows} rows: {other}"),
            }
        }
    }
}

/// On these the R code of RESIT stops; the others come along.
#[test]
fn binary_chains_get_a_graph() {
    let table = data("MC-GLM", 6, 200, 9);
    for (name, settings) in LEARNERS {
        assert!(learn(name, settings, &table).graph.to_dag().is_some(), "{name} {settings:?}");
    }
}

#[test]
fn a_stop_is_heeded_in_the_middle() {
    struct StopAtTheFirstSink(AtomicBool);
    impl Observer for StopAtTheFirstSink {
        fn on(&self, event: &Event<'_>) -> Flow {
            if matches!(event, Event::Layer { .. } | Event::Working { .. }) {
                self.0.store(true, Ordering::Relaxed);
            }
            Flow::Continue
        }
    }
    let table = data("MC-SIN", 5, 100, 1);
    for (name, settings) in LEARNERS {
        let observer = StopAtTheFirstSink(AtomicBool::new(false));
        let run = Run::new(Seed(1)).observed(&observer).stopped_by(&observer.0);
        assert!(matches!(try_learn(name, settings, &table, &run), Err(Error::Cancelled)), "{name} {settings:?}");
    }
}

#[test]
fn options_out_of_range_are_refused_by_name() {
    for (name, setting, expected) in [
        ("score", "eta-g=0", "`eta-g` must be a positive number, got 0"),
        ("score", "inducing=3", "`inducing` must be at least 10, got 3"),
        ("resit", "alpha=1", "`alpha` must be between 0 and 1, got 1"),
        ("resit", "rank=1", "`rank` must be at least 10, got 1"),
        ("resit", "estimator.k=2", "`k` must be between 4 and 60, got 2"),
        ("var-sort-regress", "cutoff=0.01", "`parents` must be `significance` where `cutoff` or `selection` is set"),
    ] {
        let settings = [Assignment::parse(setting).unwrap()];
        let message = LearnerConfig::resolve(name, &settings).and_then(|config| config.build().map(drop)).unwrap_err();
        assert!(message.to_string().contains(expected), "{message}");
    }
    let settings = ["estimator=linear", "basis=tp"].map(|text| Assignment::parse(text).unwrap());
    let message = LearnerConfig::resolve("resit", &settings).and_then(|config| config.build().map(drop)).unwrap_err();
    assert!(message.to_string().contains("`basis` is for `estimator=gam`"), "{message}");
}

#[test]
fn large_units_make_score_warn_and_standardising_takes_the_warning_away() {
    let original = data("MC-SIN", 4, 100, 3);
    let large =
        changed(&original, |j| (original.names()[j].clone(), original.column(j).iter().map(|x| 1e4 * x).collect()));
    assert!(!codes(&learn("score", &[], &original)).contains(&"ridge-decides"));
    assert!(codes(&learn("score", &[], &large)).contains(&"ridge-decides"));
    assert!(!codes(&learn("score", &["units=standardised"], &large)).contains(&"ridge-decides"));
}

#[test]
fn units_so_small_that_score_fails_are_named() {
    let original = data("MC-SIN", 4, 100, 3);
    let small =
        changed(&original, |j| (original.names()[j].clone(), original.column(j).iter().map(|x| 1e-30 * x).collect()));
    let learned = |settings: &[&str]| try_learn("score", settings, &small, &Run::new(Seed(1)));
    let refused = learned(&[]).unwrap_err().to_string();
    assert!(refused.starts_with("`units` must be `standardised` for columns in so small a unit"), "{refused}");
    assert!(learned(&["units=standardised"]).is_ok());
}

#[test]
fn resit_needs_more_rows_than_columns_where_it_regresses_on_all_of_them() {
    let few = data("ER-SIN-1", 12, 12, 1);
    let learned = |settings: &[&str]| try_learn("resit", settings, &few, &Run::new(Seed(1)));
    assert_eq!(
        learned(&[]).unwrap_err().to_string(),
        "RESIT, which regresses every column on all the others, needs at least 13 samples, got 12"
    );
    // A regression that needs no more rows than it has neighbours is not held to it.
    assert!(learned(&["estimator=knn"]).is_ok());
}

/// Two binary columns that agree in nine rows of ten: no regression of one on the other leaves independent residuals.
#[test]
fn residuals_that_are_never_independent_make_resit_warn() {
    let x: Vec<f64> = (0..200).map(|i| f64::from(i % 2)).collect();
    let y: Vec<f64> =
        (0..200).map(|i| if i % 20 < 2 { 1.0 - x[i] } else { x[i] } * if i % 4 < 2 { 1.0 } else { 3.0 }).collect();
    let table = Dataset::new(vec!["x".into(), "y".into()], vec![x, y]).unwrap();
    assert!(codes(&learn("resit", &["estimator=linear"], &table)).contains(&"dependent-residuals"));
    assert!(!codes(&learn("resit", &[], &data("MC-SIN", 3, 200, 1))).contains(&"dependent-residuals"));
}

fn columns(data: &Dataset) -> Vec<&[f64]> {
    (0..data.d()).map(|node| data.column(node)).collect()
}

/// The ridge of 1e-10 that keeps the inducing rows' own matrix invertible moves the variances by about as much over 1e-3.
#[test]
fn inducing_every_row_gives_the_exact_variances() {
    let table = data("ER-AGP-4", 5, 250, 5);
    let run = Run::new(Seed(0));
    for rule in [SteinRule::default(), SteinRule { eta_h: 0.01, ..SteinRule::default() }] {
        let (order, exact) = stein(&columns(&table), &rule, &run).unwrap();
        let all = SteinRule { rows: SteinRows::Inducing((0..250).collect()), ..rule };
        let (same, inducing) = stein(&columns(&table), &all, &run).unwrap();
        assert_eq!(order, same);
        for (exact, inducing) in exact.iter().zip(&inducing) {
            assert_eq!(exact.width, inducing.width);
            for (a, b) in exact.variances.iter().zip(&inducing.variances) {
                assert!((a / b - 1.0).abs() < 1e-5, "{a} and {b}");
            }
        }
    }
}

/// With a fifth of the rows inducing, sinks of a sine chain are still told apart: the smallest variance is a third of the
/// next in the exact estimate.
#[test]
fn a_fifth_of_the_rows_is_enough_to_find_a_chain() {
    let options = SimulateOptions { nodes: Some(5), samples: 600, ..SimulateOptions::default() };
    let run = Run::new(Seed(0));
    let mut found = [0, 0];
    for seed in 0..4 {
        let simulated = simulate("MC-SIN".parse().unwrap(), &options, Seed(seed)).unwrap();
        let rows = SteinRows::Inducing((0..600).step_by(5).collect());
        for (found, rule) in found.iter_mut().zip([SteinRule::default(), SteinRule { rows, ..SteinRule::default() }]) {
            let (order, _) = stein(&columns(&simulated.data), &rule, &run).unwrap();
            *found += usize::from(order == *simulated.truth.order());
        }
    }
    assert!(found[1] >= found[0].saturating_sub(1) && found[0] >= 3, "{found:?}");
}
