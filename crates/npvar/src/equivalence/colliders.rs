//! Orienting unshielded triples `x -- y -- z` as colliders `x -> y <- z`.
//!
//! Which triples are colliders ([`ColliderRule`]) and what happens when two of them want one edge in opposite directions
//! ([`ConflictRule`]) are questions of finite samples: with perfect tests all rules agree and no conflict arises. Triples are
//! taken by `y`, then `x`, then `z` with `x < z`, as in pcalg and causal-learn.

use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::skeleton::{Skeleton, Subsets};
use crate::error::Result;
use crate::graph::{EdgeKind, Knowledge, Node, Pdag};
use crate::independence::IndependenceTest;
use crate::run::Run;

/// When an unshielded triple is a collider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ColliderRule {
    /// When the middle node is not in the set that separated the ends (Spirtes & Glymour 1991).
    #[default]
    SeparatingSet,
    /// When the ends' largest p-value given a set of neighbours without the middle node exceeds that with it (Ramsey 2016).
    /// All subsets of the neighbourhoods are tested: exponential in their size.
    MaxP,
    /// The same, but only where the sets with the middle node, or those without, agree at level `alpha`; other triples stay
    /// ambiguous (causal-learn's "definite MaxP").
    DefiniteMaxP,
    /// When fewer than half of the sets of neighbours that separate the ends hold the middle node; when half of them do, or
    /// none separates, the triple is ambiguous (Colombo & Maathuis 2014). Directions are then found by lists, and those asked
    /// for both ways become bidirected, so that nothing depends on the order of the columns.
    Majority,
    /// The same, but a collider only when none of these sets holds the middle node, and none only when all do (Ramsey, Zhang &
    /// Spirtes 2006).
    Conservative,
}

impl ColliderRule {
    /// Whether neither the colliders nor what follows from them depend on the order of the columns.
    pub fn is_order_independent(self) -> bool {
        matches!(self, ColliderRule::Majority | ColliderRule::Conservative)
    }
}

/// What happens when colliders disagree about the direction of an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ConflictRule {
    /// The later one wins (pcalg's `u2pd = "relaxed"`, causal-learn's priority 0).
    #[default]
    Overwrite,
    /// The edge becomes bidirected (causal-learn's priority 1).
    Bidirected,
    /// The earlier one wins, and the later is not oriented at all (causal-learn's default, priority 2).
    KeepFirst,
    /// As `keep-first`, but triples are taken by their largest p-value given sets with the middle node, smallest first: the
    /// surest dependence (causal-learn's priority 3).
    ByDependence,
    /// As `keep-first`, but triples are taken by their largest p-value given sets without the middle node, largest first: the
    /// surest independence (causal-learn's priority 4).
    ByIndependence,
}

impl ConflictRule {
    fn needs_strength(self) -> bool {
        matches!(self, ConflictRule::ByDependence | ConflictRule::ByIndependence)
    }
}

/// `x -- y -- z`, `x` and `z` not adjacent, `x < z`.
pub(super) type Triple = (Node, Node, Node);

/// What became of the unshielded triples.
#[derive(Debug, Clone, Default)]
pub(super) struct Oriented {
    /// The colliders that were oriented.
    pub(super) colliders: Vec<Triple>,
    /// Triples that are no colliders for certain; only the definite rules know any.
    pub(super) non_colliders: Vec<Triple>,
    /// Triples of which nothing is certain; only the rules by votes know any.
    pub(super) ambiguous: Vec<Triple>,
    /// Every edge that was set, in turn.
    pub(super) steps: Vec<(Node, Node, EdgeKind)>,
    /// Colliders that met an edge already directed the other way.
    pub(super) conflicts: Vec<Triple>,
    /// Colliders that background knowledge excludes.
    pub(super) overruled: Vec<Triple>,
}

/// The largest p-values of the ends of a triple.
#[derive(Debug, Clone, Copy)]
struct Strength {
    with_middle: f64,
    without_middle: f64,
    /// Sets that separate the ends and hold the middle node, and those that do not.
    votes_with: usize,
    votes_without: usize,
}

