//! Parents along an order by sparse linear regression, as Reisach, Seiler & Weichwald (2021) do in `sortnregress`: every
//! node is regressed on all nodes before it by the adaptive lasso. The weights are the absolute least-squares
//! coefficients, the penalty is chosen by BIC, and a node whose coefficient is not zero is a parent.
//!
//! Everything comes from the covariance matrix. With `R = L L'` the correlation matrix in the order, row `k` of `L` holds
//! `L_k⁻¹ R_{<k,k}`, so one factor gives every node's least-squares fit.
//!
//! Differs from the authors' code where columns depend exactly on earlier ones: they get no coefficient (the authors'
//! `lstsq` spreads the effect over all of them).

use rayon::prelude::*;

use crate::data::Covariance;
use crate::error::{Error, Result};
use crate::graph::{Dag, Node, Order};
use crate::regress::{CrossProducts, lasso_bic};
use crate::run::{Event, Run};

/// What earlier columns leave of a column's square, below which it is an exact function of them.
const DEPENDENT: f64 = 1e-10;
/// Residual variances below this share of the column's count as this share: a perfect fit has no finite BIC.
const PERFECT_FIT: f64 = 1e-13;

/// The graph selected, and the coefficients behind it.
#[derive(Debug, Clone, PartialEq)]
pub struct SparseLinear {
    /// The graph.
    pub dag: Dag,
    /// The coefficient of every edge: parent, child, value.
    pub coefficients: Vec<(Node, Node, f64)>,
    /// Nodes that are exact linear functions of nodes before them.
    pub dependent: Vec<Node>,
}

/// Selects parents along `order`.
///
/// ```
/// use npvar::graph::Order;
/// use npvar::data::Covariance;
/// use npvar::select::sparse_linear;
/// use npvar::{Run, Seed};
/// // Unit noise, X₁ = X₀ + e; X₂ has nothing to do with them.
/// let matrix = faer::mat![[1.0, 1.0, 0.0], [1.0, 2.0, 0.0], [0.0, 0.0, 3.0]];
/// let selected = sparse_linear(&Covariance::known(matrix, 100), &Order::new(vec![0, 1, 2])?, &Run::new(Seed(1)))?;
/// assert_eq!(selected.dag.edges(), [(0, 1)]);
/// # Ok::<(), npvar::Error>(())
/// ```
///
/// # Errors
/// [`Error::TooFewSamples`] when there are not more samples than nodes, [`Error::Cancelled`].
pub fn sparse_linear(covariance: &Covariance, order: &Order, run: &Run<'_>) -> Result<SparseLinear> {
    let (order, n, d) = (order.nodes(), covariance.n(), order.nodes().len());
    if n <= d {
        return Err(Error::TooFewSamples { what: "the BIC of a regression on all other columns", needed: d + 1, n });
    }
    let scale: Vec<f64> = order.iter().map(|&node| covariance.matrix()[(node, node)].max(0.0).sqrt()).collect();
    let correlation = |a: usize, b: usize| match scale[a] * scale[b] {
        0.0 => 0.0,
        product => covariance.matrix()[(order[a], order[b])] / product,
    };
    let factor = Factor::new(d, correlation);
    let found: Vec<Vec<(Node, Node, f64)>> = (0..d)
        .into_par_iter()
        .map(|k| {
            run.check()?;
            let weights: Vec<f64> = factor.coefficients(k).into_iter().map(f64::abs).collect();
            let used: Vec<usize> = (0..k).filter(|&j| weights[j] > 0.0).collect();
            let products = CrossProducts {
                gram: used
                    .iter()
                    .flat_map(|&a| used.iter().map(move |&b| (a, b)))
                    .map(|(a, b)| weights[a] * weights[b] * if a == b { 1.0 } else { correlation(a, b) })
                    .collect(),
                cross: used.iter().map(|&a| weights[a] * correlation(a, k)).collect(),
                square: 1.0,
            };
            // Everything is a share of the response's sum of squares, which changes no choice.
            let residual_variance = factor.left(k).max(PERFECT_FIT) / (n - k - 1) as f64;
            let (beta, _) = lasso_bic(&products, n, residual_variance);
            let edge = |(&a, beta): (&usize, f64)| (order[a], order[k], beta * weights[a] * scale[k] / scale[a]);
            Ok(used.iter().zip(beta).filter(|(_, beta)| beta.abs() > f64::EPSILON).map(edge).collect())
        })
        .collect::<Result<_>>()?;
    let coefficients = found.concat();
    let dag = Dag::from_edges(d, coefficients.iter().map(|&(parent, child, _)| (parent, child)))?;
    let dependent = (0..d).filter(|&k| scale[k] > 0.0 && factor.left(k) <= DEPENDENT).map(|k| order[k]).collect();
    run.report(&Event::Selected { done: d, nodes: d })?;
    Ok(SparseLinear { dag, coefficients, dependent })
}

/// The Cholesky factor of a correlation matrix, row by row; columns of dependent nodes are zero.
struct Factor(Vec<Vec<f64>>);

impl Factor {
    fn new(d: usize, correlation: impl Fn(usize, usize) -> f64) -> Self {
        let mut rows: Vec<Vec<f64>> = Vec::with_capacity(d);
        for k in 0..d {
            let mut row = vec![0.0; k + 1];
            for j in 0..k {
                let pivot = rows[j][j];
                if pivot * pivot > DEPENDENT {
                    let known: f64 = (0..j).map(|i| row[i] * rows[j][i]).sum();
                    row[j] = (correlation(k, j) - known) / pivot;
                }
            }
            let explained: f64 = row.iter().map(|value| value * value).sum();
            row[k] = (correlation(k, k) - explained).max(0.0).sqrt();
            rows.push(row);
        }
        Factor(rows)
    }

    /// The share of node `k`'s square that the nodes before it leave.
    fn left(&self, k: usize) -> f64 {
        self.0[k][k] * self.0[k][k]
    }

    /// Least-squares coefficients of node `k` on all before it: `L'β = l`, last first.
    fn coefficients(&self, k: usize) -> Vec<f64> {
        let mut beta = vec![0.0; k];
        for j in (0..k).rev() {
            if self.left(j) > DEPENDENT {
                let known: f64 = (j + 1..k).map(|i| self.0[i][j] * beta[i]).sum();
                beta[j] = (self.0[k][j] - known) / self.0[j][j];
            }
        }
        beta
    }
}
