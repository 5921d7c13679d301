//! NoGAM's order search (Montagna, Noceti, Rosasco, Zhang & Locatello 2023, "Causal discovery with score matching on additive
//! models with arbitrary noise").
//!
//! With additive noise of any law, `∂log p/∂x_l` of a sink `l` is a function of its noise alone, and only a sink's is. The noise
//! is estimated as what a regression of the column on all others leaves; the node whose derivative is best predicted from it is
//! the next sink. Both regressions are kernel ridge regressions, every row predicted from the folds it is not in.
//!
//! Cost per step with `m` columns left: `m` kernel matrices with a factor per fold, `O(m n³)`; with low-rank factors `O(m n r²)`.

use rayon::prelude::*;

use super::derivatives::Estimate;
use super::rule::SteinRule;
use super::sinks::sinks_first;
use crate::error::{Error, Result};
use crate::graph::{Knowledge, Node, Order};
use crate::numerics::kernel::pairwise::squared_distances;
use crate::numerics::kernel::ridge::{KernelRidge, exact, low_rank};
use crate::run::{Event, Run};

/// The kernel ridge regressions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RidgeRule {
    /// The ridge.
    pub ridge: f64,
    /// `γ` of the kernel `exp(−γ|x − x'|²)`.
    pub gamma: f64,
    /// Into how many runs of rows the sample is cut.
    pub folds: usize,
    /// The most columns of low-rank factors that take the place of the kernel matrices of several columns; left out, those are
    /// exact.
    pub rank: Option<usize>,
}

impl Default for RidgeRule {
    /// The authors' numbers.
    fn default() -> Self {
        RidgeRule { ridge: 0.01, gamma: 0.1, folds: 5, rank: None }
    }
}

/// One step of the search.
#[derive(Debug, Clone, PartialEq)]
pub struct NogamStep {
    /// The nodes still there.
    pub nodes: Vec<Node>,
    /// The mean squared error of each node's derivative predicted from its residuals; the smallest marks the sink.
    pub errors: Vec<f64>,
    /// `s`, the width of the density's kernel.
    pub width: f64,
}

/// The order, source first, and every step behind it, sinks first.
///
/// # Errors
/// [`Error::Cancelled`], or [`Error::NoVariance`] when a derivative is not a number.
pub fn nogam_within(
    columns: &[&[f64]],
    rule: &SteinRule,
    ridge: RidgeRule,
    knowledge: &Knowledge,
    run: &Run<'_>,
) -> Result<(Order, Vec<NogamStep>)> {
    let mut steps: Vec<NogamStep> = Vec::with_capacity(columns.len());
    let order = sinks_first(columns, rule, knowledge, run, &mut |nodes, estimate| {
        let errors = errors(estimate, ridge, columns.len(), run)?;
        if let Some(at) = errors.iter().position(|error| error.is_nan()) {
            return Err(Error::NoVariance { node: nodes[at] });
        }
        let smallest = (0..nodes.len())
            .filter(|&i| knowledge.may_be_last_of(nodes[i], nodes))
            .reduce(|best, i| if errors[i] < errors[best] { i } else { best })
            .expect("knowledge without contradictions leaves some node to be last");
        steps.push(NogamStep { nodes: nodes.to_vec(), errors, width: estimate.width() });
        Ok(smallest)
    })?;
    Ok((order, steps))
}

/// For every column the error of its derivative predicted from its residuals.
fn errors(estimate: &Estimate<'_>, rule: RidgeRule, d: usize, run: &Run<'_>) -> Result<Vec<f64>> {
    let (columns, n) = (estimate.columns(), estimate.first(0).len());
    let ridge = KernelRidge { ridge: rule.ridge, gamma: rule.gamma, folds: rule.folds };
    let mut distances = Vec::new();
    if rule.rank.is_none() {
        distances.resize(n * n, 0.0);
        squared_distances(columns, &mut distances);
    }
    let before = (columns.len() + 1..=d).sum::<usize>();
    let error = |at: usize| -> Result<f64> {
        run.check()?;
        let y = columns[at];
        let others: Vec<&[f64]> = (0..columns.len()).filter(|&other| other != at).map(|other| columns[other]).collect();
        let predicted = match rule.rank {
            Some(rank) => low_rank(&others, y, ridge, rank, run)?,
            None => exact(&distances, y, y, ridge, run)?,
        };
        let residuals: Vec<f64> = y.iter().zip(predicted).map(|(y, predicted)| y - predicted).collect();
        let derivative = estimate.first(at);
        let predicted = low_rank(&[&residuals], derivative, ridge, n, run)?;
        let square = derivative.iter().zip(predicted).map(|(first, predicted)| (first - predicted).powi(2));
        run.report(&Event::Working { phase: "testing sinks", done: before + at, total: Some(d * (d + 1) / 2) })?;
        Ok(square.sum::<f64>() / n as f64)
    };
    (0..columns.len()).into_par_iter().map(error).collect()
}
