//! Operators against all members of a class; the search against the truth.

use proptest::prelude::*;

use super::apply::apply;
use super::operator::{Operator, OperatorKind};
use super::paths::Paths;
use super::propose::batches;
use super::search::{GesOptions, Phases, ges, ges_within};
use super::surroundings::Surroundings;
use crate::data::Covariance;
use crate::graph::arbitrary::dags;
use crate::graph::{Cpdag, Dag, EdgeKind, Knowledge, Node, WrittenKnowledge};
use crate::local_score::{GaussianBic, LocalScore};
use crate::run::{Run, Seed};
use crate::simulate::{LinearSem, erdos_renyi, markov_chain, scale_free};

/// Every DAG of the class, by trying all directions.
fn members(class: &Cpdag) -> Vec<Dag> {
    let edges = class.pdag().edges();
    let open: Vec<usize> = (0..edges.len()).filter(|&i| edges[i].2 == EdgeKind::Undirected).collect();
    let candidates = (0..1_u32 << open.len()).filter_map(|choice| {
        let directed = edges.iter().enumerate().map(|(i, &(a, b, _))| match open.iter().position(|&o| o == i) {
            Some(bit) if choice >> bit & 1 == 1 => (b, a),
            _ => (a, b),
        });
        Dag::from_edges(class.pdag().nodes(), directed).ok().filter(|dag| Cpdag::from_dag(dag) == *class)
    });
    candidates.collect()
}

/// The classes one edge away: of all members with an edge added, removed or turned.
fn neighbours(class: &Cpdag, kind: OperatorKind) -> Vec<Cpdag> {
    let d = class.pdag().nodes();
    let mut found: Vec<Cpdag> = Vec::new();
    for member in members(class) {
        for (x, y) in (0..d).flat_map(|x| (0..d).map(move |y| (x, y))).filter(|(x, y)| x != y) {
            let mut edges = member.edges();
            match kind {
                OperatorKind::Insert if !member.has_edge(x, y) && !member.has_edge(y, x) => edges.push((x, y)),
                OperatorKind::Delete if member.has_edge(x, y) => edges.retain(|&edge| edge != (x, y)),
                OperatorKind::Turn if member.has_edge(y, x) => {
                    edges.retain(|&edge| edge != (y, x));
                    edges.push((x, y));
                }
                _ => continue,
            }
            if let Ok(changed) = Dag::from_edges(d, edges) {
                let next = Cpdag::from_dag(&changed);
                if next != *class && !found.contains(&next) {
                    found.push(next);
                }
            }
        }
    }
    found
}

fn valid(state: &Surroundings, kind: OperatorKind, score: &GaussianBic) -> Vec<(Operator, f64)> {
    let batches = (0..state.nodes()).flat_map(|y| batches(state, kind, y, usize::MAX).batches);
    let all = batches.flat_map(|batch| {
        let gains = batch.gains(score, &Run::new(Seed(0))).unwrap();
        batch.sources.iter().map(|&x| batch.operator(x)).zip(gains).collect::<Vec<_>>()
    });
    all.filter(|(operator, _)| Paths::new(state).allow(operator)).collect()
}

fn sorted_edges(classes: &[Cpdag]) -> Vec<Vec<(Node, Node, EdgeKind)>> {
    let mut edges: Vec<_> = classes.iter().map(|class| class.pdag().edges()).collect();
    edges.sort();
    edges.dedup();
    edges
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]
    #[test]
    fn valid_operators_lead_to_just_the_classes_one_edge_away_with_the_gain_they_promise(
        dag in dags(5),
        other in dags(5),
        seed in 0..1000_u64,
    ) {
        let class = Cpdag::from_dag(&dag);
        let state = Surroundings::new(class.pdag().clone());
        let other = Dag::from_edges(dag.nodes(), other.edges().into_iter().filter(|&(a, b)| a.max(b) < dag.nodes()));
        let sem = LinearSem::random(other.unwrap(), Seed(seed));
        let score = GaussianBic::new(&Covariance::known(sem.covariance(), 50), None);
        let present = score.total(&dag).unwrap();
        for kind in [OperatorKind::Insert, OperatorKind::Delete, OperatorKind::Turn] {
            let mut reached = Vec::new();
            for (operator, promised) in valid(&state, kind, &score) {
                let next = apply(&state, &operator);
                let gain = score.total(&next.member()).unwrap() - present;
                prop_assert!((gain - promised).abs() < 1e-8, "{:?}: {gain}, not {promised}", operator);
                reached.push(next);
            }
            prop_assert_eq!(sorted_edges(&reached), sorted_edges(&neighbours(&class, kind)), "{:?}", kind);
        }
    }
}

