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

use std::ops::Range;

use super::evidence::{LN_2_PI, Observed};
use super::hyper::Hyper;
use super::kernel::GpKernel;
use crate::error::Result;
use crate::numerics::linalg::{Cholesky, Into, columns_at_once, multiply_here};
use crate::run::Run;

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
    /// `AA'`.
    squares: Mat<f64>,
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
    pub(super) fn value(&self, hyper: &Hyper, run: &Run<'_>) -> Result<f64> {
        Ok(self.parts(hyper, run)?.map_or(f64::NEG_INFINITY, |parts| parts.value))
    }

    /// Weights of the inducing points in predictions, `K_mm⁻¹K_mn α`.
    pub(super) fn weights(&self, hyper: &Hyper, run: &Run<'_>) -> Result<Option<Vec<f64>>> {
        let weights = |parts| self.point_weights(&parts, hyper.noise().sqrt()).col_as_slice(0).to_vec();
        Ok(self.parts(hyper, run)?.map(weights))
    }

    /// The rows in parts, with a look at the stop flag before each.
    fn by_parts(&self, run: &Run<'_>, mut work: impl FnMut(Range<usize>, &[&[f64]])) -> Result<()> {
        let (n, m) = (self.sample.y.len(), self.size());
        let width = columns_at_once(m * m);
        for start in (0..n).step_by(width) {
            run.check()?;
            let rows = start..n.min(start + width);
            let covariates: Vec<&[f64]> = self.sample.covariates.iter().map(|column| &column[rows.clone()]).collect();
            work(rows, &covariates);
        }
        Ok(())
    }

    fn point_weights(&self, parts: &Parts, root: f64) -> Mat<f64> {
        let alpha = Mat::from_fn(parts.alpha.len(), 1, |i, _| parts.alpha[i]);
        let mut weights = Mat::zeros(self.size(), 1);
        multiply_here(weights.as_mut(), Into::Replace, parts.a.as_ref(), alpha.as_ref(), root);
        parts.points.backward(weights.as_mut());
        weights
    }

    fn parts(&self, hyper: &Hyper, run: &Run<'_>) -> Result<Option<Parts>> {
        let (n, m) = (self.sample.y.len(), self.size());
        let (kernel, noise) = (GpKernel::new(hyper), hyper.noise());
        let mut among = Mat::zeros(m, m);
        kernel.fill_symmetric(&self.points, JITTER, &mut among, run)?;
        let Some(points) = Cholesky::new_during(among, run)? else { return Ok(None) };
        let (mut a, mut squares, mut along) = (Mat::zeros(m, n), Mat::zeros(m, m), Mat::zeros(m, 1));
        let y = Mat::from_fn(n, 1, |i, _| self.sample.y[i]);
        self.by_parts(run, |rows, covariates| {
            let mut cross = Mat::zeros(rows.len(), m);
            kernel.fill_cross(covariates, &self.points, &mut cross);
            let mut part = Mat::from_fn(m, rows.len(), |i, j| cross[(j, i)] / noise.sqrt());
            points.forward(part.as_mut());
            multiply_here(squares.as_mut(), Into::Add, part.as_ref(), part.transpose(), 1.0);
            let y = y.as_ref().subrows(rows.start, rows.len());
            multiply_here(along.as_mut(), Into::Add, part.as_ref(), y, 1.0);
            a.as_mut().subcols_mut(rows.start, rows.len()).copy_from(part);
        })?;
        let square = (0..m).map(|i| squares[(i, i)]).sum::<f64>();
        let Some(b) = Cholesky::new_during(&squares + Mat::<f64>::identity(m, m), run)? else { return Ok(None) };
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
        Ok(Some(Parts { points, a, squares, b, alpha, value, square }))
    }

    /// The bound, its gradient, and `tr (Q + sI)⁻¹`.
    pub(super) fn with_gradient(&self, hyper: &Hyper, gradient: &mut [f64], run: &Run<'_>) -> Result<(f64, f64)> {
        gradient.fill(0.0);
        let Some(parts) = self.parts(hyper, run)? else { return Ok((f64::NEG_INFINITY, f64::NAN)) };
        let (n, m) = (self.sample.y.len() as f64, self.size());
        let (kernel, noise) = (GpKernel::new(hyper), hyper.noise());
        let root = noise.sqrt();
        let weights = self.point_weights(&parts, root);
        let mut b_inverse = Mat::zeros(m, m);
        parts.b.inverse_into(b_inverse.as_mut());
        let b_inverse = Mat::from_fn(m, m, |i, j| b_inverse[(i.max(j), i.min(j))]);

        // L⁻ᵀ(I − B⁻¹)A/√s, then transposed, as the kernel is filled.
        let reduced = Mat::<f64>::identity(m, m) - &b_inverse;
        self.by_parts(run, |rows, covariates| {
            let mut cross = Mat::zeros(m, rows.len());
            let a = parts.a.subcols(rows.start, rows.len());
            multiply_here(cross.as_mut(), Into::Replace, reduced.as_ref(), a, 1.0 / root);
            parts.points.backward(cross.as_mut());
            let alpha = &parts.alpha[rows];
            let cross = Mat::from_fn(alpha.len(), m, |i, j| cross[(j, i)] + weights[(j, 0)] * alpha[i]);
            kernel.add_gradient(&kernel.contract_cross(covariates, &self.points, &cross), gradient);
        })?;

        // L⁻ᵀ(B − 2I + B⁻¹)L⁻¹ from both sides.
        let mut among = &parts.squares - Mat::<f64>::identity(m, m) + &b_inverse;
        parts.points.backward(among.as_mut());
        let mut among = among.transpose().to_owned();
        parts.points.backward(among.as_mut());
        let on_diagonal: f64 = (0..m).map(|i| -0.5 * (among[(i, i)] + weights[(i, 0)].powi(2))).sum();
        let all = -0.5 * n / noise;
        let weigh = |j: usize, target: &mut [f64]| {
            for (i, target) in (j + 1..).zip(target) {
                *target = -(among[(i, j)] + weights[(i, 0)] * weights[(j, 0)]);
            }
        };
        let sums = kernel.contract_symmetric(&self.points, on_diagonal + all, weigh, run)?;
        kernel.add_gradient(&sums, gradient);

        let trace = (n - m as f64 + (0..m).map(|i| b_inverse[(i, i)]).sum::<f64>()) / noise;
        let squares: f64 = parts.alpha.iter().map(|alpha| alpha * alpha).sum();
        let missed = n * kernel.at_zero() / noise - parts.square;
        *gradient.last_mut().expect("the noise is there") = 0.5 * (noise * (squares - trace) + missed);
        Ok((parts.value, trace))
    }
}
