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
    /// From an order, with a score of which nothing is fitted yet. Until it is, there is nothing to hand over.
    pub(super) fn from_order(
        first: &S,
        kind: NoiseKind,
        start: &[Node],
        plan: Plan<'_>,
        run: &Run<'_>,
    ) -> Result<Self> {
        // The first parents are chosen with own noise: a shared variance is not known before there are parents.
        let beginning = run.given_up_in_a_hurry();
        let begun = Reinsertion::new(first, plan.knowledge).place(start, None, &beginning)?;
        let better = run.unless_enough(|run| improved(first, &begun, plan.knowledge, run))?;
        let (score, begun) = better.unwrap_or((None, begun));
        Self::refitted(score.as_ref().unwrap_or(first), kind, &begun, plan, &beginning)?.in_turn(plan, run)
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
            let better = run.unless_enough(|run| improved(&self.score, &self.placed, plan.knowledge, run))?;
            let Some((score, placed)) = better else { break };
            self = Climbed { kind: self.kind, score: score.unwrap_or(self.score), placed };
            match run.unless_enough(|run| self.with_noise(self.kind, plan, run))? {
                Some(next) if next.total() >= self.total() + GAIN => self = next,
                _ => break,
            }
        }
        Ok(self)
    }

    /// The order found on some of the rows, improved on more and then on all of them; as it is where it is
    /// [enough](Run::enough).
    pub(super) fn on_all_rows(mut self, plan: Plan<'_>, run: &Run<'_>) -> Result<Self> {
        while let Some(next) = run.unless_enough(|run| self.improved_on_more_rows(plan, run))?.flatten() {
            self = next;
        }
        Ok(self)
    }

    fn improved_on_more_rows(&self, plan: Plan<'_>, run: &Run<'_>) -> Result<Option<Self>> {
        let Some(mut score) = self.score.on_more_rows(self.kind, &self.placed.parents(), run)? else { return Ok(None) };
        let on_all = score.sees_all_rows();
        let phase = if on_all { "comparing orders on all rows" } else { "comparing orders on more rows" };
        run.report(&Event::Working { phase, done: 0, total: None })?;
        let mut placed =
            Reinsertion::new(&score, plan.knowledge).place(self.placed.nodes(), Some(&self.placed), run)?;
        if let Some(anew) = afresh(&score, &placed, plan.knowledge, run)? {
            (score, placed) = anew;
        }
        if plan.may_move {
            let search = Reinsertion::new(&score, plan.knowledge);
            placed = if on_all { search.neighbours_settled(placed, run)? } else { placed };
            placed = if score.is_slow() { placed } else { search.settled(placed, run)? };
        }
        Self::refitted(&score, self.kind, &placed, plan, run).map(Some)
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

/// The same order, its nodes choosing anew where the score asks for that, with the score that comes of it, and else
/// patiently.
fn improved<S: AfterSet + Refit>(
    score: &S,
    placed: &Placed,
    knowledge: &Knowledge,
    run: &Run<'_>,
) -> Result<(Option<S>, Placed)> {
    match afresh(score, placed, knowledge, run)? {
        Some((score, placed)) => Ok((Some(score), placed)),
        None => Ok((None, Reinsertion::new(score, knowledge).patiently(placed.clone(), run)?)),
    }
}

/// The same order with every node's choice made anew, where the score asks for that.
fn afresh<S: AfterSet + Refit>(
    score: &S,
    placed: &Placed,
    knowledge: &Knowledge,
    run: &Run<'_>,
) -> Result<Option<(S, Placed)>> {
    let anew = score.afresh(&Reinsertion::new(score, knowledge).choices(placed), run)?;
    Ok(anew.map(|(score, chosen)| (score, placed.clone().with_chosen(chosen))))
}