/// Population covariances as if from so many samples that every dependence is seen, and so few that rounding is not.
const POPULATION: usize = 10_000_000_000;

fn random_dag(seed: u64) -> Dag {
    let nodes = 3 + (seed as usize * 7) % 13;
    match seed % 4 {
        0 => markov_chain(nodes, Seed(seed)),
        1 => erdos_renyi(nodes, 1, Seed(seed)),
        2 => erdos_renyi(nodes, 2, Seed(seed)),
        _ => scale_free(nodes, 2.min(nodes - 1), Seed(seed)),
    }
}

#[test]
fn with_the_population_score_the_search_returns_the_true_class() {
    for seed in 0..240 {
        let dag = random_dag(seed);
        let sem = LinearSem::random(dag.clone(), Seed(seed).child("weights", 0));
        let score = GaussianBic::new(&Covariance::known(sem.covariance(), POPULATION), None);
        for phases in [Phases::ForwardBackward, Phases::Turning] {
            let found = ges(&score, &GesOptions { phases, max_parents: None }, &Run::new(Seed(0))).unwrap();
            assert_eq!(found.cpdag, Cpdag::from_dag(&dag), "seed {seed}, {phases:?}");
        }
    }
}

/// What is told holds of the true graph: a cut of its order into two tiers, an edge, and a pair without one.
#[test]
fn with_the_population_score_and_true_knowledge_the_search_returns_the_true_members() {
    let mut right = 0;
    for seed in 0..120 {
        let dag = random_dag(seed);
        let names: Vec<String> = (0..dag.nodes()).map(|node| node.to_string()).collect();
        let order = dag.order().nodes();
        let tiers = order.chunks(order.len().div_ceil(2));
        let edge = dag.edges().into_iter().nth(seed as usize % 3);
        let apart = (0..dag.nodes()).map(|node| (node, (node + 1) % dag.nodes())).find(|&(a, b)| !dag.has_edge(a, b));
        let written = WrittenKnowledge {
            tiers: tiers.map(|tier| tier.iter().map(|&node| names[node].clone()).collect()).collect(),
            required: edge.iter().map(|&(a, b)| [names[a].clone(), names[b].clone()]).collect(),
            forbidden: apart.iter().map(|&(a, b)| [names[a].clone(), names[b].clone()]).collect(),
            ..Default::default()
        };
        let known = Knowledge::new(&names, &written).unwrap();
        let sem = LinearSem::random(dag.clone(), Seed(seed).child("weights", 0));
        let score = GaussianBic::new(&Covariance::known(sem.covariance(), POPULATION), None);
        let options = GesOptions { phases: Phases::Turning, max_parents: None };
        let found = ges_within(&score, &options, &known, &Run::new(Seed(0))).unwrap();
        right += usize::from(known.members(&found.cpdag) == known.members(&Cpdag::from_dag(&dag)));
    }
    assert_eq!(right, 120);
}

#[test]
fn the_steps_add_up_to_the_score_and_no_step_goes_down() {
    for seed in 0..20 {
        let data = LinearSem::random(random_dag(seed), Seed(seed)).sample(60, Seed(seed)).unwrap();
        let score = GaussianBic::new(&Covariance::of(&data, &Run::new(Seed(0))).unwrap(), Some(1.0));
        let found =
            ges(&score, &GesOptions { phases: Phases::Turning, max_parents: None }, &Run::new(Seed(0))).unwrap();
        let start = score.total(&Dag::empty(score.nodes())).unwrap();
        let gains: f64 = found.steps.iter().map(|step| step.gain).sum();
        assert!(found.steps.iter().all(|step| step.gain > 0.0));
        assert!((start + gains - found.score).abs() < 1e-8 * found.score.abs());
        assert!((score.total(&found.cpdag.member()).unwrap() - found.score).abs() < 1e-9);
    }
}

