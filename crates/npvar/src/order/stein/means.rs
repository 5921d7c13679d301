//! CaPS's order and parent scores (Xu, Li, Liu & Gui 2024, "Ordering-based causal discovery for linear and nonlinear
//! relations").
//!
//! With additive Gaussian noise, linear effects or not,
//!
//! ```text
//! E ∂²log p/∂x_j² = −1/σ_j² − Σ_{i child of j} E(∂f_i/∂x_j)²/σ_i²
//! ```
//!
//! so that a sink, which lacks the sum, has the largest mean of the second derivative where noise variances do not fall along the
//! order, or causes act strongly enough. Where SCORE asks how much the derivative varies, which says nothing about linear
//! effects, CaPS asks for its mean. Leaving node `i` out changes the mean of each parent `j` by `E(∂f_i/∂x_j)²/σ_i²`: the parent
//! score of `j → i`.

use super::rule::SteinRule;
use super::sinks::{centre, is_constant, log_density, sinks_first};
use crate::error::{Error, Result};
use crate::graph::{Knowledge, Node, Order};
use crate::run::{Event, Run};

/// One step of the search.
#[derive(Debug, Clone, PartialEq)]
pub struct CapsStep {
    /// The nodes still there.
    pub nodes: Vec<Node>,
    /// The mean over the samples of each node's second derivative; the largest marks the sink.
    pub means: Vec<f64>,
    /// `s`, the kernel's width.
    pub width: f64,
}

/// The order, source first, and every step behind it, sinks first.
///
/// # Errors
/// [`Error::Cancelled`], or [`Error::NoVariance`] when a derivative is not a number.
pub fn caps_within(
    columns: &[&[f64]],
    rule: &SteinRule,
    knowledge: &Knowledge,
    run: &Run<'_>,
) -> Result<(Order, Vec<CapsStep>)> {
    let mut steps: Vec<CapsStep> = Vec::with_capacity(columns.len());
    let order = sinks_first(columns, rule, knowledge, run, &mut |nodes, estimate| {
        let means = estimate.means();
        if let Some(at) = means.iter().position(|mean| mean.is_nan()) {
            return Err(Error::NoVariance { node: nodes[at] });
        }
        let largest = (0..nodes.len())
            .filter(|&i| knowledge.may_be_last_of(nodes[i], nodes))
            .reduce(|best, i| if means[i] > means[best] { i } else { best })
            .expect("knowledge without contradictions leaves some node to be last");
        steps.push(CapsStep { nodes: nodes.to_vec(), means, width: estimate.width() });
        Ok(largest)
    })?;
    Ok((order, steps))
}

/// The parent score of every pair, row = parent; zero for constant columns. One estimate per column, and one more.
///
/// # Errors
/// [`Error::Cancelled`].
pub fn parent_scores(columns: &[&[f64]], rule: &SteinRule, run: &Run<'_>) -> Result<Vec<Vec<f64>>> {
    let d = columns.len();
    let centred: Vec<Vec<f64>> = columns.iter().map(|column| centre(column)).collect();
    let nodes: Vec<Node> = (0..d).filter(|&node| !is_constant(columns[node])).collect();
    let mut scores = vec![vec![0.0; d]; d];
    if nodes.len() < 2 {
        return Ok(scores);
    }
    let mut density = log_density(rule);
    let mut means = |nodes: &[Node]| -> Result<Vec<f64>> {
        let columns: Vec<&[f64]> = nodes.iter().map(|&node| &centred[node][..]).collect();
        let means = density.estimate(&columns, run)?.means();
        Ok(means)
    };
    let with_all = means(&nodes)?;
    for (place, &child) in nodes.iter().enumerate() {
        let others: Vec<Node> = nodes.iter().copied().filter(|&other| other != child).collect();
        let without = means(&others)?;
        let kept = with_all.iter().enumerate().filter(|(at, _)| *at != place).map(|(_, mean)| mean);
        for ((&parent, without), with) in others.iter().zip(without).zip(kept) {
            scores[parent][child] = (without - with).abs();
        }
        run.report(&Event::Working { phase: "scoring parents", done: place + 1, total: Some(nodes.len()) })?;
    }
    Ok(scores)
}
