//! PC on oracles, on permuted columns, on any number of threads, with background knowledge, and on awkward input.

use npvar::data::Covariance;
use npvar::data::Dataset;
use npvar::equivalence::{
    ColliderRule, ConflictRule, OrientationRules, PcOptions, PcResult, SeparatingSets, SkeletonOrder, pc,
};
use npvar::graph::{Cpdag, Dag, Knowledge, NodeSet, Pdag, WrittenKnowledge};
use npvar::independence::{FisherZ, Hsic, HsicTest, IndependenceTest, Kci, KciWidth};
use npvar::learner::{Assignment, Input, Learned, LearnerConfig};
use npvar::regress::{Gam, Regressed};
use npvar::{Result, Run, Seed};
use rand::RngExt;

/// d-separation: in the moral graph of the ancestors of x, y and the set, no path from x to y avoids the set.
pub(super) struct Oracle(pub(super) Dag);

impl IndependenceTest for Oracle {
    fn nodes(&self) -> usize {
        self.0.nodes()
    }

    fn p_value(&self, x: usize, y: usize, given: &[usize]) -> Result<f64> {
        let d = self.0.nodes();
        let mut ancestral = NodeSet::with_capacity(d);
        let mut pending: Vec<usize> = given.iter().copied().chain([x, y]).collect();
        while let Some(node) = pending.pop() {
            if !ancestral.put(node) {
                pending.extend(self.0.parents(node).ones());
            }
        }
        let mut joined = vec![NodeSet::with_capacity(d); d];
        for child in ancestral.ones() {
            let family: Vec<usize> = self.0.parents(child).ones().chain([child]).collect();
            for &a in &family {
                family.iter().filter(|&&b| a != b).for_each(|&b| joined[a].insert(b));
            }
        }
        let mut seen = NodeSet::with_capacity(d);
        given.iter().for_each(|&node| seen.insert(node));
        let mut pending = vec![x];
        while let Some(node) = pending.pop() {
            if node == y {
                return Ok(0.0);
            }
            if !seen.put(node) {
                pending.extend(joined[node].ones());
            }
        }
        Ok(1.0)
    }
}

fn random_dag(seed: usize) -> Dag {
    let mut rng = Seed(11).child("dag", seed).rng();
    let d = rng.random_range(2..9);
    let density = rng.random_range(0.1..0.8);
    let mut order: Vec<usize> = (0..d).collect();
    (1..d).for_each(|i| order.swap(i, rng.random_range(0..i + 1)));
    let pairs = (0..d).flat_map(|i| (i + 1..d).map(move |j| (i, j)));
    let edges: Vec<(usize, usize)> =
        pairs.filter(|_| rng.random_bool(density)).map(|(i, j)| (order[i], order[j])).collect();
    Dag::from_edges(d, edges).unwrap()
}

fn every_option() -> Vec<PcOptions> {
    let mut all = Vec::new();
    for order in [SkeletonOrder::Stable, SkeletonOrder::Original] {
        for separating_sets in [SeparatingSets::First, SeparatingSets::All] {
            for colliders in [
                ColliderRule::SeparatingSet,
                ColliderRule::MaxP,
                ColliderRule::DefiniteMaxP,
                ColliderRule::Majority,
                ColliderRule::Conservative,
            ] {
                for (conflicts, rules) in [
                    (ConflictRule::Overwrite, OrientationRules::Pcalg),
                    (ConflictRule::Bidirected, OrientationRules::Closure),
                    (ConflictRule::KeepFirst, OrientationRules::CausalLearn),
                    (ConflictRule::ByDependence, OrientationRules::Closure),
                    (ConflictRule::ByIndependence, OrientationRules::CausalLearn),
                ] {
                    let mut options = PcOptions { colliders, conflicts, rules, ..PcOptions::at(0.5) };
                    options.skeleton.order = order;
                    options.skeleton.separating_sets = separating_sets;
                    all.push(options);
                }
            }
        }
    }
    all
}

fn learn(test: &dyn IndependenceTest, options: &PcOptions, knowledge: &Knowledge) -> PcResult {
    pc(test, options, knowledge, &Run::new(Seed(0))).unwrap()
}

