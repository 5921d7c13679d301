//! The search itself: the best single-edge move until there is none.

use rand::RngExt;
use rand::seq::SliceRandom;

use super::node_fits::{Fit, NodeFits, total};
use crate::error::Result;
use crate::graph::{Dag, Knowledge, Node, NodeSet};
use crate::run::{Event, Run, Seed};

/// A move must lower the score by more than this share of it (or of 1): less is rounding.
const SMALLEST_GAIN: f64 = 1e-11;

/// How to search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Greedy {
    /// Searches from random graphs after the one from the empty graph.
    pub restarts: usize,
    /// Moves per start at most.
    pub max_steps: Option<usize>,
}

/// A change of one edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Move {
    /// `parent → child` appears.
    Add(Node, Node),
    /// `parent → child` disappears.
    Delete(Node, Node),
    /// `parent → child` becomes `child → parent`.
    Reverse(Node, Node),
}

/// Where the best search ended.
#[derive(Debug, Clone, PartialEq)]
pub struct GreedyResult {
    /// The graph.
    pub dag: Dag,
    /// Its score.
    pub score: f64,
    /// The moves from the start of that search.
    pub moves: Vec<Move>,
    /// Which start it was; 0 is the empty graph.
    pub start: usize,
    /// Whether no move would have lowered the score.
    pub local_optimum: bool,
}

/// Searches from the empty graph, then from `restarts` random graphs, and keeps the best.
///
/// ```
/// use npvar::greedy::{Greedy, LinearFits, greedy};
/// use npvar::data::Covariance;
/// use npvar::{Run, Seed};
/// let matrix = faer::Mat::from_fn(2, 2, |i, j| [[5.0, 2.0], [2.0, 1.0]][i][j]);
/// let found = greedy(&LinearFits::new(&Covariance::known(matrix, 1000)), &Greedy::default(), &Run::new(Seed(1)))?;
/// assert_eq!(found.dag.edges(), [(1, 0)]);
/// # Ok::<(), npvar::Error>(())
/// ```
///
/// # Errors
/// When the run is cancelled.
pub fn greedy(fits: &dyn NodeFits, options: &Greedy, run: &Run<'_>) -> Result<GreedyResult> {
    greedy_within(fits, options, &Knowledge::none(fits.nodes()), run)
}

/// The same among the graphs that have the required edges and none of the forbidden ones.
///
/// # Errors
/// When the run is cancelled.
pub fn greedy_within(
    fits: &dyn NodeFits,
    options: &Greedy,
    knowledge: &Knowledge,
    run: &Run<'_>,
) -> Result<GreedyResult> {
    let mut best: Option<GreedyResult> = None;
    for start in 0..=options.restarts {
        let mut parents = match start {
            0 => vec![NodeSet::with_capacity(fits.nodes()); fits.nodes()],
            _ => random_parents(knowledge, run.seed.child("greedy start", start)),
        };
        knowledge.required_edges().into_iter().for_each(|(parent, child)| parents[child].insert(parent));
        let found = climb(fits, parents, start, (options, knowledge), run)?;
        if best.as_ref().is_none_or(|best| found.score < best.score) {
            best = Some(found);
        }
    }
    Ok(best.expect("there is at least one start"))
}

/// A random order and, along it, `d` edges on average.
fn random_parents(knowledge: &Knowledge, seed: Seed) -> Vec<NodeSet> {
    let d = knowledge.nodes();
    let mut rng = seed.rng();
    let mut order: Vec<Node> = (0..d).collect();
    order.shuffle(&mut rng);
    let order = knowledge.arranged(&order);
    let share = (2.0 / (d as f64 - 1.0).max(1.0)).min(1.0);
    let mut parents = vec![NodeSet::with_capacity(d); d];
    for (position, &child) in order.iter().enumerate() {
        for &parent in &order[..position] {
            if rng.random_range(0.0..1.0) < share && !knowledge.forbids(parent, child) {
                parents[child].insert(parent);
            }
        }
    }
    parents
}

fn climb(
    fits: &dyn NodeFits,
    parents: Vec<NodeSet>,
    start: usize,
    (options, knowledge): (&Greedy, &Knowledge),
    run: &Run<'_>,
) -> Result<GreedyResult> {
    let mut state = State::new(fits, knowledge, parents, run)?;
    let mut moves = Vec::new();
    let local_optimum = loop {
        run.report(&Event::Working { phase: "searching greedily", done: moves.len(), total: options.max_steps })?;
        let Some(change) = state.best_move() else { break true };
        if options.max_steps == Some(moves.len()) {
            break false;
        }
        state.apply(change, run)?;
        moves.push(change);
    };
    Ok(GreedyResult { score: state.score(), dag: state.dag(), moves, start, local_optimum })
}