/// Directs the colliders of `graph`, a skeleton in which knowledge may have directed edges.
pub(super) fn orient_colliders(
    graph: &mut Pdag,
    skeleton: &Skeleton,
    (rule, conflict): (ColliderRule, ConflictRule),
    strengths: &Strengths<'_>,
    knowledge: &Knowledge,
) -> Result<Oriented> {
    let mut oriented = Oriented::default();
    let triples = unshielded(&skeleton.graph);
    let mut colliders: Vec<(Triple, Option<Strength>)> = match rule {
        ColliderRule::SeparatingSet => {
            let apart = |&(x, y, z): &Triple| !skeleton.separating(x, z).is_some_and(|set| set.contains(&y));
            let colliders: Vec<Triple> = triples.into_iter().filter(apart).collect();
            if conflict.needs_strength() {
                strengths.of(&colliders)?.into_iter().map(|(triple, strength)| (triple, Some(strength))).collect()
            } else {
                colliders.into_iter().map(|triple| (triple, None)).collect()
            }
        }
        ColliderRule::MaxP | ColliderRule::DefiniteMaxP => {
            let mut colliders = Vec::new();
            for (triple, strength) in strengths.of(&triples)? {
                let never_with = strength.with_middle < strengths.alpha;
                let never_without = strength.without_middle < strengths.alpha;
                let definite = rule == ColliderRule::MaxP || never_with || never_without;
                let by_strength = strength.without_middle > strength.with_middle;
                // Where one kind of set never separates and the other does, by_strength says the same.
                match (definite, by_strength) {
                    (true, true) => colliders.push((triple, Some(strength))),
                    (true, false) => oriented.non_colliders.push(triple),
                    (false, _) => {}
                }
            }
            colliders
        }
        ColliderRule::Majority | ColliderRule::Conservative => {
            let mut colliders = Vec::new();
            for (triple, strength) in strengths.of(&triples)? {
                let Strength { votes_with, votes_without, .. } = strength;
                let unanimous = votes_with == 0 || votes_without == 0;
                let clear = votes_with != votes_without && (rule == ColliderRule::Majority || unanimous);
                match (clear, votes_without > votes_with) {
                    (true, true) => colliders.push((triple, Some(strength))),
                    (true, false) => oriented.non_colliders.push(triple),
                    (false, _) => oriented.ambiguous.push(triple),
                }
            }
            colliders
        }
    };
    let key = |strength: &Option<Strength>, pick: fn(&Strength) -> f64| strength.as_ref().map_or(0.0, pick);
    match conflict {
        ConflictRule::ByDependence => {
            colliders.sort_by(|(_, a), (_, b)| key(a, |s| s.with_middle).total_cmp(&key(b, |s| s.with_middle)));
        }
        ConflictRule::ByIndependence => {
            colliders.sort_by(|(_, a), (_, b)| key(b, |s| s.without_middle).total_cmp(&key(a, |s| s.without_middle)));
        }
        _ => {}
    }
    for (triple, _) in colliders {
        let (x, y, z) = triple;
        if knowledge.forbids(x, y) || knowledge.forbids(z, y) {
            oriented.overruled.push(triple);
            continue;
        }
        let against = [x, z].into_iter().any(|end| graph.has_directed(y, end) || graph.has_bidirected(y, end));
        if against {
            oriented.conflicts.push(triple);
        }
        for end in [x, z] {
            let kind = match conflict {
                ConflictRule::Overwrite => EdgeKind::Directed,
                ConflictRule::Bidirected if graph.has_directed(y, end) => EdgeKind::Bidirected,
                ConflictRule::Bidirected if !graph.has_undirected(y, end) => continue,
                _ if against && conflict != ConflictRule::Bidirected => continue,
                _ => EdgeKind::Directed,
            };
            graph.set(end, y, kind);
            oriented.steps.push((end, y, kind));
        }
        if against && !matches!(conflict, ConflictRule::Overwrite | ConflictRule::Bidirected) {
            continue;
        }
        oriented.colliders.push(triple);
    }
    Ok(oriented)
}

/// The unshielded triples of a skeleton, by `y`, then `x`, then `z`.
pub(super) fn unshielded(skeleton: &Pdag) -> Vec<Triple> {
    let mut triples = Vec::new();
    for y in 0..skeleton.nodes() {
        for x in skeleton.neighbours(y).ones() {
            let others = skeleton.neighbours(y).ones().filter(|&z| z > x && !skeleton.adjacent(x, z));
            triples.extend(others.map(|z| (x, y, z)));
        }
    }
    triples
}

/// The tests of the ends of triples.
pub(super) struct Strengths<'a> {
    pub(super) test: &'a dyn IndependenceTest,
    pub(super) skeleton: &'a Skeleton,
    pub(super) knowledge: &'a Knowledge,
    pub(super) alpha: f64,
    pub(super) max_depth: Option<usize>,
    pub(super) run: &'a Run<'a>,
}

impl Strengths<'_> {
    fn of(&self, triples: &[Triple]) -> Result<Vec<(Triple, Strength)>> {
        triples.par_iter().map(|&triple| Ok((triple, self.strength(triple)?))).collect()
    }

    /// Over all sets of neighbours of one end or of the other, no larger than the search allows.
    fn strength(&self, (x, y, z): Triple) -> Result<Strength> {
        let most = self.max_depth.unwrap_or(usize::MAX).min(self.test.largest_given());
        let mut strength = Strength { with_middle: 0.0, without_middle: 0.0, votes_with: 0, votes_without: 0 };
        let around = [x, z].map(|end| self.skeleton.graph.neighbours(end));
        for (place, neighbours) in around.into_iter().enumerate() {
            let usable = |node: &Node| !self.knowledge.is_after(*node, x, z);
            let candidates: Vec<Node> = neighbours.ones().filter(usable).collect();
            for size in 0..=candidates.len().min(most) {
                let mut sets = Subsets::new(&candidates, size);
                while let Some(set) = sets.next() {
                    self.run.check()?;
                    if place == 1 && set.iter().all(|&node| around[0].contains(node)) {
                        continue;
                    }
                    let p = self.test.p_value(x, z, set)?;
                    let (largest, votes) = match set.contains(&y) {
                        true => (&mut strength.with_middle, &mut strength.votes_with),
                        false => (&mut strength.without_middle, &mut strength.votes_without),
                    };
                    *largest = largest.max(p);
                    *votes += usize::from(p >= self.alpha);
                }
            }
        }
        Ok(strength)
    }
}
