//! Varsortability (Reisach, Seiler & Weichwald 2021, "Beware of the simulated DAG!") and R²-sortability (Reisach, Tami, Seiler,
//! Chambaz & Weichwald 2023, "A scale-invariant sorting criterion to find a causal order in additive noise models").
//!
//! A score per column is compared with the true graph: how often does it grow along directed paths? At 1 the columns sorted by
//! the score are a topological order; at 1/2 the score says nothing. Data with a varsortability near 1 are easy for any method
//! that looks at scales, NPVAR among them, and standardising the columns takes that away.

use faer::{Mat, Side, linalg::solvers::DenseSolveCore};

use crate::data::Covariance;
use crate::data::Dataset;
use crate::graph::{Dag, NodeSet};

/// Scores closer than this, relative to the larger, are ties: standardised columns have variances that differ by rounding.
const TIE: f64 = 1e-9;

/// The first ridge tried when the correlation matrix is singular: above the rounding of a Cholesky factor with thousands of
/// columns, far below any correlation that could matter.
const RIDGE: f64 = 1e-12;

/// How often a score grows along the directed paths of the true graph; `None` when it has no edge.
///
/// Follows the definition of both papers: for each length `k`, every pair with a directed path of `k` edges counts once
/// (so a pair counts again for each length), 1 when the score grows, 1/2 when it ties.
///
/// ```
/// use npvar::graph::Dag;
/// use npvar::metrics::sortability;
/// let chain = Dag::from_edges(3, [(0, 1), (1, 2)])?;
/// assert_eq!(sortability(&[1.0, 2.0, 3.0], &chain), Some(1.0));
/// assert_eq!(sortability(&[2.0, 1.0, 1.0], &chain), Some(0.5 / 3.0));
/// assert_eq!(sortability(&[1.0, 2.0], &Dag::empty(2)), None);
/// # Ok::<(), npvar::Error>(())
/// ```
///
/// # Panics
/// When there is not one score per node.
pub fn sortability(scores: &[f64], truth: &Dag) -> Option<f64> {
    assert_eq!(scores.len(), truth.nodes(), "one score per node");
    let nodes = truth.nodes();
    let (mut sorted, mut pairs) = (0.0, 0_usize);
    // ends[i] holds the nodes at the end of a path of k edges from i.
    let mut ends: Vec<NodeSet> = (0..nodes).map(|node| truth.children(node).clone()).collect();
    loop {
        let before = pairs;
        for i in 0..nodes {
            pairs += ends[i].count_ones(..);
            sorted += ends[i].ones().map(|j| growth(scores[i], scores[j])).sum::<f64>();
        }
        if pairs == before {
            return (pairs > 0).then(|| sorted / pairs as f64);
        }
        ends = (0..nodes)
            .map(|i| {
                let mut further = NodeSet::with_capacity(nodes);
                truth.children(i).ones().for_each(|child| further.union_with(&ends[child]));
                further
            })
            .collect();
    }
}

/// The [`sortability`] of the [`variances`].
///
/// # Panics
/// When data and graph differ in their number of nodes.
pub fn varsortability(data: &Dataset, truth: &Dag) -> Option<f64> {
    sortability(&variances(data), truth)
}

/// The [`sortability`] of the coefficients of determination, [`r_squared`].
///
/// # Panics
/// When data and graph differ in their number of nodes.
pub fn r2_sortability(data: &Dataset, truth: &Dag) -> Option<f64> {
    sortability(&r_squared(data), truth)
}

/// The sample variance of every column (denominator `n − 1`).
pub fn variances(data: &Dataset) -> Vec<f64> {
    let degrees = data.n().saturating_sub(1).max(1) as f64;
    (0..data.d())
        .map(|node| {
            let column = data.column(node);
            let mean = column.iter().sum::<f64>() / column.len() as f64;
            column.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / degrees
        })
        .collect()
}

