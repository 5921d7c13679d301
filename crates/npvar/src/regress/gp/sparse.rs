//! A lower bound of the log marginal likelihood through inducing points (Titsias 2009), for samples too large for the
//! exact one: `O(n m²)` for `m` points.
//!
//! ```text
//! F = log N(y | 0, Q + sI) − tr(K − Q)/(2s)        Q = K_nm K_mm⁻¹ K_mn
//! ```
//!
//! The bound rises to the likelihood as the points fill the space, and unlike other approximations it is not raised by
//! hyper-parameters under which `Q` is a poor one. With `LL' = K_mm`, `A = L⁻¹K_mn/√s`, `B = I + AA'`, `α = (Q + sI)⁻¹y`
//! and `p = K_mm⁻¹K_mn α`, its derivatives are
//!
//! ```text
//! ∂F/∂K_mn = pα' + L⁻ᵀ(I − B⁻¹)A/√s        ∂F/∂K_mm = −½ pp' − ½ L⁻ᵀ(B − 2I + B⁻¹)L⁻¹
//! ```

use faer::Mat;

use super::evidence::{LN_2_PI, Observed};
use super::hyper::Hyper;
use super::kernel::GpKernel;
use crate::numerics::linalg::{Cholesky, Into, multiply_here};

/// Added to the diagonal of `K_mm`, which is singular to working precision when points nearly coincide.
const JITTER: f64 = 1e-7;

/// A place where bounds of one sample are evaluated.
pub(super) struct Sparse<'s> {
    sample: &'s Observed<'s>,
    points: Vec<&'s [f64]>,
}

/// What value, gradient and predictions are made of.
struct Parts {
    points: Cholesky,
    /// `A`, `m × n`.
    a: Mat<f64>,
    /// `B` by its factor.
    b: Cholesky,
    /// `α`.
    alpha: Vec<f64>,
    value: f64,
    square: f64,
}

impl<'s> Sparse<'s> {
    pub(super) fn new(sample: &'s Observed<'s>, points: &'s [Vec<f64>]) -> Self {
        Sparse { sample, points: points.iter().map(Vec::as_slice).collect() }
    }

    fn size(&self) -> usize {
        self.points.first().map_or(0, |points| points.len())
    }

    /// The bound.
    pub(super) fn value(&self, hyper: &Hyper) -> f64 {
        self.parts(hyper).map_or(f64::NEG_INFINITY, |parts| parts.value)
    }

    /// Weights of the inducing points in predictions, `K_mm⁻¹K_mn α`.
    pub(super) fn weights(&self, hyper: &Hyper) -> Option<Vec<f64>> {
        let parts = self.parts(hyper)?;
        Some(self.point_weights(&parts, hyper.noise().sqrt()).col_as_slice(0).to_vec())
    }

    fn point_weights(&self, parts: &Parts, root: f64) -> Mat<f64> {
        let alpha = Mat::from_fn(parts.alpha.len(), 1, |i, _| parts.alpha[i]);
        let mut weights = Mat::zeros(self.size(), 1);
        multiply_here(weights.as_mut(), Into::Replace, parts.a.as_ref(), alpha.as_ref(), root);
        parts.points.backward(weights.as_mut());
        weights
    }

