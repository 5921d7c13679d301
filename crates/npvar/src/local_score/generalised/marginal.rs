//! The marginal likelihood score (Huang et al. 2018, section 3.3).
//!
//! Gaussian process regression of `X`'s features on the parents: each of `n` features of `X` (of which `ΦΦ' = K̃_X`) is, given
//! `Z`, independently `N(0, C)` with `C = σ² (I + ρ K̃_Z)`, so
//!
//! ```text
//! log p(Φ | Z) = −½ tr(C⁻¹ K̃_X) − (n/2) log|C| − (n²/2) log 2π
//! s = max over σ² > 0 and ρ ≥ 1/(nλ)
//! ```
//!
//! The maximum over `σ²` is closed: `σ̂² = tr((I + ρK̃_Z)⁻¹ K̃_X)/n²`; that over `ρ`, the ratio of signal to noise, is found to
//! rounding from the eigenvalues of `K̃_Z`. Without parents `s = −(n²/2)(1 + log(2π tr(K̃_X)/n²))`.
//!
//! Differs from the authors' code in what is learned. There `ρ` has no lower bound and each parent has a width of its own.
//! But at `ρ = 0`, or with a width that has grown without bound, a parent is switched off and costs nothing: a larger parent
//! set never scores worse, and independent columns are joined whenever they look more dependent than independent columns do
//! on average. Here the widths are those of the cross-validated score, and a regression that has parents uses them with at
//! least the signal that the ridge `nλ` of that score stands for; a needless parent then costs `½ log|I + ρK̃_Z|` for next to
//! nothing. There are no reference numbers for this score; it is tested by its identities.
//!
//! **Cost.** `O(n m²)` for the factors and one `m × m` eigenvalue problem. Where there is little noise `ρ` is large and small
//! eigenvalues count, so low-rank factors need a smaller tolerance here than for the cross-validated score.

use super::factors::{Approximation, Factors};
use crate::data::Dataset;
use crate::error::Result;
use crate::graph::Node;
use crate::local_score::LocalScore;
use crate::numerics::linalg::{Into, eigen_during, multiply_during, multiply_here};
use crate::run::{Run, Seed};
use faer::Mat;

/// `ρ` is looked for up to this, in units of its lower bound: beyond, noise of a millionth of the ridge is left.
const LARGEST: f64 = 1e6;
/// Steps of the first look; the slope is a sum of logistic curves of `log ρ`, so nothing narrower is missed.
const STEPS: usize = 28;

/// The marginal likelihood of `X`'s features given its parents'.
///
/// ```
/// use npvar::data::Dataset;
/// use npvar::local_score::{Approximation, LocalScore, MarginalLikelihood};
/// use npvar::{Run, Seed};
/// let x: Vec<f64> = (0..60).map(|i| f64::from(i * 37 % 60) / 10.0 - 3.0).collect();
/// let y = x.iter().map(|x| x * x).collect();
/// let data = Dataset::new(vec!["x".into(), "y".into()], vec![x, y])?;
/// let score = MarginalLikelihood::new(&data, 0.01, Approximation::Exact, &Run::new(Seed(1)))?;
/// assert!(score.local(1, &[0])? > score.local(1, &[])?);
/// # Ok::<(), npvar::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct MarginalLikelihood {
    factors: Factors,
    lambda: f64,
}