#[test]
fn with_perfect_tests_every_option_returns_the_true_class() {
    let options = every_option();
    for seed in 0..400 {
        let dag = random_dag(seed);
        let class = Cpdag::from_dag(&dag).into_pdag();
        let test = Oracle(dag);
        // Every option meets many graphs, not every one.
        for options in options.iter().skip(seed % 6).step_by(6) {
            let result = learn(&test, options, &Knowledge::none(test.nodes()));
            assert_eq!(result.graph, class, "graph {seed}, {options:?}");
            assert!(result.conflicts.is_empty() && !result.skeleton.cut_short);
        }
    }
}

fn names(d: usize) -> Vec<String> {
    (0..d).map(|j| format!("X{}", j + 1)).collect()
}

fn know(d: usize, required: &[(usize, usize)], forbidden: &[(usize, usize)], tiers: &[Vec<usize>]) -> Knowledge {
    let names = names(d);
    let named = |edges: &[(usize, usize)]| edges.iter().map(|&(a, b)| [names[a].clone(), names[b].clone()]).collect();
    let tiers = tiers.iter().map(|tier| tier.iter().map(|&node| names[node].clone()).collect()).collect();
    Knowledge::new(
        &names,
        &WrittenKnowledge { required: named(required), forbidden: named(forbidden), tiers, ..Default::default() },
    )
    .unwrap()
}

#[test]
fn true_knowledge_directs_more_and_contradicts_nothing() {
    for seed in 0..150 {
        let dag = random_dag(seed);
        let (d, edges) = (dag.nodes(), dag.edges());
        let class = Cpdag::from_dag(&dag).into_pdag();
        let order = dag.order();
        let test = Oracle(dag.clone());
        for options in every_option().iter().skip(seed % 12).step_by(12) {
            // The whole order in tiers: the graph itself.
            let tiers: Vec<Vec<usize>> = order.nodes().iter().map(|&node| vec![node]).collect();
            let result = learn(&test, options, &know(d, &[], &[], &tiers));
            assert_eq!(result.graph, Pdag::from(&dag), "graph {seed}, {options:?}");
            // Pairs that are not adjacent, forbidden: nothing changes.
            let pairs = (0..d).flat_map(|a| (0..d).map(move |b| (a, b)));
            let apart: Vec<(usize, usize)> =
                pairs.filter(|&(a, b)| a != b && !class.adjacent(a, b) && (a + b + seed) % 2 == 0).collect();
            let result = learn(&test, options, &know(d, &[], &apart, &[]));
            assert_eq!(result.graph, class, "graph {seed}, {options:?}");
            // Some edges required: they are there, and every direction is the truth's.
            let required: Vec<(usize, usize)> = edges.iter().copied().step_by(3).collect();
            let result = learn(&test, options, &know(d, &required, &[], &[]));
            assert!(required.iter().all(|&(a, b)| result.graph.has_directed(a, b)));
            assert_eq!(result.graph.skeleton(), class.skeleton());
            for (a, b, kind) in result.graph.edges() {
                assert!(
                    kind != npvar::graph::EdgeKind::Directed || dag.parents(b).contains(a),
                    "graph {seed}: {a} {b}"
                );
            }
            assert!(result.overruled.is_empty());
        }
    }
}

/// Linear Gaussian-like data on a random graph.
fn sample(seed: usize, n: usize) -> Dataset {
    let dag = random_dag(seed);
    let mut rng = Seed(5).child("sample", seed).rng();
    let mut columns = vec![Vec::new(); dag.nodes()];
    for &node in dag.order().nodes() {
        let noise: Vec<f64> = (0..n).map(|_| (0..4).map(|_| rng.random_range(-1.0..1.0)).sum()).collect();
        columns[node] = noise;
        for parent in dag.parents(node).ones() {
            let weight = rng.random_range(0.4..1.2);
            let effect: Vec<f64> = columns[parent].iter().map(|value| weight * value).collect();
            columns[node].iter_mut().zip(effect).for_each(|(value, effect)| *value += effect);
        }
    }
    Dataset::new(names(dag.nodes()), columns).unwrap()
}

fn fisher_z(data: &Dataset) -> FisherZ {
    FisherZ::new(&Covariance::of(data, &Run::new(Seed(0))).unwrap()).unwrap()
}

