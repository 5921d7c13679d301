//! NPVAR with Gaussian processes: recovery, awkward columns, the choice of an estimator, and the selection's p-values.

use npvar::data::Dataset;
use npvar::graph::Order;
use npvar::learner::{
    Assignment, EstimatorConfig, GpConfig, Input, Learned, LearnerConfig, NpvarConfig, ParentSelection,
};
use npvar::metrics::{order_recovery, shd};
use npvar::order::Eta;
use npvar::regress::gp::{Effort, Gp, Standardised};
use npvar::select::{EvidenceRule, marginal_likelihood};
use npvar::simulate::{SimulateOptions, Simulated, simulate};
use npvar::{Error, Run, Seed};
use rand_distr::{Distribution, StandardNormal};

fn simulated(setting: &str, d: usize, n: usize, seed: u64) -> Simulated {
    let options = SimulateOptions { nodes: Some(d), samples: n, ..SimulateOptions::default() };
    simulate(setting.parse().unwrap(), &options, Seed(seed)).unwrap()
}

fn config(settings: &[&str]) -> LearnerConfig {
    let settings: Vec<Assignment> = settings.iter().map(|setting| Assignment::parse(setting).unwrap()).collect();
    LearnerConfig::resolve("npvar", &settings).unwrap()
}

fn learn(data: &Dataset, config: &LearnerConfig) -> Learned {
    config.build().unwrap().learn(&Input::new(data), &Run::new(Seed(3))).unwrap()
}

fn has(learned: &Learned, code: &str) -> bool {
    learned.diagnostics.iter().any(|diagnostic| diagnostic.code == code)
}

fn normal(seed: u64, n: usize) -> Vec<f64> {
    let mut rng = Seed(seed).rng();
    (0..n).map(|_| StandardNormal.sample(&mut rng)).collect()
}

/// `c = a b + ε`: nothing that an additive model could see, and a parity that any pair shows.
fn product(n: usize) -> Dataset {
    let (a, b, e) = (normal(1, n), normal(2, n), normal(3, n));
    let c = (0..n).map(|i| 1.5 * a[i] * b[i] + e[i]).collect();
    Dataset::new(vec!["a".into(), "b".into(), "c".into()], vec![a, b, c]).unwrap()
}

#[test]
fn an_interaction_is_found_where_the_additive_model_sees_none() {
    let data = product(200);
    let learned = learn(&data, &config(&["estimator=gp"]));
    assert!(learned.graph.has_directed(0, 2) && learned.graph.has_directed(1, 2));
    assert_eq!(learned.graph.edge_count(), 2);
    assert!(learn(&data, &config(&[])).graph.edge_count() < 2);
    let steps = learned.steps.unwrap();
    // Unit noise; the estimate has a standard error of sqrt(2/200) = 0.1.
    assert!((steps[2].residual_variances[0] - 1.0).abs() < 0.4, "{:?}", steps[2]);
    for test in learned.tests.unwrap().iter().filter(|test| test.child == 2) {
        assert!(test.p_value < 1e-10 && test.strength > 0.3 && test.statistic > 0.0);
    }
}

#[test]
fn auto_takes_the_process_for_interactions_and_the_additive_model_for_sums() {
    let interacting = learn(&product(200), &config(&["estimator=auto"]));
    let chosen = |learned: &Learned| {
        learned.diagnostics.iter().find(|one| one.code == "estimator-chosen").unwrap().message.clone()
    };
    assert!(chosen(&interacting).contains("is `gp`"), "{}", chosen(&interacting));
    assert_eq!(interacting.graph.edge_count(), 2);
    let sums = simulated("ER-SIN-1", 5, 150, 2);
    let additive = learn(&sums.data, &config(&["estimator=auto"]));
    assert!(chosen(&additive).contains("is `gam`"), "{}", chosen(&additive));
    assert_eq!(additive.graph, learn(&sums.data, &config(&[])).graph);
}

