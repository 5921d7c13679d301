//! What must not change the answer, and what must change it in step.

use npvar::data::Dataset;
use npvar::graph::{Node, Order};
use npvar::learner::{Assignment, EqvarConfig, Input, Learned, LearnerConfig, NpvarConfig, SampleSplit};
use npvar::order::Eta;
use npvar::residual_variance::VarianceForm;
use npvar::simulate::{SimulateOptions, simulate};
use npvar::{Run, Seed};
use proptest::prelude::*;

fn data(setting: &str, nodes: usize, samples: usize, seed: u64) -> Dataset {
    let options = SimulateOptions { nodes: Some(nodes), samples, ..SimulateOptions::default() };
    simulate(setting.parse().unwrap(), &options, Seed(seed)).unwrap().data
}

fn with_columns(data: &Dataset, column: impl Fn(usize) -> (String, Vec<f64>)) -> Dataset {
    let (names, columns) = (0..data.d()).map(column).unzip();
    Dataset::new(names, columns).unwrap()
}

fn learn(data: &Dataset, settings: &[&str]) -> Learned {
    let settings: Vec<Assignment> = settings.iter().map(|text| Assignment::parse(text).unwrap()).collect();
    let learner = LearnerConfig::resolve("npvar", &settings).unwrap().build().unwrap();
    learner.learn(&Input::new(data), &Run::new(Seed(3))).unwrap()
}

/// Residual variances of every step, in the order of the nodes' names.
fn named_variances(learned: &Learned) -> Vec<Vec<(String, f64)>> {
    let step = |step: &npvar::order::Step| {
        let mut named: Vec<(String, f64)> =
            step.nodes.iter().map(|&node| learned.names[node].clone()).zip(step.residual_variances.clone()).collect();
        named.sort_by(|a, b| a.0.cmp(&b.0));
        named
    };
    learned.steps.iter().flatten().map(step).collect()
}

fn named_edges(learned: &Learned) -> Vec<(String, String)> {
    let name = |node: Node| learned.names[node].clone();
    let mut edges: Vec<_> = learned.graph.edges().into_iter().map(|(from, to, _)| (name(from), name(to))).collect();
    edges.sort();
    edges
}

