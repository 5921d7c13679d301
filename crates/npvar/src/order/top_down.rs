//! Top-down layer search: Algorithm 2 of Gao, Ding & Aragam (2020), steps 1–4; Algorithm 1 with [`Eta::NodeByNode`].
//!
//! Repeatedly asks for the residual variance of every remaining node given the ancestral set, and moves all nodes within
//! `η` of the smallest into the next layer. Knows nothing about regression: any estimator, a covariance matrix, or a
//! test's oracle will do.
//!
//! Differs from the paper: the sample is split only by estimators that are told to. A residual variance below zero
//! (rounding, where a node is an exact function of its ancestors) counts as zero and is reported.

use super::{Comparison, Eta, LastNode};
use crate::error::{Error, Result};
use crate::graph::{Knowledge, Layers, Node, NodeSet};
use crate::residual_variance::{Conditioning, ResidualVariance};
use crate::run::{Event, Run};

/// Which nodes form the next layer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LayerRule {
    /// `η`.
    pub eta: Eta,
    /// With [`Eta::Adaptive`], what the largest change is multiplied by.
    pub eta_scaler: f64,
    /// `<` or `<=`.
    pub comparison: Comparison,
    /// Whether the last node gets a step of its own.
    pub last_node: LastNode,
}

impl Default for LayerRule {
    fn default() -> Self {
        LayerRule {
            eta: Eta::default(),
            eta_scaler: 1.0,
            comparison: Comparison::default(),
            last_node: LastNode::default(),
        }
    }
}

impl LayerRule {
    /// Nodes within a fixed `eta` of the smallest residual variance share a layer.
    pub fn fixed(eta: f64) -> Self {
        LayerRule { eta: Eta::Fixed(eta), ..LayerRule::default() }
    }
}

/// One step of the search: what was asked, what was answered.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// The ancestral set, in the order found.
    pub given: Vec<Node>,
    /// The remaining nodes.
    pub nodes: Vec<Node>,
    /// Their residual variances.
    pub residual_variances: Vec<f64>,
    /// The `η` of this step; zero node by node.
    pub eta: f64,
}

/// The layers found, and how.
#[derive(Debug, Clone, PartialEq)]
pub struct Search {
    /// The layers, sources first; within a layer by node.
    pub layers: Layers,
    /// Every step, in order.
    pub steps: Vec<Step>,
    /// Residual variances that came out below zero and were taken as zero.
    pub negative: Vec<(Node, f64)>,
}

/// Algorithm 2 over any residual variances.
///
/// # Errors
/// What the estimator came upon, or cancelling.
pub fn layers(variances: &dyn ResidualVariance, rule: &LayerRule, run: &Run<'_>) -> Result<Search> {
    layers_within(variances, rule, &Knowledge::none(variances.nodes()), run)
}

/// The same where something is known: at every step only nodes that may come next compete.
///
/// # Errors
/// What the estimator came upon, or cancelling.
pub fn layers_within(
    variances: &dyn ResidualVariance,
    rule: &LayerRule,
    knowledge: &Knowledge,
    run: &Run<'_>,
) -> Result<Search> {
    search_within(&mut *variances.start()?, None, rule, knowledge, run)
}

/// The same over a conditioning the caller keeps, with a second sample's conditioning for [`Eta::Adaptive`].
///
/// # Errors
/// What the estimators came upon, cancelling, or [`Error::InvalidOption`] when an adaptive `η` has no second sample.
pub fn search(
    conditioning: &mut dyn Conditioning,
    second: Option<&mut dyn Conditioning>,
    nodes: usize,
    rule: &LayerRule,
    run: &Run<'_>,
) -> Result<Search> {
    search_within(conditioning, second, rule, &Knowledge::none(nodes), run)
}

