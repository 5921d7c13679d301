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
    let search = Reinsertion::new(first, plan.knowledge);
    let mut begun = search.place(plan.start, None, run)?;
    if first.asks_afresh() {
        begun = search.afresh(begun, run)?;
    }
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
    climbed.on_all_rows(kind, plan, run)
}

impl<S: AfterSet + Refit> Climbed<S> {
    fn in_turn(mut self, kind: NoiseKind, plan: Plan<'_>, run: &Run<'_>) -> Result<Self> {
        for _ in 0..ROUNDS {
            if plan.may_move {
                self.placed = Reinsertion::new(&self.score, plan.knowledge).settled(self.placed, run)?;
            }
            if self.score.asks_afresh() {
                self.placed = Reinsertion::new(&self.score, plan.knowledge).afresh(self.placed, run)?;
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

    /// The order found on some of the rows, improved on all of them where there are more.
    fn on_all_rows(self, kind: NoiseKind, plan: Plan<'_>, run: &Run<'_>) -> Result<Self> {
        let Some(score) = self.score.on_all_rows(kind, &self.placed.parents(), run)? else { return Ok(self) };
        run.report(&Event::Working { phase: "comparing orders on all rows", done: 0, total: None })?;
        let search = Reinsertion::new(&score, plan.knowledge);
        let mut placed = search.afresh(search.place(self.placed.nodes(), Some(&self.placed), run)?, run)?;
        if plan.may_move {
            placed = search.neighbours_settled(placed, run)?;
        }
        let score = score.refitted(kind, &placed.parents(), run)?;
        let placed = Reinsertion::new(&score, plan.knowledge).place(placed.nodes(), Some(&placed), run)?;
        Ok(Climbed { score, placed })
    }

    /// The order improved until no move gains: any move, or where the score is slow (on all of many rows) exchanges of neighbours.
    pub(super) fn settled(&self, placed: Placed, knowledge: &Knowledge, run: &Run<'_>) -> Result<Placed> {
        let search = Reinsertion::new(&self.score, knowledge);
        match self.score.on_some_rows() {
            None => search.settled(placed, run),
            Some(_) => search.neighbours_settled(placed, run),
        }
    }

    /// The best order found with an edge turned round. Where the score is slow the order is searched on some of the rows.
    pub(super) fn turned(&self, edge: (Node, Node), knowledge: &Knowledge, run: &Run<'_>) -> Result<Option<Placed>> {
        let search = Reinsertion::new(&self.score, knowledge);
        let Some(some) = self.score.on_some_rows() else { return search.turned(&self.placed, edge, run) };
        let rough = Reinsertion::new(some, knowledge);
        let placed = rough.place(self.placed.nodes(), Some(&self.placed), run)?;
        let turned = rough.turned_at_once(&placed, edge, run)?;
        turned.map(|turned| search.place(turned.nodes(), Some(&self.placed), run)).transpose()
    }
}