#[test]
fn additive_graphs_are_recovered_too_and_any_order_can_be_given() {
    let sums = simulated("ER-SIN-1", 5, 200, 1);
    let learned = learn(&sums.data, &config(&["estimator=gp"]));
    assert_eq!(order_recovery(learned.order.as_ref().unwrap(), &sums.truth).violated_edges, 0);
    assert!(shd(&learned.graph, &sums.truth) <= 1);
    let input = Input { order: Some(sums.truth.order().clone()), ..Input::new(&sums.data) };
    let given = config(&["parents=marginal-likelihood"]).build().unwrap().learn(&input, &Run::new(Seed(1))).unwrap();
    assert!(shd(&given.graph, &sums.truth) <= 1);
    let by_terms = learn(&sums.data, &config(&["estimator=gp", "parents=significance"]));
    assert_eq!(by_terms.order, learned.order);
}

#[test]
fn constant_copied_and_binary_columns_and_few_rows_are_answered() {
    let n = 40;
    let (a, e) = (normal(5, n), normal(6, n));
    let binary: Vec<f64> = a.iter().map(|a| f64::from(u8::from(*a > 0.0))).collect();
    let y = (0..n).map(|i| 2.0 * binary[i] + 0.3 * e[i]).collect();
    let names = ["a", "copy", "constant", "binary", "y"].map(str::to_owned).to_vec();
    let data = Dataset::new(names, vec![a.clone(), a, vec![2.0; n], binary, y]).unwrap();
    for settings in [&["estimator=gp"][..], &["estimator=auto"], &["estimator=gp", "eta=adaptive"]] {
        let learned = learn(&data, &config(settings));
        assert!(has(&learned, "constant-column"), "{:?}", learned.diagnostics);
        assert!((0..5).all(|other| !learned.graph.adjacent(2, other)));
        let variances: Vec<f64> =
            learned.steps.unwrap().iter().flat_map(|step| step.residual_variances.clone()).collect();
        assert!(variances.iter().all(|variance| variance.is_finite() && *variance >= 0.0));
    }
    assert!(has(&learn(&data, &config(&["estimator=gp"])), "small-sample"));
}

#[test]
fn permuted_columns_permute_the_graph_and_units_of_parents_do_not_matter() {
    let data = product(150);
    let other = Dataset::new(
        vec!["c".into(), "b".into(), "a".into()],
        vec![data.column(2).to_vec(), data.column(1).to_vec(), data.column(0).iter().map(|a| a + 100.0).collect()],
    )
    .unwrap();
    let (plain, permuted) = (learn(&data, &config(&["estimator=gp"])), learn(&other, &config(&["estimator=gp"])));
    for (i, j) in [(0, 1), (0, 2), (1, 2), (1, 0), (2, 0), (2, 1)] {
        assert_eq!(plain.graph.has_directed(i, j), permuted.graph.has_directed(2 - i, 2 - j));
    }
}

#[test]
fn the_bytes_do_not_depend_on_the_number_of_threads() {
    let data = simulated("ER-NGP-1", 5, 90, 4).data;
    for settings in [
        &["estimator=gp"][..],
        &["estimator=auto"],
        &["estimator=gp", "estimator.exact-rows=50", "estimator.inducing-points=20"],
    ] {
        let config = config(settings);
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            serde_json::to_string(&pool.install(|| learn(&data, &config)).document(None)).unwrap()
        };
        assert_eq!(on(1), on(2), "{settings:?}");
    }
}

#[test]
fn a_stopped_run_ends_soon() {
    let stop = std::sync::atomic::AtomicBool::new(true);
    let data = product(100);
    let run = Run::new(Seed(1)).stopped_by(&stop);
    let learned = config(&["estimator=gp"]).build().unwrap().learn(&Input::new(&data), &run);
    assert!(matches!(learned, Err(Error::Cancelled)));
}

