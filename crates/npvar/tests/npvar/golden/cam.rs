//! CAM against the R package CAM 1.0 (mgcv 1.8-41, mboost 2.9-7).

use npvar::data::{Dataset, summarise};
use npvar::graph::{Dag, NodeSet};
use npvar::learner::{Assignment, CamConfig, Input, Learned, LearnerConfig, NeighbourhoodSelection, Pruning};
use npvar::order::{GreedyEdges, greedy_edges};
use npvar::regress::{Smoother, Smoothing, SmoothingSearch};
use npvar::residual_variance::{AdditiveFactor, AdditiveParents, ChildRegression, ChildRegressions, ParentGrams};
use npvar::select::{ChildCandidates, boosted_neighbourhoods, gam_significance, gam_significance_within};
use npvar::smooth::{WholeColumn, WholeColumns};
use npvar::{Run, Seed};
use serde_json::Value;

use crate::golden;

/// Gains of a first parent, as docs/src/lab/differences.md states.
const FIRST_GAIN: f64 = 1e-8;
/// Scores along a search: with several parents the smoothing parameters carry an optimiser's tolerance.
const GAIN: f64 = 1e-3;
/// Two gains closer than this are a tie: the optimiser's tolerance decides between them.
const TIE: f64 = 2e-3;

fn run() -> Run<'static> {
    Run::new(Seed(0))
}

/// Every data set that R's CAM could handle.
fn cases() -> Vec<(String, Value, Dataset)> {
    let handled = golden::r_cases("cam").into_iter().filter(|(name, _)| !name.contains("GLM"));
    handled.map(|(name, reference)| (name.clone(), reference, golden::dataset(&name))).collect()
}

/// The thin-plate Gram matrices of R's CAM; with n >= 30 (d - 1) there is only one.
fn grams(data: &Dataset) -> ParentGrams {
    assert!(data.n() >= 30 * (data.d() - 1));
    ParentGrams::one(WholeColumns::new(data, WholeColumn::ThinPlate, 10, &run()).unwrap().gram(10))
}

const GCV: Smoother = Smoother { smoothing: Smoothing::Gcv, sp: 0.0 };

fn edges(value: &Value) -> Vec<(usize, usize)> {
    let pair = |edge: &Value| (golden::nodes(edge)[0], golden::nodes(edge)[1]);
    value.as_array().unwrap().iter().map(pair).collect()
}

#[test]
fn gain_matrices_equal_those_of_r() {
    let mut worst = 0.0_f64;
    for (name, reference, data) in cases() {
        let grams = grams(&data);
        let regressions = AdditiveParents::new(&grams, GCV, SmoothingSearch::Afresh);
        for child in 0..data.d() {
            let mut regression = regressions.start(child);
            let candidates: Vec<usize> = (0..data.d()).filter(|&parent| parent != child).collect();
            let variances = regression.log_variances(&candidates, &run()).unwrap();
            for (parent, variance) in candidates.into_iter().zip(variances) {
                let expected = reference["initial_gain_matrix"][parent][child].as_f64().unwrap();
                let error = (regression.log_variance() - variance - expected).abs();
                assert!(error <= FIRST_GAIN, "{name}: gain of {parent} -> {child} off by {error:e} from {expected}");
                worst = worst.max(error);
            }
        }
    }
    println!("worst gain: {worst:e}");
}

/// Follows R's inclusions one by one. At every step R's edge must have the largest gain, or tie with it.
struct Replay {
    ties: usize,
    worst_score: f64,
    worst_gap: f64,
}

