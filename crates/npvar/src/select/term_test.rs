//! The significance of one smooth term: Wood (2013), "On p-values for smooth components of an extended generalised
//! additive model", as mgcv's `summary.gam` computes it.
//!
//! With `G` the term's own Gram block, `V` its block of the posterior covariance, `W = R V R'` (`R'R = G`) and `z` the
//! coordinates of `Rβ` in the eigenvectors of `W`, the statistic sums `z_i²/l_i` over the leading `r` eigenvalues, `r`
//! being the term's effective degrees of freedom `edf1`; a fractional part of `r` spreads over two eigenvalues.
//!
//! Differs from mgcv: tails are exact to rounding where mgcv's carry an absolute error of 2e-5, and a rank within
//! [`INTEGER_RANK`] of an integer is taken as that integer (mgcv lands in one branch or the other by rounding).

use crate::numerics::distribution::{WoodWeights, f_upper_tail};
use crate::numerics::linalg::small;
use crate::numerics::linalg::small_symmetric::eigen_coordinates;

/// How close to an integer a rank must be to count as one.
const INTEGER_RANK: f64 = 1e-8;

/// The statistic of one term, still to be divided by the residual variance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Statistic {
    /// The whole part of the rank.
    k: usize,
    /// Its fractional part.
    nu: f64,
    /// The statistic for the two signs of the cross term; equal when `nu` is zero.
    plus: f64,
    minus: f64,
    /// `r`, the reference degrees of freedom.
    pub(super) rank: f64,
    /// `Σ z²/l` over all eigenvalues: by how much the penalised residual sum of squares grows without the term.
    pub(super) loss: f64,
}

impl Statistic {
    /// A term that can explain nothing.
    pub(super) const EMPTY: Statistic = Statistic { k: 0, nu: 0.0, plus: 0.0, minus: 0.0, rank: 0.0, loss: 0.0 };

    /// `root` is `R`, row-major; `v` the block of `M⁻¹`; `rank` is `edf1`.
    pub(super) fn new(root: &[f64], v: &[f64], beta: &[f64], rank: f64) -> Self {
        let q = beta.len();
        let (mut half, mut w) = (vec![0.0; q * q], vec![0.0; q * q]);
        // half = R V and w = half R', by rows so that the inner loops run along memory.
        for (half, root) in half.chunks_exact_mut(q).zip(root.chunks_exact(q)) {
            for (weight, v) in root.iter().zip(v.chunks_exact(q)) {
                half.iter_mut().zip(v).for_each(|(half, v)| *half += weight * v);
            }
        }
        for (w, half) in w.chunks_exact_mut(q).zip(half.chunks_exact(q)) {
            for (w, root) in w.iter_mut().zip(root.chunks_exact(q)) {
                *w = small::dot(half, root);
            }
        }
        let mut z: Vec<f64> = root.chunks_exact(q).map(|root| small::dot(root, beta)).collect();
        let mut eigenvalues = vec![0.0; q];
        eigen_coordinates(&mut w, &mut z, &mut eigenvalues);
        Statistic::from_eigen(&eigenvalues, &z, rank)
    }

    fn from_eigen(eigenvalues: &[f64], z: &[f64], rank: f64) -> Self {
        let tolerance = eigenvalues[0].max(0.0) * f64::EPSILON.powf(0.9);
        let usable = eigenvalues.iter().take_while(|&&value| value > tolerance).count();
        let share = |i: usize| z[i] * z[i] / eigenvalues[i];
        let loss = (0..usable).map(share).sum();

        let rank = rank.clamp(0.0, z.len() as f64);
        let rank = if (rank - rank.round()).abs() < INTEGER_RANK { rank.round() } else { rank };
        let (mut k, mut nu) = (rank.floor() as usize, rank - rank.floor());
        let needed = k + usize::from(nu > 0.0);
        if usable < needed {
            (k, nu) = (usable, 0.0);
            if usable == 0 {
                return Statistic::EMPTY;
            }
        }
        let rank = k as f64 + nu;
        if nu == 0.0 {
            let whole = (0..k).map(share).sum();
            return Statistic { k, nu, plus: whole, minus: whole, rank, loss };
        }
        if k == 0 {
            return Statistic { k, nu, plus: share(0), minus: share(0), rank, loss };
        }
        let base: f64 = (0..k - 1).map(share).sum();
        let (a, c) = (z[k - 1] / eigenvalues[k - 1].sqrt(), z[k] / eigenvalues[k].sqrt());
        let cross = 2.0 * (nu * (1.0 - nu) / 2.0).sqrt() * a * c;
        let middle = base + a * a + nu * c * c;
        Statistic { k, nu, plus: middle + cross, minus: middle - cross, rank, loss }
    }

    /// `F` (the larger of the two signs') and the p-value, given the residual variance and its degrees of freedom.
    pub(super) fn significance(&self, residual_variance: f64, residual_df: f64) -> (f64, f64) {
        if self.rank == 0.0 {
            return (0.0, 1.0);
        }
        let scaled = |statistic: f64| if statistic > 0.0 { statistic / residual_variance } else { 0.0 };
        let (plus, minus) = (scaled(self.plus), scaled(self.minus));
        let f = plus.max(minus) / self.rank;
        let whole_df = (residual_df.round() as usize).max(1);
        let p_value = if self.nu == 0.0 {
            f_upper_tail(f, self.rank, residual_df.max(1.0))
        } else if self.k == 0 {
            f_upper_tail(plus, 1.0, whole_df as f64)
        } else {
            WoodWeights::new(self.k, self.nu).mean_upper_tail(plus, minus, whole_df)
        };
        (f, p_value.min(1.0))
    }
}
