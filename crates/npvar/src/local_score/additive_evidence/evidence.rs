//! The evidence of a node with given parents, and with all sets one toggle away, from the Gram matrix alone.
//!
//! ```text
//! x_v = Σ_{k ∈ T} Φ_k β_k + ε,   β ~ N(0, r s I),   ε ~ N(0, s I);   M = I + r Φ_T'Φ_T,  c = √r Φ_T'x_v:
//! log p(x_v | T) = −(n/2) log s − ½ log|M| − (x'x − c'M⁻¹c)/(2s)
//! ```
//!
//! With `L L' = M`, `z = L⁻¹c` and `R = L⁻¹M_Tk`, a parent `k` more takes `u'S⁻¹u` from the quadratic form and adds `log|S|`
//! to the determinant, `S = M_kk − R'R`, `u = c_k − R'z`. With `α = M⁻¹c` and `B = (M⁻¹)_kk`, a parent `k` less gives
//! `α_k'B⁻¹α_k` back and adds `log|B|`. So one factor values all toggles.

use std::sync::Arc;

use super::factored::{Factored, Parts};
use super::known::{Known, Sought};
use super::prior::FunctionPrior;
use crate::error::Result;
use crate::graph::{Node, NodeSet};
use crate::local_score::noise::Noise;
use crate::local_score::toggling::{Asked, Toggled, Toggles};
use crate::run::Run;
use crate::smooth::AdditiveGram;

/// The evidence of additive models of splines.
#[derive(Debug, Clone)]
pub struct AdditiveEvidence<'g> {
    pub(super) gram: &'g AdditiveGram,
    pub(super) noise: Noise,
    known: Arc<Known>,
}

impl<'g> AdditiveEvidence<'g> {
    /// From a Gram matrix in coordinates in which every penalty is diagonal ([`AdditiveGram::turned`]).
    pub fn new(gram: &'g AdditiveGram, prior: FunctionPrior, noise: Noise) -> Self {
        AdditiveEvidence { gram, noise, known: Arc::new(Known::new(gram, prior)) }
    }

    /// The same with other noise; what is known stays known.
    pub(super) fn with_noise(&self, noise: Noise) -> Self {
        AdditiveEvidence { noise, ..self.clone() }
    }

    /// Whether both know the same of the same functions.
    pub(super) fn knows_as(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.known, &other.known)
    }

    /// The prior over functions.
    pub fn prior(&self) -> FunctionPrior {
        self.known.prior
    }

    /// What is assumed of the noise.
    pub fn noise(&self) -> Noise {
        self.noise
    }

    /// Whether a column has one value: it explains nothing, and there is nothing to explain.
    pub(super) fn is_constant(&self, node: Node) -> bool {
        self.gram.square(node) <= 0.0
    }

    /// The log evidence of a node with these parents.
    pub fn nats(&self, node: Node, parents: &[Node]) -> f64 {
        self.nats_of(node, self.parts(node, parents))
    }

    pub(super) fn parts(&self, node: Node, parents: &[Node]) -> Parts {
        Factored::new(&self.known.whitened, node, parents).parts
    }

    /// What the noise must account for.
    pub(super) fn square(&self, node: Node, parts: Parts) -> f64 {
        self.gram.square(node) - parts.explained
    }

    pub(super) fn nats_of(&self, node: Node, parts: Parts) -> f64 {
        if self.is_constant(node) {
            return 0.0;
        }
        self.noise.log_likelihood(self.gram.n() as f64, self.square(node, parts)) - 0.5 * parts.log_determinant
    }

    /// The log evidence at most, of parts that explain at most so much. Where that is more than there is, the bound says nothing.
    fn bound_of(&self, node: Node, bound: Parts) -> f64 {
        let possible = self.is_constant(node) || self.square(node, bound) > 0.0;
        if possible { self.nats_of(node, bound) } else { f64::INFINITY }
    }
}

impl Toggles for AdditiveEvidence<'_> {
    fn nodes(&self) -> usize {
        self.gram.d()
    }

    fn toggled(&self, node: Node, parents: &[Node], asked: Asked<'_>, run: &Run<'_>) -> Result<Toggled> {
        let known = self.known.toggled(node, parents, &Best { evidence: self, node, parents, asked }, run)?;
        let mut with = vec![f64::NEG_INFINITY; self.gram.d()];
        let mut bounded = NodeSet::with_capacity(self.gram.d());
        known.with.iter().for_each(|&(k, parts)| with[k] = self.nats_of(node, parts));
        for &(k, bound) in &known.bounds {
            with[k] = self.bound_of(node, bound);
            bounded.insert(k);
        }
        Ok(Toggled { nats: self.nats_of(node, known.parts), with, bounded })
    }
}

/// The best toggle of those asked for is sought.
struct Best<'a> {
    evidence: &'a AdditiveEvidence<'a>,
    node: Node,
    parents: &'a [Node],
    asked: Asked<'a>,
}

impl Best<'_> {
    fn value(&self, k: Node, nats: impl Fn() -> f64) -> Option<f64> {
        let is_parent = self.parents.contains(&k);
        self.asked.wants(k, is_parent).then(|| self.asked.value(nats(), is_parent))
    }
}

impl Sought for Best<'_> {
    fn least(&self, now: Parts) -> f64 {
        self.asked.least(self.evidence.nats_of(self.node, now))
    }

    fn exact(&self, k: Node, parts: Parts) -> Option<f64> {
        self.value(k, || self.evidence.nats_of(self.node, parts))
    }

    fn at_most(&self, k: Node, bound: Parts) -> Option<f64> {
        self.value(k, || self.evidence.bound_of(self.node, bound))
    }
}
