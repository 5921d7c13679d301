//! What the search asks of a regression: residual sums of squares and numbers of parameters.

use rayon::prelude::*;

use crate::error::Result;
use crate::graph::{Dag, Node};
use crate::run::Run;

/// A regression of one node on its parents.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fit {
    /// `RSS/n`.
    pub variance: f64,
    /// Parameters beyond the intercept.
    pub parameters: f64,
}

/// Regressions of every node on any parents.
pub trait NodeFits: Sync {
    /// `d`.
    fn nodes(&self) -> usize;

    /// `n`.
    fn n(&self) -> usize;

    /// The regression of `child` on `parents`.
    fn fit(&self, child: Node, parents: &[Node]) -> Fit;

    /// The regressions of `child` after each change of one parent: entry `i` has `i` added to the parents, or taken from them.
    /// The entry of the child itself is its present fit.
    ///
    /// # Errors
    /// When the run is cancelled.
    fn toggled(&self, child: Node, parents: &[Node], run: &Run<'_>) -> Result<Vec<Fit>> {
        let nodes: Vec<Node> = (0..self.nodes()).collect();
        nodes
            .into_par_iter()
            .map(|i| {
                run.check()?;
                Ok(self.fit(child, &toggle(parents, i, child)))
            })
            .collect()
    }
}

/// The parents with `node` added or taken away; unchanged when it is the child.
pub(super) fn toggle(parents: &[Node], node: Node, child: Node) -> Vec<Node> {
    let mut changed: Vec<Node> = parents.iter().copied().filter(|&parent| parent != node).collect();
    if changed.len() == parents.len() && node != child {
        changed.push(node);
        changed.sort_unstable();
    }
    changed
}

/// The score of a graph, from nothing but its fits: what the search's bookkeeping must add up to.
///
/// ```
/// use npvar::graph::Dag;
/// use npvar::greedy::{LinearFits, score};
/// use npvar::data::Covariance;
/// // x1 = e1, x2 = 2 x1 + e2 with unit variances: only the true direction leaves equal variances.
/// let matrix = faer::Mat::from_fn(2, 2, |i, j| [[1.0, 2.0], [2.0, 5.0]][i][j]);
/// let fits = LinearFits::new(&Covariance::known(matrix, 1000));
/// let (right, wrong) = (Dag::from_edges(2, [(0, 1)])?, Dag::from_edges(2, [(1, 0)])?);
/// assert!(score(&fits, &right) < score(&fits, &wrong));
/// # Ok::<(), npvar::Error>(())
/// ```
pub fn score(fits: &dyn NodeFits, dag: &Dag) -> f64 {
    let all = (0..dag.nodes()).map(|node| fits.fit(node, &dag.parents(node).ones().collect::<Vec<_>>()));
    let (variance, parameters) =
        all.fold((0.0, 0.0), |(variance, parameters), fit| (variance + fit.variance, parameters + fit.parameters));
    total(fits.n(), fits.nodes(), variance, parameters)
}

/// The score for a sum of residual variances and a number of parameters.
pub(super) fn total(n: usize, d: usize, variance: f64, parameters: f64) -> f64 {
    let (n, d) = (n as f64, d as f64);
    // Constant columns alone have no variance at all; the logarithm must stay finite.
    let common = (variance / d).max(f64::MIN_POSITIVE);
    n * d / 2.0 * ((2.0 * std::f64::consts::PI * common).ln() + 1.0) + n.ln() / 2.0 * parameters
}
