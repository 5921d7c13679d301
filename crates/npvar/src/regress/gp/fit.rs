//! Hyper-parameters of largest marginal likelihood.

use super::evidence::{Exact, Observed};
use super::hyper::{Hyper, KernelParts};
use super::sparse::Sparse;
use crate::error::Result;
use crate::numerics::optimise::{Minimiser, minimise};
use crate::run::Run;

/// How far to go.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Effort {
    /// Iterations of the minimiser at most.
    pub iterations: usize,
    /// Stops when an iteration gains fewer nats.
    pub nats: f64,
    /// The rate of an exponential prior on the inverse squared lengths of the joint part, in nats per unit; 0 for none.
    pub length_rate: f64,
}

impl Effort {
    /// Minus the logarithm of the prior, but for a constant.
    fn length_cost(&self, hyper: &Hyper) -> f64 {
        self.length_rate * (0..hyper.covariates()).map(|k| hyper.m(k)).sum::<f64>()
    }

    /// Adds the slopes of the log prior.
    fn add_length_slopes(&self, hyper: &Hyper, gradient: &mut [f64]) {
        let p = hyper.covariates();
        for (k, slope) in gradient[2 * p..3 * p].iter_mut().enumerate() {
            *slope -= self.length_rate * hyper.m(k);
        }
    }
}

/// A fitted Gaussian process: its hyper-parameters and what they say.
#[derive(Debug, Clone, PartialEq)]
pub struct GpFit {
    /// The hyper-parameters.
    pub hyper: Hyper,
    /// The log marginal likelihood of the standardised response.
    pub log_likelihood: f64,
    /// Effective degrees of freedom of the fit, `tr(K_f K⁻¹) = n − s tr K⁻¹`.
    pub edf: f64,
    /// Evaluations it took.
    pub evaluations: usize,
}

/// Climbs to hyper-parameters of (locally) largest marginal likelihood, or of largest posterior density where there is a
/// prior.
///
/// # Errors
/// Cancelling.
pub fn maximise(
    sample: &Observed<'_>,
    start: &Hyper,
    shape: KernelParts,
    effort: Effort,
    run: &Run<'_>,
) -> Result<GpFit> {
    let n = sample.y.len() as f64;
    if sample.covariates.is_empty() {
        return Ok(GpFit {
            hyper: Hyper::noise_alone(),
            log_likelihood: noise_alone(sample.y),
            edf: 0.0,
            evaluations: 0,
        });
    }
    let bounds = Hyper::bounds(start.covariates(), shape);
    let mut likelihood = Likelihood::new(sample);
    // The trace at the best point so far; every point the minimiser accepts is the best so far.
    let mut best = (f64::INFINITY, f64::NAN);
    let mut objective = |logs: &[f64], gradient: &mut [f64]| {
        let hyper = Hyper::from_logs(logs.to_vec());
        let (value, trace) = likelihood.with_gradient(&hyper, gradient, run)?;
        let cost = effort.length_cost(&hyper) - value;
        effort.add_length_slopes(&hyper, gradient);
        gradient.iter_mut().for_each(|g| *g = -*g);
        if cost < best.0 {
            best = (cost, trace);
        }
        Ok(cost)
    };
    let options = Minimiser {
        memory: 8,
        value_tolerance: effort.nats / (1.5 * n),
        gradient_tolerance: 1e-3 * effort.nats,
        max_iterations: effort.iterations,
    };
    let minimum = minimise(&mut objective, start.logs(), &bounds, &options)?;
    let hyper = Hyper::from_logs(minimum.x);
    let edf = n - hyper.noise() * best.1;
    let log_likelihood = effort.length_cost(&hyper) - minimum.value;
    Ok(GpFit { hyper, log_likelihood, edf, evaluations: minimum.evaluations })
}

/// Exact, or through inducing points.
enum Likelihood<'s> {
    Exact(Exact<'s>),
    Sparse(Sparse<'s>),
}

impl<'s> Likelihood<'s> {
    fn new(sample: &'s Observed<'s>) -> Self {
        match &sample.inducing {
            None => Likelihood::Exact(Exact::new(sample)),
            Some(points) => Likelihood::Sparse(Sparse::new(sample, points)),
        }
    }

    fn with_gradient(&mut self, hyper: &Hyper, gradient: &mut [f64], run: &Run<'_>) -> Result<(f64, f64)> {
        match self {
            Likelihood::Exact(exact) => exact.with_gradient(hyper, gradient, run),
            Likelihood::Sparse(sparse) => sparse.with_gradient(hyper, gradient, run),
        }
    }

    fn value(&mut self, hyper: &Hyper, run: &Run<'_>) -> Result<f64> {
        match self {
            Likelihood::Exact(exact) => exact.value(hyper, run),
            Likelihood::Sparse(sparse) => sparse.value(hyper, run),
        }
    }
}

/// The log marginal likelihood at given hyper-parameters.
///
/// # Errors
/// Cancelling.
pub fn log_likelihood(sample: &Observed<'_>, hyper: &Hyper, run: &Run<'_>) -> Result<f64> {
    Likelihood::new(sample).value(hyper, run)
}

/// The log marginal likelihood of independent noise of the best variance.
fn noise_alone(y: &[f64]) -> f64 {
    let n = y.len() as f64;
    let variance = y.iter().map(|y| y * y).sum::<f64>() / n;
    -0.5 * n * (variance.ln() + 1.0 + (2.0 * std::f64::consts::PI).ln())
}
