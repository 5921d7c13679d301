//! Which learner's graph is chosen.

use super::candidates::Candidate;
use super::model::{Law, Mean, Model};
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

/// The model under which all members of a class of graphs explain the rows alike.
pub(super) const CLASS: Model = Model { mean: Mean::Linear, law: Law::Own };

/// A direction that fewer nats speak for is left open: odds of twenty to one.
const UNSURE: f64 = 3.0;

/// A graph made for linear effects and noise of equal variances, where under [`CLASS`] it is ahead of the class all the same when
/// the logarithms of the noise variances are taken as drawn from one normal law: at its best that adds `−(d − 1) log spread` to
/// what the rows say. Variances in one unit may be alike though they are not equal, and the directions along which they are alike
/// are then the more probable ones. `spreads` are the logarithms' standard deviations.
pub(super) fn most_alike(
    valued: &Valued,
    candidates: &[Candidate],
    spreads: &[Option<f64>],
    nodes: usize,
) -> Option<usize> {
    let value = |at: usize| {
        let rows = valued.graph(at, CLASS)?;
        // What chance makes of variances that are equal.
        let spread = spreads[at]?.max((2.0 / rows.len() as f64).sqrt());
        Some(rows.iter().sum::<f64>() - (nodes as f64 - 1.0) * spread.ln())
    };
    let best = |law: Law| {
        let made_for = |at: &usize| candidates[*at].made_for.contains(&Model { law, ..CLASS });
        let values = (0..candidates.len()).filter(made_for).filter_map(|at| Some((at, value(at)?)));
        values.reduce(|best, next| if next.1 > best.1 { next } else { best })
    };
    let (alike, class) = (best(Law::Shared)?, best(Law::Own)?);
    (alike.1 > class.1 + UNSURE).then_some(alike.0)
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
