//! The best order with one kind of noise: the search over orders and the score's own numbers in turn.

use crate::error::Result;
use crate::graph::{Knowledge, Node};
use crate::local_score::{AfterSet, NoiseKind, Refit};
use crate::order::{Placed, Reinsertion};
use crate::run::{Event, Run};

/// Refitting the score must gain this many nats to be worth a search of its own.
const GAIN: f64 = 0.1;
/// How often the score is refitted at most.
const ROUNDS: usize = 5;

/// Where the search begins, and how far it may go.
#[derive(Clone, Copy)]
pub(super) struct Plan<'a> {
    /// The order to begin from.
    pub(super) start: &'a [Node],
    /// Whether that order may be changed.
    pub(super) may_move: bool,
    pub(super) restarts: usize,
    pub(super) knowledge: &'a Knowledge,
}

/// A score with its own numbers fitted, and the best order by it.
pub(super) struct Climbed<S> {
    pub(super) score: S,
    pub(super) placed: Placed,
}

impl<S: AfterSet + Refit> Climbed<S> {
    /// Total evidence, less the price of what all nodes have in common.
    pub(super) fn total(&self) -> f64 {
        self.placed.total() - self.score.common_price()
    }
}

/// Fits and searches in turn until neither gains, then perturbs the order, and again.
pub(super) fn climb<S: AfterSet + Refit>(
    first: &S,
    kind: NoiseKind,
    plan: Plan<'_>,
    run: &Run<'_>,
) -> Result<Climbed<S>> {
    let phase = match kind {
        NoiseKind::Shared => "searching orders with shared noise",
        NoiseKind::Own => "searching orders with own noise",
    };
    run.report(&Event::Working { phase, done: 0, total: None })?;
    // The first parents are chosen with own noise: a shared variance is not known before there are parents.
    let begun = Reinsertion::new(first, plan.knowledge).place(plan.start, None, run)?;
    let score = first.refitted(kind, &begun.parents(), run)?;
    let placed = Reinsertion::new(&score, plan.knowledge).place(plan.start, Some(&begun), run)?;
    let mut climbed = Climbed { score, placed }.in_turn(kind, plan, run)?;
    if plan.may_move {
        let search = Reinsertion::new(&climbed.score, plan.knowledge);
        let placed = search.restarted(climbed.placed.clone(), plan.restarts, run)?;
        if placed.order()? != climbed.placed.order()? {
            climbed = Climbed { placed, ..climbed }.in_turn(kind, plan, run)?;
        }
    }
    Ok(climbed)
}

impl<S: AfterSet + Refit> Climbed<S> {
    fn in_turn(mut self, kind: NoiseKind, plan: Plan<'_>, run: &Run<'_>) -> Result<Self> {
        for _ in 0..ROUNDS {
            if plan.may_move {
                self.placed = Reinsertion::new(&self.score, plan.knowledge).settled(self.placed, run)?;
            }
            let score = self.score.refitted(kind, &self.placed.parents(), run)?;
            let search = Reinsertion::new(&score, plan.knowledge);
            let placed = search.place(self.placed.nodes(), Some(&self.placed), run)?;
            if placed.total() < self.placed.total() + GAIN {
                break;
            }
            self = Climbed { score, placed };
        }
        Ok(self)
    }
}
