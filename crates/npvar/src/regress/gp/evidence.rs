//! The log marginal likelihood and its gradient (Rasmussen & Williams 2006, equations 2.30 and 5.9).
//!
//! ```text
//! log p(y) = −½ y'K⁻¹y − ½ log det K − ½ n log 2π
//! ∂/∂θ log p(y) = ½ tr((αα' − K⁻¹) ∂K/∂θ)        α = K⁻¹y
//! ```
//!
//! One Cholesky factorisation per evaluation; the inverse comes from the factor.

use faer::Mat;

use super::hyper::Hyper;
use super::kernel::GpKernel;
use crate::error::Result;
use crate::numerics::linalg::Cholesky;
use crate::run::Run;

pub(super) const LN_2_PI: f64 = 1.837_877_066_409_345_5;

/// Standardised covariates and response.
#[derive(Debug, Clone)]
pub struct Observed<'a> {
    /// One slice per covariate.
    pub covariates: Vec<&'a [f64]>,
    /// The response.
    pub y: &'a [f64],
    /// Inducing points, one vector per covariate, where the sample is too large for an exact likelihood.
    pub inducing: Option<Vec<Vec<f64>>>,
}

/// A place where marginal likelihoods of one sample are evaluated.
pub(super) struct Exact<'s> {
    sample: &'s Observed<'s>,
    covariance: Mat<f64>,
    inverse: Mat<f64>,
}

impl<'s> Exact<'s> {
    pub(super) fn new(sample: &'s Observed<'s>) -> Self {
        Exact { sample, covariance: Mat::new(), inverse: Mat::new() }
    }

    /// `log p(y)`; minus infinity where the covariance is singular to working precision.
    pub(super) fn value(&mut self, hyper: &Hyper, run: &Run<'_>) -> Result<f64> {
        let factor = self.factor(&GpKernel::new(hyper), hyper.noise(), run)?;
        let Some(factor) = factor else { return Ok(f64::NEG_INFINITY) };
        let value = log_density(&factor, self.sample.y, &factor.solve(self.sample.y));
        self.covariance = factor.into_storage();
        Ok(value)
    }

    /// `log p(y)`, its gradient by the logarithms of the hyper-parameters, and `tr K⁻¹`.
    pub(super) fn with_gradient(&mut self, hyper: &Hyper, gradient: &mut [f64], run: &Run<'_>) -> Result<(f64, f64)> {
        let (kernel, noise, y) = (GpKernel::new(hyper), hyper.noise(), self.sample.y);
        gradient.fill(0.0);
        let Some(factor) = self.factor(&kernel, noise, run)? else { return Ok((f64::NEG_INFINITY, f64::NAN)) };
        let n = y.len();
        let (factor, inverse) = factor.inverse_during(std::mem::replace(&mut self.inverse, Mat::new()), run)?;
        self.inverse = inverse;
        let alpha = factor.solve(y);
        let value = log_density(&factor, y, &alpha);
        self.covariance = factor.into_storage();

        let inverse = &self.inverse;
        let trace: f64 = (0..n).map(|i| inverse[(i, i)]).sum();
        let on_diagonal = 0.5 * (alpha.iter().map(|alpha| alpha * alpha).sum::<f64>() - trace);
        let weigh = |j: usize, weights: &mut [f64]| {
            let (here, column) = (alpha[j], &inverse.col_as_slice(j)[j + 1..]);
            for ((weight, alpha), inverse) in weights.iter_mut().zip(&alpha[j + 1..]).zip(column) {
                *weight = here * alpha - inverse;
            }
        };
        let sums = kernel.contract_symmetric(&self.sample.covariates, on_diagonal, weigh, run)?;
        kernel.add_gradient(&sums, gradient);
        *gradient.last_mut().expect("the noise is there") = noise * on_diagonal;
        Ok((value, trace))
    }

    /// The factor of the covariance with noise.
    pub(super) fn factor(&mut self, kernel: &GpKernel, noise: f64, run: &Run<'_>) -> Result<Option<Cholesky>> {
        let n = self.sample.y.len();
        let mut covariance = std::mem::replace(&mut self.covariance, Mat::new());
        if covariance.nrows() != n {
            covariance = Mat::zeros(n, n);
        }
        kernel.fill_symmetric(&self.sample.covariates, noise, &mut covariance, run)?;
        Cholesky::new_during(covariance, run)
    }
}

fn log_density(factor: &Cholesky, y: &[f64], alpha: &[f64]) -> f64 {
    let quadratic: f64 = y.iter().zip(alpha).map(|(y, alpha)| y * alpha).sum();
    -0.5 * (quadratic + factor.log_determinant() + y.len() as f64 * LN_2_PI)
}