#[test]
fn permuting_columns_permutes_the_graph() {
    let mut compared = 0;
    for seed in 0..80 {
        let data = sample(seed, 120);
        let d = data.d();
        let mut rng = Seed(8).child("permutation", seed).rng();
        let mut order: Vec<usize> = (0..d).collect();
        (1..d).for_each(|i| order.swap(i, rng.random_range(0..i + 1)));
        let permuted = Dataset::new(names(d), order.iter().map(|&j| data.column(j).to_vec()).collect()).unwrap();
        let mut options = PcOptions { conflicts: ConflictRule::Bidirected, ..PcOptions::at(0.05) };
        options.skeleton.separating_sets = SeparatingSets::All;
        let [original, moved] = [&data, &permuted].map(|data| learn(&fisher_z(data), &options, &Knowledge::none(d)));
        let back = |graph: &Pdag| {
            let edges = graph.edges().into_iter().map(|(a, b, kind)| (order[a], order[b], kind));
            Pdag::from_edges(d, edges).unwrap()
        };
        assert_eq!(back(&moved.skeleton.graph), original.skeleton.graph, "{seed}");
        assert_eq!(original.skeleton.tests, moved.skeleton.tests, "{seed}");
        // Contradictory colliders leave the order of Meek's rules a say.
        if original.graph.consistent_extension().is_some() {
            assert_eq!(back(&moved.graph), original.graph, "{seed}");
            compared += 1;
        }
    }
    assert!(compared > 50, "{compared}");
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let data = sample(3, 210);
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let nothing = Knowledge::none(data.d());
            let shallow = || {
                let mut options = PcOptions::at(0.01);
                options.skeleton.max_depth = Some(1);
                options
            };
            let residuals = Regressed { data: &data, estimator: &Gam::default() };
            let max_p = PcOptions { colliders: ColliderRule::MaxP, ..PcOptions::at(0.01) };
            [
                learn(&fisher_z(&data), &max_p, &nothing),
                learn(&HsicTest::new(&data, Hsic::default(), &residuals).unwrap(), &shallow(), &nothing),
                learn(&Kci::new(&data, KciWidth::default()).unwrap(), &shallow(), &nothing),
            ]
        })
    };
    assert_eq!(on(1), on(3));
}

fn run(data: &Dataset, settings: &[&str], knowledge: Option<&Knowledge>) -> Result<Learned> {
    let settings: Vec<Assignment> = settings.iter().map(|text| Assignment::parse(text)).collect::<Result<_>>()?;
    let input = Input { knowledge, ..Input::new(data) };
    LearnerConfig::resolve("pc", &settings)?.build()?.learn(&input, &Run::new(Seed(1)))
}

fn codes(learned: &Learned) -> Vec<&str> {
    learned.diagnostics.iter().map(|diagnostic| diagnostic.code.as_str()).collect()
}

/// Columns: a normal one, a copy, a sum, a constant, an unrelated one.
fn degenerate(n: usize) -> Dataset {
    let wave = |k: f64| (0..n).map(|i| (k * i as f64).sin() + 0.3 * (k * k * i as f64).cos()).collect::<Vec<f64>>();
    let (a, b) = (wave(1.1), wave(2.7));
    let sum = a.iter().zip(&b).map(|(a, b)| a + b).collect();
    Dataset::new(names(5), vec![a.clone(), a, sum, vec![4.0; n], b]).unwrap()
}

#[test]
fn singular_correlations_and_constant_columns_are_reported_and_give_a_graph() {
    for test in ["fisher-z", "hsic", "kci", "rcot"] {
        let setting = format!("test={test}");
        let settings = [&setting[..], "max-depth=2", "test.features=20"];
        let settings = if test == "rcot" { &settings[..] } else { &settings[..2] };
        let learned = run(&degenerate(60), settings, None).unwrap();
        assert!(learned.graph.adjacents(3).is_clear(), "{test}: a constant has no edges");
        assert!(codes(&learned).contains(&"constant-column"), "{:?}", codes(&learned));
        assert_eq!(codes(&learned).contains(&"singular-correlation"), test == "fisher-z");
    }
    let learned = run(&degenerate(60), &[], None).unwrap();
    let message = &learned.diagnostics.iter().find(|found| found.code == "singular-correlation").unwrap().message;
    assert!(message.contains("`X2`") && message.contains("`X5`"), "{message}");
}

