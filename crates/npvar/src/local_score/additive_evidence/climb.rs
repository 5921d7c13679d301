//! Smoothness, ratio and shared noise by the total evidence of all nodes, the parents given.
//!
//! A pattern search over `log φ` and `log r`: two numbers, a smooth hill, and every value costs one small factor per node. For
//! each pair the shared noise variance of highest evidence is `s = Σ_v (x_v'x_v − c'M⁻¹c)/(n d)`.

use rayon::prelude::*;

use super::evidence::AdditiveEvidence;
use super::factored::Parts;
use super::prior::FunctionPrior;
use crate::error::Result;
use crate::graph::Node;
use crate::local_score::noise::Noise;
use crate::local_score::refit::{NoiseKind, Refit};
use crate::run::Run;

/// The first and the last step in the logarithms.
const STEPS: (f64, f64) = (0.6, 0.15);
/// Other functions must gain this many nats over all nodes, or everything known of those there are stays.
const GAIN: f64 = 1.0;
/// The logarithms stay within these; beyond them nothing changes any more.
const SMOOTHNESS: (f64, f64) = (-2.0, 12.0);
const RATIO: (f64, f64) = (-7.0, 9.0);

impl Refit for AdditiveEvidence<'_> {
    fn refitted(&self, kind: NoiseKind, parents: &[Vec<Node>], run: &Run<'_>) -> Result<Self> {
        let at = |[smoothness, ratio]: [f64; 2]| {
            let prior = FunctionPrior { smoothness: smoothness.exp(), ratio: ratio.exp() };
            AdditiveEvidence::new(self.gram, prior, self.noise).noise_fitted(kind, parents, run)
        };
        let (stays, least) = self.noise_fitted(kind, parents, run)?;
        let mut place = [self.prior().smoothness.ln(), self.prior().ratio.ln()];
        let (mut best, mut total) = (None, least);
        let mut step = STEPS.0;
        while step >= STEPS.1 {
            let mut moved = false;
            for (axis, (low, high)) in [SMOOTHNESS, RATIO].into_iter().enumerate() {
                for sign in [1.0, -1.0] {
                    // As far as it goes in one direction.
                    loop {
                        let mut next = place;
                        next[axis] = (place[axis] + sign * step).clamp(low, high);
                        if next == place {
                            break;
                        }
                        let (evidence, value) = at(next)?;
                        if value <= total {
                            break;
                        }
                        (place, best, total, moved) = (next, Some(evidence), value, true);
                    }
                }
            }
            if !moved {
                step /= 2.0;
            }
        }
        Ok(best.filter(|_| total > least + GAIN).unwrap_or(stays))
    }

    fn values_as(&self, other: &Self) -> bool {
        self.noise == other.noise && self.knows_as(other)
    }

    /// Half a `log n` for one noise variance; smoothness and ratio are there with either noise.
    fn common_price(&self) -> f64 {
        match self.noise {
            Noise::Shared(_) => 0.5 * (self.gram.n() as f64).ln(),
            Noise::Own => 0.0,
        }
    }
}

impl AdditiveEvidence<'_> {
    /// The same with the noise of highest evidence for these parents, and that evidence.
    fn noise_fitted(&self, kind: NoiseKind, parents: &[Vec<Node>], run: &Run<'_>) -> Result<(Self, f64)> {
        let of_node = |(node, parents): (Node, &Vec<Node>)| run.check().map(|()| self.parts(node, parents));
        let parts: Vec<Parts> = parents.par_iter().enumerate().map(of_node).collect::<Result<_>>()?;
        let noise = match kind {
            NoiseKind::Own => Noise::Own,
            NoiseKind::Shared => {
                let varying = || (0..parts.len()).filter(|&node| !self.is_constant(node));
                let square: f64 = varying().map(|node| self.square(node, parts[node])).sum();
                match varying().count() {
                    0 => Noise::Own,
                    nodes => Noise::Shared(square / (self.gram.n() * nodes) as f64),
                }
            }
        };
        let fitted = self.with_noise(noise);
        let total = parts.iter().enumerate().map(|(node, &parts)| fitted.nats_of(node, parts)).sum();
        Ok((fitted, total))
    }
}
