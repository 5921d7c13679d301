//! Parents chosen by single toggles: from where it begins, a node takes in or gives up the one parent that raises its value
//! most, and again, until no toggle raises it. A choice may be asked for patiently: then it goes on for a few parents that
//! lower its value, the best first, and takes them where that ends higher. Of many parents that explain little each, the first are
//! worth less than they cost, and the last more.
//!
//! What costs time is the value of a node with given parents and with every set that differs from them in one node; one
//! factorisation gives them all ([`Toggles`]). They do not depend on which nodes are candidates, so they are kept: a sweep of
//! a search over orders asks for few new ones.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use rayon::prelude::*;

use super::after_set::{AfterSet, ChosenParents, ParentChoice};
use super::parent_prior::{ParentCount, ParentPrior};
use crate::error::Result;
use crate::graph::{Node, NodeSet};
use crate::run::Run;

/// How many nats a patient choice may lose on its way.
const PATIENCE: f64 = 30.0;
/// How many parents a patient choice adds at most before they must be worth it: each makes the next one dearer to compute.
const FURTHER: usize = 5;

/// A toggle must gain more nats than this: less is rounding.
const GAIN: f64 = 1e-6;

/// A node's log evidence with some parents, and with each other set one toggle away.
#[derive(Debug, Clone, PartialEq)]
pub struct Toggled {
    /// With the parents as they are.
    pub nats: f64,
    /// With each node put in or taken out; minus infinity for the node itself.
    pub with: Vec<f64>,
    /// The nodes for which that is only an upper bound.
    pub bounded: NodeSet,
}

impl Toggled {
    /// Takes the values of which only bounds were known.
    fn sharpen(&mut self, by: &Toggled) {
        for node in 0..self.with.len() {
            if self.bounded.contains(node) && !by.bounded.contains(node) {
                self.with[node] = by.with[node];
                self.bounded.set(node, false);
            }
        }
    }
}

/// A score that can value all toggles of a parent set at once.
pub trait Toggles: Sync {
    /// `d`.
    fn nodes(&self) -> usize;

    /// The log evidence of `node` with `parents` (which increase), and of all sets one toggle away: exactly, of the toggles asked
    /// for, wherever a bound leaves open which is best.
    ///
    /// # Errors
    /// When a value cannot be computed, or the run is cancelled.
    fn toggled(&self, node: Node, parents: &[Node], asked: Asked<'_>, run: &Run<'_>) -> Result<Toggled>;
}

impl<S: Toggles> Toggles for &S {
    fn nodes(&self) -> usize {
        (**self).nodes()
    }

    fn toggled(&self, node: Node, parents: &[Node], asked: Asked<'_>, run: &Run<'_>) -> Result<Toggled> {
        (**self).toggled(node, parents, asked, run)
    }
}

/// What is asked of the toggles of a parent set: which is best, at these prices.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'c> {
    choice: &'c ParentChoice,
    /// Of the set as it is, with a parent more, and with one less.
    prices: [f64; 3],
    /// Whether the best new parent is asked for, even if it does not gain.
    beyond: bool,
}

impl<'c> Asked<'c> {
    /// At no price.
    #[cfg(test)]
    pub(super) fn freely(choice: &'c ParentChoice) -> Self {
        Asked { choice, prices: [0.0; 3], beyond: false }
    }

    /// Whether this toggle is asked for.
    pub(super) fn wants(&self, node: Node, is_parent: bool) -> bool {
        self.choice.is_open(node) && !(self.beyond && is_parent)
    }

    /// What a toggle is worth whose set has this evidence.
    pub(super) fn value(&self, nats: f64, is_parent: bool) -> f64 {
        nats - self.prices[if is_parent { 2 } else { 1 }]
    }

    /// What a toggle must be worth to be made, where the set as it is has this evidence.
    pub(super) fn least(&self, nats: f64) -> f64 {
        if self.beyond { f64::NEG_INFINITY } else { nats - self.prices[0] + GAIN }
    }
}

type Known = RwLock<HashMap<Box<[Node]>, Arc<Toggled>>>;

/// Greedy toggles over a score, with everything computed kept.
#[derive(Debug)]
pub struct Toggling<S> {
    score: S,
    /// What a choice costs; nothing where the score prices parents itself.
    prior: Option<ParentPrior>,
    known: Arc<[Known]>,
}