fn assert_close(a: &[Vec<(String, f64)>], b: &[Vec<(String, f64)>], scale: f64) {
    assert_eq!(a.len(), b.len());
    for (a, b) in a.iter().flatten().zip(b.iter().flatten()) {
        assert_eq!(a.0, b.0);
        assert!((scale * a.1 - b.1).abs() <= 1e-9 * b.1.abs().max(1e-12), "{} and {}", scale * a.1, b.1);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn permuting_columns_permutes_the_answer(seed in 0u64..1000, shuffle in Just((0..6usize).collect::<Vec<_>>()).prop_shuffle()) {
        let original = data("ER-AGP-1", 6, 300, seed);
        let permuted = with_columns(&original, |j| (original.names()[shuffle[j]].clone(), original.column(shuffle[j]).to_vec()));
        let (a, b) = (learn(&original, &[]), learn(&permuted, &[]));
        prop_assert_eq!(named_edges(&a), named_edges(&b));
        assert_close(&named_variances(&a), &named_variances(&b), 1.0);
    }

    #[test]
    fn shifting_columns_and_scaling_all_of_them_changes_only_the_unit(seed in 0u64..1000, shift in -1e3..1e3f64, scale in 1e-3..1e3f64) {
        let original = data("ER-SIN-1", 5, 300, seed);
        let moved = with_columns(&original, |j| {
            let shift = shift * (j as f64 - 2.0);
            (original.names()[j].clone(), original.column(j).iter().map(|x| scale * x + shift).collect())
        });
        for settings in [&[][..], &["residual-variance=plug-in", "split=half"], &["residual-variance=rss"]] {
            let (a, b) = (learn(&original, settings), learn(&moved, settings));
            prop_assert_eq!(named_edges(&a), named_edges(&b));
            prop_assert_eq!(a.order, b.order.clone());
            let (a, b) = (named_variances(&learn(&original, settings)), named_variances(&b));
            for (a, b) in a.iter().flatten().zip(b.iter().flatten()) {
                // A shift of a thousand standard deviations costs three digits of every value before we see it.
                prop_assert!((scale * scale * a.1 - b.1).abs() <= 1e-6 * b.1, "{} and {}", scale * scale * a.1, b.1);
            }
        }
    }

    #[test]
    fn edges_follow_the_order_and_the_tests(seed in 0u64..1000) {
        let learned = learn(&data("SF-AGP-4", 8, 200, seed), &["eta=0.05"]);
        let order = learned.order.as_ref().unwrap();
        prop_assert!(learned.graph.to_dag().unwrap().is_consistent_with(order));
        let tests = learned.tests.unwrap();
        prop_assert_eq!(tests.len(), 8 * 7 / 2);
        for test in tests {
            prop_assert!((0.0..=1.0).contains(&test.p_value) && (0.0..=1.0).contains(&test.strength));
            prop_assert_eq!(test.p_value < 0.001, learned.graph.has_directed(test.parent, test.child));
        }
        prop_assert_eq!(learned.layers.unwrap().order(), order.clone());
    }
}

#[test]
fn every_option_gives_the_same_bytes_on_one_and_two_threads() {
    let data = data("ER-SIN-4", 12, 3000, 5);
    let configurations = [
        NpvarConfig::default(),
        NpvarConfig::reference(),
        NpvarConfig { eta: Eta::Fixed(0.05), residual_variance: VarianceForm::Rss, ..NpvarConfig::default() },
        NpvarConfig { eta: Eta::Adaptive, ..NpvarConfig::default() },
        NpvarConfig { split: SampleSplit::Half, residual_variance: VarianceForm::PlugIn, ..NpvarConfig::default() },
        NpvarConfig { split: SampleSplit::Fresh, residual_variance: VarianceForm::PlugIn, ..NpvarConfig::default() },
    ];
    let mut learners: Vec<LearnerConfig> = configurations.into_iter().map(LearnerConfig::Npvar).collect();
    learners.push(LearnerConfig::Eqvar(EqvarConfig::default()));
    for config in learners {
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let learned =
                pool.install(|| config.build().unwrap().learn(&Input::new(&data), &Run::new(Seed(9))).unwrap());
            serde_json::to_string(&learned.document(None)).unwrap()
        };
        assert_eq!(on(1), on(2), "{config:?}");
    }
}

#[test]
fn a_large_problem_gives_the_same_bytes_on_one_and_two_threads() {
    // Large enough for every parallel path: several panels, tasks and tiles.
    let data = data("ER-SIN-1", 130, 400, 5);
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let learned = pool.install(|| npvar::learn(&data, &Run::new(Seed(9))).unwrap());
        serde_json::to_string(&learned.document(None)).unwrap()
    };
    assert_eq!(on(1), on(2));
}

#[test]
fn the_linear_estimator_is_eqvar() {
    let data = data("ER-LIN-2", 8, 500, 2);
    let linear = learn(&data, &["estimator=linear"]);
    let eqvar = LearnerConfig::Eqvar(EqvarConfig::default()).build().unwrap();
    let eqvar = eqvar.learn(&Input::new(&data), &Run::new(Seed(3))).unwrap();
    assert_eq!(linear.order, eqvar.order);
    assert_close(&named_variances(&linear), &named_variances(&eqvar), 1.0);
}

