//! The skeleton: which pairs of nodes no set of neighbours separates (Spirtes & Glymour 1991), in the order-independent form of
//! Colombo & Maathuis (2014).
//!
//! Level `ℓ` looks at every adjacent pair and at the sets of `ℓ` other neighbours of one of them, as the neighbourhoods were
//! when the level began; a pair is separated when a test given such a set has p ≥ `alpha`. (pcalg's `>=`; causal-learn's `>`
//! differs on a set of probability zero.) Pairs of one level do not see each other's outcomes, so they are looked at in
//! parallel; neither their order nor the number of threads matters. A set that consists of neighbours of both is tested once
//! and counted twice, as pcalg counts.
//!
//! Background knowledge: required edges are never tested. Pairs that no edge may join are not adjacent from the start, but
//! a set that separates them is still looked for, because it tells colliders from others; where none is found, the set with
//! the largest p-value serves. Nodes in a tier after both of a pair cannot be their ancestors and are not conditioned on.

use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::graph::{EdgeKind, Knowledge, Node, NodeSet, Pdag};
use crate::independence::IndependenceTest;
use crate::run::{Event, Run};

/// When the removal of an edge takes effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SkeletonOrder {
    /// When the level is done (Colombo & Maathuis 2014): the skeleton does not depend on the order of the columns.
    #[default]
    Stable,
    /// When the node in hand is done, nodes in the order of the columns, as causal-learn's `stable=False`. Runs on one thread.
    Original,
}

/// Which separating sets are kept for the orientation of colliders.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SeparatingSets {
    /// The first one found, as in pcalg: fewer tests.
    #[default]
    First,
    /// The union of all that separate at the level of the first, as in causal-learn: does not depend on the order of columns.
    All,
}

/// How the skeleton is searched.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SkeletonOptions {
    /// The level of the tests.
    pub alpha: f64,
    /// The largest conditioning set, if there is a limit.
    pub max_depth: Option<usize>,
    /// When removals take effect.
    pub order: SkeletonOrder,
    /// Which separating sets are kept.
    pub separating_sets: SeparatingSets,
}

/// A skeleton, and the evidence for it.
#[derive(Debug, Clone, PartialEq)]
pub struct Skeleton {
    /// The adjacencies, undirected.
    pub graph: Pdag,
    /// The number of tests at every level, counted once for either end of a pair.
    pub tests: Vec<usize>,
    /// Whether larger sets would have been tested had the sample been larger.
    pub cut_short: bool,
    separating: Vec<Option<Vec<Node>>>,
    largest_p: Vec<f64>,
}

impl Skeleton {
    /// The nodes that separate a pair that is not adjacent: a set, or the union of several ([`SeparatingSets`]).
    pub fn separating(&self, a: Node, b: Node) -> Option<&[Node]> {
        self.separating[self.at(a, b)].as_deref()
    }

    /// The largest p-value of any test of the pair; nothing when there was none.
    pub fn largest_p(&self, a: Node, b: Node) -> Option<f64> {
        let p = self.largest_p[self.at(a, b)];
        (p >= 0.0).then_some(p)
    }

    /// A skeleton without evidence.
    #[cfg(test)]
    pub(super) fn given(graph: &Pdag) -> Self {
        let cells = graph.nodes() * graph.nodes();
        Skeleton {
            graph: graph.skeleton(),
            tests: Vec::new(),
            cut_short: false,
            separating: vec![None; cells],
            largest_p: vec![-1.0; cells],
        }
    }

    fn at(&self, a: Node, b: Node) -> usize {
        a.max(b) * self.graph.nodes() + a.min(b)
    }

    pub(super) fn record(&mut self, pair: (Node, Node), found: &PairTests) {
        let at = self.at(pair.0, pair.1);
        self.largest_p[at] = self.largest_p[at].max(found.largest_p);
        if let Some(set) = &found.separating {
            self.graph.remove(pair.0, pair.1);
            self.separating[at] = Some(set.clone());
        }
    }
}

/// What the tests of one pair at one level found.
#[derive(Debug, Clone, Default)]
pub(super) struct PairTests {
    pub(super) separating: Option<Vec<Node>>,
    largest_p: f64,
    /// The set with the largest p-value.
    best: Vec<Node>,
    tests: usize,
    /// Whether an end has neighbours left for a larger set.
    pub(super) larger: bool,
}

impl PairTests {
    pub(super) fn none() -> Self {
        PairTests { largest_p: -1.0, ..PairTests::default() }
    }

