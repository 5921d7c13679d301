//! NOTEARS, NOTEARS-MLP and GDS as learners: what they find, what they refuse, and what they say about awkward tables.

use std::sync::atomic::AtomicBool;

use npvar::data::Dataset;
use npvar::graph::Order;
use npvar::learner::{Assignment, Input, Learned, LearnerConfig};
use npvar::simulate::{SimulateOptions, simulate};
use npvar::{Error, Result, Run, Seed};
use rand::RngExt;

const ALL: [&str; 3] = ["notears", "notears-mlp", "gds"];

fn config(learner: &str, settings: &[&str]) -> LearnerConfig {
    let settings: Vec<Assignment> = settings.iter().map(|text| Assignment::parse(text).unwrap()).collect();
    LearnerConfig::resolve(learner, &settings).unwrap()
}

fn learn(learner: &str, settings: &[&str], data: &Dataset) -> Result<Learned> {
    config(learner, settings).build()?.learn(&Input::new(data), &Run::new(Seed(1)))
}

fn codes(learned: &Learned) -> Vec<&str> {
    learned.diagnostics.iter().map(|diagnostic| diagnostic.code.as_str()).collect()
}

fn named(columns: Vec<Vec<f64>>) -> Dataset {
    Dataset::new((0..columns.len()).map(|j| format!("x{j}")).collect(), columns).unwrap()
}

/// A chain with equal error variances: x0 → x1 → x2 with weights 1.5 and sums of uniform numbers as errors.
fn chain(n: usize) -> Dataset {
    let mut rng = Seed(9).rng();
    let mut columns = vec![vec![0.0; n]; 3];
    for i in 0..n {
        for j in 0..3 {
            let error: f64 = (0..12).map(|_| rng.random_range(-0.5..0.5)).sum();
            columns[j][i] = error + if j == 0 { 0.0 } else { 1.5 * columns[j - 1][i] };
        }
    }
    named(columns)
}

#[test]
fn a_linear_chain_is_found_by_the_linear_learners() {
    let data = chain(500);
    for learner in ["notears", "gds"] {
        let learned = learn(learner, &[], &data).unwrap();
        assert_eq!(learned.graph.to_dag().unwrap().edges(), [(0, 1), (1, 2)], "{learner}");
        assert_eq!(learned.order.as_ref().unwrap().nodes(), [0, 1, 2], "{learner}");
        assert!(learned.diagnostics.iter().all(|remark| remark.code == "objective"), "{:?}", learned.diagnostics);
    }
}

#[test]
fn what_depends_on_the_order_of_the_columns_is_said() {
    let data = chain(100);
    let says = |learner| codes(&learn(learner, &[], &data).unwrap()).contains(&"random-start");
    assert!(says("notears-mlp") && !says("notears"));
}

#[test]
fn units_so_small_that_the_penalty_outweighs_every_edge_are_told() {
    let data = chain(500);
    let scaled =
        |factor: f64| named((0..3).map(|j| data.column(j).iter().map(|value| factor * value).collect()).collect());
    for learner in ["notears", "notears-mlp"] {
        let told = |factor: f64| codes(&learn(learner, &[], &scaled(factor)).unwrap()).contains(&"small-units");
        // Covariances of 1.5 and more fall below 0.1 at a twentieth.
        assert!(!told(1.0) && !told(10.0) && told(0.05) && told(1e-4), "{learner}");
    }
    let small = learn("notears", &[], &scaled(0.05)).unwrap();
    assert_eq!(small.graph.edge_count(), 0);
    let remark = small.diagnostics.iter().find(|remark| remark.code == "small-units").unwrap();
    assert!(
        remark.message.contains("3 pairs are clearly correlated, of which the penalty keeps 3 apart"),
        "{remark:?}"
    );
    // What the advice says gives the chain back.
    let advice = remark.advice.as_ref().unwrap();
    let lambda1 = advice.rsplit(' ').next().unwrap();
    let mended = learn("notears", &[&format!("lambda1={lambda1}")], &scaled(0.05)).unwrap();
    assert_eq!(mended.graph.to_dag().unwrap().edges(), [(0, 1), (1, 2)], "{advice}");
    // Columns that have nothing to do with each other have no edges in any unit.
    let mut rng = Seed(3).rng();
    let apart = named((0..3).map(|_| (0..500).map(|_| 0.01 * rng.random_range(-1.0..1.0)).collect()).collect());
    assert!(!codes(&learn("notears", &[], &apart).unwrap()).contains(&"small-units"));
}

#[test]
fn a_sine_chain_is_found_by_the_nonlinear_learners() {
    // With 600 rows every edge explains a large share of its child; all five seeds must succeed for GDS, as no step is close.
    for seed in 0..5 {
        let options = SimulateOptions { nodes: Some(4), samples: 600, ..Default::default() };
        let simulated = simulate("MC-SIN".parse().unwrap(), &options, Seed(seed)).unwrap();
        let learned = learn("gds", &["model=additive", "restarts=1"], &simulated.data).unwrap();
        assert_eq!(learned.graph.to_dag().unwrap().edges(), simulated.truth.edges(), "seed {seed}");
    }
    let options = SimulateOptions { nodes: Some(4), samples: 300, ..Default::default() };
    let simulated = simulate("MC-SIN".parse().unwrap(), &options, Seed(1)).unwrap();
    let learned = learn("notears-mlp", &[], &simulated.data).unwrap();
    let dag = learned.graph.to_dag().unwrap();
    let found = simulated.truth.edges().into_iter().filter(|&(parent, child)| dag.has_edge(parent, child)).count();
    assert!(found >= 2, "{:?}", dag.edges());
}

