//! Nodes taken out and put back.

use std::sync::Arc;

use super::placed::{GAIN, Move, Placed};
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
    pub(super) fn swept(&self, mut placed: Placed, nodes: &[Node], run: &Run<'_>) -> Result<(Placed, bool)> {
        let mut moved = false;
        for &node in nodes {
            run.check()?;
            if run.enough() {
                break;
            }
            if let Some(better) = self.best_move(&placed, node, run)? {
                moved |= better.from != better.to;
                placed.apply(better);
            }
        }
        Ok((placed, moved))
    }

    /// The node put where the total is largest; it stays unless another place gains. `None` when it may stand nowhere.
    pub(super) fn best_move(&self, placed: &Placed, node: Node, run: &Run<'_>) -> Result<Option<Move>> {
        let rest: Vec<Node> = placed.order.iter().copied().filter(|&other| other != node).collect();
        let at = placed.order.iter().position(|&other| other == node).unwrap_or(0);
        let prefixes = prefixes(&rest);
        let places: Vec<usize> = (0..=rest.len()).filter(|&p| self.may_stand(node, &rest[..p], &prefixes[p])).collect();
        let (Some(&low), Some(&high)) = (places.first(), places.last()) else { return Ok(None) };
        // The nodes it passes: those after it without it, those before it with it.
        let passed = low.min(at)..high.max(at);
        let own = &placed.chosen[node].parents;
        let mut choices: Vec<ParentChoice> = places.iter().map(|&p| self.choice(node, &prefixes[p], own)).collect();
        for q in passed.clone() {
            let mut before = prefixes[q].clone();
            before.set(node, q < at);
            choices.push(self.choice(rest[q], &before, &placed.chosen[rest[q]].parents));
        }
        let mut answers = self.score.choose(&choices, run)?;
        let others = answers.split_off(places.len());
        // What the total gains over leaving the others as they are.
        let change = |q: usize| others[q - passed.start].nats - placed.chosen[rest[q]].nats;
        let total = |own: usize| -> f64 {
            let p = places[own];
            answers[own].nats + (p.min(at)..p.max(at)).map(change).sum::<f64>()
        };
        let totals: Vec<f64> = (0..places.len()).map(total).collect();
        let stays = places.iter().position(|&p| p == at);
        let mut best = stays.unwrap_or(0);
        for candidate in 0..places.len() {
            let gain = if Some(best) == stays { GAIN } else { 0.0 };
            if totals[candidate] > totals[best] + gain {
                best = candidate;
            }
        }
        let to = places[best];
        let between = to.min(at)..to.max(at);
        let mut chosen = vec![(node, answers.swap_remove(best))];
        let passes = passed.zip(others).filter(|(q, _)| between.contains(q));
        chosen.extend(passes.map(|(q, answer)| (rest[q], answer)));
        Ok(Some(Move { from: at, to, chosen }))
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

/// The sets of the first 0, 1, … nodes.
fn prefixes(nodes: &[Node]) -> Vec<NodeSet> {
    let mut set = NodeSet::with_capacity(nodes.len() + 1);
    let mut sets = vec![set.clone()];
    for &node in nodes {
        set.insert(node);
        sets.push(set.clone());
    }
    sets
}