    fn parts(&self, hyper: &Hyper) -> Option<Parts> {
        let (n, m) = (self.sample.y.len(), self.size());
        let (kernel, noise) = (GpKernel::new(hyper), hyper.noise());
        let mut among = Mat::zeros(m, m);
        kernel.fill_symmetric(&self.points, JITTER, &mut among);
        let points = Cholesky::new(among)?;
        let mut cross = Mat::zeros(n, m);
        kernel.fill_cross(&self.sample.covariates, &self.points, &mut cross);
        let mut a = Mat::from_fn(m, n, |i, j| cross[(j, i)] / noise.sqrt());
        points.forward(a.as_mut());
        let mut b = Mat::identity(m, m);
        multiply_here(b.as_mut(), Into::Add, a.as_ref(), a.transpose(), 1.0);
        let square = (0..m).map(|i| b[(i, i)] - 1.0).sum::<f64>();
        let b = Cholesky::new(b)?;
        let y = Mat::from_fn(n, 1, |i, _| self.sample.y[i]);
        let mut along = Mat::zeros(m, 1);
        multiply_here(along.as_mut(), Into::Replace, a.as_ref(), y.as_ref(), 1.0);
        let along = Mat::from_fn(m, 1, {
            let solved = b.solve(along.col_as_slice(0));
            move |i, _| solved[i]
        });
        let mut alpha = y.clone();
        multiply_here(alpha.as_mut(), Into::Add, a.transpose(), along.as_ref(), -1.0);
        let alpha: Vec<f64> = alpha.col_as_slice(0).iter().map(|alpha| alpha / noise).collect();
        let quadratic: f64 = self.sample.y.iter().zip(&alpha).map(|(y, alpha)| y * alpha).sum();
        let missed = n as f64 * kernel.at_zero() / noise - square;
        let value = -0.5 * (n as f64 * (LN_2_PI + noise.ln()) + b.log_determinant() + quadratic + missed);
        Some(Parts { points, a, b, alpha, value, square })
    }

    /// The bound, its gradient, and `tr (Q + sI)⁻¹`.
    pub(super) fn with_gradient(&self, hyper: &Hyper, gradient: &mut [f64]) -> (f64, f64) {
        gradient.fill(0.0);
        let Some(parts) = self.parts(hyper) else { return (f64::NEG_INFINITY, f64::NAN) };
        let (n, m) = (self.sample.y.len() as f64, self.size());
        let (kernel, noise) = (GpKernel::new(hyper), hyper.noise());
        let root = noise.sqrt();
        let weights = self.point_weights(&parts, root);
        let mut b_inverse = Mat::zeros(m, m);
        parts.b.inverse_into(b_inverse.as_mut());
        let b_inverse = Mat::from_fn(m, m, |i, j| b_inverse[(i.max(j), i.min(j))]);

        // L⁻ᵀ(I − B⁻¹)A/√s, then transposed, as the kernel is filled.
        let reduced = Mat::<f64>::identity(m, m) - &b_inverse;
        let mut cross = Mat::zeros(m, parts.alpha.len());
        multiply_here(cross.as_mut(), Into::Replace, reduced.as_ref(), parts.a.as_ref(), 1.0 / root);
        parts.points.backward(cross.as_mut());
        let cross = Mat::from_fn(parts.alpha.len(), m, |i, j| cross[(j, i)] + weights[(j, 0)] * parts.alpha[i]);
        let sums = kernel.contract_cross(&self.sample.covariates, &self.points, &cross);
        kernel.add_gradient(&sums, gradient);

        // L⁻ᵀ(B − 2I + B⁻¹)L⁻¹ from both sides.
        let mut among = Mat::zeros(m, m);
        multiply_here(among.as_mut(), Into::Replace, parts.a.as_ref(), parts.a.transpose(), 1.0);
        among = &among - Mat::<f64>::identity(m, m) + &b_inverse;
        parts.points.backward(among.as_mut());
        let mut among = among.transpose().to_owned();
        parts.points.backward(among.as_mut());
        let on_diagonal: f64 = (0..m).map(|i| -0.5 * (among[(i, i)] + weights[(i, 0)].powi(2))).sum();
        let all = -0.5 * n / noise;
        let sums = kernel.contract_symmetric(&self.points, on_diagonal + all, |j, target| {
            for (i, target) in (j + 1..).zip(target) {
                *target = -(among[(i, j)] + weights[(i, 0)] * weights[(j, 0)]);
            }
        });
        kernel.add_gradient(&sums, gradient);

        let trace = (n - m as f64 + (0..m).map(|i| b_inverse[(i, i)]).sum::<f64>()) / noise;
        let squares: f64 = parts.alpha.iter().map(|alpha| alpha * alpha).sum();
        let missed = n * kernel.at_zero() / noise - parts.square;
        *gradient.last_mut().expect("the noise is there") = 0.5 * (noise * (squares - trace) + missed);
        (parts.value, trace)
    }
}
