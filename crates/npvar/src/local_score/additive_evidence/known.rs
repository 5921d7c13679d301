//! What is known of a prior over functions: nothing of it depends on the noise, so that scores which differ in their noise alone
//! share it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use super::factored::{Factored, LeastSchur, Parts};
use super::prior::{FunctionPrior, Whitened};
use crate::error::Result;
use crate::graph::Node;
use crate::run::Run;
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
    least: Mutex<Option<Arc<Vec<LeastSchur>>>>,
    kept: Vec<Kept>,
}

impl Known {
    /// Nothing is known at first.
    pub(super) fn new(gram: &AdditiveGram, prior: FunctionPrior) -> Self {
        let kept = (0..gram.d()).map(|_| RwLock::default()).collect();
        Known { prior, whitened: Whitened::new(gram, prior), least: Mutex::default(), kept }
    }

    /// The toggles of a parent set: bounds, and exactly those that could be the best of those sought.
    pub(super) fn toggled(
        &self,
        node: Node,
        parents: &[Node],
        sought: &impl Sought,
        run: &Run<'_>,
    ) -> Result<ToggledParts> {
        let known = self.kept[node].read().unwrap_or_else(PoisonError::into_inner).get(parents).cloned();
        let mut factored = None;
        let factor = || Factored::new(&self.whitened, node, parents);
        let is_new = known.is_none();
        let toggled = match known {
            Some(known) => known,
            None => self.bounds(factored.insert(factor()), node, parents, run)?,
        };
        let exact = toggled.with.iter().filter_map(|&(k, parts)| sought.exact(k, parts));
        let mut best = exact.fold(sought.least(toggled.parts), f64::max);
        let at_most = toggled.bounds.iter().filter_map(|&(k, bound)| Some((sought.at_most(k, bound)?, k)));
        let mut hopeful: Vec<(f64, Node)> = at_most.filter(|&(bound, _)| bound >= best).collect();
        hopeful.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let mut sharper = Vec::new();
        for (bound, k) in hopeful {
            if bound < best {
                break;
            }
            run.check()?;
            let parts = factored.get_or_insert_with(factor).toggled(k);
            best = sought.exact(k, parts).map_or(best, |value| best.max(value));
            sharper.push((k, parts));
        }
        if !is_new && sharper.is_empty() {
            return Ok(toggled);
        }
        let mut kept = self.kept[node].write().unwrap_or_else(PoisonError::into_inner);
        let kept = kept.entry(parents.into()).or_insert(toggled);
        kept.sharpen(sharper);
        Ok(kept.clone())
    }

    fn bounds(&self, factored: &Factored<'_>, node: Node, parents: &[Node], run: &Run<'_>) -> Result<ToggledParts> {
        let others: Vec<Node> = (0..self.kept.len()).filter(|&k| k != node && !parents.contains(&k)).collect();
        let least = self.least(run)?;
        Ok(ToggledParts { parts: factored.parts, with: Vec::new(), bounds: factored.bounds(&others, &least) })
    }

    /// Whoever comes first computes them, on one thread; the others wait.
    fn least(&self, run: &Run<'_>) -> Result<Arc<Vec<LeastSchur>>> {
        let mut least = self.least.lock().unwrap_or_else(PoisonError::into_inner);
        let known = least.take().map_or_else(|| LeastSchur::of_all(&self.whitened, run).map(Arc::new), Ok)?;
        Ok(least.insert(known).clone())
    }
}

impl ToggledParts {
    /// Puts values in the place of bounds.
    fn sharpen(&mut self, values: Vec<(Node, Parts)>) {
        self.bounds.retain(|&(k, _)| values.iter().all(|&(known, _)| known != k));
        for (k, parts) in values {
            if self.with.iter().all(|&(known, _)| known != k) {
                self.with.push((k, parts));
            }
        }
    }
}

/// Which toggle is sought: that of highest value.
pub(super) trait Sought {
    /// What its value must be, where the parents as they are give these parts.
    fn least(&self, now: Parts) -> f64;

    /// The value of a toggle that gives these parts; nothing where it is not sought.
    fn exact(&self, k: Node, parts: Parts) -> Option<f64>;

    /// The largest value a toggle can have that gives no more than these parts.
    fn at_most(&self, k: Node, bound: Parts) -> Option<f64>;
}
