//! Linear Gaussian models by BIC, with noise shared or each node's own.
//!
//! With own noise the value is [`GaussianBic`]'s, the price of the variance included, so that the total of a graph is GES's. With
//! shared noise it is `−(n/2) log s − RSS/(2s) − λ|P|`.

use rayon::prelude::*;

use super::LocalScore;
use super::gaussian_bic::GaussianBic;
use super::noise::Noise;
use super::refit::{NoiseKind, Refit};
use super::toggling::{Asked, Toggled, Toggles};
use crate::data::Covariance;
use crate::error::Result;
use crate::graph::{Node, NodeSet};
use crate::run::Run;

/// BIC of linear models. It prices every coefficient, so that choices need no other price ([`Toggling::unpriced`](super::Toggling)).
#[derive(Debug, Clone)]
pub struct LinearEvidence {
    bic: GaussianBic,
    n: f64,
    constant: Vec<bool>,
    noise: Noise,
}

impl LinearEvidence {
    /// With own noise, and `penalty` times BIC's half `log n` for a coefficient.
    pub fn new(covariance: &Covariance, penalty: f64) -> Self {
        let matrix = covariance.matrix();
        let constant = (0..matrix.nrows()).map(|j| matrix[(j, j)] <= 0.0).collect();
        let n = covariance.n() as f64;
        LinearEvidence {
            bic: GaussianBic::new(covariance, Some(penalty * 0.5 * n.ln())),
            n,
            constant,
            noise: Noise::Own,
        }
    }

    /// What is assumed of the noise.
    pub fn noise(&self) -> Noise {
        self.noise
    }

    /// The value of a node whose BIC with `parents` parents is this.
    fn nats(&self, node: Node, bic: f64, parents: usize) -> f64 {
        match self.noise {
            // There is nothing to explain.
            _ if self.constant[node] => -self.bic.lambda() * parents as f64,
            Noise::Own => bic,
            Noise::Shared(_) => {
                let square = self.n * self.residual_variance(bic, parents);
                self.noise.log_likelihood(self.n, square) - self.bic.lambda() * parents as f64
            }
        }
    }

    /// `RSS/n`, which BIC holds: `BIC = −(n/2)(1 + log(RSS/n)) − λ(|P| + 1)`.
    fn residual_variance(&self, bic: f64, parents: usize) -> f64 {
        (-2.0 * (bic + self.bic.lambda() * (parents as f64 + 1.0)) / self.n - 1.0).exp()
    }
}

impl Toggles for LinearEvidence {
    fn nodes(&self) -> usize {
        self.bic.nodes()
    }

    fn toggled(&self, node: Node, parents: &[Node], _: Asked<'_>, run: &Run<'_>) -> Result<Toggled> {
        let bounded = NodeSet::with_capacity(self.nodes());
        if let Some((bic, mut with)) = self.bic.toggled(node, parents) {
            for (other, value) in with.iter_mut().enumerate().filter(|(other, _)| *other != node) {
                let is_parent = parents.contains(&other);
                *value = self.nats(node, *value, if is_parent { parents.len() - 1 } else { parents.len() + 1 });
            }
            return Ok(Toggled { nats: self.nats(node, bic, parents.len()), with, bounded });
        }
        let bic = self.bic.local(node, parents)?;
        let extras: Vec<Node> = (0..self.nodes()).filter(|&k| k != node && !parents.contains(&k)).collect();
        let gains = self.bic.gains(node, parents, &extras, run)?;
        let mut with = vec![f64::NEG_INFINITY; self.nodes()];
        for (&extra, gain) in extras.iter().zip(gains) {
            with[extra] = self.nats(node, bic + gain, parents.len() + 1);
        }
        for &parent in parents {
            let fewer: Vec<Node> = parents.iter().copied().filter(|&other| other != parent).collect();
            with[parent] = self.nats(node, self.bic.local(node, &fewer)?, fewer.len());
        }
        Ok(Toggled { nats: self.nats(node, bic, parents.len()), with, bounded })
    }
}

impl Refit for LinearEvidence {
    fn refitted(&self, kind: NoiseKind, parents: &[Vec<Node>], _: &Run<'_>) -> Result<Self> {
        let varying: Vec<Node> = (0..self.nodes()).filter(|&node| !self.constant[node]).collect();
        if kind == NoiseKind::Own || varying.is_empty() {
            return Ok(LinearEvidence { noise: Noise::Own, ..self.clone() });
        }
        let variance = |&node: &Node| {
            let bic = self.bic.local(node, &parents[node])?;
            Ok(self.residual_variance(bic, parents[node].len()))
        };
        let variances: Vec<f64> = varying.par_iter().map(variance).collect::<Result<_>>()?;
        let mean = variances.iter().sum::<f64>() / variances.len() as f64;
        Ok(LinearEvidence { noise: Noise::Shared(mean), ..self.clone() })
    }

    fn values_as(&self, other: &Self) -> bool {
        self.noise == other.noise
    }

    fn common_price(&self) -> f64 {
        match self.noise {
            Noise::Shared(_) => self.bic.lambda(),
            Noise::Own => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::local_score::ParentChoice;
    use crate::run::Seed;
    use crate::simulate::{SimulateOptions, simulate};

    #[test]
    fn toggles_are_worth_what_the_sets_are_worth_alone() {
        let options = SimulateOptions { nodes: Some(7), samples: 80, ..SimulateOptions::default() };
        let data = simulate("ER-LIN-2".parse().unwrap(), &options, Seed(3)).unwrap().data;
        let run = Run::new(Seed(0));
        let own = LinearEvidence::new(&Covariance::of(&data, &run).unwrap(), 1.0);
        let shared = own.refitted(NoiseKind::Shared, &vec![Vec::new(); 7], &run).unwrap();
        for evidence in [own, shared] {
            for (node, parents) in [(0, vec![]), (3, vec![1]), (2, vec![0, 1, 4, 5, 6])] {
                let alone =
                    |parents: &[Node]| evidence.nats(node, evidence.bic.local(node, parents).unwrap(), parents.len());
                let choice = ParentChoice::free(node, 7);
                let toggled = evidence.toggled(node, &parents, Asked::freely(&choice), &run).unwrap();
                assert!((toggled.nats - alone(&parents)).abs() < 1e-9 * toggled.nats.abs());
                for other in (0..7).filter(|&other| other != node) {
                    let mut set: Vec<Node> = parents.iter().copied().filter(|&parent| parent != other).collect();
                    if set.len() == parents.len() {
                        set.push(other);
                        set.sort_unstable();
                    }
                    let expected = alone(&set);
                    assert!((toggled.with[other] - expected).abs() < 1e-9 * expected.abs(), "{node} {set:?}");
                }
                assert_eq!(toggled.with[node], f64::NEG_INFINITY);
            }
        }
    }
}
