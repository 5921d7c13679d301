//! The phases: propose, score, apply the best, look again at what changed.

use std::cmp::Ordering;
use std::collections::{BinaryHeap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::AtomicUsize;

use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::apply::apply;
use super::operator::{Batch, Operator, OperatorKind};
use super::paths::Paths;
use super::propose::{Proposed, batches};
use super::surroundings::Surroundings;
use crate::error::Result;
use crate::graph::{Cpdag, Dag, Knowledge, Node, NodeSet, Pdag};
use crate::local_score::LocalScore;
use crate::run::{Event, Run};

/// A gain below this share of the largest local score is rounding.
pub const ROUNDING: f64 = 1e-12;

/// How often the scoring of one batch reports its progress.
const REPORTS: usize = 100;

/// Which phases are run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Phases {
    /// Forward, then backward (Chickering 2003).
    #[default]
    ForwardBackward,
    /// Forward, backward, turning, again and again until none finds a better class (Hauser & Bühlmann 2012).
    Turning,
}

/// How the search is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct GesOptions {
    /// Which phases.
    pub phases: Phases,
    /// No node gets more parents than this; no limit when `None`.
    pub max_parents: Option<usize>,
}

/// A step of the search.
#[derive(Debug, Clone, PartialEq)]
pub struct GesStep {
    /// What was done.
    pub operator: Operator,
    /// By how much the score grew.
    pub gain: f64,
}

/// What the search found.
#[derive(Debug, Clone, PartialEq)]
pub struct GesResult {
    /// The class.
    pub cpdag: Cpdag,
    /// The score of a member of the class.
    pub score: f64,
    /// The steps that led there from the graph without edges, or with those required.
    pub steps: Vec<GesStep>,
    /// Nodes whose neighbours had more cliques than the search tries (4096): operators with large cliques were left out there.
    pub incomplete: Vec<Node>,
}

/// Searches from the graph without edges. A score that is costly should come in a [`Cached`](crate::local_score::Cached): the search
/// asks for the same local scores again and again.
///
/// ```
/// use npvar::equivalence::ges::{GesOptions, ges};
/// use npvar::graph::{Cpdag, Dag};
/// use npvar::data::Covariance;
/// use npvar::local_score::GaussianBic;
/// use npvar::simulate::LinearSem;
/// use npvar::{Run, Seed};
/// let dag = Dag::from_edges(3, [(0, 1), (2, 1)])?;
/// let sem = LinearSem::random(dag.clone(), Seed(1));
/// let score = GaussianBic::new(&Covariance::known(sem.covariance(), 10_000), None);
/// let found = ges(&score, &GesOptions::default(), &Run::new(Seed(1)))?;
/// assert_eq!(found.cpdag, Cpdag::from_dag(&dag));
/// # Ok::<(), npvar::Error>(())
/// ```
///
/// # Errors
/// When a local score cannot be computed, or the run is cancelled.
pub fn ges(score: &dyn LocalScore, options: &GesOptions, run: &Run<'_>) -> Result<GesResult> {
    ges_within(score, options, &Knowledge::none(score.nodes()), run)
}

