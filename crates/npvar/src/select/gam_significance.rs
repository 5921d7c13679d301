//! Parents by the significance of additive terms: every node is regressed on all nodes before it, and those whose term
//! is significant are its parents. This is the paper's common selection step ("prune"), with `cutoff` 0.001.
//!
//! All regressions come from the search's own factor; nothing is factorised again.

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::dependencies::Dependencies;
use super::posterior::{Blocks, Panel};
use super::term_test::Statistic;
use crate::error::Result;
use crate::graph::{Dag, Node, Order};
use crate::numerics::linalg::small;
use crate::regress::{Smoother, smooth_fit, smooth_fit_from};
use crate::residual_variance::AdditiveFactor;
use crate::run::{Event, Run};
use crate::smooth::AdditiveGram;

/// Nodes whose rows of `Ψ` are formed together: enough for fast products, few enough to stay small.
const PANEL_NODES: usize = 16;
/// A Cholesky pivot of a term's own Gram block below this share of its diagonal entry calls for eigenvalues.
const NEARLY_SINGULAR: f64 = 1e-10;
/// Residual sums of squares below this share of the child's count as this share.
const PERFECT_FIT: f64 = 1e-13;

/// One test of the selection: is `parent` a parent of `child`, given all other nodes before `child`?
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Test {
    /// The candidate.
    pub parent: Node,
    /// The node regressed on all nodes before it.
    pub child: Node,
    /// How likely a statistic this large is when `parent` is none.
    pub p_value: f64,
    /// The test's statistic; for the significance of a term an `F`.
    pub statistic: f64,
    /// Effective degrees of freedom of the term, where the test has terms.
    pub edf: Option<f64>,
    /// Reference degrees of freedom of the test, where it has such.
    pub reference_df: Option<f64>,
    /// The share of the child's variance lost when the candidate is dropped (as the test counts it: an additive term by
    /// the penalised residual sum of squares).
    pub strength: f64,
}

/// The graph selected, and every test behind it.
#[derive(Debug, Clone, PartialEq)]
pub struct Selection {
    /// The graph.
    pub dag: Dag,
    /// Every test, by position of the child, then of the candidate.
    pub tests: Vec<Test>,
}

/// Selects parents along `order`. The factor must have been grown along it, at least up to the last node but one.
///
/// # Errors
/// [`crate::Error::Cancelled`].
///
/// # Panics
/// When the factor's order is not a prefix of `order`.
pub fn gam_significance(factor: &AdditiveFactor<'_>, order: &Order, cutoff: f64, run: &Run<'_>) -> Result<Selection> {
    let order = order.nodes();
    let d = order.len();
    assert!(order.starts_with(factor.order()) && factor.order().len() + 1 >= d, "the factor must follow the order");
    let offsets = factor.offsets();
    let roots: Vec<Vec<f64>> = order[..d - 1].iter().map(|&node| root(factor.gram().diagonal_block(node))).collect();
    let mut blocks: Vec<Blocks> = (0..d - 1).map(|k| Blocks::new(k, offsets[k + 1] - offsets[k])).collect();
    let mut tests: Vec<Vec<Test>> = vec![Vec::new(); d];
    for first in (0..d - 1).step_by(PANEL_NODES) {
        run.report(&Event::Selected { done: first, nodes: d })?;
        let last = (d - 1).min(first + PANEL_NODES);
        let panel = Panel::new(factor, first, last);
        let nulls: Vec<Dependencies> =
            (first..last).into_par_iter().map(|b| Dependencies::new(factor, b + 1)).collect();
        let columns: Vec<Vec<(Statistic, f64)>> = blocks[..last]
            .par_iter_mut()
            .enumerate()
            .map(|(k, blocks)| {
                (first.max(k)..last)
                    .map(|b| {
                        blocks.include(factor, &panel, b);
                        term_statistic(factor, k, order[b + 1], &roots[k], blocks, &nulls[b - first])
                    })
                    .collect()
            })
            .collect();
        let finished: Vec<Vec<Test>> = (first + 1..last + 1)
            .into_par_iter()
            .map(|t| {
                let column = |k: usize| columns[k][t - 1 - first.max(k)];
                let child = ChildFit::new(factor.gram(), order[t], factor.residual_square(order[t]), factor.edf_at(t));
                (0..t).map(|k| child.test(order[k], column(k))).collect()
            })
            .collect();
        for (t, finished) in (first + 1..).zip(finished) {
            tests[t] = finished;
        }
    }
    selection(d, tests.concat(), cutoff, run)
}

/// The same where every regression has smoothing parameters of its own.
///
/// # Errors
/// [`crate::Error::Cancelled`].
pub fn gam_significance_estimated(
    gram: &AdditiveGram,
    order: &Order,
    smoother: Smoother,
    cutoff: f64,
    run: &Run<'_>,
) -> Result<Selection> {
    let order = order.nodes();
    let before = |t: usize| ChildCandidates { child: order[t], candidates: order[..t].to_vec(), start: None };
    let regressions: Vec<ChildCandidates> = (0..order.len()).map(before).collect();
    gam_significance_within(&regressions, &|_| gram, smoother, cutoff, run)
}

/// A child and its candidates for parents.
#[derive(Debug, Clone)]
pub struct ChildCandidates {
    /// The child.
    pub child: Node,
    /// The candidates.
    pub candidates: Vec<Node>,
    /// The logarithms of their smoothing parameters where an earlier search ended; left out, they are searched for afresh.
    pub start: Option<Vec<f64>>,
}