#[test]
fn no_node_gets_more_parents_than_allowed() {
    let data = LinearSem::random(erdos_renyi(12, 4, Seed(5)), Seed(5)).sample(300, Seed(5)).unwrap();
    let score = GaussianBic::new(&Covariance::of(&data, &Run::new(Seed(0))).unwrap(), None);
    for limit in [0, 1, 2, 3] {
        let options = GesOptions { phases: Phases::ForwardBackward, max_parents: Some(limit) };
        let dag = ges(&score, &options, &Run::new(Seed(0))).unwrap().cpdag.member();
        let most = (0..12).map(|node| dag.parents(node).count_ones(..)).max();
        assert!(most <= Some(limit), "{most:?} of {limit}");
        assert!(limit == 0 || dag.edge_count() > 0);
    }
}

#[test]
fn permuting_the_columns_permutes_the_class() {
    for seed in 0..10 {
        let dag = random_dag(seed);
        let covariance = LinearSem::random(dag.clone(), Seed(seed)).covariance();
        let d = dag.nodes();
        let place = |j: usize| (j * 5 + 2) % d;
        if d.is_multiple_of(5) {
            continue; // not a permutation
        }
        let permuted = faer::Mat::from_fn(d, d, |i, j| covariance[(place(i), place(j))]);
        let class = |matrix| {
            let score = GaussianBic::new(&Covariance::known(matrix, 200), None);
            ges(&score, &GesOptions::default(), &Run::new(Seed(0))).unwrap().cpdag.into_pdag()
        };
        let (original, permuted) = (class(covariance), class(permuted));
        for (i, j) in (0..d).flat_map(|i| (0..d).map(move |j| (i, j))).filter(|(i, j)| i != j) {
            assert_eq!(permuted.has_directed(i, j), original.has_directed(place(i), place(j)), "seed {seed}");
            assert_eq!(permuted.has_undirected(i, j), original.has_undirected(place(i), place(j)), "seed {seed}");
        }
    }
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let data = LinearSem::random(erdos_renyi(15, 2, Seed(8)), Seed(8)).sample(200, Seed(8)).unwrap();
    let score = GaussianBic::new(&Covariance::of(&data, &Run::new(Seed(0))).unwrap(), None);
    let search =
        || ges(&score, &GesOptions { phases: Phases::Turning, max_parents: None }, &Run::new(Seed(0))).unwrap();
    let with = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(search);
    assert_eq!(with(1), with(4));
}

#[test]
fn a_stop_flag_ends_the_search() {
    let stop = std::sync::atomic::AtomicBool::new(true);
    let score = GaussianBic::new(&Covariance::known(faer::Mat::identity(3, 3), 100), None);
    let result = ges(&score, &GesOptions::default(), &Run::new(Seed(0)).stopped_by(&stop));
    assert!(matches!(result, Err(crate::Error::Cancelled)));
}

#[test]
fn a_clique_too_large_to_try_every_subset_still_ends_and_is_named() {
    // Without a penalty every edge is wanted: 18 nodes, all adjacent to one another.
    let data = LinearSem::random(erdos_renyi(18, 8, Seed(2)), Seed(2)).sample(100, Seed(2)).unwrap();
    let score = GaussianBic::new(&Covariance::of(&data, &Run::new(Seed(0))).unwrap(), Some(0.0));
    let found = ges(&score, &GesOptions::default(), &Run::new(Seed(0))).unwrap();
    assert_eq!(found.cpdag.pdag().edge_count(), 18 * 17 / 2);
    assert!(!found.incomplete.is_empty());
}

/// Prefers, at every node, one parent more than it has and the two before it in a circle: never the same by both directions.
struct Circular;

impl LocalScore for Circular {
    fn nodes(&self) -> usize {
        4
    }
    fn local(&self, node: Node, parents: &[Node]) -> crate::Result<f64> {
        Ok(parents.iter().map(|&parent| if (parent + 1) % 4 == node { 2.0 } else { -0.5 + 0.1 * node as f64 }).sum())
    }
}

#[test]
fn a_score_that_is_not_score_equivalent_leads_to_no_endless_circle() {
    let found = ges(&Circular, &GesOptions { phases: Phases::Turning, max_parents: None }, &Run::new(Seed(0))).unwrap();
    assert!(found.steps.iter().all(|step| step.gain > 0.0));
}
