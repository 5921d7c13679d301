//! What is known of a prior over functions: nothing of it depends on the noise, so that scores which differ in their noise alone
//! share it.

use std::collections::HashMap;
use std::sync::{OnceLock, PoisonError, RwLock};

use super::factored::{Factored, LeastSchur, Parts};
use super::prior::{FunctionPrior, Whitened};
use crate::graph::Node;
use crate::smooth::AdditiveGram;

/// A parent set, and each set one toggle away, by the node put in or taken out; nothing for the node itself.
#[derive(Debug, Clone)]
pub(super) struct ToggledParts {
    pub(super) parts: Parts,
    pub(super) with: Vec<(Node, Parts)>,
    /// Of the others, what they could explain at most.
    pub(super) bounds: Vec<(Node, Parts)>,
}

type Kept = RwLock<HashMap<Box<[Node]>, ToggledParts>>;

/// A prior, the matrices it makes, and every toggle computed with them.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) prior: FunctionPrior,
    pub(super) whitened: Whitened,
    least: OnceLock<Vec<LeastSchur>>,
    kept: Vec<Kept>,
}

impl Known {
    /// Nothing is known at first.
    pub(super) fn new(gram: &AdditiveGram, prior: FunctionPrior) -> Self {
        let kept = (0..gram.d()).map(|_| RwLock::default()).collect();
        Known { prior, whitened: Whitened::new(gram, prior), least: OnceLock::new(), kept }
    }

    /// The toggles of a parent set, computed once: those that are `promising` by what could be explained at most exactly, of the
    /// others the bounds.
    pub(super) fn toggled(
        &self,
        node: Node,
        parents: &[Node],
        promising: impl Fn(Parts, Parts) -> bool,
    ) -> ToggledParts {
        if let Some(known) = self.kept[node].read().unwrap_or_else(PoisonError::into_inner).get(parents) {
            return known.clone();
        }
        let factored = Factored::new(&self.whitened, node, parents);
        let others: Vec<Node> = (0..self.kept.len()).filter(|&k| k != node && !parents.contains(&k)).collect();
        let least = self.least.get_or_init(|| LeastSchur::of_all(&self.whitened));
        let (near, bounds): (Vec<_>, Vec<_>) =
            (factored.bounds(&others, least).into_iter()).partition(|&(_, bound)| promising(factored.parts, bound));
        let near: Vec<Node> = near.into_iter().map(|(k, _)| k).collect();
        let with = factored.toggled(&near);
        let toggled = ToggledParts { parts: factored.parts, with, bounds };
        let mut kept = self.kept[node].write().unwrap_or_else(PoisonError::into_inner);
        kept.entry(parents.into()).or_insert(toggled).clone()
    }

    /// Toggles exactly.
    pub(super) fn exactly(&self, node: Node, parents: &[Node], others: &[Node]) -> Vec<Parts> {
        let computed = Factored::new(&self.whitened, node, parents).toggled(others);
        let mut kept = self.kept[node].write().unwrap_or_else(PoisonError::into_inner);
        if let Some(toggled) = kept.get_mut(parents) {
            toggled.bounds.retain(|(k, _)| !others.contains(k));
            for &(k, parts) in &computed {
                if toggled.with.iter().all(|&(known, _)| known != k) {
                    toggled.with.push((k, parts));
                }
            }
        }
        computed.into_iter().map(|(_, parts)| parts).collect()
    }
}