/// The same where every child has candidates of its own. The Gram matrix of a regression may depend
/// on the number of candidates. CAM's own pruning is this, with the parents its search included as candidates.
///
/// # Errors
/// [`crate::Error::Cancelled`]; [`crate::Error::InvalidGraph`] when the candidates allow a cycle and one is selected.
pub fn gam_significance_within<'g>(
    regressions: &[ChildCandidates],
    gram: &(dyn Fn(usize) -> &'g AdditiveGram + Sync),
    smoother: Smoother,
    cutoff: f64,
    run: &Run<'_>,
) -> Result<Selection> {
    let d = regressions.len();
    let done = AtomicUsize::new(0);
    let tests: Vec<Vec<Test>> = regressions
        .par_iter()
        .map(|ChildCandidates { child, candidates, start }| {
            run.report(&Event::Selected { done: done.fetch_add(1, Ordering::Relaxed), nodes: d })?;
            let gram = gram(candidates.len());
            let fit = match start {
                Some(start) => smooth_fit_from(gram, candidates, *child, smoother.smoothing, Some(start), run)?.0,
                None => smooth_fit(gram, candidates, *child, smoother.smoothing, smoother.sp, run)?,
            };
            let child = ChildFit::new(gram, *child, fit.residual_square(), fit.edf());
            Ok((0..candidates.len())
                .map(|k| {
                    let (term, root) = (fit.term(k), root(gram.diagonal_block(candidates[k])));
                    let statistic = match root.len() {
                        0 => Statistic::EMPTY,
                        _ => Statistic::new(&root, &fit.posterior_block(k), fit.coefficients(k), term.edf1),
                    };
                    child.test(candidates[k], (statistic, term.edf))
                })
                .collect())
        })
        .collect::<Result<_>>()?;
    selection(d, tests.concat(), cutoff, run)
}

pub(super) fn selection(d: usize, tests: Vec<Test>, cutoff: f64, run: &Run<'_>) -> Result<Selection> {
    let edges = tests.iter().filter(|test| test.p_value < cutoff).map(|test| (test.parent, test.child));
    let dag = Dag::from_edges(d, edges)?;
    run.report(&Event::Selected { done: d, nodes: d })?;
    Ok(Selection { dag, tests })
}

/// The statistic of the term at position `k` for `child`, and the term's edf.
fn term_statistic(
    factor: &AdditiveFactor<'_>,
    k: usize,
    child: Node,
    root: &[f64],
    blocks: &Blocks,
    null: &Dependencies,
) -> (Statistic, f64) {
    let (start, end) = (factor.offsets()[k], factor.offsets()[k + 1]);
    let q = end - start;
    if q == 0 {
        return (Statistic::EMPTY, 0.0);
    }
    let node = factor.order()[k];
    let beta = &factor.coefficients_at(child, end)[start..];
    if null.is_empty() {
        let penalty = factor.penalty(node);
        let edf = q as f64 - small::dot(&blocks.v, penalty);
        let edf1 = q as f64 - small::dot(&blocks.h, penalty);
        return (Statistic::new(root, &blocks.v, beta, edf1), edf);
    }
    let (v, h, own) = null.project(start, q, &blocks.v, &blocks.h);
    let beta = null.project_coefficients(factor.coefficients_at(child, null.size()), start, q);
    let penalty = factor.plain_penalty(node);
    let edf = q as f64 - own - small::dot(&v, &penalty);
    let edf1 = q as f64 - own - small::dot(&h, &penalty);
    (Statistic::new(root, &v, &beta, edf1), edf)
}

/// A node's regression on all nodes before it, as far as its tests need it.
struct ChildFit {
    node: Node,
    square: f64,
    /// None when the regression leaves no degree of freedom to judge anything by.
    residual: Option<Residual>,
}

/// What a regression leaves: degrees of freedom and variance.
struct Residual {
    df: f64,
    variance: f64,
}

impl ChildFit {
    fn new(gram: &AdditiveGram, node: Node, residual_square: f64, edf: f64) -> Self {
        let square = gram.square(node);
        let df = gram.n() as f64 - edf;
        // What a perfect fit leaves is rounding, against which any other rounding would look significant.
        let variance = residual_square.max(PERFECT_FIT * square) / df;
        ChildFit { node, square, residual: (df >= 1.0 && square > 0.0).then_some(Residual { df, variance }) }
    }

    fn test(&self, parent: Node, (statistic, edf): (Statistic, f64)) -> Test {
        let (f, p_value) = match &self.residual {
            Some(residual) => statistic.significance(residual.variance, residual.df),
            None => (0.0, 1.0),
        };
        let strength = if self.square > 0.0 { (statistic.loss / self.square).clamp(0.0, 1.0) } else { 0.0 };
        let (edf, reference_df) = (Some(edf), Some(statistic.rank));
        Test { parent, child: self.node, p_value, statistic: f, edf, reference_df, strength }
    }
}

/// `R` with `R'R = G`: the transposed Cholesky factor, or by eigenvalues where `G` is (nearly) singular because no row has
/// seen some functions of the basis.
fn root(gram: &[f64]) -> Vec<f64> {
    let q = gram.len().isqrt();
    let diagonal: Vec<f64> = (0..q).map(|i| gram[i * q + i]).collect();
    let mut factor = gram.to_vec();
    if small::cholesky(&mut factor, q, &diagonal) > NEARLY_SINGULAR {
        return (0..q * q).map(|at| if at / q <= at % q { factor[at % q * q + at / q] } else { 0.0 }).collect();
    }
    let (values, vectors) = small::eigen(gram, q);
    values
        .iter()
        .zip(vectors)
        .flat_map(|(value, vector)| vector.into_iter().map(|u| value.max(0.0).sqrt() * u))
        .collect()
}
