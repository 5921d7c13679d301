//! The ℓ0-penalised Gaussian likelihood (BIC), from the covariance matrix alone.
//!
//! ```text
//! s(j, P) = −(n/2) (1 + log(RSS/n)) − λ (|P| + 1)        λ = log(n)/2 for BIC
//! ```
//!
//! with `RSS` of the linear regression of `X_j` on `X_P` with an intercept: the maximised log-likelihood up to the constant
//! `−(n/2) log 2π`, less `λ` for each coefficient. The same number as pcalg's `GaussL0penObsScore` and as causal-learn's
//! `local_score_BIC` with `λ = lambda_value · log n`. Score-equivalent.
//!
//! `RSS` comes from one Cholesky factorisation of the correlation matrix of `P` and `j`: O(|P|³), whatever `n`.
//!
//! Where the covariance is singular: a parent of whose variance the parents before it leave no more than [`DEPENDENT`] adds
//! nothing to the fit (and is still penalised), and a residual variance counts as at least [`PERFECT`] of the node's variance,
//! so that rounding is never rewarded. A constant node scores like one of variance [`PERFECT`], with any parents.

use crate::data::Covariance;
use crate::error::Result;
use crate::graph::Node;
use crate::numerics::linalg::upper::{factor, padded, solve, solve_transposed};
use crate::run::Run;

use super::LocalScore;

/// The share of its variance below which a column counts as a linear function of others. The factor's rounding is about
/// 1e-16 divided by this.
pub const DEPENDENT: f64 = 1e-10;
/// Below this share the quick way of [`GaussianBic::toggled`] would round too much.
const NEARLY_DEPENDENT: f64 = 1e-6;
/// The smallest residual variance, as a share of the node's.
pub const PERFECT: f64 = 1e-13;

/// Gaussian BIC.
///
/// ```
/// use npvar::data::Covariance;
/// use npvar::local_score::{GaussianBic, LocalScore};
/// // Correlation 0.8: the residual variance is 1 − 0.8² = 0.36.
/// let covariance = Covariance::known(faer::Mat::from_fn(2, 2, |i, j| if i == j { 1.0 } else { 0.8 }), 1000);
/// let score = GaussianBic::new(&covariance, Some(2.0));
/// let rss = 0.36 * 999.0 / 1000.0;
/// assert!((score.local(0, &[1])? - (-500.0 * (1.0 + f64::ln(rss)) - 2.0 * 2.0)).abs() < 1e-9);
/// # Ok::<(), npvar::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct GaussianBic {
    d: usize,
    n: f64,
    lambda: f64,
    /// `RSS/n` without parents; zero for a constant column.
    variances: Vec<f64>,
    /// Row-major correlations; a constant column has none with any other.
    correlations: Vec<f64>,
}

impl GaussianBic {
    /// With this penalty `λ` per coefficient, or BIC's `log(n)/2`.
    pub fn new(covariance: &Covariance, lambda: Option<f64>) -> Self {
        let (matrix, n) = (covariance.matrix(), covariance.n() as f64);
        let d = matrix.nrows();
        let scales: Vec<f64> = (0..d).map(|j| matrix[(j, j)].max(0.0).sqrt()).collect();
        let mut correlations = vec![0.0; d * d];
        for i in 0..d {
            for j in 0..d {
                let scale = scales[i] * scales[j];
                correlations[i * d + j] = if scale > 0.0 { matrix[(i, j)] / scale } else { 0.0 };
            }
        }
        let variances = scales.iter().map(|scale| scale * scale * (n - 1.0) / n).collect();
        GaussianBic { d, n, lambda: lambda.unwrap_or(0.5 * n.ln()), variances, correlations }
    }

    /// `λ`.
    pub fn lambda(&self) -> f64 {
        self.lambda
    }

