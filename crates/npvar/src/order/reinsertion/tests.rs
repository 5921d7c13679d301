//! The search against all orders, and what is known.

use crate::data::{Covariance, summarise};
use crate::graph::{Knowledge, Node, WrittenKnowledge};
use crate::local_score::{
    AdditiveEvidence, AfterSet, FunctionPrior, GaussianBic, LinearEvidence, LocalScore, Noise, Toggling,
};
use crate::order::reinsertion::{Reinsertion, random_order};
use crate::run::{Run, Seed};
use crate::simulate::{SimulateOptions, Simulated, simulate};
use crate::smooth::{AdditiveGram, FewValued, RawGram, SmoothSpec};

const NODES: usize = 5;

fn drawn(setting: &str, seed: u64) -> Simulated {
    let options = SimulateOptions { nodes: Some(NODES), samples: 100, ..SimulateOptions::default() };
    simulate(setting.parse().unwrap(), &options, Seed(seed)).unwrap()
}

fn gram(simulated: &Simulated) -> AdditiveGram {
    let run = Run::new(Seed(0));
    let columns = summarise(&simulated.data, &run).unwrap();
    let spec = SmoothSpec::spline(6, FewValued::Saturated);
    AdditiveGram::new(&RawGram::of(&simulated.data, spec, &columns, &run).unwrap()).turned(&run).unwrap()
}

fn permutations(nodes: &[Node]) -> Vec<Vec<Node>> {
    if nodes.is_empty() {
        return vec![Vec::new()];
    }
    let with_first = |&first: &Node| {
        let rest: Vec<Node> = nodes.iter().copied().filter(|&node| node != first).collect();
        permutations(&rest).into_iter().map(move |order| [vec![first], order].concat())
    };
    nodes.iter().flat_map(with_first).collect()
}

/// The largest total over all orders and the search's.
fn both(score: &dyn AfterSet, seed: u64) -> (f64, f64) {
    let (knowledge, run) = (Knowledge::none(NODES), Run::new(Seed(seed)));
    let search = Reinsertion::new(score, &knowledge);
    let orders = permutations(&(0..NODES).collect::<Vec<_>>());
    let totals = orders.iter().map(|order| search.place(order, None, &run).unwrap().total());
    let largest = totals.fold(f64::NEG_INFINITY, f64::max);
    let start = search.place(&random_order(&knowledge, Seed(seed)), None, &run).unwrap();
    let found = search.restarted(search.settled(start, &run).unwrap(), 10, &run).unwrap();
    (largest, found.total())
}

#[test]
fn the_search_finds_the_best_of_all_orders() {
    let mut missed = 0;
    for seed in 0..100 {
        let simulated = drawn(if seed % 2 == 0 { "ER-AGP-1" } else { "ER-SIN-1" }, seed);
        let gram = gram(&simulated);
        let noise = if seed % 4 < 2 { Noise::Own } else { Noise::Shared(0.5) };
        let score = Toggling::new(AdditiveEvidence::new(&gram, FunctionPrior::default(), noise));
        let (largest, found) = both(&score, seed);
        missed += usize::from(found < largest - 1e-5);
    }
    assert!(missed <= 5, "missed the best order {missed} times of 100");
}

#[test]
fn linear_totals_with_own_noise_are_those_of_ges() {
    for seed in 0..5 {
        let simulated = drawn("ER-SIN-1", seed);
        let run = Run::new(Seed(seed));
        let covariance = Covariance::of(&simulated.data, &run).unwrap();
        let (score, knowledge) = (Toggling::unpriced(LinearEvidence::new(&covariance, 1.0)), Knowledge::none(NODES));
        let search = Reinsertion::new(&score, &knowledge);
        let placed = search.settled(search.place(&[3, 1, 4, 0, 2], None, &run).unwrap(), &run).unwrap();
        let expected = GaussianBic::new(&covariance, None).total(&placed.dag().unwrap()).unwrap();
        assert!((placed.total() - expected).abs() < 1e-9 * expected.abs());
    }
}

#[test]
fn exchanging_neighbours_costs_what_placing_the_exchanged_order_costs() {
    for (seed, noise) in [(0, Noise::Own), (1, Noise::Shared(0.5)), (2, Noise::Own)] {
        let gram = gram(&drawn("ER-SIN-4", seed));
        let score = Toggling::new(AdditiveEvidence::new(&gram, FunctionPrior::default(), noise));
        let (knowledge, run) = (Knowledge::none(NODES), Run::new(Seed(seed)));
        let search = Reinsertion::new(&score, &knowledge);
        let placed = search.place(&random_order(&knowledge, Seed(seed)), None, &run).unwrap();
        let costs = search.exchanged(&placed, &run).unwrap();
        assert_eq!(costs.len(), NODES - 1);
        for (at, cost) in costs.into_iter().enumerate() {
            let mut order = placed.nodes().to_vec();
            order.swap(at, at + 1);
            let expected = placed.total() - search.place(&order, Some(&placed), &run).unwrap().total();
            assert!((cost.unwrap() - expected).abs() < 1e-9 * placed.total().abs(), "{at}: {cost:?}, {expected}");
        }
        let settled = search.settled(placed, &run).unwrap();
        let costs = search.exchanged(&settled, &run).unwrap();
        assert!(costs.into_iter().flatten().all(|cost| cost > -1e-5));
    }
}

#[test]
fn what_is_known_is_respected_and_turning_against_it_is_ruled_out() {
    let names: Vec<String> = (0..NODES).map(|node| format!("x{node}")).collect();
    let pair = |from: usize, to: usize| [names[from].clone(), names[to].clone()];
    let written = WrittenKnowledge {
        required: vec![pair(4, 1)],
        forbidden: vec![pair(0, 2), pair(2, 0)],
        tiers: vec![vec![names[3].clone()], vec![names[0].clone()]],
        ..WrittenKnowledge::default()
    };
    let knowledge = Knowledge::new(&names, &written).unwrap();
    for seed in 0..10 {
        let gram = gram(&drawn("ER-SIN-4", seed));
        let score = Toggling::new(AdditiveEvidence::new(&gram, FunctionPrior::default(), Noise::Own));
        let (search, run) = (Reinsertion::new(&score, &knowledge), Run::new(Seed(seed)));
        let start = search.place(&random_order(&knowledge, Seed(seed)), None, &run).unwrap();
        let found = search.restarted(search.settled(start, &run).unwrap(), 3, &run).unwrap();
        let positions = found.order().unwrap().positions();
        let dag = found.dag().unwrap();
        assert!(positions[4] < positions[1] && positions[3] < positions[0]);
        assert!(dag.has_edge(4, 1) && !dag.has_edge(0, 2) && !dag.has_edge(2, 0));
        assert_eq!(search.turned(&found, (4, 1), &run).unwrap(), None);
        let costs = search.exchanged(&found, &run).unwrap();
        for (pair, cost) in found.nodes().windows(2).zip(costs) {
            assert_eq!(cost.is_none(), [[4, 1], [3, 0]].contains(&[pair[0], pair[1]]));
        }
        if let Some((parent, child)) = dag.edges().into_iter().find(|&edge| edge != (4, 1) && edge != (3, 0)) {
            let turned = search.turned(&found, (parent, child), &run).unwrap();
            if let Some(turned) = turned {
                let positions = turned.order().unwrap().positions();
                assert!(positions[child] < positions[parent] && positions[4] < positions[1]);
            }
        }
    }
}
