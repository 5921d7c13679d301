//! DAS, NoGAM and CaPS on what sets them apart from SCORE.

use npvar::data::Dataset;
use npvar::graph::Knowledge;
use npvar::learner::{Assignment, Input, Learned, LearnerConfig};
use npvar::metrics::order_recovery;
use npvar::order::{CandidateRule, SteinRule, stein_candidates};
use npvar::simulate::{Noise, SimulateOptions, Simulated, simulate};
use npvar::{Run, Seed};

fn drawn(setting: &str, nodes: usize, samples: usize, noise: Noise, seed: u64) -> Simulated {
    let options = SimulateOptions { nodes: Some(nodes), samples, noise: Some(noise), ..SimulateOptions::default() };
    simulate(setting.parse().unwrap(), &options, Seed(seed)).unwrap()
}

fn learn(name: &str, settings: &[&str], data: &Dataset) -> Learned {
    let settings: Vec<Assignment> = settings.iter().map(|text| Assignment::parse(text).unwrap()).collect();
    let learner = LearnerConfig::resolve(name, &settings).unwrap().build().unwrap();
    learner.learn(&Input::new(data), &Run::new(Seed(3))).unwrap()
}

fn orders_found(name: &str, setting: &str, nodes: usize, samples: usize, noise: Noise, seeds: u64) -> usize {
    let found = (0..seeds).filter(|&seed| {
        let simulated = drawn(setting, nodes, samples, noise, seed);
        let order = learn(name, &[], &simulated.data).order.unwrap();
        order_recovery(&order, &simulated.truth).recovered
    });
    found.count()
}

/// Two nodes, 24 drawings: by chance 20 directions or more are right with a probability below 1e-3.
#[test]
fn nogam_finds_directions_where_the_noise_is_not_gaussian() {
    let found = [Noise::Laplace, Noise::Uniform].map(|noise| orders_found("nogam", "MC-SIN", 2, 400, noise, 12));
    assert!(found.iter().sum::<usize>() >= 20, "{found:?} of 12 each");
}

/// A linear chain of four, where second derivatives do not vary at all. It has one order of 24: by chance 6 of 12 are found with
/// a probability below 924/24⁶ < 1e-5.
#[test]
fn caps_finds_the_order_of_linear_effects() {
    let found = orders_found("caps", "MC-LIN", 4, 300, Noise::Gaussian, 12);
    assert!(found >= 6, "{found} of 12");
}

/// In a linear Gaussian model the mean second derivatives are the diagonal of the precision matrix, so that CaPS is EqVar from
/// below as far as the estimate is right. Two random orders of four nodes agree in one of 24 drawings: 15 of 30 by chance has a
/// probability below 1e-12.
#[test]
fn caps_is_eqvar_from_below_where_all_is_linear_and_gaussian() {
    let same = (0..30).filter(|&seed| {
        let data = drawn("ER-LIN-1", 4, 400, Noise::Gaussian, seed).data;
        learn("caps", &[], &data).order == learn("eqvar", &["direction=bottom-up"], &data).order
    });
    let same = same.count();
    assert!(same >= 15, "{same} of 30");
}

/// With one candidate for certain, the tests must tell parents from others. Were the derivatives without information, both shares
/// would be the same; about 50 parents and more others make the standard error of their difference less than 0.1, and 0.4 is
/// beyond four of them.
#[test]
fn candidates_are_parents_rather_than_others() {
    let run = Run::new(Seed(0));
    let (mut parents, mut others) = ((0, 0), (0, 0));
    for seed in 0..8 {
        let simulated = drawn("ER-SIN-1", 8, 300, Noise::Gaussian, seed);
        let columns: Vec<&[f64]> = (0..8).map(|node| simulated.data.column(node)).collect();
        let few = CandidateRule { least: 1, cutoff: 0.001, ..CandidateRule::default() };
        let known = (Some(simulated.truth.order()), &Knowledge::none(8));
        let (_, _, found) = stein_candidates(&columns, &SteinRule::default(), few, known, &run).unwrap();
        for of in found {
            for &node in of.nodes.iter().filter(|&&node| node != of.child) {
                let counted = if simulated.truth.has_edge(node, of.child) { &mut parents } else { &mut others };
                counted.0 += usize::from(of.candidates.contains(&node));
                counted.1 += 1;
            }
        }
    }
    let share = |(found, all): (usize, usize)| found as f64 / all as f64;
    assert!(share(parents) - share(others) > 0.4, "{parents:?} and {others:?}");
}

/// Parents that are no candidates cannot be found, and nothing else changes.
#[test]
fn das_with_every_candidate_is_score() {
    let data = drawn("ER-AGP-1", 6, 200, Noise::Gaussian, 5).data;
    let (das, score) = (learn("das", &["min-parents=20"], &data), learn("score", &[], &data));
    assert_eq!((&das.order, &das.graph), (&score.order, &score.graph));
    let few = learn("das", &["min-parents=0", "candidate-cutoff=1e-9"], &data);
    assert!(few.tests.unwrap().len() < score.tests.unwrap().len());
}