#[test]
fn options_that_a_gaussian_process_does_not_have_are_refused() {
    for (settings, expected) in [
        (&["estimator=gp", "residual-variance=rss"][..], "can be `rss` for `gam` and `linear`"),
        (&["residual-variance=own"], "can be `own` for"),
        (&["estimator=auto", "split=half"], "without a sample split, for `auto`"),
        (&["estimator=auto", "residual-variance=difference"], "must be `by-estimator`"),
        (&["estimator=gp", "estimator.iterations=0"], "`iterations` must be at least 1"),
        (&["false-discovery-rate=0"], "must be between 0 and 1"),
    ] {
        let settings: Vec<Assignment> = settings.iter().map(|setting| Assignment::parse(setting).unwrap()).collect();
        let message = LearnerConfig::resolve("npvar", &settings).expect_err("must be refused").to_string();
        assert!(message.contains(expected), "{message}");
    }
    let gp = EstimatorConfig::Gp(GpConfig::default());
    let parsed = config(&["estimator=gp", "parents=marginal-likelihood", "eta=0.1"]);
    let expected = NpvarConfig {
        estimator: gp,
        parents: ParentSelection::MarginalLikelihood,
        eta: Eta::Fixed(0.1),
        ..NpvarConfig::default()
    };
    assert_eq!(parsed, LearnerConfig::Npvar(expected));
}

/// Null candidates beside one that matters: the p-values are about uniform in their lower tail.
#[test]
fn null_candidates_get_small_p_values_rarely() {
    let gp = Gp { effort: Effort { iterations: 25, nats: 0.05, length_rate: 0.0 }, ..Gp::default() };
    let small = (0..60)
        .filter(|seed| {
            let n = 60;
            let (a, b, e) = (normal(3 * seed, n), normal(3 * seed + 1, n), normal(3 * seed + 2, n));
            let y: Vec<f64> = (0..n).map(|i| a[i].sin() + 0.7 * e[i]).collect();
            let table = Standardised::new([&a[..], &b, &y]);
            let order = Order::new(vec![0, 1, 2]).unwrap();
            let rule = EvidenceRule { false_discovery_rate: 0.01, gp };
            let selection = marginal_likelihood(&table, &order, &[], rule, &Run::new(Seed(0))).unwrap();
            selection.tests.iter().any(|test| (test.parent, test.child) == (1, 2) && test.p_value < 0.05)
        })
        .count();
    // Binomial(60, 0.05): more than 10 with probability 3e-4.
    assert!(small <= 10, "{small} of 60 below 0.05");
}

/// The same among ten and more candidates, where fits have a second start.
#[test]
fn null_candidates_among_many_get_small_p_values_rarely() {
    let (n, last, draws) = (300, 12, 2);
    let gp = Gp { effort: Effort { iterations: 25, nats: 0.05, length_rate: 0.0 }, ..Gp::default() };
    let small = |draw: u64| {
        let mut columns: Vec<Vec<f64>> = (0..=12).map(|k| normal(100 * draw + k, n)).collect();
        let at = |k: usize, i: usize| columns[k][i];
        columns[last] = (0..n).map(|i| at(0, i).sin() + at(1, i) * at(2, i) + 0.7 * at(last, i)).collect();
        let table = Standardised::new(columns.iter().map(Vec::as_slice));
        let order = Order::new((0..=last).collect()).unwrap();
        let rule = EvidenceRule { false_discovery_rate: 0.01, gp };
        let tests = marginal_likelihood(&table, &order, &[], rule, &Run::new(Seed(0))).unwrap().tests;
        let is_null = |parent: usize, child: usize| child >= 10 && !(child == last && parent < 3);
        tests.iter().filter(|test| is_null(test.parent, test.child) && test.p_value < 0.05).count()
    };
    // Binomial(60, 0.07), 30 null candidates a draw: more than 13 with probability 1e-4.
    let found: usize = (0..draws).map(small).sum();
    assert!(found <= 13, "{found} of 60 below 0.05");
}