#[test]
fn a_given_order_is_taken_as_given() {
    let data = data("ER-SIN-1", 6, 500, 4);
    let found = learn(&data, &[]);
    let learner = LearnerConfig::Npvar(NpvarConfig::default()).build().unwrap();
    let given = |order: Order| {
        let input = Input { order: Some(order), ..Input::new(&data) };
        learner.learn(&input, &Run::new(Seed(3))).unwrap()
    };
    let same = given(found.order.clone().unwrap());
    assert_eq!((named_edges(&same), &same.steps), (named_edges(&found), &None));
    let tests = |learned: &Learned| learned.tests.clone().unwrap();
    for (a, b) in tests(&same).iter().zip(tests(&found)) {
        assert!((a.p_value - b.p_value).abs() <= 1e-12);
    }
    let mut reversed = found.order.unwrap().nodes().to_vec();
    reversed.reverse();
    let reversed = Order::new(reversed).unwrap();
    assert!(given(reversed.clone()).graph.to_dag().unwrap().is_consistent_with(&reversed));
}

#[test]
fn estimated_smoothing_serves_search_and_selection() {
    let data = data("MC-SIN", 5, 400, 6);
    for smoothing in ["gcv", "reml"] {
        let estimator = format!("estimator.smoothing={smoothing}");
        let selection = format!("selection.smoothing={smoothing}");
        let learned = learn(&data, &[&estimator, &selection]);
        assert_eq!(learned.graph.edge_count(), 4, "{smoothing}: {:?}", named_edges(&learned));
    }
}

#[test]
fn saturated_columns_give_conditional_means_exactly() {
    // With a binary cause the residual variance is the pooled within-group variance, by hand.
    let cause: Vec<f64> = (0..40).map(|i| f64::from(i % 2)).collect();
    let effect: Vec<f64> = (0..40).map(|i| 2.0 * f64::from(i % 2) + ((i * 13) % 7) as f64).collect();
    let table = Dataset::new(vec!["cause".into(), "effect".into()], vec![cause, effect.clone()]).unwrap();
    let learned = learn(&table, &[]);
    let group = |parity: usize| -> Vec<f64> { effect.iter().skip(parity).step_by(2).copied().collect() };
    let within = |values: &[f64]| {
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        values.iter().map(|x| (x - mean).powi(2)).sum::<f64>()
    };
    let expected = (within(&group(0)) + within(&group(1))) / 39.0;
    assert_eq!(learned.order.as_ref().unwrap().nodes(), [0, 1]);
    let got = learned.steps.unwrap()[1].residual_variances[0];
    assert!((got - expected).abs() < 1e-12, "{got} instead of {expected}");
}

#[test]
fn a_perfect_fit_invents_no_edges() {
    // `d` is a copy of `b`: what its regression leaves is rounding, against which nothing else may look significant.
    let base = data("MC-SIN", 3, 200, 8);
    let mut columns: Vec<Vec<f64>> = (0..3).map(|j| base.column(j).to_vec()).collect();
    columns.push(base.column(1).to_vec());
    let table = Dataset::new(["a", "b", "c", "d"].map(String::from).to_vec(), columns).unwrap();
    for settings in [&[][..], &["selection.smoothing=reml"], &["selection.smoothing=gcv"]] {
        let learned = learn(&table, settings);
        for test in learned.tests.as_ref().unwrap().iter().filter(|test| test.strength < 1e-6) {
            assert!(test.p_value > 0.001, "{settings:?}: {test:?}");
        }
        assert!(learned.diagnostics.iter().any(|found| found.code == "dependent-columns"), "{settings:?}");
    }
}

#[test]
fn independent_columns_with_too_few_rows_have_no_edges() {
    for (rows, nodes) in [(4, 3), (9, 4), (20, 40)] {
        let mut rng = Seed(rows as u64).rng();
        let columns: Vec<Vec<f64>> =
            (0..nodes).map(|_| (0..rows).map(|_| rand::RngExt::random_range(&mut rng, -1.0..1.0)).collect()).collect();
        let names = (0..nodes).map(|j| format!("x{j}")).collect();
        let learned = learn(&Dataset::new(names, columns).unwrap(), &[]);
        // At level 0.001 a test of noise in a thousand finds an edge; one in a hundred leaves room for few degrees of freedom.
        let tests = nodes * (nodes - 1) / 2;
        assert!(learned.graph.edge_count() <= tests / 100, "{rows} rows: {} edges", learned.graph.edge_count());
    }
}