/// R² of the linear regression of every column on all others: `1 − 1/(R⁻¹)_jj` with `R` the correlation matrix.
///
/// A column that is a linear function of others has R² = 1, also when that makes `R` singular (then a ridge of 1e-12, or as
/// much more as a factorisation needs, is added); a constant column has R² = 0.
///
/// ```
/// use npvar::data::Dataset;
/// use npvar::metrics::r_squared;
/// let a = vec![1.0, 2.0, 3.0, 4.0];
/// let b = vec![1.0, -1.0, -1.0, 1.0]; // not correlated with a
/// let data = Dataset::new(vec!["a".into(), "b".into()], vec![a, b])?;
/// assert!(r_squared(&data).iter().all(|r2| r2.abs() < 1e-12));
/// # Ok::<(), npvar::Error>(())
/// ```
pub fn r_squared(data: &Dataset) -> Vec<f64> {
    let unit = unit_columns(data);
    let mut correlation = unit.transpose() * &unit;
    for node in 0..data.d() {
        correlation[(node, node)] = 1.0; // also for a constant column, which is then independent of the others
    }
    from_correlation(&correlation)
}

/// The same from a covariance matrix, for tables that are read block by block.
pub fn r_squared_of(covariance: &Covariance) -> Vec<f64> {
    let matrix = covariance.matrix();
    let scale: Vec<f64> = (0..matrix.nrows()).map(|node| matrix[(node, node)].max(0.0).sqrt()).collect();
    from_correlation(&Mat::from_fn(matrix.nrows(), matrix.nrows(), |i, j| match scale[i] * scale[j] {
        _ if i == j => 1.0,
        0.0 => 0.0,
        product => matrix[(i, j)] / product,
    }))
}

fn from_correlation(correlation: &Mat<f64>) -> Vec<f64> {
    let d = correlation.nrows();
    let mut ridge = 0.0;
    let factor = loop {
        let mut raised = correlation.clone();
        (0..d).for_each(|node| raised[(node, node)] += ridge);
        match raised.llt(Side::Lower) {
            Ok(factor) => break factor,
            // Ends: with a ridge above d the matrix is diagonally dominant.
            Err(_) => ridge = if ridge == 0.0 { RIDGE } else { ridge * 10.0 },
        }
    };
    let inverse = factor.inverse();
    (0..d).map(|node| (1.0 - 1.0 / inverse[(node, node)]).clamp(0.0, 1.0)).collect()
}

/// The columns, centred and of length one; constant ones stay zero. Scaled by the largest value first, so nothing overflows.
fn unit_columns(data: &Dataset) -> Mat<f64> {
    let mut unit = Mat::zeros(data.n(), data.d());
    for node in 0..data.d() {
        let column = data.column(node);
        let largest = column.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
        if column.iter().all(|value| value == &column[0]) {
            continue;
        }
        let mean = column.iter().map(|value| value / largest).sum::<f64>() / column.len() as f64;
        let length = column.iter().map(|value| (value / largest - mean).powi(2)).sum::<f64>().sqrt();
        for (row, value) in column.iter().enumerate() {
            unit[(row, node)] = (value / largest - mean) / length;
        }
    }
    unit
}