/// A question under way.
struct Choosing<'c> {
    choice: &'c ParentChoice,
    parents: Vec<Node>,
    /// Whether more than a bound must be known of a toggle.
    unsure: bool,
    settled: Option<f64>,
    /// How many nats it may lose from where no toggle gained any more.
    patience: f64,
    /// Where that was.
    beyond: Option<Beyond>,
}

impl Choosing<'_> {
    /// The parents whose toggles it looks at next.
    fn about(&self) -> (Node, &[Node]) {
        (self.choice.node, &self.parents)
    }
}

struct Beyond {
    nats: f64,
    parents: Vec<Node>,
}

impl<S: Toggles> Toggling<S> {
    /// Every number of parents equally likely.
    pub fn new(score: S) -> Self {
        let prior = ParentPrior::uniform(score.nodes());
        Toggling::priced(score, Some(prior))
    }

    /// A score that prices parents itself, as BIC does.
    pub fn unpriced(score: S) -> Self {
        Toggling::priced(score, None)
    }

    /// Nothing is known at first.
    fn priced(score: S, prior: Option<ParentPrior>) -> Self {
        let known = (0..score.nodes()).map(|_| RwLock::default()).collect();
        Toggling { score, prior, known }
    }

    /// Another score of which nothing is known, at the same prices.
    pub(super) fn unknown(&self, score: S) -> Self {
        Toggling::priced(score, self.prior.clone())
    }

    /// Another score of which the same is known, at the same prices.
    pub(super) fn with_score(&self, score: S) -> Self {
        Toggling { score, prior: self.prior.clone(), known: self.known.clone() }
    }

    /// The same with the sparsity learned from what the nodes chose. Everything known stays known.
    pub(super) fn repriced(self, counts: &[ParentCount]) -> Self {
        let prior = self.prior.map(|_| ParentPrior::learned(self.known.len(), counts));
        Toggling { prior, ..self }
    }

    /// What a choice costs, where it is priced here.
    pub fn prior(&self) -> Option<&ParentPrior> {
        self.prior.as_ref()
    }

    /// The score.
    pub fn score(&self) -> &S {
        &self.score
    }

    fn known(&self, node: Node, parents: &[Node]) -> Option<Arc<Toggled>> {
        self.known[node].read().unwrap_or_else(PoisonError::into_inner).get(parents).cloned()
    }

    /// Computes what these questions need next, for one question of those that are about the same parents.
    fn learn(&self, waiting: &[&Choosing<'_>], run: &Run<'_>) -> Result<()> {
        let mut missing = waiting.to_vec();
        missing.sort_by(|a, b| a.about().cmp(&b.about()));
        missing.dedup_by(|a, b| a.about() == b.about());
        let compute = |choosing: &&Choosing<'_>| {
            run.check()?;
            let (node, parents) = choosing.about();
            self.keep(node, parents, self.score.toggled(node, parents, self.asked(choosing), run)?);
            Ok(())
        };
        match missing.len() {
            1 => compute(&missing[0]),
            _ => missing.par_iter().with_max_len(1).try_for_each(compute),
        }
    }

    fn keep(&self, node: Node, parents: &[Node], toggled: Toggled) {
        let mut known = self.known[node].write().unwrap_or_else(PoisonError::into_inner);
        match known.get_mut(parents) {
            Some(before) => Arc::make_mut(before).sharpen(&toggled),
            None => drop(known.insert(parents.into(), Arc::new(toggled))),
        }
    }

