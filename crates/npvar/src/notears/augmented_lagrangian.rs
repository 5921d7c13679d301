//! The augmented Lagrangian of Zheng et al. (2018): a sequence of problems without the constraint.
//!
//! ```text
//! minimise  f(x) + α h(x) + ρ/2 h(x)²
//! ρ ← 10 ρ  until  h ≤ h_before/4;   α ← α + ρ h;   until  h ≤ tolerance  or  ρ ≥ ρ_max
//! ```

use crate::error::Result;
use crate::numerics::optimise::{Bounds, Ending, Minimiser, minimise};
use crate::run::{Event, Run};

/// `h` must fall to this share, or `ρ` grows.
const PROGRESS: f64 = 0.25;
/// By which factor.
const GROWTH: f64 = 10.0;

/// An objective's parts at a point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ObjectiveParts {
    /// The squared loss, `‖residuals‖²/(2n)`.
    pub loss: f64,
    /// `‖W‖₁` of the first layer.
    pub l1: f64,
    /// `‖·‖²` of the weights; zero where they are not penalised.
    pub l2: f64,
    /// What is minimised subject to acyclicity: the loss and the penalties with their factors.
    pub objective: f64,
    /// The acyclicity function.
    pub h: f64,
}

/// A problem with the constraint `h = 0`.
pub trait Constrained: Sync {
    /// The bounds of the variables.
    fn bounds(&self) -> Bounds;

    /// The parts at a point; writes the gradient of `f + α h + ρ/2 h²`.
    ///
    /// # Errors
    /// Only when the run is cancelled.
    fn evaluate(&self, x: &[f64], rho: f64, alpha: f64, gradient: &mut [f64], run: &Run<'_>) -> Result<ObjectiveParts>;
}

/// Where the minimiser starts again after `ρ` has grown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InnerStart {
    /// At the last point whose `h` fell enough, as the authors' linear code does: what a smaller `ρ` found is forgotten.
    Accepted,
    /// At the last point found, as the authors' code for networks does.
    Latest,
}

/// The options of the sequence.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AugmentedLagrangian {
    /// Ends when `h` is at most this.
    pub h_tolerance: f64,
    /// Ends when `ρ` reaches this.
    pub rho_max: f64,
    /// Updates of `α` at most.
    pub max_iterations: usize,
    /// Where the inner minimiser starts.
    pub inner_start: InnerStart,
    /// The inner minimiser's options.
    pub minimiser: Minimiser,
}

impl AugmentedLagrangian {
    /// The authors' numbers for the linear problem, but an inner minimiser that converges further: with scipy's tolerances
    /// (2.2e-9 and 1e-5) objectives end up to 1e-3 larger, and now and then in a worse local minimum.
    pub fn linear() -> Self {
        AugmentedLagrangian {
            h_tolerance: 1e-8,
            rho_max: 1e16,
            max_iterations: 100,
            inner_start: InnerStart::Accepted,
            minimiser: Minimiser { value_tolerance: 1e-11, gradient_tolerance: 1e-6, ..Minimiser::default() },
        }
    }

    /// The authors' numbers for networks, with an inner minimiser that converges a little further.
    pub fn networks() -> Self {
        AugmentedLagrangian {
            inner_start: InnerStart::Latest,
            minimiser: Minimiser { value_tolerance: 2e-10, gradient_tolerance: 1e-6, ..Minimiser::default() },
            ..AugmentedLagrangian::linear()
        }
    }
}

/// Where the sequence ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Solution {
    /// The point.
    pub x: Vec<f64>,
    /// The objective's parts there.
    pub parts: ObjectiveParts,
    /// The last `ρ`.
    pub rho: f64,
    /// The last `α`.
    pub alpha: f64,
    /// Whether `h` is within its tolerance.
    pub converged: bool,
    /// Evaluations of the objective in all.
    pub evaluations: usize,
    /// Inner problems that ended at their limit of iterations.
    pub unfinished: usize,
}

/// Solves a problem from `start`.
///
/// # Errors
/// Only when the run is cancelled.
pub fn augmented_lagrangian(
    problem: &dyn Constrained,
    start: Vec<f64>,
    options: &AugmentedLagrangian,
    run: &Run<'_>,
) -> Result<Solution> {
    let bounds = problem.bounds();
    let mut gradient = vec![0.0; start.len()];
    let (mut x, mut rho, mut alpha, mut h) = (start, 1.0, 0.0, f64::INFINITY);
    let (mut evaluations, mut unfinished) = (0, 0);
    for iteration in 0..options.max_iterations {
        let (mut reached, accepted) = (h, x.clone());
        while rho < options.rho_max {
            run.report(&Event::Working { phase: "minimising the augmented Lagrangian", done: iteration, total: None })?;
            let mut objective = |x: &[f64], gradient: &mut [f64]| {
                run.check()?;
                let parts = problem.evaluate(x, rho, alpha, gradient, run)?;
                Ok(parts.objective + alpha * parts.h + 0.5 * rho * parts.h * parts.h)
            };
            let start = match options.inner_start {
                InnerStart::Accepted => &accepted,
                InnerStart::Latest => &x,
            };
            let minimum = minimise(&mut objective, start, &bounds, &options.minimiser)?;
            evaluations += minimum.evaluations;
            unfinished += usize::from(minimum.ending == Ending::Iterations);
            x = minimum.x;
            reached = problem.evaluate(&x, rho, alpha, &mut gradient, run)?.h;
            if reached <= PROGRESS * h || reached <= options.h_tolerance {
                break;
            }
            rho *= GROWTH;
        }
        h = reached;
        alpha += rho * h;
        if h <= options.h_tolerance || rho >= options.rho_max {
            break;
        }
    }
    let parts = problem.evaluate(&x, rho, alpha, &mut gradient, run)?;
    let converged = parts.h <= options.h_tolerance;
    Ok(Solution { x, parts, rho, alpha, converged, evaluations, unfinished })
}