    /// Brings the nodes of several separating sets together.
    pub(super) fn sort(&mut self) {
        if let Some(set) = &mut self.separating {
            set.sort_unstable();
            set.dedup();
        }
    }
}

/// One level's work.
pub(super) struct Depth<'a> {
    pub(super) test: &'a dyn IndependenceTest,
    pub(super) options: &'a SkeletonOptions,
    pub(super) knowledge: &'a Knowledge,
    pub(super) size: usize,
    pub(super) run: &'a Run<'a>,
}

/// Finds the skeleton.
///
/// # Errors
/// When a test fails, or the run is cancelled.
pub fn skeleton(
    test: &dyn IndependenceTest,
    options: &SkeletonOptions,
    knowledge: &Knowledge,
    run: &Run<'_>,
) -> Result<Skeleton> {
    let d = test.nodes();
    let mut graph = Pdag::empty(d);
    let pairs = || (0..d).flat_map(move |x| (x + 1..d).map(move |y| (x, y)));
    pairs().filter(|&(x, y)| !knowledge.separates(x, y)).for_each(|(x, y)| graph.set(x, y, EdgeKind::Undirected));
    let mut found = Skeleton {
        graph,
        tests: Vec::new(),
        cut_short: false,
        separating: vec![None; d * d],
        largest_p: vec![-1.0; d * d],
    };
    // The best sets of pairs that knowledge keeps apart.
    let mut best: Vec<((Node, Node), f64, Vec<Node>)> =
        pairs().filter(|&(x, y)| knowledge.separates(x, y)).map(|pair| (pair, -1.0, Vec::new())).collect();
    for size in 0..=options.max_depth.unwrap_or(usize::MAX) {
        if size > test.largest_given() {
            found.cut_short = true;
            break;
        }
        let level = Depth { test, options, knowledge, size, run };
        let (tests, larger) = match options.order {
            SkeletonOrder::Stable => level.stable(&mut found, &mut best)?,
            SkeletonOrder::Original => level.original(&mut found, &mut best)?,
        };
        found.tests.push(tests);
        if !larger {
            break;
        }
    }
    for ((x, y), _, set) in best {
        let at = found.at(x, y);
        found.separating[at].get_or_insert(set);
    }
    Ok(found)
}

type Best = [((Node, Node), f64, Vec<Node>)];

