//! The best order with one kind of noise: the search over orders and the score's own numbers in turn.

use crate::error::Result;
use crate::graph::{Knowledge, Node};
use crate::local_score::{AfterSet, LearnsSparsity, NoiseKind, Refit};
use crate::order::{Placed, Reinsertion};
use crate::run::{Event, Run};

/// Refitting the score must gain this many nats to be worth a search of its own.
const GAIN: f64 = 0.1;
/// How often the score is refitted at most.
const ROUNDS: usize = 5;

/// How far the search may go.
#[derive(Clone, Copy)]
pub(super) struct Plan<'a> {
    /// Whether the order it begins from may be changed.
    pub(super) may_move: bool,
    pub(super) restarts: usize,
    pub(super) knowledge: &'a Knowledge,
}

/// A score with its own numbers fitted, and the best order by it.
pub(super) struct Climbed<S> {
    pub(super) kind: NoiseKind,
    pub(super) score: S,
    pub(super) placed: Placed,
}

impl<S: AfterSet + Refit + LearnsSparsity> Climbed<S> {
    /// From an order, with a score of which nothing is fitted yet.
    pub(super) fn from_order(
        first: &S,
        kind: NoiseKind,
        start: &[Node],
        plan: Plan<'_>,
        run: &Run<'_>,
    ) -> Result<Self> {
        // The first parents are chosen with own noise: a shared variance is not known before there are parents.
        let begun = Reinsertion::new(first, plan.knowledge).place(start, None, run)?;
        Self::refitted(first, kind, &begun, plan, run)?.in_turn(plan, run)
    }

    /// The same order with another kind of noise.
    pub(super) fn with_noise(&self, kind: NoiseKind, plan: Plan<'_>, run: &Run<'_>) -> Result<Self> {
        Self::refitted(&self.score, kind, &self.placed, plan, run)
    }

    /// Perturbs the order and searches again, as often as planned.
    pub(super) fn restarted(self, plan: Plan<'_>, run: &Run<'_>) -> Result<Self> {
        if !plan.may_move {
            return Ok(self);
        }
        let search = Reinsertion::new(&self.score, plan.knowledge);
        let placed = search.restarted(self.placed.clone(), plan.restarts, run)?;
        if placed.nodes() == self.placed.nodes() {
            return Ok(self);
        }
        Climbed { placed, ..self }.in_turn(plan, run)
    }

    /// Total evidence, less the price of what all nodes have in common.
    pub(super) fn total(&self) -> f64 {
        self.placed.total() - self.score.common_price()
    }

    /// The score fitted to what the nodes chose, who choose again.
    fn refitted(score: &S, kind: NoiseKind, placed: &Placed, plan: Plan<'_>, run: &Run<'_>) -> Result<Self> {
        let counts = Reinsertion::new(score, plan.knowledge).counts(placed);
        let score = score.refitted(kind, &placed.parents(), run)?.sparse_as(&counts);
        let placed = Reinsertion::new(&score, plan.knowledge).place(placed.nodes(), Some(placed), run)?;
        Ok(Climbed { kind, score, placed })
    }

    /// Searches and fits in turn until neither gains.
    pub(super) fn in_turn(mut self, plan: Plan<'_>, run: &Run<'_>) -> Result<Self> {
        for _ in 0..ROUNDS {
            if plan.may_move {
                let noise = match self.kind {
                    NoiseKind::Shared => "shared",
                    NoiseKind::Own => "own",
                };
                let phase = format!("searching orders with {noise} noise, best so far {:.1} nats", self.total());
                run.report(&Event::Working { phase: &phase, done: 0, total: None })?;
                self.placed = Reinsertion::new(&self.score, plan.knowledge).settled(self.placed, run)?;
            }
            let next = Self::refitted(&self.score, self.kind, &self.placed, plan, run)?;
            if next.total() < self.total() + GAIN {
                break;
            }
            self = next;
            if run.enough() {
                break;
            }
        }
        Ok(self)
    }
}