fn replay(name: &str, part: &Value, data: &Dataset, grams: &ParentGrams, allowed: &[NodeSet]) -> Replay {
    let regressions = AdditiveParents::new(grams, GCV, SmoothingSearch::Afresh);
    let d = data.d();
    let mut children: Vec<Box<dyn ChildRegression + '_>> = (0..d).map(|child| regressions.start(child)).collect();
    let mut score = -children.iter().map(|child| child.log_variance()).sum::<f64>();
    let mut included: Vec<(usize, usize)> = Vec::new();
    let mut gains = vec![vec![f64::NEG_INFINITY; d]; d];
    let mut stale: Vec<usize> = (0..d).collect();
    let mut outcome = Replay { ties: 0, worst_score: 0.0, worst_gap: 0.0 };
    let scores = golden::numbers(&part["score_vec"]);
    for (step, (parent, child)) in edges(&part["edge_list_in_order"]).into_iter().enumerate() {
        let dag = Dag::from_edges(d, included.iter().copied()).unwrap();
        let reachable = dag.reachability();
        for &j in &stale {
            let open =
                |i: &usize| *i != j && allowed[j].contains(*i) && !dag.has_edge(*i, j) && !reachable[j].contains(*i);
            let candidates: Vec<usize> = (0..d).filter(open).collect();
            let present = children[j].log_variance();
            gains[j].fill(f64::NEG_INFINITY);
            for (i, variance) in candidates.iter().zip(children[j].log_variances(&candidates, &run()).unwrap()) {
                gains[j][*i] = present - variance;
            }
        }
        let mut best = f64::NEG_INFINITY;
        for j in 0..d {
            for i in (0..d).filter(|&i| !reachable[j].contains(i)) {
                best = best.max(gains[j][i]);
            }
        }
        let gap = best - gains[child][parent];
        outcome.ties += usize::from(gap > 0.0);
        outcome.worst_gap = outcome.worst_gap.max(gap);
        assert!(
            gap <= TIE,
            "{name}, step {step}: R includes {parent} -> {child}, whose gain is {gap:e} below the best"
        );
        score += gains[child][parent];
        outcome.worst_score = outcome.worst_score.max((score - scores[step]).abs());
        children[child].include(parent);
        included.push((parent, child));
        stale = vec![child];
    }
    assert!(outcome.worst_score <= GAIN * d as f64, "{name}: scores off by {:e}", outcome.worst_score);
    outcome
}

fn everyone(d: usize) -> Vec<NodeSet> {
    vec![(0..d).collect(); d]
}

fn candidates(reference: &Value) -> Vec<NodeSet> {
    let pairs = golden::edges(&reference["pns_candidate_parents"]);
    let d = reference["d"].as_u64().unwrap() as usize;
    (0..d).map(|child| pairs.iter().filter(|pair| pair.1 == child).map(|pair| pair.0).collect()).collect()
}

/// One search per data set with and without neighbourhood selection; then both prunings of what it found.
#[test]
fn searches_and_prunings_equal_those_of_r_where_gaps_are_not_ties() {
    let (mut compared, mut same) = (0, 0);
    let mut worst = 0.0_f64;
    for (name, reference, data) in cases() {
        let (grams, common) = (grams(&data), golden::gram(&data));
        for (key, allowed) in [("no_pns", everyone(data.d())), ("pns", candidates(&reference))] {
            let part = &reference[key];
            if !part["edge_list_in_order"].is_array() {
                continue;
            }
            compared += 1;
            let regressions = AdditiveParents::new(&grams, GCV, SmoothingSearch::Afresh);
            let found: GreedyEdges = greedy_edges(&regressions, &allowed, data.d() - 1, &run()).unwrap();
            let ours: Vec<(usize, usize)> = found.inclusions.iter().map(|edge| (edge.parent, edge.child)).collect();
            if ours != edges(&part["edge_list_in_order"]) {
                let replay = replay(&name, part, &data, &grams, &allowed);
                assert!(replay.ties > 0, "{name}, {key}");
                println!("{name}, {key}: {} ties, gaps up to {:.1e}", replay.ties, replay.worst_gap);
                continue;
            }
            same += 1;
            for (score, expected) in found.scores().iter().zip(golden::numbers(&part["score_vec"])) {
                worst = worst.max((score - expected).abs());
            }
            assert_eq!(found.dag.edges(), golden::edges(&part["full_dag"]), "{name}, {key}");
            assert_eq!(found.dag.order().nodes(), golden::nodes(&part["topo_order"]), "{name}, {key}");
            let parents = |child: usize| found.dag.parents(child).ones().collect();
            let own: Vec<ChildCandidates> =
                (0..data.d()).map(|child| ChildCandidates { child, candidates: parents(child), start: None }).collect();
            let own = gam_significance_within(&own, &|m| grams.for_parents(m), GCV, 0.001, &run()).unwrap();
            assert_eq!(own.dag.edges(), golden::edges(&part["pruned_adj_selGam"]), "{name}, {key}");
            let mut factor = AdditiveFactor::new(&common, 0.6);
            found.dag.order().nodes().iter().for_each(|&node| factor.append(node, &run()).unwrap());
            let selected = gam_significance(&factor, found.dag.order(), 0.001, &run()).unwrap();
            assert_eq!(selected.dag.edges(), golden::edges(&part["pruned_adj_npvar_prune"]), "{name}, {key}");
        }
    }
    println!("{same} of {compared} searches are the same; scores differ by {worst:e} at most");
    assert!(worst <= GAIN * 10.0);
    // The other two part at ties, which `replay` has made sure of.
    assert_eq!((same, compared), (66, 68));
}

