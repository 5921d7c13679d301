//! A node taken out and put where the total is largest, without asking for what cannot be larger.
//!
//! Moving a node before others takes candidates from it and gives them one; moving it behind others does the reverse. Who is given
//! a candidate begins with the parents it has and mostly keeps them, which costs nothing to find out; who is robbed of a parent
//! must choose anew, which is what costs. So those who gain are asked first, all at once. What they gain at most, further on, is
//! then known, and those who lose are asked outwards from where the node stands, as long as that could make up for what was lost.

use super::placed::{GAIN, Move, Placed};
use super::search::Reinsertion;
use crate::error::Result;
use crate::graph::{Node, NodeSet};
use crate::local_score::{ChosenParents, ParentChoice};
use crate::run::Run;

/// A node with fewer candidates is worth at most this many nats more: fewer parents explain less, but choosing them among fewer may
/// cost less.
const SLACK: f64 = 10.0;

/// Places for one node among the others, as far as they are known.
struct Places<'p> {
    search: &'p Reinsertion<'p>,
    placed: &'p Placed,
    node: Node,
    /// The others, in order.
    rest: Vec<Node>,
    /// Those before each place.
    before: Vec<NodeSet>,
    /// Where the node stands now.
    at: usize,
    /// Where it may stand.
    open: Vec<bool>,
    /// By place, what the node chooses there.
    own: Vec<Option<ChosenParents>>,
    /// By place in `rest`, what another chooses once the node has passed it.
    passed: Vec<Option<ChosenParents>>,
    /// The largest total found, relative to what the others have now.
    largest: f64,
}

impl Reinsertion<'_> {
    /// The node put where the total is largest; it stays unless another place gains. `None` when it may stand nowhere.
    pub(super) fn best_move(&self, placed: &Placed, node: Node, run: &Run<'_>) -> Result<Option<Move>> {
        let mut places = Places::of(self, placed, node);
        let Some((low, high)) = places.bounds() else { return Ok(None) };
        places.ask_who_gains(low, high, run)?;
        places.look_before(low, run)?;
        places.look_behind(high, run)?;
        Ok(places.best())
    }
}

impl<'p> Places<'p> {
    fn of(search: &'p Reinsertion<'p>, placed: &'p Placed, node: Node) -> Self {
        let rest: Vec<Node> = placed.order.iter().copied().filter(|&other| other != node).collect();
        let at = placed.order.iter().position(|&other| other == node).unwrap_or(0);
        let before = prefixes(&rest);
        let open = (0..=rest.len()).map(|p| search.may_stand(node, &rest[..p], &before[p])).collect();
        let (own, passed) = (vec![None; rest.len() + 1], vec![None; rest.len()]);
        Places { search, placed, node, rest, before, at, open, own, passed, largest: f64::NEG_INFINITY }
    }

    /// The first and the last place where the node may stand.
    fn bounds(&self) -> Option<(usize, usize)> {
        Some((self.open.iter().position(|&open| open)?, self.open.iter().rposition(|&open| open)?))
    }

    /// The node itself where it is and behind that; those before it, which may now choose it; and those behind it that have not.
    fn ask_who_gains(&mut self, low: usize, high: usize, run: &Run<'_>) -> Result<()> {
        let own: Vec<usize> = (self.at.max(low)..=high).filter(|&p| self.open[p]).collect();
        let ahead = self.at..high.max(self.at);
        let others: Vec<usize> =
            (low.min(self.at)..self.at).chain(ahead.filter(|&q| !self.is_child(self.rest[q]))).collect();
        self.ask(&own, &others, run)?;
        if let Some(stays) = &mut self.own[self.at] {
            // A choice depends on where it begins: what was better stays, so that every move raises the total.
            let now = &self.placed.chosen[self.node];
            if now.nats > stays.nats {
                stays.clone_from(now);
            }
            self.largest = stays.nats;
        }
        Ok(())
    }