impl Depth<'_> {
    /// Every pair with the neighbourhoods as they are now.
    fn stable(&self, found: &mut Skeleton, best: &mut Best) -> Result<(usize, bool)> {
        let neighbours: Vec<NodeSet> =
            (0..found.graph.nodes()).map(|node| found.graph.neighbours(node).clone()).collect();
        let pairs = self.open_pairs(found, best);
        let results: Vec<PairTests> =
            pairs.par_iter().map(|&(x, y)| self.pair(x, y, &neighbours)).collect::<Result<_>>()?;
        for (&pair, result) in pairs.iter().zip(&results) {
            found.record(pair, result);
            keep_best(best, pair, result);
        }
        self.progress(pairs.len())?;
        let tests = results.iter().map(|result| result.tests).sum();
        // As pcalg decides: by the neighbourhoods the level began with.
        Ok((tests, results.iter().any(|result| result.larger)))
    }

    /// Node by node, each with its neighbours as they are when its turn comes.
    fn original(&self, found: &mut Skeleton, best: &mut Best) -> Result<(usize, bool)> {
        let (mut tests, mut larger) = (0, false);
        for x in 0..found.graph.nodes() {
            let mut around = found.graph.neighbours(x).clone();
            let apart: Vec<Node> = self
                .open_pairs(found, best)
                .into_iter()
                .filter(|&(a, b)| (a == x || b == x) && !found.graph.adjacent(a, b))
                .map(|(a, b)| a + b - x)
                .collect();
            around.grow(found.graph.nodes());
            for y in around.ones().chain(apart).collect::<Vec<_>>() {
                if self.knowledge.joins(x, y) {
                    continue;
                }
                let mut result = PairTests::none();
                self.side(x, y, &around, &[], &mut result)?;
                found.record((x, y), &result);
                keep_best(best, (x, y), &result);
                tests += result.tests;
            }
            self.progress(x + 1)?;
        }
        for (x, y) in self.open_pairs(found, best) {
            let free = |a: Node, b: Node| found.graph.neighbours(a).ones().filter(|&other| other != b).count();
            larger |= free(x, y).max(free(y, x)) > self.size;
        }
        Ok((tests, larger))
    }

    /// Pairs still to be separated.
    fn open_pairs(&self, found: &Skeleton, best: &Best) -> Vec<(Node, Node)> {
        let mut pairs: Vec<(Node, Node)> = found.graph.edges().into_iter().map(|(x, y, _)| (x, y)).collect();
        pairs.retain(|&(x, y)| !self.knowledge.joins(x, y));
        pairs.extend(best.iter().map(|(pair, ..)| *pair).filter(|&(x, y)| found.separating(x, y).is_none()));
        pairs
    }

    pub(super) fn progress(&self, done: usize) -> Result<()> {
        let phase = format!("testing independence given {}", self.size);
        self.run.report(&Event::Working { phase: &phase, done, total: None })
    }

    /// First the neighbours of `x`, then those of `y`.
    fn pair(&self, x: Node, y: Node, neighbours: &[NodeSet]) -> Result<PairTests> {
        let mut result = PairTests::none();
        self.side(x, y, &neighbours[x], &[], &mut result)?;
        if result.separating.is_none() || self.options.separating_sets == SeparatingSets::All {
            self.side(y, x, &neighbours[y], &[&neighbours[x]], &mut result)?;
        }
        result.sort();
        Ok(result)
    }

    /// Tests `x` and `y` given sets of nodes around `x`; subsets of those that are `done` have been tested before.
    pub(super) fn side(
        &self,
        x: Node,
        y: Node,
        around: &NodeSet,
        done: &[&NodeSet],
        result: &mut PairTests,
    ) -> Result<()> {
        let candidates: Vec<Node> =
            around.ones().filter(|&node| node != y && !self.knowledge.is_after(node, x, y)).collect();
        result.larger |= candidates.len() > self.size;
        let mut sets = Subsets::new(&candidates, self.size);
        while let Some(set) = sets.next() {
            result.tests += 1;
            if done.iter().any(|done| set.iter().all(|&node| done.contains(node))) {
                continue;
            }
            self.run.check()?;
            let p = self.test.p_value(x, y, set)?;
            if p > result.largest_p {
                (result.largest_p, result.best) = (p, set.to_vec());
            }
            if p >= self.options.alpha {
                result.separating.get_or_insert_default().extend_from_slice(set);
                if self.options.separating_sets == SeparatingSets::First {
                    break;
                }
            }
        }
        Ok(())
    }
}

fn keep_best(best: &mut Best, pair: (Node, Node), result: &PairTests) {
    if let Some((_, p, set)) = best.iter_mut().find(|(other, ..)| *other == (pair.0.min(pair.1), pair.0.max(pair.1)))
        && result.largest_p > *p
    {
        (*p, *set) = (result.largest_p, result.best.clone());
    }
}

/// The subsets of one size in lexicographic order.
pub(super) struct Subsets<'a> {
    of: &'a [Node],
    places: Vec<usize>,
    set: Vec<Node>,
    started: bool,
}

impl<'a> Subsets<'a> {
    pub(super) fn new(of: &'a [Node], size: usize) -> Self {
        Subsets { of, places: (0..size).collect(), set: Vec::with_capacity(size), started: false }
    }

    pub(super) fn next(&mut self) -> Option<&[Node]> {
        let size = self.places.len();
        if size > self.of.len() {
            return None;
        }
        if self.started {
            // The last place that can move on does, and those after it follow.
            let moving = (0..size).rev().find(|&place| self.places[place] < self.of.len() - size + place)?;
            let start = self.places[moving] + 1;
            for (step, place) in self.places[moving..].iter_mut().enumerate() {
                *place = start + step;
            }
        }
        self.started = true;
        self.set.clear();
        self.set.extend(self.places.iter().map(|&place| self.of[place]));
        Some(&self.set)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subsets_come_in_lexicographic_order() {
        let all = |of: &[Node], size| {
            let (mut sets, mut subsets) = (Vec::new(), Subsets::new(of, size));
            while let Some(set) = subsets.next() {
                sets.push(set.to_vec());
            }
            sets
        };
        assert_eq!(all(&[2, 5, 7, 8], 2), [[2, 5], [2, 7], [2, 8], [5, 7], [5, 8], [7, 8]]);
        assert_eq!(all(&[2, 5], 0), [Vec::<Node>::new()]);
        assert_eq!(all(&[2, 5], 2), [[2, 5]]);
        assert!(all(&[2, 5], 3).is_empty());
    }
}
