//! RESIT, regression with subsequent independence test (Peters, Mooij, Janzing & Schölkopf 2014, Algorithm 1).
//!
//! Phase 1 finds an order, sinks first: every remaining node is regressed on all the others, and the one whose residuals
//! depend least on them is the next sink. Phase 2 starts with all nodes before a node as its parents and drops one after
//! the other as long as the residuals given the rest stay independent of all nodes before it.
//!
//! Knows nothing about regression or kernels: residuals and the test are handed in.

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::data::Residuals;
use crate::error::Result;
use crate::graph::{Dag, Knowledge, Node};
use crate::independence::GammaTest;
use crate::run::{Event, Run};

/// A test whether residuals are independent of nodes, taken jointly.
pub trait Dependence: Sync {
    /// Tests.
    ///
    /// # Errors
    /// What the test came upon, or cancelling.
    fn test(&self, residuals: &[f64], nodes: &[Node], run: &Run<'_>) -> Result<GammaTest>;

    /// A test against the same nodes, for several residuals in turn: what concerns the nodes alone can be done once.
    ///
    /// # Errors
    /// What preparing it came upon, or cancelling.
    fn against<'a>(&'a self, nodes: &'a [Node], run: &'a Run<'_>) -> Result<PreparedTest<'a>> {
        Ok(Box::new(move |residuals| self.test(residuals, nodes, run)))
    }
}

/// A test of residuals against nodes that are fixed.
pub type PreparedTest<'a> = Box<dyn Fn(&[f64]) -> Result<GammaTest> + 'a>;

/// Which dependence is the weakest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Weakest {
    /// That with the largest p-value, as the authors' code; at a tie the smaller statistic.
    #[default]
    PValue,
    /// That with the smallest statistic, as the Python package lingam.
    Statistic,
}

/// A sink found, and what it was compared with.
#[derive(Debug, Clone, PartialEq)]
pub struct ResitStep {
    /// The nodes still there, the sink among them.
    pub nodes: Vec<Node>,
    /// For each the test of its residuals given all the others.
    pub tests: Vec<GammaTest>,
    /// The sink.
    pub sink: Node,
}

/// Phase 1 over `nodes`: their order, source first, and the steps, sinks first.
///
/// # Errors
/// What the regressions and tests came upon, or cancelling.
pub fn resit_order(
    nodes: &[Node],
    residuals: &dyn Residuals,
    dependence: &dyn Dependence,
    weakest: Weakest,
    run: &Run<'_>,
) -> Result<(Vec<Node>, Vec<ResitStep>)> {
    let all = nodes.iter().max().map_or(0, |&last| last + 1);
    resit_order_within(nodes, residuals, dependence, weakest, &Knowledge::none(all), run)
}

/// The same where something is known: at every step only nodes that may be last of those still there compete.
///
/// # Errors
/// What the regressions and tests came upon, or cancelling.
pub fn resit_order_within(
    nodes: &[Node],
    residuals: &dyn Residuals,
    dependence: &dyn Dependence,
    weakest: Weakest,
    knowledge: &Knowledge,
    run: &Run<'_>,
) -> Result<(Vec<Node>, Vec<ResitStep>)> {
    let mut remaining = nodes.to_vec();
    let (mut reversed, mut steps) = (Vec::new(), Vec::new());
    let total = nodes.len() * (nodes.len() + 1) / 2;
    let done = AtomicUsize::new(0);
    while remaining.len() > 1 {
        let tests: Vec<GammaTest> = remaining
            .par_iter()
            .map(|&node| {
                run.check()?;
                let others: Vec<Node> = remaining.iter().copied().filter(|&other| other != node).collect();
                let test = dependence.test(&residuals.residuals(node, &others, run)?, &others, run)?;
                let done = done.fetch_add(1, Ordering::Relaxed) + 1;
                run.report(&Event::Working { phase: "testing sinks", done, total: Some(total) })?;
                Ok(test)
            })
            .collect::<Result<_>>()?;
        let weaker = |a: &GammaTest, b: &GammaTest| match weakest {
            Weakest::Statistic => a.statistic < b.statistic,
            Weakest::PValue if a.p_value == b.p_value => a.statistic < b.statistic,
            Weakest::PValue => a.p_value > b.p_value,
        };
        let best = (0..tests.len())
            .filter(|&i| knowledge.may_be_last_of(remaining[i], &remaining))
            .reduce(|best, i| if weaker(&tests[i], &tests[best]) { i } else { best })
            .expect("knowledge without contradictions leaves some node to be last");
        let sink = remaining[best];
        steps.push(ResitStep { nodes: remaining.clone(), tests, sink });
        remaining.remove(best);
        reversed.push(sink);
        run.report(&Event::Layer { layer: &[sink], ordered: reversed.len(), nodes: nodes.len() })?;
    }
    reversed.extend(remaining);
    reversed.reverse();
    Ok((reversed, steps))
}

