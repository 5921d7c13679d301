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

mod derivatives;
mod exact;
mod inducing;

use derivatives::SecondDerivatives;

use crate::error::{Error, Result};
use crate::graph::{Knowledge, Node, Order};
use crate::run::{Event, Run};

/// The ridges, and the rows the estimate rests on.
#[derive(Debug, Clone, PartialEq)]
pub struct SteinRule {
    /// `η_G`, the ridge of the first derivatives.
    pub eta_g: f64,
    /// `η_H`, the ridge of the second derivatives.
    pub eta_h: f64,
    /// All rows, or inducing ones.
    pub rows: SteinRows,
}

/// Which rows carry the estimate of the derivatives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SteinRows {
    /// All.
    All,
    /// These rows, with all others averaged over.
    Inducing(Vec<usize>),
}

impl Default for SteinRule {
    /// The authors' ridges.
    fn default() -> Self {
        SteinRule { eta_g: 0.001, eta_h: 0.001, rows: SteinRows::All }
    }
}

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
    let d = columns.len();
    let centred: Vec<Vec<f64>> = columns.iter().map(|column| centre(column)).collect();
    let (constant, mut nodes): (Vec<Node>, Vec<Node>) =
        (0..d).partition(|&node| columns[node].iter().all(|value| value == &columns[node][0]));
    let mut estimate: Box<dyn SecondDerivatives + '_> = match &rule.rows {
        SteinRows::All => Box::new(exact::Exact::new(rule.eta_g, rule.eta_h)),
        SteinRows::Inducing(rows) => Box::new(inducing::Inducing::new(rows, rule.eta_g, rule.eta_h)),
    };
    let (mut reversed, mut steps) = (Vec::with_capacity(d), Vec::with_capacity(d));
    while nodes.len() > 1 {
        let remaining: Vec<&[f64]> = nodes.iter().map(|&node| &centred[node][..]).collect();
        let (variances, width) = estimate.variances(&remaining, run)?;
        if let Some(at) = variances.iter().position(|variance| variance.is_nan()) {
            return Err(Error::NoVariance { node: nodes[at] });
        }
        let smallest = (0..nodes.len())
            .filter(|&i| knowledge.may_be_last_of(nodes[i], &nodes))
            .reduce(|best, i| if variances[i] < variances[best] { i } else { best })
            .expect("knowledge without contradictions leaves some node to be last");
        let sink = nodes[smallest];
        steps.push(SteinStep { nodes: nodes.clone(), variances, width });
        nodes.remove(smallest);
        reversed.push(sink);
        run.report(&Event::Layer { layer: &[sink], ordered: reversed.len(), nodes: d })?;
    }
    reversed.extend(nodes);
    reversed.extend(constant.iter().rev());
    reversed.reverse();
    // A constant column may have to come after others.
    Ok((Order::new(knowledge.arranged(&reversed))?, steps))
}

/// Differences are all that counts; small numbers lose fewer digits in them.
fn centre(column: &[f64]) -> Vec<f64> {
    let mean = column.iter().sum::<f64>() / column.len() as f64;
    column.iter().map(|value| value - mean).collect()
}