/// Causes that only bend their effect, which no correlation sees.
#[test]
fn rcot_finds_a_bent_collider_whichever_column_stands_first() {
    let mut rng = Seed(7).rng();
    let mut noise = || -> Vec<f64> { (0..1000).map(|_| rng.random_range(-1.0..1.0)).collect() };
    let (a, b, e) = (noise(), noise(), noise());
    let c: Vec<f64> = (0..1000).map(|i| 2.0 * a[i] * a[i] + (3.0 * b[i]).cos() + 0.3 * e[i]).collect();
    let orders = [["a", "b", "c"], ["c", "b", "a"]];
    for order in orders {
        let column = |name: &&str| match *name {
            "a" => a.clone(),
            "b" => b.clone(),
            _ => c.clone(),
        };
        let data = Dataset::new(order.map(str::to_owned).to_vec(), order.iter().map(column).collect()).unwrap();
        let graph = run(&data, &["test=rcot"], None).unwrap().graph;
        let at = |name: &str| order.iter().position(|known| *known == name).unwrap();
        assert!(graph.has_directed(at("a"), at("c")) && graph.has_directed(at("b"), at("c")), "{:?}", graph.edges());
        assert_eq!(graph.edge_count(), 2);
    }
    let few = run(&sample(1, 100), &["test=rcot"], None).unwrap_err().to_string();
    assert!(few.contains("RCoT with so many features needs at least 200 samples"), "{few}");
}

#[test]
fn a_small_sample_limits_the_depth_and_says_so() {
    let data = sample(0, 400);
    let wide: Vec<Vec<f64>> =
        (0..9).map(|j| (0..8).map(|i| data.column(0)[i * 9 + j] + 3.0 * data.column(1)[i]).collect()).collect();
    // At this level hardly any set separates, so every size up to n - 4 is tried.
    let learned = run(&Dataset::new(names(9), wide).unwrap(), &["alpha=0.999999"], None).unwrap();
    assert!(codes(&learned).contains(&"sample-limits-depth"), "{:?}", codes(&learned));
    let three = Dataset::new(names(2), vec![vec![1.0, 2.0, 3.0]; 2]).unwrap();
    assert!(run(&three, &[], None).unwrap_err().to_string().contains("samples"));
}

#[test]
fn tests_for_discrete_columns_refuse_continuous_ones() {
    let error = run(&sample(1, 100), &["test=chi-square"], None).unwrap_err().to_string();
    assert!(error.contains("column `X1` has 100 distinct values in 100 rows: `chi-square` is for discrete"), "{error}");
    assert!(run(&sample(1, 100), &["test=g-square"], None).unwrap_err().to_string().contains("g-square"));
}

/// Two coins, a column that tells which of the four ways they fell, and one that is mostly one value: many empty cells.
#[test]
fn empty_cells_give_numbers() {
    let mut rng = Seed(2).rng();
    let mut coin = |p: f64| -> Vec<f64> { (0..90).map(|_| f64::from(u8::from(rng.random_bool(p)))).collect() };
    let (a, b, rare) = (coin(0.5), coin(0.5), coin(0.03));
    let c = a.iter().zip(&b).map(|(a, b)| 2.0 * a + b).collect();
    let data = Dataset::new(names(4), vec![a, b, c, rare]).unwrap();
    for test in ["test=chi-square", "test=g-square"] {
        let learned = run(&data, &[test, "alpha=0.05"], None).unwrap();
        assert!(learned.graph.adjacent(0, 2) || learned.graph.adjacent(1, 2));
    }
}

#[test]
fn options_are_checked_and_the_rest_of_the_input_refused_where_it_cannot_be_used() {
    let data = sample(2, 50);
    for (settings, expected) in [
        (&["alpha=0"][..], "`alpha` must be above 0 and below 1, got 0"),
        (&["test=spearman"], "unknown variant `spearman`, expected one of `fisher-z`, `chi-square`"),
        (&["test=hsic", "test.width=first"], "unknown variant `first`"),
        (&["colliders=definite-max-p"], "`conflicts` must be `keep-first`"),
        (&["depth=2"], "unknown field `depth`"),
    ] {
        let message = run(&data, settings, None).unwrap_err().to_string();
        assert!(message.contains(expected), "{message}");
    }
    let input = Input { second_sample: Some(&data), ..Input::new(&data) };
    let learner = LearnerConfig::resolve("pc", &[]).unwrap().build().unwrap();
    assert!(learner.learn(&input, &Run::new(Seed(1))).is_err());
}