    /// The score with these parents, and with each other node put in or taken out (minus infinity for the node itself), from one
    /// factor `U'U` of the parents' correlations with all columns beside it; `None` where something is constant or nearly a linear
    /// function of others.
    pub(super) fn toggled(&self, node: Node, parents: &[Node]) -> Option<(f64, Vec<f64>)> {
        let (d, m) = (self.d, parents.len());
        let stride = padded(m + d);
        let mut rows = vec![0.0; m * stride];
        for (row, &parent) in rows.chunks_exact_mut(stride).zip(parents) {
            let correlations = &self.correlations[parent * d..(parent + 1) * d];
            parents.iter().enumerate().for_each(|(i, &other)| row[i] = correlations[other]);
            row[m..m + d].copy_from_slice(correlations);
        }
        let definite = factor(&mut rows, m, stride);
        let pivot = |i: usize| rows[i * stride + i].powi(2);
        if !definite || (0..m).any(|i| pivot(i) < NEARLY_DEPENDENT) || self.variances.contains(&0.0) {
            return None;
        }
        // What is left of every column, and of its correlation with the node.
        let mut left = vec![1.0; d];
        let mut partial = self.correlations[node * d..(node + 1) * d].to_vec();
        for row in rows.chunks_exact(stride) {
            let (row, own) = (&row[m..m + d], row[m + node]);
            for ((left, partial), entry) in left.iter_mut().zip(&mut partial).zip(row) {
                *left -= entry * entry;
                *partial -= own * entry;
            }
        }
        let score = |share: f64, count: usize| {
            let variance = self.variances[node] * share.max(PERFECT);
            -0.5 * self.n * (1.0 + variance.ln()) - self.lambda * (count as f64 + 1.0)
        };
        let share = left[node];
        let mut with: Vec<f64> = left.iter().zip(&partial).map(|(left, p)| share - p * p / left).collect();
        with.iter_mut().for_each(|share| *share = score(*share, m + 1));
        with[node] = f64::NEG_INFINITY;
        let near = |k: Node| k != node && !parents.contains(&k) && left[k] < NEARLY_DEPENDENT;
        if share < NEARLY_DEPENDENT || (0..d).any(near) {
            return None;
        }
        // Without a parent: β² over its entry of the inverse comes back.
        let beta = solve(&rows, m, stride, m + node);
        let width = padded(m);
        let mut inverse = vec![0.0; m * width];
        (0..m).for_each(|i| inverse[i * width + i] = 1.0);
        if m > 0 {
            solve_transposed(&rows, stride, &mut inverse, width);
        }
        for (i, &parent) in parents.iter().enumerate() {
            let entry: f64 = inverse.chunks_exact(width).map(|row| row[i] * row[i]).sum();
            with[parent] = score(share + beta[i] * beta[i] / entry, m - 1);
        }
        Some((score(share, m), with))
    }

    /// The columns that are linear functions of columns before them, in order.
    pub fn dependent(&self) -> Vec<Node> {
        let mut factor = Factor::default();
        (0..self.d).filter(|&node| self.variances[node] > 0.0 && !factor.push(self, node)).collect()
    }
}

impl LocalScore for GaussianBic {
    fn nodes(&self) -> usize {
        self.d
    }

    /// One factor of the parents serves all extras: O(|P|³ + |P|²) for each.
    fn gains(&self, node: Node, parents: &[Node], extras: &[Node], run: &Run<'_>) -> Result<Vec<f64>> {
        run.check()?;
        let mut factor = Factor::of(self, parents);
        let share = factor.unexplained(self, node);
        let row = factor.row.clone();
        let gain = |&extra: &Node| {
            let left = factor.unexplained(self, extra);
            if self.variances[node] == 0.0 || self.variances[extra] == 0.0 || left <= DEPENDENT {
                return -self.lambda;
            }
            let shared: f64 = row.iter().zip(&factor.row).map(|(a, b)| a * b).sum();
            let partial = self.correlations[node * self.d + extra] - shared;
            let share_with = share - partial * partial / left;
            -0.5 * self.n * (share_with.max(PERFECT) / share.max(PERFECT)).ln() - self.lambda
        };
        Ok(extras.iter().map(gain).collect())
    }

    fn local(&self, node: Node, parents: &[Node]) -> Result<f64> {
        let mut factor = Factor::of(self, parents);
        let share = factor.unexplained(self, node).max(PERFECT);
        // A constant column has no scale of its own; the floor stands for it.
        let variance = if self.variances[node] > 0.0 { self.variances[node] * share } else { PERFECT };
        Ok(-0.5 * self.n * (1.0 + variance.ln()) - self.lambda * (parents.len() as f64 + 1.0))
    }
}

/// A growing Cholesky factor of the correlations of some columns, rows packed one after the other.
#[derive(Default)]
struct Factor {
    nodes: Vec<Node>,
    rows: Vec<f64>,
    row: Vec<f64>,
}

impl Factor {
    /// Of these columns, but for constants and linear functions of others.
    fn of(score: &GaussianBic, nodes: &[Node]) -> Self {
        let mut factor = Factor::default();
        for &node in nodes {
            if score.variances[node] > 0.0 {
                factor.push(score, node);
            }
        }
        factor
    }

    /// Adds a column; `false` when it is a linear function of those there (and is left out).
    fn push(&mut self, score: &GaussianBic, node: Node) -> bool {
        let left = self.unexplained(score, node);
        if left <= DEPENDENT {
            return false;
        }
        self.nodes.push(node);
        self.rows.extend_from_slice(&self.row);
        self.rows.push(left.sqrt());
        true
    }

    /// The share of the node's variance that the columns leave; its row of the factor stays in `self.row`.
    fn unexplained(&mut self, score: &GaussianBic, node: Node) -> f64 {
        self.row.clear();
        let correlations = &score.correlations[node * score.d..(node + 1) * score.d];
        let (mut start, mut left) = (0, 1.0);
        for (k, &other) in self.nodes.iter().enumerate() {
            let row = &self.rows[start..start + k];
            let explained: f64 = row.iter().zip(&self.row).map(|(a, b)| a * b).sum();
            let entry = (correlations[other] - explained) / self.rows[start + k];
            left -= entry * entry;
            self.row.push(entry);
            start += k + 1;
        }
        left
    }
}

