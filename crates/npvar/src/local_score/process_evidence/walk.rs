//! A question under way: from where it begins, the one toggle that gains most, and again, until none gains.

use super::split::{Split, Toggle};
use crate::graph::{Node, NodeSet};
use crate::local_score::after_set::ParentChoice;
use crate::local_score::parent_prior::price_by_number;

/// A toggle must gain more nats than this to be made.
const GAIN: f64 = 0.01;

/// A walk over splits.
pub(super) struct Walk<'c> {
    pub(super) choice: &'c ParentChoice,
    /// The nodes that may be put in or out.
    open: Vec<Node>,
    pub(super) split: Split,
    /// What it ended with.
    pub(super) settled: Option<f64>,
}

impl<'c> Walk<'c> {
    /// The walks of a question: from nothing, and from the parents it begins with, added up and joint. `useless` nodes are never
    /// parents unless they must be.
    pub(super) fn all(choice: &'c ParentChoice, useless: impl Fn(Node) -> bool) -> Vec<Self> {
        let open = open(choice, useless);
        let (none, begin) = (with_required(choice, &[]), with_required(choice, &beginning(choice, &open)));
        let starts = vec![Split::additive(&none), Split::joint(&none), Split::additive(&begin), Split::joint(&begin)];
        Walk::from(choice, &open, starts)
    }

    /// The walks of a question from given splits.
    pub(super) fn from(choice: &'c ParentChoice, open: &[Node], mut starts: Vec<Split>) -> Vec<Self> {
        starts.sort();
        starts.dedup();
        let open = with_required(choice, open);
        starts.into_iter().map(|split| Walk { choice, open: open.clone(), split, settled: None }).collect()
    }

    /// What may be toggled; a required parent stays in one of the sets.
    pub(super) fn toggles(&self) -> Vec<Toggle> {
        let both = |&node: &Node| [Toggle::Additive(node), Toggle::Joint(node)];
        let may = |toggle: &Toggle| {
            let (Toggle::Additive(node) | Toggle::Joint(node)) = *toggle;
            !self.choice.required.contains(&node) || self.split.toggled(*toggle).contains(node)
        };
        self.open.iter().flat_map(both).filter(may).collect()
    }

    /// What a split costs on top of its evidence.
    pub(super) fn price(&self, split: &Split) -> f64 {
        let among = self.choice.candidates.count_ones(..);
        price_by_number(among, split.parents().len() - self.choice.required.len()) + split.price()
    }

    /// Makes the best of some toggles, or settles.
    pub(super) fn step(&mut self, toggles: &[Toggle], value: impl Fn(&Split) -> Option<f64>) {
        let priced = |split: &Split| value(split).map_or(f64::NEG_INFINITY, |nats| nats - self.price(split));
        let now = priced(&self.split);
        let mut best = (now + GAIN, None);
        for &toggle in toggles {
            let split = self.split.toggled(toggle);
            let value = priced(&split);
            if value > best.0 {
                best = (value, Some(split));
            }
        }
        match best.1 {
            Some(split) => self.split = split,
            None => self.settled = Some(now),
        }
    }
}

/// The nodes that a question leaves open.
pub(super) fn open(choice: &ParentChoice, useless: impl Fn(Node) -> bool) -> Vec<Node> {
    choice.candidates.ones().filter(|&node| choice.is_open(node) && !useless(node)).collect()
}

/// Those of the nodes a question begins with that it leaves open.
pub(super) fn beginning(choice: &ParentChoice, open: &[Node]) -> Vec<Node> {
    choice.start.iter().copied().filter(|node| open.contains(node)).collect()
}

/// Some nodes and the required ones, increasing.
pub(super) fn with_required(choice: &ParentChoice, some: &[Node]) -> Vec<Node> {
    some.iter().chain(&choice.required).copied().collect::<NodeSet>().ones().collect()
}