#[test]
fn results_do_not_depend_on_threads() {
    let data = chain(60);
    for learner in ALL {
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| learn(learner, &[], &data).unwrap().document(None))
        };
        assert_eq!(serde_json::to_string(&on(1)).unwrap(), serde_json::to_string(&on(3)).unwrap(), "{learner}");
    }
}

#[test]
fn orders_and_second_samples_are_refused() {
    let data = chain(50);
    for learner in ALL {
        let learner = config(learner, &[]).build().unwrap();
        let order = Some(Order::new(vec![0, 1, 2]).unwrap());
        let input = Input { order, ..Input::new(&data) };
        assert!(matches!(learner.learn(&input, &Run::new(Seed(1))), Err(Error::InvalidOption { option: "order", .. })));
        let input = Input { second_sample: Some(&data), ..Input::new(&data) };
        let refused = learner.learn(&input, &Run::new(Seed(1)));
        assert!(matches!(refused, Err(Error::InvalidOption { option: "second-sample", .. })));
    }
}

#[test]
fn a_set_stop_flag_cancels() {
    let (data, stop) = (chain(50), AtomicBool::new(true));
    for learner in ALL {
        let run = Run::new(Seed(1)).stopped_by(&stop);
        let result = config(learner, &[]).build().unwrap().learn(&Input::new(&data), &run);
        assert!(matches!(result, Err(Error::Cancelled)), "{learner}");
    }
}

#[test]
fn constant_and_repeated_columns_and_few_rows_are_survived() {
    let base = chain(40);
    let column = |j: usize| base.column(j).to_vec();
    let copied = named(vec![column(0), column(0), column(1)]);
    let constant = named(vec![column(0), vec![3.0; 40], column(1)]);
    let short = named((0..6).map(|j| (0..5).map(|i| ((i * 7 + j * j * 3) % 11) as f64 / 4.0).collect()).collect());
    for learner in ALL {
        for (what, data) in [("copied", &copied), ("constant", &constant), ("short", &short)] {
            let learned = learn(learner, &["max-iterations=20"][..usize::from(learner != "gds")], data).unwrap();
            assert!(learned.graph.to_dag().is_some(), "{learner}, {what}");
        }
        let learned = learn(learner, &[], &constant).unwrap();
        assert!(codes(&learned).contains(&"constant-column"), "{learner}");
        let dag = learned.graph.to_dag().unwrap();
        assert!(dag.parents(1).is_clear() && dag.children(1).is_clear(), "{learner}");
        let three = named(vec![vec![1.0, 2.0, 4.0], vec![0.0, 1.0, 1.0]]);
        assert!(matches!(learn(learner, &[], &three), Err(Error::TooFewSamples { .. })), "{learner}");
    }
}

#[test]
fn an_optimisation_that_does_not_converge_says_so() {
    let data = chain(100);
    for learner in ["notears", "notears-mlp"] {
        let learned = learn(learner, &["rho-max=2"], &data).unwrap();
        assert!(codes(&learned).contains(&"not-converged"), "{learner}: {:?}", learned.diagnostics);
    }
    let learned = learn("notears", &["rho-max=2", "threshold=0"], &data).unwrap();
    assert!(codes(&learned).contains(&"raised-threshold"));
    assert!(learned.diagnostics.iter().any(|diagnostic| diagnostic.message.contains("` -> `x0`")));
    let learned = learn("gds", &["max-steps=1", "restarts=0"], &data).unwrap();
    assert!(codes(&learned).contains(&"step-limit"));
}

#[test]
fn standardised_data_are_noticed() {
    let data = chain(60);
    let standardised = named(
        (0..3)
            .map(|j| {
                let column = data.column(j);
                let mean = column.iter().sum::<f64>() / 60.0;
                let square: f64 = column.iter().map(|x| (x - mean) * (x - mean)).sum();
                column.iter().map(|x| (x - mean) / square.sqrt()).collect()
            })
            .collect(),
    );
    for learner in ALL {
        assert!(codes(&learn(learner, &[], &standardised).unwrap()).contains(&"standardised-data"), "{learner}");
    }
}

#[test]
fn parents_can_be_selected_along_the_order() {
    let learned = learn("notears", &["parents=significance", "parents.cutoff=0.01"], &chain(500)).unwrap();
    assert!(learned.tests.is_some());
    assert_eq!(learned.graph.to_dag().unwrap().edges(), [(0, 1), (1, 2)]);
}

#[test]
fn both_acyclicity_functions_find_the_chain() {
    let learned = learn("notears", &["acyclicity=polynomial"], &chain(500)).unwrap();
    assert_eq!(learned.graph.to_dag().unwrap().edges(), [(0, 1), (1, 2)]);
}

#[test]
fn options_out_of_range_are_refused() {
    for (learner, setting, expected) in [
        ("notears", "lambda1=-1", "`lambda1` must be a number that is not negative, got -1"),
        ("notears", "h-tolerance=0", "`h-tolerance` must be positive, got 0"),
        ("notears", "rho-max=1", "`rho-max` must be above 1"),
        ("notears", "parents.cutof=1", "unknown field `cutof`"),
        ("notears-mlp", "hidden=0", "`hidden` must be between 1 and 1000, got 0"),
        ("notears-mlp", "acyclicity=log", "unknown variant `log`, expected `exponential` or `polynomial`"),
        ("gds", "model=tree", "unknown variant `tree`, expected `linear` or `additive`"),
        ("gds", "max-iterations=3", "unknown field `max-iterations`"),
    ] {
        let error = LearnerConfig::resolve(learner, &[Assignment::parse(setting).unwrap()]).unwrap_err().to_string();
        assert!(error.contains(expected), "{setting}: {error}");
    }
}