/// The same where something is known about as many nodes as there are.
///
/// # Errors
/// What the estimators came upon, cancelling, or [`Error::InvalidOption`] when an adaptive `η` has no second sample.
pub fn search_within(
    conditioning: &mut dyn Conditioning,
    mut second: Option<&mut dyn Conditioning>,
    rule: &LayerRule,
    knowledge: &Knowledge,
    run: &Run<'_>,
) -> Result<Search> {
    let nodes = knowledge.nodes();
    let mut placed = NodeSet::with_capacity(nodes);
    let mut remaining: Vec<Node> = (0..nodes).collect();
    let (mut layers, mut steps, mut given, mut negative) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    while !remaining.is_empty() {
        if remaining.len() == 1 && rule.last_node == LastNode::Untested {
            layers.push(std::mem::take(&mut remaining));
            break;
        }
        let mut residual_variances = conditioning.variances(&remaining, run)?;
        if let Some(at) = residual_variances.iter().position(|variance| variance.is_nan()) {
            return Err(Error::NoVariance { node: remaining[at] });
        }
        let eta = match (rule.eta, &mut second) {
            (Eta::NodeByNode, _) => 0.0,
            (Eta::Fixed(eta), _) => eta,
            (Eta::Adaptive, Some(second)) => {
                let others = second.variances(&remaining, run)?;
                let change = residual_variances.iter().zip(&others).map(|(a, b)| (a - b).abs());
                rule.eta_scaler * change.fold(0.0, f64::max)
            }
            (Eta::Adaptive, None) => {
                return Err(Error::InvalidOption {
                    option: "eta",
                    requirement: "needs a second sample".to_owned(),
                    got: "`adaptive` without one".to_owned(),
                });
            }
        };
        let raw = residual_variances.clone();
        for (&node, variance) in remaining.iter().zip(&mut residual_variances) {
            if *variance < 0.0 {
                negative.push((node, *variance));
                *variance = 0.0;
            }
        }
        // Node by node, nodes that were all below zero are still told apart.
        let compared = if rule.eta == Eta::NodeByNode { &raw } else { &residual_variances };
        let (candidates, theirs): (Vec<Node>, Vec<f64>) =
            remaining.iter().zip(compared).filter(|(node, _)| knowledge.may_follow(**node, &placed)).unzip();
        let layer = next_layer(&candidates, &theirs, eta, rule);
        placed.extend(layer.iter().copied());
        steps.push(Step { given: given.clone(), nodes: remaining.clone(), residual_variances, eta });
        remaining.retain(|node| !layer.contains(node));
        given.extend_from_slice(&layer);
        if !remaining.is_empty() {
            conditioning.extend(&layer, run)?;
            if let Some(second) = &mut second {
                second.extend(&layer, run)?;
            }
        }
        run.report(&Event::Layer { layer: &layer, ordered: given.len(), nodes })?;
        layers.push(layer);
    }
    Ok(Search { layers: Layers::new(layers)?, steps, negative })
}

fn next_layer(remaining: &[Node], variances: &[f64], eta: f64, rule: &LayerRule) -> Vec<Node> {
    let smallest = variances.iter().copied().fold(f64::INFINITY, f64::min);
    let joins = |variance: f64| {
        let above = variance - smallest;
        match rule.comparison {
            Comparison::Below => above < eta || above == 0.0,
            Comparison::AtMost => above <= eta,
        }
    };
    remaining.iter().zip(variances).filter(|(_, variance)| joins(**variance)).map(|(&node, _)| node).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Seed;

    /// Residual variances of the chain 1 → 0 → 2 with unit noise and unit weights, by hand.
    struct Chain;
    struct Given(Vec<Node>);

    impl ResidualVariance for Chain {
        fn nodes(&self) -> usize {
            3
        }
        fn start(&self) -> Result<Box<dyn Conditioning + '_>> {
            Ok(Box::new(Given(Vec::new())))
        }
    }

    impl Conditioning for Given {
        fn extend(&mut self, layer: &[Node], _: &Run<'_>) -> Result<()> {
            self.0.extend_from_slice(layer);
            Ok(())
        }
        fn variances(&mut self, targets: &[Node], _: &Run<'_>) -> Result<Vec<f64>> {
            let variance = |&target: &Node| match (target, self.0.contains(&1), self.0.contains(&0)) {
                (1, ..) | (0, true, _) | (2, _, true) => 1.0,
                (0, false, _) | (2, true, _) => 2.0,
                _ => 3.0,
            };
            Ok(targets.iter().map(variance).collect())
        }
    }

    fn layers_of(rule: LayerRule) -> Vec<Vec<Node>> {
        layers(&Chain, &rule, &Run::new(Seed(0))).expect("the chain has an order").layers.into()
    }

    #[test]
    fn the_chain_is_found_node_by_node() {
        assert_eq!(layers_of(LayerRule::default()), [vec![1], vec![0], vec![2]]);
    }

    #[test]
    fn eta_larger_than_the_gap_merges_layers() {
        assert_eq!(layers_of(LayerRule::fixed(0.9)), [vec![1], vec![0], vec![2]]);
        assert_eq!(layers_of(LayerRule::fixed(1.1)), [vec![0, 1], vec![2]]);
    }

    #[test]
    fn a_node_exactly_eta_away_joins_only_when_told_to() {
        assert_eq!(layers_of(LayerRule::fixed(1.0)), [vec![1], vec![0], vec![2]]);
        let rule = LayerRule { comparison: Comparison::AtMost, ..LayerRule::fixed(1.0) };
        assert_eq!(layers_of(rule), [vec![0, 1], vec![2]]);
    }

    #[test]
    fn a_residual_variance_that_is_no_number_is_an_error() {
        struct Broken;
        impl Conditioning for Broken {
            fn extend(&mut self, _: &[Node], _: &Run<'_>) -> Result<()> {
                Ok(())
            }
            fn variances(&mut self, targets: &[Node], _: &Run<'_>) -> Result<Vec<f64>> {
                Ok(targets.iter().map(|&node| if node == 1 { f64::NAN } else { 1.0 }).collect())
            }
        }
        let found = search(&mut Broken, None, 2, &LayerRule::default(), &Run::new(Seed(0)));
        assert!(matches!(found, Err(Error::NoVariance { node: 1 })));
    }

    #[test]
    fn the_last_node_has_no_step_when_untested() {
        let rule = LayerRule { last_node: LastNode::Untested, ..LayerRule::default() };
        let found = layers(&Chain, &rule, &Run::new(Seed(0))).expect("the chain has an order");
        assert_eq!((found.steps.len(), found.layers.depth()), (2, 3));
    }
}
