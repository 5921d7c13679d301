//! The marginal likelihood score (Huang et al. 2018, section 3.3).
//!
//! Gaussian process regression of `X`'s features on the parents: each of `n` features of `X` (of which `ΦΦ' = K̃_X`) is, given
//! `Z`, independently `N(0, C)` with `C = σ² (I + ρ K̃_Z)`, so
//!
//! ```text
//! log p(Φ | Z) = −½ tr(C⁻¹ K̃_X) − (n/2) log|C| − (n²/2) log 2π
//! s = max over σ² > 0, ρ ≥ 0
//! ```
//!
//! The maximum over `σ²` is closed: `σ̂² = tr((I + ρK̃_Z)⁻¹ K̃_X)/n²`; that over `ρ`, the ratio of signal to noise, is found to
//! rounding from the eigenvalues of `K̃_Z`. Without parents, or at `ρ = 0`, `s = −(n²/2)(1 + log(2π tr(K̃_X)/n²))`.
//!
//! Differs from the authors' code, which also learns a kernel width for each parent: a width that may grow without bound
//! switches a parent off, so a larger parent set would never score worse and the search could not tell that a parent is
//! needless. With the median widths of the cross-validated score, a needless parent costs. There are no reference
//! numbers for this score; it is tested by its identities.
//!
//! **Cost.** `O(n m²)` for the factors and one `m × m` eigenvalue problem.

use super::factors::{Approximation, Factors};
use crate::data::Dataset;
use crate::error::Result;
use crate::graph::Node;
use crate::linalg::{Into, eigen, multiply_here};
use crate::score::LocalScore;
use faer::Mat;

/// `log ρ` is looked for in this range, and beyond it at `ρ = 0`.
const LOG_RHO: (f64, f64) = (-14.0, 24.0);
/// Steps of the first look; a maximum narrower than this does not occur, `log|I + ρD|` being as smooth as a logistic.
const STEPS: usize = 76;

/// The marginal likelihood of `X`'s features given its parents'.
///
/// ```
/// use npvar::data::Dataset;
/// use npvar::score::{Approximation, LocalScore, MarginalLikelihood};
/// let x: Vec<f64> = (0..60).map(|i| f64::from(i * 37 % 60) / 10.0 - 3.0).collect();
/// let y = x.iter().map(|x| x * x).collect();
/// let data = Dataset::new(vec!["x".into(), "y".into()], vec![x, y])?;
/// let score = MarginalLikelihood::new(&data, Approximation::Exact);
/// assert!(score.local(1, &[0])? > score.local(1, &[])?);
/// # Ok::<(), npvar::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct MarginalLikelihood {
    factors: Factors,
}

impl MarginalLikelihood {
    /// Of this table.
    pub fn new(data: &Dataset, approximation: Approximation) -> Self {
        MarginalLikelihood { factors: Factors::new(data, approximation) }
    }

    fn spectrum(&self, node: Node, parents: &[Node]) -> Spectrum {
        let (x, z) = (self.factors.of(node), self.factors.of_set(parents));
        let z = z.as_ref();
        let energy: f64 = (0..x.ncols()).map(|j| x.col(j).squared_norm_l2()).sum();
        let (mut zz, mut zx) = (Mat::zeros(z.ncols(), z.ncols()), Mat::zeros(z.ncols(), x.ncols()));
        multiply_here(zz.as_mut(), Into::Replace, z.transpose(), z.as_ref(), 1.0);
        multiply_here(zx.as_mut(), Into::Replace, z.transpose(), x, 1.0);
        // K̃_Z = ΩΩ' has the eigenvalues of Ω'Ω = V D V', and eigenvectors Ω V D^{-1/2}.
        let (values, vectors) = eigen(zz.as_ref());
        let mut along = Mat::zeros(z.ncols(), x.ncols());
        multiply_here(along.as_mut(), Into::Replace, vectors.transpose(), zx.as_ref(), 1.0);
        let largest = values.last().copied().unwrap_or(0.0);
        let kept = (0..values.len()).filter(|&i| values[i] > largest * f64::EPSILON * self.factors.n() as f64);
        let pairs: Vec<(f64, f64)> = kept.map(|i| (values[i], along.row(i).squared_norm_l2() / values[i])).collect();
        let explained: f64 = pairs.iter().map(|pair| pair.1).sum();
        Spectrum { n: self.factors.n() as f64, pairs, rest: (energy - explained).max(0.0) }
    }
}

impl LocalScore for MarginalLikelihood {
    fn nodes(&self) -> usize {
        self.factors.nodes()
    }

    fn local(&self, node: Node, parents: &[Node]) -> Result<f64> {
        Ok(self.spectrum(node, parents).maximum().1)
    }
}

/// What the likelihood depends on.
struct Spectrum {
    n: f64,
    /// The eigenvalues `D_i` of `K̃_Z` above zero, and `u_i'K̃_X u_i` along their eigenvectors.
    pairs: Vec<(f64, f64)>,
    /// `tr K̃_X` along all other directions.
    rest: f64,
}

impl Spectrum {
    /// The log-likelihood at `ρ`, maximised over `σ²`, divided by `n`.
    fn at(&self, rho: f64) -> f64 {
        let energy: f64 = self.rest + self.pairs.iter().map(|(value, along)| along / (1.0 + rho * value)).sum::<f64>();
        let determinant: f64 = self.pairs.iter().map(|(value, _)| (rho * value).ln_1p()).sum();
        // A response without variance has no likelihood to speak of; rounding stands for it.
        let sigma2 = (energy / (self.n * self.n)).max(f64::MIN_POSITIVE);
        -0.5 * self.n * (1.0 + (2.0 * std::f64::consts::PI * sigma2).ln()) - 0.5 * determinant
    }

    /// The derivative of [`at`](Self::at) by `log ρ`.
    fn slope(&self, rho: f64) -> f64 {
        let (mut energy, mut change, mut degrees) = (self.rest, 0.0, 0.0);
        for (value, along) in &self.pairs {
            let shrink = 1.0 / (1.0 + rho * value);
            energy += along * shrink;
            change += along * shrink * (1.0 - shrink);
            degrees += 1.0 - shrink;
        }
        0.5 * (self.n * change / energy.max(f64::MIN_POSITIVE) - degrees)
    }

    /// The best `ρ` and the log-likelihood there.
    fn maximum(&self) -> (f64, f64) {
        let mut best = (0.0, self.at(0.0));
        let step = (LOG_RHO.1 - LOG_RHO.0) / STEPS as f64;
        let grid: Vec<f64> = (0..=STEPS).map(|i| LOG_RHO.0 + step * i as f64).collect();
        for ends in grid.windows(2) {
            // The slope falls through zero at a maximum.
            if self.slope(ends[0].exp()) > 0.0 && self.slope(ends[1].exp()) <= 0.0 {
                let rho = self.root(ends[0], ends[1]).exp();
                if self.at(rho) > best.1 {
                    best = (rho, self.at(rho));
                }
            }
        }
        let end = grid[STEPS].exp();
        if self.slope(end) > 0.0 && self.at(end) > best.1 {
            best = (end, self.at(end));
        }
        (best.0, best.1 * self.n)
    }

    fn root(&self, mut low: f64, mut high: f64) -> f64 {
        while high - low > 1e-13 * (1.0 + low.abs()) {
            let middle = 0.5 * (low + high);
            if middle <= low || middle >= high {
                break;
            }
            if self.slope(middle.exp()) > 0.0 { low = middle } else { high = middle }
        }
        0.5 * (low + high)
    }
}