    fn asked<'c>(&self, choosing: &Choosing<'c>) -> Asked<'c> {
        let choice = choosing.choice;
        let (among, chosen) = choice.counts(&choosing.parents);
        let price = |chosen: usize| self.prior.as_ref().map_or(0.0, |prior| prior.price(among, chosen));
        let more = if chosen < among { price(chosen + 1) } else { f64::INFINITY };
        let fewer = if chosen > 0 { price(chosen - 1) } else { f64::INFINITY };
        Asked { choice, prices: [price(chosen), more, fewer], beyond: choosing.beyond.is_some() }
    }

    /// Makes the best toggle, or settles, or says of which toggles it must know more.
    fn step(&self, choosing: &mut Choosing<'_>, toggled: &Toggled) {
        choosing.unsure = false;
        let now = toggled.nats - self.asked(choosing).prices[0];
        // Beyond where no toggle gains, the best parent goes in whatever it costs, until all is better than there.
        if choosing.beyond.as_ref().is_some_and(|beyond| now > beyond.nats + GAIN) {
            choosing.beyond = None;
        }
        let (asked, beyond) = (self.asked(choosing), choosing.beyond.is_some());
        let mut best = (asked.least(toggled.nats), None);
        let mut largest_bound: Option<f64> = None;
        let mut parents = choosing.parents.iter().copied().peekable();
        for node in choosing.choice.candidates.ones() {
            while parents.next_if(|&parent| parent < node).is_some() {}
            let is_parent = parents.peek() == Some(&node);
            if !asked.wants(node, is_parent) {
                continue;
            }
            let value = asked.value(toggled.with[node], is_parent);
            if toggled.bounded.contains(node) {
                largest_bound = Some(largest_bound.map_or(value, |bound| bound.max(value)));
            } else if value > best.0 {
                best = (value, Some(node));
            }
        }
        if largest_bound.is_some_and(|bound| bound >= best.0) {
            choosing.unsure = true;
            return;
        }
        if best.1.is_none() && !beyond && choosing.patience > 0.0 {
            let parents = choosing.parents.clone();
            choosing.beyond = Some(Beyond { nats: now, parents });
            return;
        }
        let (patience, none) = (choosing.patience, best.1.is_none());
        let further = |beyond: &Beyond| choosing.parents.len().saturating_sub(beyond.parents.len());
        let spent = |beyond: &mut Beyond| none || now < beyond.nats - patience || further(beyond) >= FURTHER;
        if let Some(there) = choosing.beyond.take_if(spent) {
            (choosing.parents, choosing.settled) = (there.parents, Some(there.nats));
            return;
        }
        match best.1 {
            None => choosing.settled = Some(now),
            Some(node) => match choosing.parents.binary_search(&node) {
                Ok(at) => drop(choosing.parents.remove(at)),
                Err(at) => choosing.parents.insert(at, node),
            },
        }
    }
}

impl<S: Toggles> AfterSet for Toggling<S> {
    fn nodes(&self) -> usize {
        self.score.nodes()
    }

    fn choose(&self, choices: &[ParentChoice], run: &Run<'_>) -> Result<Vec<ChosenParents>> {
        self.chosen(choices, 0.0, run)
    }

    fn price(&self, choice: &ParentChoice, chosen: &ChosenParents) -> f64 {
        let (among, chosen) = choice.counts(&chosen.parents);
        self.prior.as_ref().map_or(0.0, |prior| prior.price(among, chosen))
    }

    fn choose_patiently(&self, choices: &[ParentChoice], run: &Run<'_>) -> Result<Vec<ChosenParents>> {
        self.chosen(choices, PATIENCE, run)
    }
}

impl<S: Toggles> Toggling<S> {
    fn chosen(&self, choices: &[ParentChoice], patience: f64, run: &Run<'_>) -> Result<Vec<ChosenParents>> {
        let begin = |choice| {
            let parents = beginning(choice);
            Choosing { choice, parents, unsure: false, settled: None, patience, beyond: None }
        };
        let mut under_way: Vec<Choosing<'_>> = choices.iter().map(begin).collect();
        loop {
            let mut waiting = Vec::new();
            for choosing in under_way.iter_mut().filter(|choosing| choosing.settled.is_none()) {
                // A question goes on as far as what is known carries it.
                choosing.unsure = false;
                while choosing.settled.is_none()
                    && !choosing.unsure
                    && let Some(toggled) = self.known(choosing.choice.node, &choosing.parents)
                {
                    self.step(choosing, &toggled);
                }
                if choosing.settled.is_none() {
                    waiting.push(&*choosing);
                }
            }
            if waiting.is_empty() {
                break;
            }
            self.learn(&waiting, run)?;
        }
        let answer =
            |choosing: Choosing<'_>| Some(ChosenParents { nats: choosing.settled?, parents: choosing.parents });
        Ok(under_way.into_iter().filter_map(answer).collect())
    }
}

/// The required parents and those of the start that are candidates.
fn beginning(choice: &ParentChoice) -> Vec<Node> {
    let start = choice.start.iter().copied().filter(|&node| choice.is_open(node));
    let mut parents: Vec<Node> = start.chain(choice.required.iter().copied()).collect();
    parents.sort_unstable();
    parents
}

#[cfg(test)]
mod tests;
