//! Background knowledge: every learner respects it.

use npvar::graph::{Dag, EdgeKind, Knowledge, Mark, Node, Order, WrittenKnowledge};
use npvar::learner::{Assignment, Input, LEARNERS, Learned, LearnerConfig};
use npvar::simulate::{SimulateOptions, Simulated, simulate};
use npvar::{Run, Seed};
use rand::RngExt;
use rand::seq::SliceRandom;

const NODES: usize = 5;

/// Learners, with options that make them quick or take another way through them.
const EVERYONE: &[(&str, &[&str])] = &[
    ("npvar", &[]),
    ("npvar", &["eta=0.2", "split=half"]),
    ("npvar", &["eta=adaptive"]),
    ("npvar", &["estimator=knn"]),
    ("npvar", &["estimator=auto"]),
    ("eqvar", &[]),
    ("eqvar", &["direction=bottom-up"]),
    ("cam", &[]),
    ("cam", &["neighbourhood-selection=none", "pruning=own"]),
    ("cam", &["pruning=none"]),
    ("resit", &["parents=independence"]),
    ("resit", &["parents=significance"]),
    ("notears", &[]),
    ("notears-mlp", &["hidden=3"]),
    ("pc", &[]),
    ("fci", &[]),
    ("ges", &[]),
    ("ges", &["phases=forward-backward"]),
    ("gsges", &["score=marginal"]),
    ("gds", &[]),
    ("gds", &["model=additive"]),
    ("score", &[]),
    ("das", &["min-parents=1"]),
    ("nogam", &[]),
    ("caps", &[]),
    ("best-order", &["restarts=1"]),
    ("best-order", &["restarts=1", "score=linear", "noise=shared"]),
    ("best-order", &["restarts=0", "score=gaussian-process", "noise=shared"]),
    ("direct-lingam", &[]),
    ("var-sort-regress", &[]),
    ("r2-sort-regress", &[]),
];

fn drawn(setting: &str, seed: u64) -> Simulated {
    let options = SimulateOptions { nodes: Some(NODES), samples: 150, ..Default::default() };
    simulate(setting.parse().unwrap(), &options, Seed(seed)).unwrap()
}

fn learn(
    learner: &str,
    settings: &[&str],
    simulated: &Simulated,
    knowledge: Option<&Knowledge>,
    order: Option<Order>,
) -> npvar::Result<Learned> {
    let settings: Vec<Assignment> = settings.iter().map(|setting| Assignment::parse(setting).unwrap()).collect();
    let learner = LearnerConfig::resolve(learner, &settings)?.build()?;
    let input = Input { knowledge, order, ..Input::new(&simulated.data) };
    learner.learn(&input, &Run::new(Seed(1)))
}

/// What holds of `graph`, or of its reverse: some of it is told.
fn told(names: &[String], graph: &Dag, seed: u64) -> WrittenKnowledge {
    let mut rng = Seed(seed).child("knowledge", 0).rng();
    let name = |node: Node| names[node].clone();
    let mut pairs: Vec<(Node, Node)> =
        (0..NODES).flat_map(|a| (0..NODES).map(move |b| (a, b))).filter(|(a, b)| a != b).collect();
    pairs.shuffle(&mut rng);
    let pick = |edges: bool, count: usize| -> Vec<[String; 2]> {
        let chosen = pairs.iter().filter(|&&(a, b)| graph.has_edge(a, b) == edges).take(count);
        chosen.map(|&(a, b)| [name(a), name(b)]).collect()
    };
    let order = graph.order().nodes();
    let cut = rng.random_range(1..NODES);
    let tiers = [&order[..cut], &order[cut..]].map(|tier| tier.iter().map(|&node| name(node)).collect()).to_vec();
    let (roots, sinks): (Vec<Node>, Vec<Node>) = (
        (0..NODES).filter(|&node| graph.parents(node).is_clear()).take(1).collect(),
        (0..NODES).filter(|&node| graph.children(node).is_clear()).take(1).collect(),
    );
    WrittenKnowledge {
        required: pick(true, 2),
        forbidden: pick(false, 4),
        tiers: if seed.is_multiple_of(2) { tiers } else { Vec::new() },
        roots: roots.into_iter().map(name).collect(),
        sinks: sinks.into_iter().map(name).collect(),
    }
}

/// The same graph with every edge turned round: as far from the data as knowledge can be.
fn reversed(graph: &Dag) -> Dag {
    Dag::from_edges(graph.nodes(), graph.edges().into_iter().map(|(from, to)| (to, from))).unwrap()
}

