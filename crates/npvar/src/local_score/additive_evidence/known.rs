//! What is known of a prior over functions: nothing of it depends on the noise, so that scores which differ in their noise alone
//! share it.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use super::factored::{Factored, Parts};
use super::prior::{FunctionPrior, Whitened};
use crate::graph::Node;
use crate::smooth::AdditiveGram;

/// A parent set, and each set one toggle away, by the node put in or taken out; nothing for the node itself.
#[derive(Debug)]
pub(super) struct ToggledParts {
    pub(super) parts: Parts,
    pub(super) with: Vec<(Node, Parts)>,
}

type Kept = RwLock<HashMap<Box<[Node]>, Arc<ToggledParts>>>;

/// A prior, the matrices it makes, and every toggle computed with them.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) prior: FunctionPrior,
    pub(super) whitened: Whitened,
    kept: Vec<Kept>,
}

impl Known {
    /// Nothing is known at first.
    pub(super) fn new(gram: &AdditiveGram, prior: FunctionPrior) -> Self {
        let kept = (0..gram.d()).map(|_| RwLock::default()).collect();
        Known { prior, whitened: Whitened::new(gram, prior), kept }
    }

    /// The toggles of a parent set, computed once.
    pub(super) fn toggled(&self, node: Node, parents: &[Node]) -> Arc<ToggledParts> {
        let kept = &self.kept[node];
        if let Some(known) = kept.read().unwrap_or_else(PoisonError::into_inner).get(parents) {
            return known.clone();
        }
        let factored = Factored::new(&self.whitened, node, parents);
        let others: Vec<Node> = (0..self.kept.len()).filter(|&k| k != node && !parents.contains(&k)).collect();
        let mut with = factored.with_each(&others);
        with.extend(factored.without_each());
        let toggled = Arc::new(ToggledParts { parts: factored.parts, with });
        kept.write().unwrap_or_else(PoisonError::into_inner).insert(parents.into(), toggled.clone());
        toggled
    }
}
