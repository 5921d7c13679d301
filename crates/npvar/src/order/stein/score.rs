//! SCORE's order search (Rolland, Cevher, Kleindessner, Russell, Janzing, Schölkopf & Locatello 2022, "Score matching
//! enables causal discovery of nonlinear additive noise models").
//!
//! In an additive noise model with Gaussian noise, `∂²log p/∂x_j²` is constant exactly when `j` is a sink. So the node
//! whose estimated second derivative varies least over the samples is taken as the next sink, and the search goes on
//! without it. The derivatives are the Stein estimates of the paper's equations 8 and 12: on the `m` columns that remain,
//! with `s` the median of the distances between rows that are not zero,
//!
//! ```text
//! K_ik = exp(−|x_i − x_k|²/(2s²))/s
//! N_kj = −Σ_i (x_kj − x_ij) K_ik/s²              G = (K + η_G I)⁻¹N        estimates ∂log p/∂x_j
//! M_kj = Σ_i (−1 + (x_kj − x_ij)²/s²) K_ik/s²    J = (K + η_H I)⁻¹M − G²   estimates ∂²log p/∂x_j²
//! ```
//!
//! `N` and `M` are products of `K` with the columns, their squares and ones; where both ridges are equal one
//! factorisation serves both. Cost per step: `n³/3` for the factor and `O(n²m)`; memory: one `n` by `n` triangle.
//!
//! For large `n` the same estimate restricted to `r` inducing rows costs `O(nr²)` and `O(r²)` memory: see `inducing.rs`.
//!
//! A column that is constant has no density; it takes no part in the search and comes first in the order.

use super::rule::SteinRule;
use super::sinks::sinks_first;
use crate::error::{Error, Result};
use crate::graph::{Knowledge, Node, Order};
use crate::run::Run;

/// One step of the search.
#[derive(Debug, Clone, PartialEq)]
pub struct SteinStep {
    /// The nodes still there.
    pub nodes: Vec<Node>,
    /// The variance over the samples of each node's second derivative; the smallest marks the sink.
    pub variances: Vec<f64>,
    /// `s`, the kernel's width.
    pub width: f64,
}

/// The order, source first, and every step behind it, sinks first.
///
/// ```
/// use npvar::order::{SteinRule, stein};
/// use npvar::simulate::{SimulateOptions, simulate};
/// use npvar::{Run, Seed};
/// let options = SimulateOptions { nodes: Some(3), samples: 300, ..Default::default() };
/// let simulated = simulate("MC-SIN".parse()?, &options, Seed(1))?;
/// let columns: Vec<&[f64]> = (0..3).map(|node| simulated.data.column(node)).collect();
/// let (order, _) = stein(&columns, &SteinRule::default(), &Run::new(Seed(1)))?;
/// assert_eq!(&order, simulated.truth.order());
/// # Ok::<(), npvar::Error>(())
/// ```
///
/// # Errors
/// [`Error::Cancelled`], or [`Error::NoVariance`] when a derivative is not a number.
pub fn stein(columns: &[&[f64]], rule: &SteinRule, run: &Run<'_>) -> Result<(Order, Vec<SteinStep>)> {
    stein_within(columns, rule, &Knowledge::none(columns.len()), run)
}

/// The same where something is known: at every step only nodes that may be last of those still there compete.
///
/// # Errors
/// [`Error::Cancelled`], or [`Error::NoVariance`] when a derivative is not a number.
pub fn stein_within(
    columns: &[&[f64]],
    rule: &SteinRule,
    knowledge: &Knowledge,
    run: &Run<'_>,
) -> Result<(Order, Vec<SteinStep>)> {
    let mut steps = Vec::with_capacity(columns.len());
    let order = sinks_first(columns, rule, knowledge, run, &mut |nodes, estimate| {
        let step = SteinStep { nodes: nodes.to_vec(), variances: estimate.variances(), width: estimate.width() };
        let smallest = step.smallest(knowledge)?;
        steps.push(step);
        Ok(smallest)
    })?;
    Ok((order, steps))
}

impl SteinStep {
    /// Where the node stands whose second derivative varies least, among those that may be last.
    pub(super) fn smallest(&self, knowledge: &Knowledge) -> Result<usize> {
        if let Some(at) = self.variances.iter().position(|variance| variance.is_nan()) {
            return Err(Error::NoVariance { node: self.nodes[at] });
        }
        Ok((0..self.nodes.len())
            .filter(|&i| knowledge.may_be_last_of(self.nodes[i], &self.nodes))
            .reduce(|best, i| if self.variances[i] < self.variances[best] { i } else { best })
            .expect("knowledge without contradictions leaves some node to be last"))
    }
}