/// The same where something is known: the search starts at the class of the required edges, and moves only to classes that have
/// a member which agrees with all that is known ([`Knowledge::members`]).
///
/// # Errors
/// When a local score cannot be computed, or the run is cancelled.
pub fn ges_within(
    score: &dyn LocalScore,
    options: &GesOptions,
    knowledge: &Knowledge,
    run: &Run<'_>,
) -> Result<GesResult> {
    let start = Cpdag::from_dag(&Dag::from_edges(score.nodes(), knowledge.required_edges())?);
    let mut largest = 0.0_f64;
    for node in 0..score.nodes() {
        largest = largest.max(score.local_during(node, &[], run)?.abs());
    }
    let mut search = GesSearch {
        score,
        rounding: ROUNDING * largest,
        state: Surroundings::new(start.into_pdag()),
        knowledge: Some(knowledge).filter(|&known| *known != Knowledge::none(score.nodes())),
        max_parents: options.max_parents.unwrap_or(usize::MAX),
        steps: Vec::new(),
        incomplete: NodeSet::with_capacity(score.nodes()),
        visited: None,
        run,
    };
    search.phase(OperatorKind::Insert)?;
    search.phase(OperatorKind::Delete)?;
    if options.phases == Phases::Turning {
        search.visited = Some(HashSet::from([fingerprint(&search.state.graph)]));
        while search.phase(OperatorKind::Turn)?
            | search.phase(OperatorKind::Insert)?
            | search.phase(OperatorKind::Delete)?
        {}
    }
    let cpdag = Cpdag::completing(&search.state.graph).expect("the state is a class");
    let member = cpdag.member();
    let of_node = |node| score.local_during(node, &member.parents(node).ones().collect::<Vec<_>>(), run);
    let total = (0..score.nodes()).map(of_node).sum::<Result<f64>>()?;
    Ok(GesResult { cpdag, score: total, steps: search.steps, incomplete: search.incomplete.ones().collect() })
}

struct GesSearch<'s, 'r> {
    score: &'s dyn LocalScore,
    rounding: f64,
    state: Surroundings,
    /// What is known, where anything is.
    knowledge: Option<&'s Knowledge>,
    max_parents: usize,
    steps: Vec<GesStep>,
    incomplete: NodeSet,
    /// Once phases are repeated: fingerprints of the classes the search has been at since. A score that is not quite
    /// score-equivalent could otherwise lead it in a circle of gains.
    visited: Option<HashSet<u64>>,
    run: &'r Run<'r>,
}

impl GesSearch<'_, '_> {
    /// Applies the best operator of this kind until none improves the score; whether any did.
    fn phase(&mut self, kind: OperatorKind) -> Result<bool> {
        let before = self.steps.len();
        let mut gains: Vec<Vec<Gain>> = vec![Vec::new(); self.state.nodes()];
        self.evaluate(kind, (0..self.state.nodes()).collect(), &mut gains)?;
        let phase = match kind {
            OperatorKind::Insert => "inserting edges",
            OperatorKind::Delete => "deleting edges",
            OperatorKind::Turn => "turning edges",
        };
        while let Some((best, class)) = self.best(&gains)? {
            let next = Surroundings::new(class.into_pdag());
            if self.visited.as_mut().is_some_and(|visited| !visited.insert(fingerprint(&next.graph))) {
                gains[best.operator.y].retain(|gain| *gain != best);
                continue;
            }
            let dirty = affected(&self.state, &next, kind);
            self.state = next;
            self.steps.push(GesStep { operator: best.operator, gain: best.gain });
            self.run.report(&Event::Working { phase, done: self.steps.len() - before, total: None })?;
            self.evaluate(kind, dirty, &mut gains)?;
        }
        Ok(self.steps.len() > before)
    }

    /// The gains of all operators at these nodes, best first; those that are not above zero are left out.
    fn evaluate(&mut self, kind: OperatorKind, nodes: Vec<Node>, gains: &mut [Vec<Gain>]) -> Result<()> {
        let proposed: Vec<Proposed> = nodes
            .par_iter()
            .map(|&y| self.run.check().map(|()| batches(&self.state, kind, y, self.max_parents)))
            .collect::<Result<_>>()?;
        self.incomplete.extend(nodes.iter().zip(&proposed).filter(|(_, part)| part.incomplete).map(|(&node, _)| node));
        let search = &*self;
        let (done, total) = (AtomicUsize::new(0), proposed.iter().map(|part| part.batches.len()).sum::<usize>());
        let stride = total.div_ceil(REPORTS).max(1);
        let computed: Vec<Vec<Gain>> = proposed
            .par_iter()
            .map(|proposed| {
                let gains: Vec<Vec<Gain>> = proposed
                    .batches
                    .par_iter()
                    .map(|batch| {
                        let gains = search.gains(batch)?;
                        let done = done.fetch_add(1, std::sync::atomic::Ordering::Relaxed) + 1;
                        if done.is_multiple_of(stride) {
                            let phase = "scoring parent sets";
                            search.run.report(&Event::Working { phase, done, total: Some(total) })?;
                        }
                        Ok(gains)
                    })
                    .collect::<Result<_>>()?;
                let mut gains = gains.concat();
                gains.sort_unstable_by(|a, b| b.cmp(a));
                Ok(gains)
            })
            .collect::<Result<_>>()?;
        for (node, computed) in nodes.into_iter().zip(computed) {
            gains[node] = computed;
        }
        Ok(())
    }

