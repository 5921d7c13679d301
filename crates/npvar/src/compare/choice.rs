//! Which learner's graph is chosen.

use super::candidates::Candidate;
use super::model::Model;
use super::valued::{Difference, Valued};

/// A graph that is worse by fewer standard errors than this is not clearly worse.
const ERRORS: f64 = 1.0;
/// Nor is one that is worse by no more nats than this, which is what two numbers too many cost.
const TRIFLE: f64 = 1.0;

/// The graphs that are not clearly worse than the best under a model, best first.
pub(super) fn standing(valued: &Valued, model: Model, graphs: usize, errors: f64) -> Vec<usize> {
    let Some((_, best)) = valued.best(model) else { return Vec::new() };
    let mut standing: Vec<(usize, f64)> = (0..graphs)
        .filter_map(|at| Some((at, Difference::of(best, valued.graph(at, model)?))))
        .filter(|(_, behind)| behind.nats <= (errors * behind.error).max(TRIFLE))
        .map(|(at, behind)| (at, behind.nats))
        .collect();
    standing.sort_by(|a, b| a.1.total_cmp(&b.1));
    standing.into_iter().map(|(at, _)| at).collect()
}

/// The chosen one: of those that are not clearly worse than the best, one whose learner was made for this model, in the order of
/// the candidates; else the one with fewest edges.
pub(super) fn chosen(
    valued: &Valued,
    model: Model,
    candidates: &[Candidate],
    edges: &[Option<usize>],
) -> Option<usize> {
    let standing = standing(valued, model, candidates.len(), ERRORS);
    let made_for = |at: &usize| candidates[*at].made_for.contains(&model);
    standing
        .iter()
        .copied()
        .filter(made_for)
        .min()
        .or_else(|| standing.iter().copied().min_by_key(|&at| (edges[at].unwrap_or(usize::MAX), at)))
}
