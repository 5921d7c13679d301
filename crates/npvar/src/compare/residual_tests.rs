//! Are a graph's held-out residuals independent of the parents, and of each other?
//!
//! HSIC of every node's residuals with its parents taken jointly, and of every two nodes' residuals. Where effects and noise are
//! as a model says and no common cause is hidden, all are independent under the true graph. The p-values are corrected for their
//! number by Holm's rule (1979).

use std::sync::Arc;

use rayon::prelude::*;

use super::held_out::{Fitted, HeldOutRows, TESTED};
use crate::error::Result;
use crate::graph::{Dag, Node};
use crate::independence::{Hsic, LowRankFrom};
use crate::run::Run;

/// The level of all tests of a graph together.
pub(super) const LEVEL: f64 = 0.01;
const LOW_RANK: LowRankFrom = LowRankFrom { exact_up_to: TESTED, rank: 100 };

/// What depends on what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dependence {
    /// A node's residuals on its parents.
    OnParents(Node),
    /// Two nodes' residuals on each other.
    Between(Node, Node),
}

/// All tests of a graph.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ResidualTests {
    /// How many there are.
    pub(super) tests: usize,
    /// Those that Holm's rule rejects, the clearest first, with the corrected p-value.
    pub(super) dependent: Vec<(Dependence, f64)>,
    /// The smallest corrected p-value.
    pub(super) smallest: Option<f64>,
}

/// Tests the residuals of a graph.
pub(super) fn tests(rows: &HeldOutRows, dag: &Dag, fits: &[Arc<Fitted>], run: &Run<'_>) -> Result<ResidualTests> {
    if rows.data().n() < Hsic::FEWEST_SAMPLES {
        return Ok(ResidualTests { tests: 0, dependent: Vec::new(), smallest: None });
    }
    let nodes = rows.varying();
    let residuals: Vec<Vec<f64>> = fits.iter().map(|fit| rows.tested(&fit.residuals)).collect();
    let per_node: Vec<Vec<(Dependence, f64)>> = (0..nodes.len())
        .into_par_iter()
        .with_max_len(1)
        .map(|at| {
            let side = Hsic::default().columns_side(&[&residuals[at]], LOW_RANK, run)?;
            let mut found = Vec::new();
            for other in at + 1..nodes.len() {
                let p_value = Hsic::default().test_against(&side, &residuals[other], run)?.p_value;
                found.push((Dependence::Between(nodes[at], nodes[other]), p_value));
            }
            let parents: Vec<Vec<f64>> =
                dag.parents(nodes[at]).ones().map(|parent| rows.tested(rows.data().column(parent))).collect();
            if !parents.is_empty() {
                let parents: Vec<&[f64]> = parents.iter().map(Vec::as_slice).collect();
                let p_value = Hsic::default().columns_test(&parents, &residuals[at], LOW_RANK, run)?.p_value;
                found.push((Dependence::OnParents(nodes[at]), p_value));
            }
            Ok(found)
        })
        .collect::<Result<_>>()?;
    Ok(corrected(per_node.into_iter().flatten().collect()))
}

/// Holm's rule.
fn corrected(mut found: Vec<(Dependence, f64)>) -> ResidualTests {
    found.sort_by(|a, b| a.1.total_cmp(&b.1));
    let tests = found.len();
    let mut largest: f64 = 0.0;
    for (place, (_, p_value)) in found.iter_mut().enumerate() {
        largest = largest.max((*p_value * (tests - place) as f64).min(1.0));
        *p_value = largest;
    }
    let smallest = found.first().map(|(_, p_value)| *p_value);
    found.retain(|(_, p_value)| *p_value < LEVEL);
    ResidualTests { tests, dependent: found, smallest }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn p_values_are_corrected_by_the_rule_of_holm() {
        let found = corrected(vec![
            (Dependence::OnParents(0), 0.004),
            (Dependence::OnParents(1), 0.001),
            (Dependence::OnParents(2), 0.9),
        ]);
        // 3 · 0.001, then 2 · 0.004, then 1 · 0.9.
        assert_eq!(found.tests, 3);
        assert_eq!(
            found.dependent.iter().map(|(what, _)| *what).collect::<Vec<_>>(),
            [Dependence::OnParents(1), Dependence::OnParents(0)]
        );
        assert!((found.smallest.unwrap() - 0.003).abs() < 1e-15 && (found.dependent[1].1 - 0.008).abs() < 1e-15);
    }
}
