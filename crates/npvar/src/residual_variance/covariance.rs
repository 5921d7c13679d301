//! Residual variances of linear regression: the diagonal of a Schur complement of the covariance matrix.
//!
//! Conditioning on one more node is a rank-one update of what is left: `Σ ← Σ − Σ_·b Σ_b· / Σ_bb`. With a population
//! covariance this is the oracle of linear models.

use faer::Mat;

use super::{Conditioning, ResidualVariance};
use crate::data::Covariance;
use crate::error::Result;
use crate::graph::Node;
use crate::run::Run;

/// A node whose residual variance is below this share of its variance is an exact linear function of its ancestors and
/// tells nothing new.
const DEPENDENT: f64 = 1e-13;

impl ResidualVariance for Covariance {
    fn nodes(&self) -> usize {
        self.matrix().nrows()
    }

    fn start(&self) -> Result<Box<dyn Conditioning + '_>> {
        let variances = (0..self.nodes()).map(|j| self.matrix()[(j, j)]).collect();
        Ok(Box::new(Schur { left: self.matrix().clone(), variances }))
    }
}

/// What the nodes conditioned on leave of the covariance.
struct Schur {
    left: Mat<f64>,
    variances: Vec<f64>,
}

impl Conditioning for Schur {
    fn extend(&mut self, layer: &[Node], run: &Run<'_>) -> Result<()> {
        for &node in layer {
            run.check()?;
            let pivot = self.left[(node, node)];
            if pivot <= DEPENDENT * self.variances[node] {
                continue;
            }
            let column = self.left.col_as_slice(node).to_vec();
            for j in 0..column.len() {
                let factor = column[j] / pivot;
                for (entry, own) in self.left.col_as_slice_mut(j).iter_mut().zip(&column) {
                    *entry -= factor * own;
                }
            }
        }
        Ok(())
    }

    fn variances(&mut self, targets: &[Node], _: &Run<'_>) -> Result<Vec<f64>> {
        Ok(targets.iter().map(|&target| self.left[(target, target)]).collect())
    }
}
