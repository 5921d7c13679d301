//! GES and GSGES as a user meets them: options, awkward tables, cancelling, threads.

use std::sync::atomic::AtomicBool;

use npvar::data::Dataset;
use npvar::graph::{Dag, Order, Pdag};
use npvar::learner::{Assignment, Input, Learned, LearnerConfig};
use npvar::simulate::{LinearSem, erdos_renyi};
use npvar::{Error, Result, Run, Seed};

fn learner(name: &str, settings: &[&str]) -> Result<LearnerConfig> {
    let settings: Vec<Assignment> = settings.iter().map(|text| Assignment::parse(text).unwrap()).collect();
    LearnerConfig::resolve(name, &settings)
}

fn learn(name: &str, settings: &[&str], data: &Dataset) -> Result<Learned> {
    learner(name, settings)?.build()?.learn(&Input::new(data), &Run::new(Seed(0)))
}

fn table(columns: Vec<Vec<f64>>) -> Dataset {
    Dataset::new((0..columns.len()).map(|j| format!("X{}", j + 1)).collect(), columns).unwrap()
}

/// X1 → X3 ← X2, X3 → X4.
fn sample(n: usize) -> Dataset {
    LinearSem::random(Dag::from_edges(4, [(0, 2), (1, 2), (2, 3)]).unwrap(), Seed(4)).sample(n, Seed(4)).unwrap()
}

fn codes(learned: &Learned) -> Vec<&str> {
    learned.diagnostics.iter().map(|diagnostic| diagnostic.code.as_str()).collect()
}

fn with_column(data: &Dataset, column: Vec<f64>) -> Dataset {
    let mut columns: Vec<Vec<f64>> = (0..data.d()).map(|j| data.column(j).to_vec()).collect();
    columns.push(column);
    table(columns)
}

#[test]
fn both_find_a_collider_and_what_follows_from_it() {
    let data = sample(400);
    let expected = Pdag::from(&Dag::from_edges(4, [(0, 2), (1, 2), (2, 3)]).unwrap());
    assert_eq!(learn("ges", &[], &data).unwrap().graph, expected);
    assert_eq!(learn("gsges", &["score=marginal"], &sample(150)).unwrap().graph.skeleton(), expected.skeleton());
    assert_eq!(learn("gsges", &[], &sample(150)).unwrap().graph, expected);
}

#[test]
fn options_are_read_and_wrong_ones_are_named() {
    let config = learner("ges", &["score=bdeu", "score.sample-prior=5", "phases=forward-backward", "max-parents=3"]);
    let value = serde_json::to_value(config.unwrap()).unwrap();
    assert_eq!(value["score"]["sample-prior"], 5.0);
    assert_eq!((value["phases"].as_str(), value["max-parents"].as_u64()), (Some("forward-backward"), Some(3)));
    let value = serde_json::to_value(learner("ges", &["score.lambda=2.5"]).unwrap()).unwrap();
    assert_eq!(value["score"]["lambda"], 2.5);
    for (name, setting, fragment) in [
        ("ges", "score=gaussian", "gaussian-bic"),
        ("ges", "score.lambda=-1", "not negative"),
        ("ges", "score.lambda=aic", "`bic`"),
        ("ges", "score.sample-prior=1", "sample-prior"),
        ("ges", "phases=turn", "forward-backward"),
        ("ges", "depth=2", "max-parents"),
        ("gsges", "score.folds=1", "at least 2"),
        ("gsges", "score.gamma=0", "`gamma` must be at least 1e-10"),
        ("gsges", "low-rank=yes", "auto"),
        ("gsges", "tolerance=1", "below 1"),
        ("gsges", "rank=0", "above 0"),
    ] {
        let message = learner(name, &[setting]).unwrap_err().to_string();
        assert!(message.contains(fragment), "{setting}: {message}");
    }
    let message = learner("ges", &["score=bdeu", "score.sample-prior=0"]).unwrap_err().to_string();
    assert!(message.contains("above 0"), "{message}");
}