impl MarginalLikelihood {
    /// With `ρ ≥ 1/(nλ)`.
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`].
    pub fn new(data: &Dataset, lambda: f64, approximation: Approximation, run: &Run<'_>) -> Result<Self> {
        Ok(MarginalLikelihood { factors: Factors::new(data, approximation, run)?, lambda })
    }

    fn spectrum(&self, node: Node, parents: &[Node], run: &Run<'_>) -> Result<Spectrum> {
        let (x, z) = (self.factors.of(node), self.factors.of_set(parents, run)?);
        let z = z.as_ref();
        let energy: f64 = (0..x.ncols()).map(|j| x.col(j).squared_norm_l2()).sum();
        let (mut zz, mut zx) = (Mat::zeros(z.ncols(), z.ncols()), Mat::zeros(z.ncols(), x.ncols()));
        multiply_during(zz.as_mut(), Into::Replace, z.transpose(), z.as_ref(), 1.0, run)?;
        multiply_during(zx.as_mut(), Into::Replace, z.transpose(), x, 1.0, run)?;
        // K̃_Z = ΩΩ' has the eigenvalues of Ω'Ω = V D V', and eigenvectors Ω V D^{-1/2}.
        let (values, vectors) = eigen_during(zz, run)?;
        let mut along = Mat::zeros(z.ncols(), x.ncols());
        multiply_here(along.as_mut(), Into::Replace, vectors.transpose(), zx.as_ref(), 1.0);
        let largest = values.last().copied().unwrap_or(0.0);
        let kept = (0..values.len()).filter(|&i| values[i] > largest * f64::EPSILON * self.factors.n() as f64);
        let pairs: Vec<(f64, f64)> = kept.map(|i| (values[i], along.row(i).squared_norm_l2() / values[i])).collect();
        let explained: f64 = pairs.iter().map(|pair| pair.1).sum();
        Ok(Spectrum { n: self.factors.n() as f64, pairs, rest: (energy - explained).max(0.0) })
    }
}

impl LocalScore for MarginalLikelihood {
    fn nodes(&self) -> usize {
        self.factors.nodes()
    }

    fn local(&self, node: Node, parents: &[Node]) -> Result<f64> {
        self.local_during(node, parents, &Run::new(Seed(0)))
    }

    fn local_during(&self, node: Node, parents: &[Node], run: &Run<'_>) -> Result<f64> {
        let spectrum = self.spectrum(node, parents, run)?;
        let least = 1.0 / (self.lambda * spectrum.n);
        Ok(spectrum.at(if parents.is_empty() { 0.0 } else { spectrum.best_rho(least) }))
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
    /// The log-likelihood at `ρ`, maximised over `σ²`.
    fn at(&self, rho: f64) -> f64 {
        let energy: f64 = self.rest + self.pairs.iter().map(|(value, along)| along / (1.0 + rho * value)).sum::<f64>();
        let determinant: f64 = self.pairs.iter().map(|(value, _)| (rho * value).ln_1p()).sum();
        // A response without variance has no likelihood to speak of; the smallest number stands for its variance.
        let sigma2 = (energy / (self.n * self.n)).max(f64::MIN_POSITIVE);
        -0.5 * self.n * (self.n * (1.0 + (2.0 * std::f64::consts::PI * sigma2).ln()) + determinant)
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
        0.5 * self.n * (self.n * change / energy.max(f64::MIN_POSITIVE) - degrees)
    }

    /// The best `ρ` from `least` on.
    fn best_rho(&self, least: f64) -> f64 {
        let step = LARGEST.ln() / STEPS as f64;
        let grid: Vec<f64> = (0..=STEPS).map(|i| least.ln() + step * i as f64).collect();
        // The slope falls through zero at a maximum inside.
        let falls = |ends: &&[f64]| self.slope(ends[0].exp()) > 0.0 && self.slope(ends[1].exp()) <= 0.0;
        let inside = grid.windows(2).filter(falls).map(|ends| self.root(ends[0], ends[1]).exp());
        let ends = [least, grid[STEPS].exp()];
        let candidates = ends.into_iter().chain(inside);
        candidates.fold(least, |best, rho| if self.at(rho) > self.at(best) { rho } else { best })
    }

    /// Where the slope falls through zero, by bisection to rounding.
    fn root(&self, mut low: f64, mut high: f64) -> f64 {
        loop {
            let middle = 0.5 * (low + high);
            if middle <= low || middle >= high {
                return middle;
            }
            if self.slope(middle.exp()) > 0.0 { low = middle } else { high = middle }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::local_score::generalised::factors::centred_kernel;
    use crate::numerics::linalg::eigen;
    use rand_distr::{Distribution, StandardNormal};

    const N: usize = 40;

    fn normal(n: usize, seed: u64) -> Vec<f64> {
        let mut rng = Seed(seed).rng();
        (0..n).map(|_| StandardNormal.sample(&mut rng)).collect()
    }

    /// X1 and X2 independent, X3 = X1² + X2 + noise.
    fn table(n: usize, seed: u64) -> Dataset {
        let (a, b, noise) = (normal(n, 3 * seed), normal(n, 3 * seed + 1), normal(n, 3 * seed + 2));
        let c = (0..n).map(|i| a[i] * a[i] + b[i] + 0.3 * noise[i]).collect();
        Dataset::new(["a", "b", "c"].map(String::from).to_vec(), vec![a, b, c]).unwrap()
    }

    fn exact(data: &Dataset) -> MarginalLikelihood {
        MarginalLikelihood::new(data, 0.01, Approximation::Exact, &Run::new(Seed(0))).unwrap()
    }

    /// The definition, with dense matrices: `−½ tr(C⁻¹ K̃_X) − (n/2) log|C| − (n²/2) log 2π`.
    fn log_density(x: &Mat<f64>, z: &Mat<f64>, sigma2: f64, rho: f64) -> f64 {
        let n = x.nrows();
        let mut c = z * faer::Scale(sigma2 * rho);
        (0..n).for_each(|i| c[(i, i)] += sigma2);
        let (values, vectors) = eigen(c.as_ref());
        let mut total = -0.5 * (n * n) as f64 * (2.0 * std::f64::consts::PI).ln();
        for (k, value) in values.iter().enumerate() {
            let along = vectors.col(k).transpose() * x * vectors.col(k);
            total -= 0.5 * (along / value + n as f64 * value.ln());
        }
        total
    }

    #[test]
    fn the_score_is_the_largest_gaussian_log_density() {
        let data = table(N, 1);
        let score = exact(&data);
        for (node, parents) in [(2, vec![0]), (2, vec![0, 1]), (0, vec![1]), (1, vec![0, 2])] {
            let columns: Vec<&[f64]> = parents.iter().map(|&parent| data.column(parent)).collect();
            let (x, z) = (centred_kernel(&[data.column(node)]), centred_kernel(&columns));
            let best = score.local(node, &parents).unwrap();
            let rho = score.spectrum(node, &parents, &Run::new(Seed(0))).unwrap().best_rho(1.0 / (0.01 * N as f64));
            let energy: f64 = {
                let spectrum = score.spectrum(node, &parents, &Run::new(Seed(0))).unwrap();
                spectrum.rest + spectrum.pairs.iter().map(|(d, q)| q / (1.0 + rho * d)).sum::<f64>()
            };
            let sigma2 = energy / (N * N) as f64;
            let there = log_density(&x, &z, sigma2, rho);
            assert!((best - there).abs() < 1e-8 * best.abs(), "{best} and {there}");
            for (s, r) in [(1.1, 1.0), (0.9, 1.0), (1.0, 1.2), (1.05, 1.1), (0.95, 1.3)] {
                assert!(log_density(&x, &z, s * sigma2, r * rho) < best);
            }
        }
    }

    #[test]
    fn the_slope_is_the_derivative_and_zero_at_a_maximum_inside() {
        let score = exact(&table(N, 2));
        let spectrum = score.spectrum(2, &[0, 1], &Run::new(Seed(0))).unwrap();
        for rho in [0.1_f64, 3.0, 50.0] {
            let step = 1e-5;
            let difference = (spectrum.at(rho * f64::exp(step)) - spectrum.at(rho * f64::exp(-step))) / (2.0 * step);
            assert!((difference - spectrum.slope(rho)).abs() < 1e-5 * difference.abs().max(1.0));
        }
        let least = 1e-3;
        let best = spectrum.best_rho(least);
        assert!(best > least && spectrum.slope(best).abs() < 1e-6, "{best}, {}", spectrum.slope(best));
    }

    #[test]
    fn without_parents_the_score_is_closed() {
        let data = table(N, 3);
        let trace: f64 = (0..N).map(|i| centred_kernel(&[data.column(0)])[(i, i)]).sum();
        let n2 = (N * N) as f64;
        let expected = -0.5 * n2 * (1.0 + (2.0 * std::f64::consts::PI * trace / n2).ln());
        assert!((exact(&data).local(0, &[]).unwrap() - expected).abs() < 1e-9 * expected.abs());
    }

    #[test]
    fn units_and_the_order_of_rows_do_not_matter() {
        let data = table(N, 4);
        let columns = (0..3).map(|j| data.column(j).iter().rev().map(|v| 5.0 - 3.0 * v * (j + 1) as f64).collect());
        let other = Dataset::new(data.names().to_vec(), columns.collect()).unwrap();
        for parents in [vec![], vec![0], vec![0, 1]] {
            let (one, two) = (exact(&data).local(2, &parents).unwrap(), exact(&other).local(2, &parents).unwrap());
            assert!((one - two).abs() < 1e-8 * one.abs(), "{one} and {two}");
        }
    }

    #[test]
    fn low_rank_factors_give_nearly_the_same_score() {
        let data = table(150, 5);
        let low = MarginalLikelihood::new(
            &data,
            0.01,
            Approximation::LowRank { tolerance: 1e-7, rank: 120 },
            &Run::new(Seed(0)),
        )
        .unwrap();
        let (one, two) = (exact(&data).local(2, &[0, 1]).unwrap(), low.local(2, &[0, 1]).unwrap());
        assert!((one - two).abs() < 1e-3 * one.abs(), "{one} and {two}");
    }

    #[test]
    fn parents_are_wanted_and_strangers_are_not() {
        let (mut wanted, mut strangers) = (0, 0);
        for seed in 10..30 {
            let score = exact(&table(100, seed));
            wanted += usize::from(score.local(2, &[0]).unwrap() > score.local(2, &[]).unwrap());
            strangers += usize::from(score.local(1, &[0]).unwrap() > score.local(1, &[]).unwrap());
        }
        assert_eq!(wanted, 20);
        // With a free ρ it would be near 8 of 20: the probability that HSIC is above its mean under independence.
        assert!(strangers <= 2, "{strangers} of 20");
    }
}