fn check(learned: &Learned, knowledge: &Knowledge, what: &str) {
    for (from, to, kind) in learned.graph.edges() {
        // A hidden common cause may join what no edge can: then only arrowheads are right.
        let (at_from, at_to) = kind.marks();
        let hidden = matches!(learned.config, LearnerConfig::Fci(_));
        let open = |mark: Mark| if hidden { mark != Mark::Arrow } else { true };
        let forwards = knowledge.forbids(from, to) && open(at_from);
        let backwards = knowledge.forbids(to, from) && open(at_to) && (hidden || kind != EdgeKind::Directed);
        assert!(!forwards && !backwards, "{what}: {from} {} {to} is forbidden", kind.sign());
    }
    for (from, to) in knowledge.required_edges() {
        assert!(learned.graph.edges().contains(&(from, to, EdgeKind::Directed)), "{what}: {from} -> {to} is required");
    }
    if let (Some(order), Some(dag)) = (&learned.order, learned.graph.to_dag()) {
        assert!(dag.is_consistent_with(order), "{what}: the order is not the graph's");
    }
    if let (Some(order), Some(layers)) = (&learned.order, &learned.layers) {
        assert_eq!(&layers.order(), order, "{what}");
    }
    let forbidden = |test: &npvar::select::Test| knowledge.forbids(test.parent, test.child);
    assert!(!learned.tests.iter().flatten().any(forbidden), "{what}: a forbidden edge was offered");
}

#[test]
fn every_learner_respects_what_is_known_true_or_not() {
    for seed in 1..=4 {
        let simulated = drawn(if seed % 2 == 0 { "ER-SIN-1" } else { "ER-LIN-1" }, seed);
        let names = simulated.data.names();
        for graph in [simulated.truth.clone(), reversed(&simulated.truth)] {
            for &(learner, settings) in EVERYONE {
                let written = told(names, &graph, seed);
                let knowledge = Knowledge::new(names, &written).unwrap();
                let what = format!("{learner} {settings:?} seed {seed} {written:?}");
                let learned = learn(learner, settings, &simulated, Some(&knowledge), None);
                check(&learned.unwrap_or_else(|error| panic!("{what}: {error}")), &knowledge, &what);
            }
        }
    }
}

#[test]
fn empty_knowledge_changes_nothing() {
    let simulated = drawn("ER-SIN-1", 3);
    let nothing = Knowledge::none(NODES);
    for &(learner, settings) in EVERYONE {
        let with = learn(learner, settings, &simulated, Some(&nothing), None).unwrap();
        let without = learn(learner, settings, &simulated, None, None).unwrap();
        assert_eq!(with, without, "{learner} {settings:?}");
    }
}

#[test]
fn the_whole_order_as_tiers_makes_the_order_right() {
    let simulated = drawn("ER-LIN-1", 5);
    let names = simulated.data.names();
    let order = reversed(&simulated.truth).order().clone();
    let tiers = order.nodes().iter().map(|&node| vec![names[node].clone()]).collect();
    let knowledge = Knowledge::new(names, &WrittenKnowledge { tiers, ..Default::default() }).unwrap();
    for learner in [
        "npvar",
        "eqvar",
        "resit",
        "score",
        "das",
        "nogam",
        "caps",
        "direct-lingam",
        "var-sort-regress",
        "r2-sort-regress",
    ] {
        let learned = learn(learner, &[], &simulated, Some(&knowledge), None).unwrap();
        assert_eq!(learned.order.as_ref(), Some(&order), "{learner}");
        // Learning along that order finds the same parents.
        let along = learn(learner, &[], &simulated, None, Some(order.clone())).unwrap();
        assert_eq!(learned.graph, along.graph, "{learner}");
    }
}

#[test]
fn an_order_against_what_is_known_is_refused() {
    let simulated = drawn("ER-SIN-1", 1);
    let names = simulated.data.names();
    let required = vec![[names[0].clone(), names[1].clone()]];
    let knowledge = Knowledge::new(names, &WrittenKnowledge { required, ..Default::default() }).unwrap();
    let mut order: Vec<Node> = (0..NODES).collect();
    order.swap(0, 1);
    let order = Some(Order::new(order).unwrap());
    let error = learn("npvar", &[], &simulated, Some(&knowledge), order).unwrap_err();
    assert!(error.to_string().contains("is required, but the order given puts"), "{error}");
}

#[test]
fn everyone_is_here() {
    for info in LEARNERS {
        assert!(EVERYONE.iter().any(|(name, _)| *name == info.name), "{}", info.name);
    }
}

#[test]
fn required_edges_reach_constant_columns_too() {
    let mut simulated = drawn("ER-SIN-1", 2);
    let columns = (0..NODES).map(|j| if j == 2 { vec![1.5; 150] } else { simulated.data.column(j).to_vec() }).collect();
    let names = simulated.data.names().to_vec();
    simulated.data = npvar::data::Dataset::new(names.clone(), columns).unwrap();
    let required = vec![[names[0].clone(), names[2].clone()], [names[2].clone(), names[3].clone()]];
    let knowledge = Knowledge::new(&names, &WrittenKnowledge { required, ..Default::default() }).unwrap();
    for &(learner, settings) in EVERYONE {
        let what = format!("{learner} {settings:?}");
        check(&learn(learner, settings, &simulated, Some(&knowledge), None).unwrap(), &knowledge, &what);
    }
}