#[test]
fn the_penalty_has_an_effect() {
    let data = sample(100);
    let edges = |lambda: &str| learn("ges", &[lambda], &data).unwrap().graph.edge_count();
    assert_eq!(edges("score.lambda=0"), 6);
    assert_eq!(edges("score.lambda=1000"), 0);
}

#[test]
fn a_constant_column_stays_alone_and_is_named() {
    for name in ["ges", "gsges"] {
        let learned = learn(name, &[], &with_column(&sample(120), vec![3.0; 120])).unwrap();
        assert!(learned.graph.adjacents(4).is_clear(), "{name}");
        assert!(learned.graph.edge_count() >= 3, "{name}");
        assert!(codes(&learned).contains(&"constant-column"), "{name}");
    }
}

#[test]
fn dependent_columns_are_named_and_give_a_finite_graph() {
    let data = sample(200);
    let sum: Vec<f64> = (0..200).map(|i| data.column(0)[i] + data.column(1)[i]).collect();
    for column in [data.column(0).to_vec(), sum] {
        let learned = learn("ges", &[], &with_column(&data, column)).unwrap();
        let warning = learned.diagnostics.iter().find(|diagnostic| diagnostic.code == "dependent-columns").unwrap();
        assert!(warning.message.starts_with("`X5` is"), "{}", warning.message);
        assert!(!learned.graph.adjacents(4).is_clear());
        assert!(learned.graph.edge_count() < 10, "a dependency is no reason to join everything");
    }
}

#[test]
fn more_columns_than_rows_limit_the_parents() {
    let data = LinearSem::random(erdos_renyi(12, 2, Seed(1)), Seed(1)).sample(8, Seed(1)).unwrap();
    let learned = learn("ges", &[], &data).unwrap();
    assert!(codes(&learned).contains(&"few-samples"));
    let member = learned.graph.consistent_extension().unwrap();
    assert!((0..12).all(|node| member.parents(node).count_ones(..) <= 6));
    let message = learn("gsges", &[], &data).unwrap_err().to_string();
    assert_eq!(message, "cross-validation needs at least 10 samples, got 8");
}

#[test]
fn discrete_and_continuous_columns_are_not_mixed_up() {
    let message = learn("ges", &["score=bdeu"], &sample(100)).unwrap_err().to_string();
    assert!(message.contains("`X1` has 100 distinct values in 100 rows: `bdeu` is for discrete columns"), "{message}");
    let coin = |k: usize| (0..200).map(|i| ((i * k / 3) % 2) as f64).collect::<Vec<f64>>();
    let discrete = table(vec![coin(1), coin(2), coin(5)]);
    assert!(codes(&learn("ges", &[], &discrete).unwrap()).contains(&"few-valued-columns"));
    assert!(learn("ges", &["score=bdeu"], &discrete).unwrap().diagnostics.is_empty());
}

#[test]
fn an_order_or_a_second_sample_is_refused() {
    let data = sample(50);
    for name in ["ges", "gsges"] {
        let learner = learner(name, &[]).unwrap().build().unwrap();
        let order = Order::new(vec![0, 1, 2, 3]).unwrap();
        let with_order = Input { order: Some(order), ..Input::new(&data) };
        let with_sample = Input { second_sample: Some(&data), ..Input::new(&data) };
        for (input, option) in [(with_order, "`order`"), (with_sample, "`second-sample`")] {
            let message = learner.learn(&input, &Run::new(Seed(0))).unwrap_err().to_string();
            assert!(message.contains(option), "{message}");
        }
    }
}

#[test]
fn a_stop_flag_cancels() {
    let (data, stop) = (sample(50), AtomicBool::new(true));
    for name in ["ges", "gsges"] {
        let result = learner(name, &[]).unwrap().build().unwrap();
        let result = result.learn(&Input::new(&data), &Run::new(Seed(0)).stopped_by(&stop));
        assert!(matches!(result, Err(Error::Cancelled)));
    }
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let data = sample(130);
    for (name, settings) in [("ges", vec![]), ("gsges", vec![]), ("gsges", vec!["score=marginal"])] {
        let with = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| learn(name, &settings, &data).unwrap())
        };
        assert_eq!(with(1), with(3), "{name}");
    }
}