/// A graph, its fits, and the fits one change away.
struct State<'f> {
    fits: &'f dyn NodeFits,
    knowledge: &'f Knowledge,
    parents: Vec<NodeSet>,
    present: Vec<Fit>,
    /// `changed[j][i]`: node `j` with `i` added to its parents or taken from them.
    changed: Vec<Vec<Fit>>,
}

impl<'f> State<'f> {
    fn new(fits: &'f dyn NodeFits, knowledge: &'f Knowledge, parents: Vec<NodeSet>, run: &Run<'_>) -> Result<Self> {
        let d = fits.nodes();
        let nothing = Fit { variance: 0.0, parameters: 0.0 };
        let mut state = State { fits, knowledge, parents, present: vec![nothing; d], changed: vec![Vec::new(); d] };
        for node in 0..d {
            state.refresh(node, run)?;
        }
        Ok(state)
    }

    fn refresh(&mut self, node: Node, run: &Run<'_>) -> Result<()> {
        let parents: Vec<Node> = self.parents[node].ones().collect();
        self.changed[node] = self.fits.toggled(node, &parents, run)?;
        self.present[node] = self.changed[node][node];
        Ok(())
    }

    fn dag(&self) -> Dag {
        let d = self.parents.len();
        let edges = (0..d).flat_map(|child| self.parents[child].ones().map(move |parent| (parent, child)));
        Dag::from_edges(d, edges).expect("no move closes a cycle")
    }

    fn sums(&self) -> (f64, f64) {
        let variance = self.present.iter().map(|fit| fit.variance).sum();
        (variance, self.present.iter().map(|fit| fit.parameters).sum())
    }

    fn score(&self) -> f64 {
        let (variance, parameters) = self.sums();
        total(self.fits.n(), self.parents.len(), variance, parameters)
    }

    /// The move that lowers the score most; among equals the first by child, then parent.
    fn best_move(&self) -> Option<Move> {
        let d = self.parents.len();
        let (variance, parameters) = self.sums();
        let present = self.score();
        let reachable = self.dag().reachability();
        let children: Vec<NodeSet> =
            (0..d).map(|parent| (0..d).filter(|&child| self.parents[child].contains(parent)).collect()).collect();
        let mut best = (present - SMALLEST_GAIN * present.abs().max(1.0), None);
        let mut offer = |change: Move, toggles: &[(Node, Node)]| {
            let (mut variance, mut parameters) = (variance, parameters);
            for &(child, parent) in toggles {
                variance += self.changed[child][parent].variance - self.present[child].variance;
                parameters += self.changed[child][parent].parameters - self.present[child].parameters;
            }
            let score = total(self.fits.n(), d, variance.max(0.0), parameters);
            if score < best.0 {
                best = (score, Some(change));
            }
        };
        for child in 0..d {
            for parent in (0..d).filter(|&parent| parent != child) {
                if self.parents[child].contains(parent) {
                    if self.knowledge.requires(parent, child) {
                        continue;
                    }
                    offer(Move::Delete(parent, child), &[(child, parent)]);
                    // Another path from parent to child would close a cycle with the reversed edge.
                    let detour =
                        children[parent].ones().any(|other| other != child && reachable[other].contains(child));
                    if !detour && !self.knowledge.forbids(child, parent) {
                        offer(Move::Reverse(parent, child), &[(child, parent), (parent, child)]);
                    }
                } else if !reachable[child].contains(parent) && !self.knowledge.forbids(parent, child) {
                    offer(Move::Add(parent, child), &[(child, parent)]);
                }
            }
        }
        best.1
    }

    fn apply(&mut self, change: Move, run: &Run<'_>) -> Result<()> {
        match change {
            Move::Add(parent, child) => self.parents[child].insert(parent),
            Move::Delete(parent, child) => self.parents[child].set(parent, false),
            Move::Reverse(parent, child) => {
                self.parents[child].set(parent, false);
                self.parents[parent].insert(child);
                self.refresh(parent, run)?;
            }
        }
        let (Move::Add(_, child) | Move::Delete(_, child) | Move::Reverse(_, child)) = change;
        self.refresh(child, run)
    }
}

#[cfg(test)]
mod tests;