#[test]
fn boosted_neighbourhoods_equal_those_of_mboost() {
    let (mut pairs, mut different) = (0, 0);
    for (name, reference, data) in cases() {
        let found = boosted_neighbourhoods(&data, &summarise(&data, &run()).unwrap(), &run()).unwrap();
        let expected = candidates(&reference);
        for (child, (found, expected)) in found.iter().zip(&expected).enumerate() {
            let (found, expected): (Vec<_>, Vec<_>) = (found.ones().collect(), expected.ones().collect());
            pairs += 1;
            different += usize::from(found != expected);
            if found != expected {
                println!("{name}, {child}: {found:?} instead of {expected:?}");
            }
        }
    }
    println!("{different} of {pairs} neighbourhoods differ");
    assert_eq!(different, 0);
}

fn learn(config: CamConfig, data: &Dataset) -> Learned {
    LearnerConfig::Cam(config).build().unwrap().learn(&Input::new(data), &run()).unwrap()
}

fn reference() -> CamConfig {
    match LearnerConfig::resolve("cam", &[Assignment::parse("preset=reference").unwrap()]).unwrap() {
        LearnerConfig::Cam(config) => config,
        other => panic!("{other:?}"),
    }
}

/// The learner puts the same pieces together.
#[test]
fn the_reference_preset_gives_the_graphs_of_r() {
    for name in ["ER-AGP-4_d5", "SF-SIN-1_d5", "camfail-sin_n500", "unequal-s3third_n1000"] {
        let (golden, data) = (golden::r(&format!("cam/{name}.json")), golden::dataset(name));
        for (key, neighbourhood_selection) in
            [("no_pns", NeighbourhoodSelection::None), ("pns", NeighbourhoodSelection::Boosting)]
        {
            let part = &golden[key];
            for (pruning, expected) in [
                (Pruning::None, "full_dag"),
                (Pruning::Own, "pruned_adj_selGam"),
                (Pruning::Common, "pruned_adj_npvar_prune"),
            ] {
                let learned = learn(CamConfig { neighbourhood_selection, pruning, ..reference() }, &data);
                let graph = learned.graph.to_dag().unwrap();
                assert_eq!(graph.edges(), golden::edges(&part[expected]), "{name}, {key}, {pruning:?}");
                assert_eq!(learned.order.unwrap().nodes(), golden::nodes(&part["topo_order"]), "{name}, {key}");
            }
        }
    }
}

/// R stops on binary data ("A term has fewer unique covariate combinations than specified maximum degrees of freedom").
#[test]
fn binary_chains_give_a_graph() {
    for name in ["MC-GLM_d5", "MC-GLM_d10", "MC-GLM_d20", "MC-GLMp01_d5"] {
        let data = golden::dataset(name);
        for config in [CamConfig::default(), reference()] {
            let thin_plate = config == reference();
            let learned = learn(config, &data);
            assert_eq!(learned.graph.nodes(), data.d());
            assert!(!learned.graph.edges().is_empty(), "{name}");
            assert_eq!(learned.diagnostics.iter().any(|remark| remark.code == "reduced-basis"), thin_plate);
        }
    }
}
