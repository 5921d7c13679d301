//! Nodes taken out and put back.

use std::sync::Arc;

use rayon::prelude::*;

use super::placed::{Move, Placed};
use crate::error::Result;
use crate::graph::{Knowledge, Node, NodeSet};
use crate::local_score::{AfterSet, Allowed, ChosenParents, ParentChoice, ParentCount};
use crate::run::Run;

/// The search: a score, and what is known beforehand.
#[derive(Clone)]
pub struct Reinsertion<'a> {
    pub(super) score: &'a dyn AfterSet,
    pub(super) knowledge: &'a Knowledge,
    pub(super) allowed: Arc<Allowed>,
    /// A pair of which the first must come before the second, beside what is known.
    pub(super) precedes: Option<(Node, Node)>,
}

impl<'a> Reinsertion<'a> {
    /// Over orders that respect what is known: required parents come first and are always in, forbidden ones never, tiers,
    /// roots and sinks stand where they must.
    pub fn new(score: &'a dyn AfterSet, knowledge: &'a Knowledge) -> Self {
        Reinsertion { score, knowledge, allowed: Arc::new(Allowed::by(knowledge)), precedes: None }
    }

    /// Nodes in a given order, each beginning its choice from `start` (nothing, where there is none).
    ///
    /// # Errors
    /// What the score came upon, or cancelling.
    pub fn place(&self, order: &[Node], start: Option<&Placed>, run: &Run<'_>) -> Result<Placed> {
        let mut before = NodeSet::with_capacity(order.len());
        let mut choices = Vec::with_capacity(order.len());
        for &node in order {
            let begin = start.map_or(&[][..], |placed| &placed.chosen[node].parents);
            choices.push(self.choice(node, &before, begin));
            before.insert(node);
        }
        let answers = self.score.choose(&choices, run)?;
        let mut chosen: Vec<Option<ChosenParents>> = vec![None; order.len()];
        order.iter().zip(answers).for_each(|(&node, answer)| chosen[node] = Some(answer));
        Ok(Placed { order: order.to_vec(), chosen: chosen.into_iter().flatten().collect() })
    }

    /// What every node may choose where it stands, in the order, beginning with what it has chosen.
    pub fn choices(&self, placed: &Placed) -> Vec<ParentChoice> {
        let mut before = NodeSet::with_capacity(placed.order.len());
        let choice = |&node: &Node| {
            let choice = self.choice(node, &before, &placed.chosen[node].parents);
            before.insert(node);
            choice
        };
        placed.order.iter().map(choice).collect()
    }

    /// The same order, every node going on from the parents it has as [patiently](AfterSet::choose_patiently) as the score can.
    ///
    /// # Errors
    /// What the score came upon, or cancelling.
    pub fn patiently(&self, mut placed: Placed, run: &Run<'_>) -> Result<Placed> {
        let choices = self.choices(&placed);
        placed.improve(self.score.choose_patiently(&choices, run)?.into_iter().zip(choices));
        Ok(placed)
    }

    /// How many nodes each could choose among, and how many it chose.
    pub fn counts(&self, placed: &Placed) -> Vec<ParentCount> {
        let count = |choice: ParentChoice| {
            let chosen = placed.chosen[choice.node].parents.len() - choice.required.len();
            ParentCount { candidates: choice.candidates.count_ones(..), chosen }
        };
        self.choices(placed).into_iter().map(count).collect()
    }

    /// Sweeps over all nodes until none moves, or it is [enough](Run::enough).
    ///
    /// # Errors
    /// What the score came upon, or cancelling.
    pub fn settled(&self, mut placed: Placed, run: &Run<'_>) -> Result<Placed> {
        loop {
            let nodes = placed.order.clone();
            let (swept, moved) = self.swept(placed, &nodes, run)?;
            if !moved || run.enough() {
                return Ok(swept);
            }
            placed = swept;
        }
    }

    /// One sweep over these nodes, and whether one moved.
    ///
    /// As many as there are threads look for their best place at once. Of those that change anything the first does, and those after
    /// it look again, so that all is as if each had waited for the one before.
    pub(super) fn swept(&self, mut placed: Placed, nodes: &[Node], run: &Run<'_>) -> Result<(Placed, bool)> {
        let (mut moved, mut next) = (false, 0);
        while next < nodes.len() && !run.enough() {
            let together = &nodes[next..nodes.len().min(next + rayon::current_num_threads())];
            let look = |&node: &Node, run: &Run<'_>| {
                run.check()?;
                self.best_move(&placed, node, run)
            };
            let moves = run.unless_enough(|run| match together {
                [node] => Ok(vec![look(node, run)?]),
                _ => together.par_iter().map(|node| look(node, run)).collect::<Result<Vec<_>>>(),
            })?;
            let Some(moves) = moves else { break };
            let first = moves.iter().position(|by: &Option<Move>| by.as_ref().is_some_and(|by| placed.changes_by(by)));
            next += first.map_or(together.len(), |first| first + 1);
            if let Some(by) = first.and_then(|first| moves.into_iter().nth(first)).flatten() {
                moved |= by.from != by.to;
                placed.apply(by);
            }
        }
        Ok((placed, moved))
    }

    /// Whether a node may stand after exactly these.
    pub(super) fn may_stand(&self, node: Node, before: &[Node], set: &NodeSet) -> bool {
        let known = self.knowledge.may_follow(node, set) && self.knowledge.may_be_last_of(node, before);
        known
            && self.precedes.is_none_or(|(first, second)| {
                (node != first || !set.contains(second)) && (node != second || set.contains(first))
            })
    }

    pub(super) fn choice(&self, node: Node, before: &NodeSet, start: &[Node]) -> ParentChoice {
        self.allowed.choice(node, before, start)
    }
}
