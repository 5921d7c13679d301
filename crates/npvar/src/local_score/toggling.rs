//! Parents chosen by single toggles: from where it begins, a node takes in or gives up the one parent that raises its value
//! most, and again, until no toggle raises it.
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

    /// The values with these nodes put in, each alone, of which [`toggled`](Toggles::toggled) gives upper bounds.
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
        let (among, chosen) = (candidates.count_ones(..), choosing.parents.len() - required.len());
        let price = |chosen: usize| self.prior.as_ref().map_or(0.0, |prior| prior.price(among, chosen));
        let now = toggled.nats - price(chosen);
        let more = if chosen < among { price(chosen + 1) } else { f64::INFINITY };
        let fewer = if chosen > 0 { price(chosen - 1) } else { f64::INFINITY };
        let mut best = (now + GAIN, None);
        let mut bounds = Vec::new();
        let mut parents = choosing.parents.iter().copied().peekable();
        for node in candidates.ones().filter(|&node| choosing.choice.is_open(node)) {
            while parents.next_if(|&parent| parent < node).is_some() {}
            let price = if parents.peek() == Some(&node) { fewer } else { more };
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
        choosing.wanted = None;
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
        let begin = |choice| Choosing { choice, parents: beginning(choice), wanted: None, settled: None };
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
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::run::Seed;

    /// Node 2 wants 0 and 3 as parents, and 1 only beside 0.
    struct Wishes(AtomicUsize, f64);

    fn wish(parents: &[Node]) -> f64 {
        let has = |node: Node| f64::from(u8::from(parents.contains(&node)));
        5.0 * has(0) + 4.0 * has(3) + has(1) * (6.0 * has(0) - 3.0)
    }

    impl Toggles for Wishes {
        fn nodes(&self) -> usize {
            4
        }
        fn toggled(&self, node: Node, parents: &[Node], _: &Run<'_>) -> Result<Toggled> {
            self.0.fetch_add(1, Ordering::Relaxed);
            let toggle = |other: Node| {
                let mut set: NodeSet = parents.iter().copied().chain([other]).collect();
                set.set(other, !parents.contains(&other));
                if other == node { f64::NEG_INFINITY } else { wish(&set.ones().collect::<Vec<_>>()) }
            };
            let mut toggled =
                Toggled { nats: wish(parents), with: (0..4).map(toggle).collect(), bounded: NodeSet::with_capacity(4) };
            // Of new parents 1 and 3 it says no more than this.
            for other in [1, 3].into_iter().filter(|other| !parents.contains(other)) {
                toggled.with[other] += self.1;
                toggled.bounded.insert(other);
            }
            Ok(toggled)
        }
        fn exactly(&self, _: Node, parents: &[Node], others: &[Node], _: &Run<'_>) -> Result<Vec<f64>> {
            self.0.fetch_add(1, Ordering::Relaxed);
            Ok(others.iter().map(|&other| wish(&[parents, &[other]].concat())).collect())
        }
    }

    fn ask(candidates: &[Node], required: &[Node], start: &[Node]) -> ParentChoice {
        let candidates = candidates.iter().copied().collect();
        ParentChoice { node: 2, candidates, barred: NodeSet::new(), required: required.to_vec(), start: start.to_vec() }
    }

    #[test]
    fn toggles_lead_to_the_best_set_and_respect_what_is_required() {
        for slack in [0.0, 0.5, 100.0] {
            assert_best_sets(&Toggling::new(Wishes(AtomicUsize::new(0), slack)));
        }
    }

    /// However loose the bounds.
    fn assert_best_sets(toggling: &Toggling<Wishes>) {
        let questions =
            [ask(&[0, 1, 3], &[], &[]), ask(&[1, 3], &[], &[0]), ask(&[0, 3], &[1], &[3]), ask(&[], &[], &[])];
        let answers = toggling.choose(&questions, &Run::new(Seed(0))).unwrap();
        let parents: Vec<&[Node]> = answers.iter().map(|answer| &answer.parents[..]).collect();
        assert_eq!(parents, [&[0, 1, 3][..], &[3], &[0, 1, 3], &[]]);
        assert!((answers[0].nats - (12.0 - 4.0_f64.ln())).abs() < 1e-12);
        assert!((answers[2].nats - (12.0 - 3.0_f64.ln())).abs() < 1e-12);
        let barred = ask(&[0, 1, 3], &[], &[1]).barring([0].into_iter().collect());
        let answer = toggling.choose(&[barred], &Run::new(Seed(0))).unwrap().remove(0);
        assert_eq!(answer.parents, [3]);
        assert!((answer.nats - (4.0 - 12.0_f64.ln())).abs() < 1e-12, "the price counts what is barred");
        // Asked again, nothing is computed again.
        let computed = toggling.score.0.load(Ordering::Relaxed);
        assert_eq!(toggling.choose(&questions, &Run::new(Seed(0))).unwrap(), answers);
        assert_eq!(toggling.score.0.load(Ordering::Relaxed), computed);
    }
}