/// 1 when the score grows from cause to effect, 1/2 when it stays.
fn growth(cause: f64, effect: f64) -> f64 {
    if (effect - cause).abs() <= TIE * effect.abs().max(cause.abs()) {
        0.5
    } else if effect > cause {
        1.0
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rand_distr::{Distribution, StandardNormal};

    use super::*;
    use crate::graph::arbitrary::dags;
    use crate::run::Seed;

    /// Agreement of two ways to compute the same R² from well-conditioned data.
    const ALGEBRA: f64 = 1e-10;

    fn dataset(columns: Vec<Vec<f64>>) -> Dataset {
        Dataset::new((0..columns.len()).map(|j| format!("X{j}")).collect(), columns).expect("a table")
    }

    fn normal(name: &str, n: usize) -> Vec<f64> {
        let mut rng = Seed(1).child(name, 0).rng();
        (0..n).map(|_| StandardNormal.sample(&mut rng)).collect()
    }

    fn sum(a: &[f64], b: &[f64]) -> Vec<f64> {
        a.iter().zip(b).map(|(a, b)| a + b).collect()
    }

    #[test]
    fn a_pair_counts_once_for_every_path_length() {
        // 0 -> 1 -> 2 and 0 -> 2: pairs of length one (0,1), (1,2), (0,2); of length two (0,2). Only 1 -> 2 falls.
        let truth = Dag::from_edges(3, [(0, 1), (1, 2), (0, 2)]).expect("acyclic");
        assert_eq!(sortability(&[1.0, 3.0, 2.0], &truth), Some(3.0 / 4.0));
    }

    #[test]
    fn two_columns_have_the_squared_correlation_twice() {
        let a = vec![1.0, 2.0, 3.0, 5.0];
        let b = vec![2.0, 1.0, 4.0, 4.0];
        // Deviations: a (-1.75, -0.75, 0.25, 2.25), b (-0.75, -1.75, 1.25, 1.25): r² = 5.75² / (8.75 · 6.75).
        let expected = 5.75_f64.powi(2) / (8.75 * 6.75);
        for r2 in r_squared(&dataset(vec![a, b])) {
            assert!((r2 - expected).abs() < ALGEBRA, "{r2} is not {expected}");
        }
    }

    #[test]
    fn degenerate_columns_do_not_stop_us() {
        let (a, b) = (normal("a", 200), normal("b", 200));
        let copies = dataset(vec![a.clone(), a.clone(), b.clone(), vec![3.0; 200], sum(&a, &b)]);
        let r2 = r_squared(&copies);
        for node in [0, 1, 2, 4] {
            assert!((r2[node] - 1.0).abs() < 1e-6, "{r2:?}");
        }
        assert_eq!(r2[3], 0.0);
        let more_columns_than_rows = dataset((0..6).map(|j| normal(&format!("column {j}"), 3)).collect());
        assert!(r_squared(&more_columns_than_rows).iter().all(|r2| (0.0..=1.0).contains(r2)));
        let huge = dataset(vec![vec![f64::MAX, -f64::MAX, 0.0], vec![1e-300, 2e-300, 4e-300]]);
        assert!(r_squared(&huge).iter().all(|r2| (0.0..=1.0).contains(r2)));
        assert!(r_squared(&dataset(vec![vec![1.0], vec![2.0]])).iter().all(|&r2| r2 == 0.0));
    }

    #[test]
    fn a_duplicate_elsewhere_does_not_disturb_an_independent_column() {
        let (a, b) = (normal("a", 500), normal("b", 500));
        let alone = r_squared(&dataset(vec![a.clone(), b.clone()]))[1];
        let beside_copies = r_squared(&dataset(vec![a.clone(), b, a]))[1];
        assert!((alone - beside_copies).abs() < 1e-9, "{alone} became {beside_copies}");
    }

    #[test]
    fn a_chain_with_equal_noise_is_varsortable_until_it_is_standardised() {
        let truth = Dag::from_edges(3, [(0, 1), (1, 2)]).expect("acyclic");
        let x = normal("x", 1000);
        let y = sum(&x, &normal("y", 1000));
        let z = sum(&y, &normal("z", 1000));
        let raw = dataset(vec![x, y, z]);
        assert_eq!(varsortability(&raw, &truth), Some(1.0));
        let scale = variances(&raw);
        let standardised =
            (0..3).map(|j| raw.column(j).iter().map(|value| value / scale[j].sqrt()).collect()).collect();
        let standardised = dataset(standardised);
        assert_eq!(varsortability(&standardised, &truth), Some(0.5));
        // R² does not see the scale.
        for (before, after) in r_squared(&raw).iter().zip(r_squared(&standardised)) {
            assert!((before - after).abs() < ALGEBRA);
        }
        assert_eq!(r2_sortability(&raw, &truth), r2_sortability(&standardised, &truth));
    }

    proptest! {
        #[test]
        fn scores_along_the_order_sort_perfectly_and_reversed_not_at_all(truth in dags(8)) {
            let positions: Vec<f64> = truth.order().positions().into_iter().map(|position| position as f64).collect();
            let reversed: Vec<f64> = positions.iter().map(|position| -position).collect();
            let has_edges = truth.edge_count() > 0;
            prop_assert_eq!(sortability(&positions, &truth), has_edges.then_some(1.0));
            prop_assert_eq!(sortability(&reversed, &truth), has_edges.then_some(0.0));
            prop_assert_eq!(sortability(&vec![2.0; truth.nodes()], &truth), has_edges.then_some(0.5));
        }
    }
}