#[test]
fn knowledge_that_the_tests_contradict_wins_and_is_reported() {
    // X1 -> X3 <- X2, but the knowledge says X3 -> X1.
    let mut rng = Seed(4).rng();
    let mut noise = || -> Vec<f64> { (0..300).map(|_| rng.random_range(-1.0..1.0)).collect() };
    let (a, b, e) = (noise(), noise(), noise());
    let c = a.iter().zip(&b).zip(&e).map(|((a, b), e)| a + b + 0.5 * e).collect();
    let data = Dataset::new(names(3), vec![a, b, c]).unwrap();
    assert!(run(&data, &[], None).unwrap().graph.has_directed(0, 2));
    let learned = run(&data, &[], Some(&know(3, &[(2, 0)], &[], &[]))).unwrap();
    assert!(learned.graph.has_directed(2, 0));
    let found = learned.diagnostics.iter().find(|found| found.code == "knowledge-overrules-tests").unwrap();
    assert!(found.message.contains("`X1` -> `X3` <- `X2`"), "{}", found.message);
}

/// The named edges of the graph that PC finds when the columns stand in this order.
fn found(data: &Dataset, order: &[usize], settings: &[&str]) -> (Vec<String>, Vec<String>) {
    let names = order.iter().map(|&j| data.names()[j].clone()).collect();
    let permuted = Dataset::new(names, order.iter().map(|&j| data.column(j).to_vec()).collect()).unwrap();
    let settings: Vec<Assignment> = settings.iter().map(|text| Assignment::parse(text).unwrap()).collect();
    let learner = LearnerConfig::resolve("pc", &settings).unwrap().build().unwrap();
    let learned = learner.learn(&Input::new(&permuted), &Run::new(Seed(1))).unwrap();
    let name = |node: usize| learned.names[node].as_str();
    let mut edges: Vec<String> = (learned.graph.edges().into_iter())
        .map(|(a, b, kind)| match kind {
            npvar::graph::EdgeKind::Directed => format!("{} -> {}", name(a), name(b)),
            kind => format!("{} {kind:?} {}", name(a).min(name(b)), name(a).max(name(b))),
        })
        .collect();
    edges.sort();
    (edges, learned.diagnostics.into_iter().map(|diagnostic| diagnostic.code).collect())
}

#[test]
fn votes_do_not_depend_on_the_order_of_the_columns_and_a_note_says_where_others_do() {
    let (mut dependent, mut noted) = (0, 0);
    for seed in 0..12 {
        let options = npvar::simulate::SimulateOptions { nodes: Some(8), samples: 120, ..Default::default() };
        let data = npvar::simulate::simulate("ER-LIN-2".parse().unwrap(), &options, Seed(seed)).unwrap().data;
        let mut rng = Seed(seed).child("shuffle", 0).rng();
        let mut orders: Vec<Vec<usize>> = vec![(0..8).rev().collect()];
        for _ in 0..4 {
            let mut order: Vec<usize> = (0..8).collect();
            (1..8).for_each(|i| order.swap(i, rng.random_range(0..i + 1)));
            orders.push(order);
        }
        let straight: Vec<usize> = (0..8).collect();
        for rule in ["colliders=majority", "colliders=conservative"] {
            let (edges, codes) = found(&data, &straight, &[rule]);
            assert!(!codes.contains(&"column-order".to_owned()));
            for order in &orders {
                assert_eq!(found(&data, order, &[rule]).0, edges, "{rule}, seed {seed}, {order:?}");
            }
        }
        let (edges, codes) = found(&data, &straight, &[]);
        let reversed = found(&data, &orders[0], &[]).0;
        assert_eq!(codes.contains(&"column-order".to_owned()), reversed != edges, "seed {seed}");
        noted += usize::from(reversed != edges);
        dependent += usize::from(orders.iter().any(|order| found(&data, order, &[]).0 != edges));
    }
    // Not a claim about how often: the test would show nothing if the usual rule never depended on the order.
    assert!(dependent > 0 && noted > 0, "{dependent} and {noted} of 12");
}

#[test]
fn rules_by_votes_leave_no_place_for_conflicts_and_rules() {
    let refused = |settings: &[&str]| {
        let settings: Vec<Assignment> = settings.iter().map(|text| Assignment::parse(text).unwrap()).collect();
        LearnerConfig::resolve("pc", &settings).and_then(|config| config.build().map(drop)).unwrap_err().to_string()
    };
    for rule in ["colliders=majority", "colliders=conservative"] {
        assert!(refused(&[rule, "conflicts=keep-first"]).contains("`conflicts` is not for `colliders=majority`"));
        assert!(refused(&[rule, "rules=causal-learn"]).contains("`rules` is not for"));
    }
}