/// A test of phase 2: could `parent` be dropped?
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ResitRemoval {
    /// The candidate.
    pub parent: Node,
    /// The node whose residuals, without the candidate, were tested against all nodes before it.
    pub child: Node,
    /// The test; the candidate was dropped when its p-value was above the level.
    pub test: GammaTest,
}

/// Phase 2 along the order of some of `d` nodes: the graph, and every test behind it, by child along the order. Candidates
/// are tried by node.
///
/// # Errors
/// What the regressions and tests came upon, or cancelling.
pub fn resit_parents(
    order: &[Node],
    d: usize,
    residuals: &dyn Residuals,
    dependence: &dyn Dependence,
    alpha: f64,
    run: &Run<'_>,
) -> Result<(Dag, Vec<ResitRemoval>)> {
    let done = AtomicUsize::new(0);
    let found: Vec<(Vec<Node>, Vec<ResitRemoval>)> = (0..order.len())
        .into_par_iter()
        .map(|position| {
            let child = order[position];
            let mut before = order[..position].to_vec();
            before.sort_unstable();
            let (mut parents, mut removals) = (before.clone(), Vec::with_capacity(position));
            if before.is_empty() {
                return Ok((parents, removals));
            }
            let test_against_all = dependence.against(&before, run)?;
            for &parent in &before {
                run.check()?;
                let rest: Vec<Node> = parents.iter().copied().filter(|&other| other != parent).collect();
                let test = test_against_all(&residuals.residuals(child, &rest, run)?)?;
                if test.p_value > alpha {
                    parents = rest;
                }
                removals.push(ResitRemoval { parent, child, test });
            }
            run.report(&Event::Selected { done: done.fetch_add(1, Ordering::Relaxed) + 1, nodes: order.len() })?;
            Ok((parents, removals))
        })
        .collect::<Result<_>>()?;
    let edges =
        order.iter().zip(&found).flat_map(|(&child, (parents, _))| parents.iter().map(move |&parent| (parent, child)));
    let dag = Dag::from_edges(d, edges)?;
    Ok((dag, found.into_iter().flat_map(|(_, removals)| removals).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Seed;

    /// The chain 2 → 0 → 1 as an oracle: residuals "are" the node, and depend on the others unless it is a sink, and given
    /// fewer than its parents, on its parents.
    struct Chain;

    impl Residuals for Chain {
        fn residuals(&self, target: usize, given: &[usize], _: &Run<'_>) -> Result<Vec<f64>> {
            Ok([&[target as f64][..], &given.iter().map(|&node| node as f64).collect::<Vec<_>>()].concat())
        }
    }

    impl Dependence for Chain {
        fn test(&self, residuals: &[f64], nodes: &[Node], _: &Run<'_>) -> Result<GammaTest> {
            let parent = |node: f64| [2.0, 0.0, -1.0][node as usize];
            let (node, given) = (residuals[0], &residuals[1..]);
            let child_remains = nodes.iter().any(|&other| parent(other as f64) == node);
            let parent_is_missed =
                nodes.iter().any(|&other| other as f64 == parent(node)) && !given.contains(&parent(node));
            let p_value = if child_remains || parent_is_missed { 0.001 } else { 0.5 };
            Ok(GammaTest { statistic: 1.0 - p_value, p_value, shape: 1.0, scale: 1.0 })
        }
    }

    #[test]
    fn an_oracle_gives_the_order_and_the_parents() {
        let run = Run::new(Seed(0));
        for weakest in [Weakest::PValue, Weakest::Statistic] {
            let (order, steps) = resit_order(&[0, 1, 2], &Chain, &Chain, weakest, &run).unwrap();
            assert_eq!(order, [2, 0, 1]);
            assert_eq!(steps.iter().map(|step| step.sink).collect::<Vec<_>>(), [1, 0]);
        }
        let (dag, removals) = resit_parents(&[2, 0, 1], 4, &Chain, &Chain, 0.05, &run).unwrap();
        assert_eq!((dag.nodes(), dag.edges(), removals.len()), (4, vec![(0, 1), (2, 0)], 3));
    }
}