    /// Places before the present one, outwards: the node loses candidates, those it passes gain one.
    fn look_before(&mut self, low: usize, run: &Run<'_>) -> Result<()> {
        let changes: Vec<f64> = (low.min(self.at)..self.at).map(|q| self.change(q)).collect();
        // What those passed gain at every place, and at the best of all farther ones.
        let mut gained = vec![0.0; changes.len() + 1];
        (0..changes.len()).rev().for_each(|i| gained[i] = gained[i + 1] + changes[i]);
        let mut farthest = gained.clone();
        (1..farthest.len()).for_each(|i| farthest[i] = farthest[i].max(farthest[i - 1]));
        let mut own = self.own[self.at].as_ref().map_or(f64::INFINITY, |own| own.nats);
        for p in (low..self.at).rev() {
            if own + SLACK + farthest[p - low] <= self.largest {
                break;
            }
            if self.open[p] && own + SLACK + gained[p - low] > self.largest {
                self.ask(&[p], &[], run)?;
                own = self.own[p].as_ref().map_or(own, |own| own.nats);
                self.largest = self.largest.max(own + gained[p - low]);
            }
        }
        Ok(())
    }

    /// Places behind the present one, outwards: the node gains candidates, its children that it passes lose one.
    fn look_behind(&mut self, high: usize, run: &Run<'_>) -> Result<()> {
        let own = |places: &Self, p: usize| places.own[p].as_ref().map(|own| own.nats);
        // The most that can be had from each place on: the best place for the node itself, and all that could be gained on the way.
        let mut most = vec![f64::NEG_INFINITY; high.max(self.at) + 2];
        for p in (self.at + 1..=high).rev() {
            let ahead = if p < high && self.passed[p].is_some() { self.change(p).max(0.0) } else { 0.0 };
            most[p] = own(self, p).unwrap_or(f64::NEG_INFINITY).max(most[p + 1] + ahead);
        }
        let mut lost = 0.0;
        for p in self.at + 1..=high {
            let q = p - 1;
            let known = if self.passed[q].is_some() { self.change(q) } else { 0.0 };
            if lost + known + SLACK + most[p] <= self.largest {
                break;
            }
            if self.passed[q].is_none() {
                self.ask(&[], &[q], run)?;
            }
            lost += self.change(q);
            if let Some(own) = own(self, p) {
                self.largest = self.largest.max(own + lost);
            }
        }
        Ok(())
    }

    fn is_child(&self, other: Node) -> bool {
        self.placed.chosen[other].parents.contains(&self.node)
    }

    /// What another that the node has passed is worth more than now.
    fn change(&self, q: usize) -> f64 {
        let now = self.placed.chosen[self.rest[q]].nats;
        self.passed[q].as_ref().map_or(0.0, |passed| passed.nats - now)
    }

    /// Asks the score for the node at these places, and for these others once it has passed them.
    fn ask(&mut self, own: &[usize], others: &[usize], run: &Run<'_>) -> Result<()> {
        let begin = |node: Node| &self.placed.chosen[node].parents;
        let of_node = own.iter().map(|&p| self.search.choice(self.node, &self.before[p], begin(self.node)));
        let of_others = others.iter().map(|&q| {
            let (other, mut before) = (self.rest[q], self.before[q].clone());
            before.set(self.node, q < self.at);
            self.search.choice(other, &before, begin(other))
        });
        let choices: Vec<ParentChoice> = of_node.chain(of_others).collect();
        let mut answers = self.search.score.choose(&choices, run)?.into_iter();
        own.iter().for_each(|&p| self.own[p] = answers.next());
        others.iter().for_each(|&q| self.passed[q] = answers.next());
        Ok(())
    }

    /// The best of the places that are known.
    fn best(mut self) -> Option<Move> {
        let mut gained = vec![None; self.own.len()];
        gained[self.at] = Some(0.0);
        for p in (0..self.at).rev() {
            gained[p] = gained[p + 1].filter(|_| self.passed[p].is_some()).map(|sum: f64| sum + self.change(p));
        }
        for p in self.at + 1..gained.len() {
            gained[p] = gained[p - 1].filter(|_| self.passed[p - 1].is_some()).map(|sum| sum + self.change(p - 1));
        }
        let total = |p: usize| Some(gained[p]? + self.own[p].as_ref()?.nats);
        let mut best = total(self.at).map(|total| (self.at, total));
        for p in 0..gained.len() {
            let Some(here) = total(p) else { continue };
            if best.is_none_or(|(to, there)| here > there + if to == self.at { GAIN } else { 0.0 }) {
                best = Some((p, here));
            }
        }
        let (to, _) = best?;
        let mut chosen = vec![(self.node, self.own[to].take()?)];
        for q in to.min(self.at)..to.max(self.at) {
            chosen.extend(self.passed[q].take().map(|answer| (self.rest[q], answer)));
        }
        Some(Move { from: self.at, to, chosen })
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
