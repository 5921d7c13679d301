//! The search begun again from perturbed orders.

use rand::RngExt;
use rand::seq::SliceRandom;
use rayon::prelude::*;

use super::placed::{GAIN, Placed};
use super::search::Reinsertion;
use crate::error::Result;
use crate::graph::{Knowledge, Node};
use crate::run::{Event, Run, Seed};

/// The share of the nodes that a perturbation moves.
const MOVED: f64 = 0.25;
/// The fewest nodes that a perturbation moves.
const FEWEST: usize = 2;
/// So many searches begin at the same order, at once.
const TOGETHER: usize = 4;

impl Reinsertion<'_> {
    /// The best of `restarts` searches, each from the best order so far with a quarter of its nodes moved somewhere else; fewer
    /// where it is [enough](Run::enough) before.
    ///
    /// # Errors
    /// What the score came upon, or cancelling.
    pub fn restarted(&self, placed: Placed, restarts: usize, run: &Run<'_>) -> Result<Placed> {
        let mut best = placed;
        for first in (0..restarts).step_by(TOGETHER) {
            let phase = format!("searching orders, best so far {:.1} nats", best.total());
            run.report(&Event::Working { phase: &phase, done: first, total: Some(restarts) })?;
            if run.enough() {
                break;
            }
            let search = |restart: usize| {
                let order = perturbed(&best.order, self.knowledge, run.seed.child("perturbed order", restart));
                let placed = run.unless_enough(|run| self.place(&order, Some(&best), run))?;
                placed.map(|placed| self.settled(placed, run)).transpose()
            };
            let last = restarts.min(first + TOGETHER);
            let found: Vec<Option<Placed>> = (first..last).into_par_iter().map(search).collect::<Result<_>>()?;
            for found in found.into_iter().flatten() {
                if found.total() > best.total() + GAIN {
                    best = found;
                }
            }
        }
        Ok(best)
    }
}

/// A random order that respects what is known.
pub fn random_order(knowledge: &Knowledge, seed: Seed) -> Vec<Node> {
    let mut order: Vec<Node> = (0..knowledge.nodes()).collect();
    order.shuffle(&mut seed.rng());
    knowledge.arranged(&order)
}

fn perturbed(order: &[Node], knowledge: &Knowledge, seed: Seed) -> Vec<Node> {
    let (mut order, mut rng) = (order.to_vec(), seed.rng());
    let moves = FEWEST.max((MOVED * order.len() as f64).ceil() as usize);
    for _ in 0..moves {
        let node = order.remove(rng.random_range(0..order.len()));
        order.insert(rng.random_range(0..=order.len()), node);
    }
    knowledge.arranged(&order)
}
