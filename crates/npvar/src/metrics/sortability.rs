//! Varsortability (Reisach, Seiler & Weichwald 2021, "Beware of the simulated DAG!") and R²-sortability (Reisach, Tami, Seiler,
//! Chambaz & Weichwald 2023, "A scale-invariant sorting criterion to find a causal order in additive noise models").
//!
//! A score per column is compared with the true graph: how often does it grow along directed paths? At 1 the columns sorted by
//! the score are a topological order; at 1/2 the score says nothing. Data with a var-sortability near 1 are easy for any method
//! that looks at scales, NPVAR among them, and standardising the columns takes that away.

use crate::data::Dataset;
use crate::graph::{Dag, NodeSet};

/// Scores closer than this, relative to the larger, are ties: standardised columns have variances that differ by rounding.
const TIE: f64 = 1e-9;

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

/// The [`sortability`] of the variances.
///
/// # Panics
/// When data and graph differ in their number of nodes.
pub fn var_sortability(data: &Dataset, truth: &Dag) -> Option<f64> {
    sortability(&data.variances(), truth)
}

/// The [`sortability`] of the coefficients of determination, [`Dataset::r_squared`].
///
/// # Panics
/// When data and graph differ in their number of nodes.
pub fn r2_sortability(data: &Dataset, truth: &Dag) -> Option<f64> {
    sortability(&data.r_squared(), truth)
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
    fn a_chain_with_equal_noise_is_varsortable_until_it_is_standardised() {
        let truth = Dag::from_edges(3, [(0, 1), (1, 2)]).expect("acyclic");
        let x = normal("x", 1000);
        let y = sum(&x, &normal("y", 1000));
        let z = sum(&y, &normal("z", 1000));
        let raw = dataset(vec![x, y, z]);
        assert_eq!(var_sortability(&raw, &truth), Some(1.0));
        let scale = raw.variances();
        let standardised =
            (0..3).map(|j| raw.column(j).iter().map(|value| value / scale[j].sqrt()).collect()).collect();
        let standardised = dataset(standardised);
        assert_eq!(var_sortability(&standardised, &truth), Some(0.5));
        // R² does not see the scale.
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
