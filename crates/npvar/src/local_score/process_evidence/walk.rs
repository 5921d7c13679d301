//! A question under way: from where it begins by single toggles that gain, until none does.
//!
//! At first all toggles are tried and the best is made. From then on those go first that gained most when they were last tried,
//! a few at a time, and the best of the first few among which one gains is made; a walk is over when all have been tried where
//! it stands and none gains.

use super::kinds::Kinds;
use super::split::{Split, Toggle};
use crate::graph::{Node, NodeSet};
use crate::local_score::after_set::ParentChoice;
use crate::local_score::parent_prior::ParentPrior;

/// A toggle must gain more nats than this to be made.
const GAIN: f64 = 0.01;
/// How many are tried at a time.
const TOGETHER: usize = 4;

/// What parents cost: by their number, and by the kinds they are of.
#[derive(Debug, Clone)]
pub(super) struct Prices {
    pub(super) number: ParentPrior,
    pub(super) kinds: Kinds,
}

impl Prices {
    /// What a split costs as the answer to a question, on top of its evidence.
    pub(super) fn of(&self, choice: &ParentChoice, split: &Split) -> f64 {
        let (among, chosen) = choice.counts(&split.parents());
        self.number.price(among, chosen) + self.kinds.price(split)
    }
}

/// A walk over splits.
pub(super) struct Walk<'c> {
    pub(super) choice: &'c ParentChoice,
    pub(super) split: Split,
    /// All toggles there may be.
    toggles: Vec<Tried>,
    /// What the split is worth, less its price.
    value: Option<f64>,
    pub(super) is_over: bool,
}

struct Tried {
    toggle: Toggle,
    /// What it gained when it was tried.
    gain: f64,
    /// Whether that was where the walk stands.
    here: bool,
}

impl<'c> Walk<'c> {
    /// From a split; `open` nodes may be put in or out.
    pub(super) fn from(choice: &'c ParentChoice, open: &[Node], split: Split) -> Self {
        let both = |node: Node| [Toggle::Additive(node), Toggle::Joint(node)];
        let untried = |toggle: Toggle| Tried { toggle, gain: f64::INFINITY, here: false };
        let toggles = with_required(choice, open).into_iter().flat_map(both).map(untried).collect();
        Walk { choice, split, toggles, value: None, is_over: false }
    }

    /// All that may be toggled.
    pub(super) fn toggles(&self) -> Vec<Toggle> {
        self.toggles.iter().map(|tried| tried.toggle).filter(|&toggle| self.may(toggle)).collect()
    }

    /// What to try next.
    pub(super) fn wanted(&self) -> Vec<Toggle> {
        let mut untried: Vec<&Tried> =
            self.toggles.iter().filter(|tried| !tried.here && self.may(tried.toggle)).collect();
        untried.sort_by(|a, b| b.gain.total_cmp(&a.gain).then(a.toggle.cmp(&b.toggle)));
        let new = untried.iter().filter(|tried| tried.gain == f64::INFINITY).count();
        untried.truncate(new.max(TOGETHER));
        untried.into_iter().map(|tried| tried.toggle).collect()
    }

    /// A required parent stays in one of the sets.
    fn may(&self, toggle: Toggle) -> bool {
        let (Toggle::Additive(node) | Toggle::Joint(node)) = toggle;
        !self.choice.required.contains(&node) || self.split.toggled(toggle).contains(node)
    }

    /// Makes the best of the toggles tried where one gains, and says whether one did; is over where all have been tried.
    pub(super) fn step(
        &mut self,
        wanted: &[Toggle],
        prices: &Prices,
        evidence: impl Fn(&Split) -> Option<f64>,
    ) -> bool {
        let value =
            |split: &Split| evidence(split).map_or(f64::NEG_INFINITY, |nats| nats - prices.of(self.choice, split));
        let now = value(&self.split);
        let gains: Vec<f64> = wanted.iter().map(|&toggle| value(&self.split.toggled(toggle)) - now).collect();
        self.value = Some(now);
        let mut best = (GAIN, None);
        for (&toggle, &gain) in wanted.iter().zip(&gains) {
            if let Some(tried) = self.toggles.iter_mut().find(|tried| tried.toggle == toggle) {
                (tried.gain, tried.here) = (gain, true);
            }
            if gain > best.0 {
                best = (gain, Some(toggle));
            }
        }
        let (gain, Some(made)) = best else {
            self.is_over = self.toggles.iter().all(|tried| tried.here || !self.may(tried.toggle));
            return false;
        };
        self.split = self.split.toggled(made);
        for tried in &mut self.toggles {
            tried.here = false;
            if tried.toggle == made {
                tried.gain = -gain;
            }
        }
        true
    }

    /// Where it ended, and the value.
    pub(super) fn end(self) -> Option<(Split, f64)> {
        Some((self.split, self.value?))
    }
}

/// The nodes that a question leaves open.
pub(super) fn open(choice: &ParentChoice, useless: impl Fn(Node) -> bool) -> Vec<Node> {
    choice.candidates.ones().filter(|&node| choice.is_open(node) && !useless(node)).collect()
}

/// Those of the nodes a question begins with that it leaves open, and the required ones.
pub(super) fn beginning(choice: &ParentChoice, open: &[Node]) -> Vec<Node> {
    let begin: Vec<Node> = choice.start.iter().copied().filter(|node| open.contains(node)).collect();
    with_required(choice, &begin)
}

/// Some nodes and the required ones, increasing.
pub(super) fn with_required(choice: &ParentChoice, some: &[Node]) -> Vec<Node> {
    some.iter().chain(&choice.required).copied().collect::<NodeSet>().ones().collect()
}
