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

/// A score that can value all toggles of a parent set at once.
pub trait Toggles: Sync {
    /// `d`.
    fn nodes(&self) -> usize;

    /// The log evidence of `node` with `parents` (which increase), and of all sets one toggle away.
    ///
    /// # Errors
    /// When a value cannot be computed, or the run is cancelled.
    fn toggled(&self, node: Node, parents: &[Node], run: &Run<'_>) -> Result<Toggled>;

    /// The values with these nodes put in or taken out, each alone, of which [`toggled`](Toggles::toggled) gives upper bounds.
    ///
    /// # Errors
    /// When a value cannot be computed, or the run is cancelled.
    fn exactly(&self, node: Node, parents: &[Node], others: &[Node], run: &Run<'_>) -> Result<Vec<f64>>;
}

impl<S: Toggles> Toggles for &S {
    fn nodes(&self) -> usize {
        (**self).nodes()
    }

    fn toggled(&self, node: Node, parents: &[Node], run: &Run<'_>) -> Result<Toggled> {
        (**self).toggled(node, parents, run)
    }

    fn exactly(&self, node: Node, parents: &[Node], others: &[Node], run: &Run<'_>) -> Result<Vec<f64>> {
        (**self).exactly(node, parents, others, run)
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

/// A node with parents of which the toggles are not known, or those of some others not exactly.
type Missing<'m> = (Node, &'m [Node], Option<&'m [Node]>);

/// A question under way.
struct Choosing<'c> {
    choice: &'c ParentChoice,
    parents: Vec<Node>,
    /// The toggles of which more than a bound must be known; all, where nothing is.
    wanted: Option<Vec<Node>>,
    settled: Option<f64>,
    /// How many nats it may lose from where no toggle gained any more.
    patience: f64,
    /// Where that was.
    beyond: Option<Beyond>,
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

    /// Computes what these questions need next, the same thing once.
    fn learn(&self, waiting: &[&Choosing<'_>], run: &Run<'_>) -> Result<()> {
        let mut missing: Vec<Missing<'_>> = waiting
            .iter()
            .map(|choosing| (choosing.choice.node, &choosing.parents[..], choosing.wanted.as_deref()))
            .collect();
        missing.sort_unstable();
        missing.dedup();
        let compute = |&(node, parents, wanted): &Missing<'_>| {
            run.check()?;
            match wanted {
                None => self.keep(node, parents, self.score.toggled(node, parents, run)?),
                Some(others) => self.sharpen(node, parents, others, &self.score.exactly(node, parents, others, run)?),
            }
            Ok(())
        };
        match missing.len() {
            1 => compute(&missing[0]),
            _ => missing.par_iter().with_max_len(1).try_for_each(compute),
        }
    }

    fn keep(&self, node: Node, parents: &[Node], toggled: Toggled) {
        let mut known = self.known[node].write().unwrap_or_else(PoisonError::into_inner);
        // Whoever was first may have sharpened it since.
        known.entry(parents.into()).or_insert_with(|| Arc::new(toggled));
    }

    /// Puts values in the place of bounds.
    fn sharpen(&self, node: Node, parents: &[Node], others: &[Node], values: &[f64]) {
        let mut known = self.known[node].write().unwrap_or_else(PoisonError::into_inner);
        if let Some(toggled) = known.get_mut(parents) {
            let sharper = Arc::make_mut(toggled);
            for (&other, &value) in others.iter().zip(values) {
                sharper.with[other] = value;
                sharper.bounded.set(other, false);
            }
        }
    }

    /// Makes the best toggle, or settles, or says of which toggles it must know more.
    fn step(&self, choosing: &mut Choosing<'_>, toggled: &Toggled) {
        let ParentChoice { candidates, required, .. } = choosing.choice;
        choosing.wanted = None;
        let (among, chosen) = (candidates.count_ones(..), choosing.parents.len() - required.len());
        let price = |chosen: usize| self.prior.as_ref().map_or(0.0, |prior| prior.price(among, chosen));
        let now = toggled.nats - price(chosen);
        let more = if chosen < among { price(chosen + 1) } else { f64::INFINITY };
        let fewer = if chosen > 0 { price(chosen - 1) } else { f64::INFINITY };
        // Beyond where no toggle gains, the best parent goes in whatever it costs, until all is better than there.
        if choosing.beyond.as_ref().is_some_and(|beyond| now > beyond.nats + GAIN) {
            choosing.beyond = None;
        }
        let beyond = choosing.beyond.is_some();
        let mut best = (if beyond { f64::NEG_INFINITY } else { now + GAIN }, None);
        let mut bounds = Vec::new();
        let mut parents = choosing.parents.iter().copied().peekable();
        for node in candidates.ones().filter(|&node| choosing.choice.is_open(node)) {
            while parents.next_if(|&parent| parent < node).is_some() {}
            let is_parent = parents.peek() == Some(&node);
            if beyond && is_parent {
                continue;
            }
            let price = if is_parent { fewer } else { more };
            let value = toggled.with[node] - price;
            if value < best.0 {
                continue;
            }
            if toggled.bounded.contains(node) {
                bounds.push((value, node));
            } else if value > best.0 {
                best = (value, Some(node));
            }
        }
        bounds.retain(|&(bound, _)| bound >= best.0);
        if !bounds.is_empty() {
            choosing.wanted = Some(bounds.into_iter().map(|(_, node)| node).collect());
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

    fn choose_patiently(&self, choices: &[ParentChoice], run: &Run<'_>) -> Result<Vec<ChosenParents>> {
        self.chosen(choices, PATIENCE, run)
    }
}

impl<S: Toggles> Toggling<S> {
    fn chosen(&self, choices: &[ParentChoice], patience: f64, run: &Run<'_>) -> Result<Vec<ChosenParents>> {
        let begin = |choice| {
            let parents = beginning(choice);
            Choosing { choice, parents, wanted: None, settled: None, patience, beyond: None }
        };
        let mut under_way: Vec<Choosing<'_>> = choices.iter().map(begin).collect();
        loop {
            let mut waiting = Vec::new();
            for choosing in under_way.iter_mut().filter(|choosing| choosing.settled.is_none()) {
                // A question goes on as far as what is known carries it.
                choosing.wanted = None;
                while choosing.settled.is_none()
                    && choosing.wanted.is_none()
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