#[cfg(test)]
mod tests {
    use faer::Mat;
    use proptest::prelude::*;

    use super::*;
    use crate::graph::Dag;
    use crate::graph::arbitrary::dags;
    use crate::run::Seed;
    use crate::simulate::LinearSem;

    fn score_of(columns: &[Vec<f64>]) -> GaussianBic {
        let (n, d) = (columns[0].len(), columns.len());
        let mean = |j: usize| columns[j].iter().sum::<f64>() / n as f64;
        let matrix = Mat::from_fn(d, d, |i, j| {
            (0..n).map(|k| (columns[i][k] - mean(i)) * (columns[j][k] - mean(j))).sum::<f64>() / (n as f64 - 1.0)
        });
        GaussianBic::new(&Covariance::known(matrix, n), None)
    }

    #[test]
    fn a_line_through_three_points_by_hand() {
        // y = (1, 0, 2) on x = (0, 1, 2): mean 1, slope 1/2, RSS = 2 − 1/2 = 3/2.
        let score = score_of(&[vec![0.0, 1.0, 2.0], vec![1.0, 0.0, 2.0]]);
        let expected = -1.5 * (1.0 + f64::ln(0.5)) - 3.0_f64.ln();
        assert!((score.local(1, &[0]).unwrap() - expected).abs() < 1e-12);
    }

    #[test]
    fn a_repeated_column_adds_its_penalty_and_nothing_else() {
        let x: Vec<f64> = (0..20).map(|i| f64::from(i).sin()).collect();
        let y: Vec<f64> = (0..20).map(|i| f64::from(i * i).cos()).collect();
        let score = score_of(&[x.clone(), x.iter().map(|v| 3.0 - 2.0 * v).collect(), y]);
        assert_eq!(score.dependent(), [1]);
        let (one, both) = (score.local(2, &[0]).unwrap(), score.local(2, &[0, 1]).unwrap());
        assert!((one - both - score.lambda()).abs() < 1e-9);
    }

    #[test]
    fn a_constant_column_explains_nothing_and_is_explained_by_nothing() {
        let x: Vec<f64> = (0..20).map(|i| f64::from(i).sin()).collect();
        let score = score_of(&[x, vec![2.0; 20]]);
        for (node, parent) in [(0, 1), (1, 0)] {
            let (none, one) = (score.local(node, &[]).unwrap(), score.local(node, &[parent]).unwrap());
            assert!(one.is_finite() && (none - one - score.lambda()).abs() < 1e-9);
        }
        assert_eq!(score.dependent(), [] as [usize; 0]);
    }

    #[test]
    fn a_perfect_fit_has_a_finite_score_that_more_parents_do_not_improve() {
        let x: Vec<f64> = (0..20).map(|i| f64::from(i).sin()).collect();
        let y: Vec<f64> = (0..20).map(|i| f64::from(i * i).cos()).collect();
        let sum = x.iter().zip(&y).map(|(x, y)| x + y).collect();
        let z: Vec<f64> = (0..20).map(|i| f64::from(7 * i).sin()).collect();
        let score = score_of(&[x, y, sum, z]);
        assert!(score.local(2, &[0, 1]).unwrap().is_finite());
        assert!(score.local(2, &[0, 1]).unwrap() > score.local(2, &[0, 1, 3]).unwrap());
    }

    proptest! {
        #[test]
        fn gains_are_differences_and_reversing_a_covered_edge_leaves_the_score(dag in dags(7), seed in 0..1000_u64) {
            let sem = LinearSem::random(dag.clone(), Seed(seed));
            let score = GaussianBic::new(&Covariance::known(sem.covariance(), 100), None);
            for node in 0..dag.nodes() {
                let parents: Vec<Node> = dag.parents(node).ones().collect();
                let extras: Vec<Node> = (0..dag.nodes()).filter(|extra| *extra != node && !parents.contains(extra)).collect();
                let gains = score.gains(node, &parents, &extras, &crate::run::Run::new(Seed(0))).unwrap();
                for (gain, &extra) in gains.iter().zip(&extras) {
                    let mut with = [parents.as_slice(), &[extra]].concat();
                    with.sort_unstable();
                    let difference = score.local(node, &with).unwrap() - score.local(node, &parents).unwrap();
                    prop_assert!((gain - difference).abs() < 1e-8 * (1.0 + difference.abs()), "{gain} and {difference}");
                }
            }
            for (parent, child) in dag.edges() {
                let mut above = dag.parents(parent).clone();
                above.insert(parent);
                if above == *dag.parents(child) {
                    let edges = dag.edges().into_iter();
                    let flipped = edges.map(|edge| if edge == (parent, child) { (child, parent) } else { edge });
                    let flipped = Dag::from_edges(dag.nodes(), flipped).unwrap();
                    let (one, other) = (score.total(&dag).unwrap(), score.total(&flipped).unwrap());
                    prop_assert!((one - other).abs() <= 1e-9 * one.abs(), "{one} and {other}");
                }
            }
        }
    }
}