    fn gains(&self, batch: &Batch) -> Result<Vec<Gain>> {
        let gains = batch.sources.iter().zip(batch.gains(self.score, self.run)?);
        let above_zero = gains.filter(|(_, gain)| *gain > self.rounding);
        Ok(above_zero.map(|(&x, gain)| Gain { gain, operator: batch.operator(x) }).collect())
    }

    /// The valid operator with the largest gain, and the class it leads to.
    fn best(&self, gains: &[Vec<Gain>]) -> Result<Option<(Gain, Cpdag)>> {
        self.run.check()?;
        let mut heads: BinaryHeap<(&Gain, usize)> =
            gains.iter().filter_map(|gains| gains.first()).map(|gain| (gain, 0)).collect();
        let mut paths = Paths::new(&self.state);
        while let Some((gain, place)) = heads.pop() {
            if paths.allow(&gain.operator) {
                let class = apply(&self.state, &gain.operator);
                if self.knowledge.is_none_or(|known| known.members(&class).is_some()) {
                    return Ok(Some((gain.clone(), class)));
                }
            }
            if let Some(next) = gains[gain.operator.y].get(place + 1) {
                heads.push((next, place + 1));
            }
        }
        Ok(None)
    }
}

fn fingerprint(graph: &Pdag) -> u64 {
    let mut hasher = DefaultHasher::new();
    for node in 0..graph.nodes() {
        (graph.parents(node), graph.neighbours(node)).hash(&mut hasher);
    }
    hasher.finish()
}

/// The nodes at which operators of this kind may have changed.
///
/// An insertion or deletion at `y` depends on `y`'s parents and neighbours, on which neighbours are adjacent to `x` and on
/// which are adjacent to each other. A turn depends on `x`'s parents and neighbours too.
fn affected(before: &Surroundings, after: &Surroundings, kind: OperatorKind) -> Vec<Node> {
    let d = before.nodes();
    let (old, new) = (&before.graph, &after.graph);
    let mut dirty = NodeSet::with_capacity(d);
    for node in 0..d {
        let around_changed = old.parents(node) != new.parents(node) || old.neighbours(node) != new.neighbours(node);
        let adjacents_changed = before.adjacents(node) != after.adjacents(node);
        if around_changed {
            dirty.insert(node);
        }
        if adjacents_changed {
            dirty.insert(node);
            dirty.union_with(new.neighbours(node));
        }
        if kind == OperatorKind::Turn && (around_changed || adjacents_changed) {
            dirty.union_with(after.adjacents(node));
        }
    }
    dirty.ones().collect()
}

/// An operator and its gain; ordered by gain, equal gains by the operator that comes first.
#[derive(Debug, Clone)]
struct Gain {
    gain: f64,
    operator: Operator,
}

impl Ord for Gain {
    fn cmp(&self, other: &Self) -> Ordering {
        let place = |gain: &Gain| (gain.operator.y, gain.operator.x);
        self.gain
            .total_cmp(&other.gain)
            .then_with(|| place(other).cmp(&place(self)))
            .then_with(|| other.operator.clique.cmp(&self.operator.clique))
    }
}

impl PartialOrd for Gain {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Gain {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Gain {}
