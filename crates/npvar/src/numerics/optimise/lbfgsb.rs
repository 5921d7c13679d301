//! The iterations of L-BFGS-B.

use std::cell::Cell;

use super::bounds::Bounds;
use super::cauchy::cauchy_point;
use super::line_search::{Trial, search};
use super::quadratic_model::QuadraticModel;
use super::subspace::minimise_free;
use crate::error::Result;
use crate::numerics::linalg::wide::{dot, wide};

/// A function of a point that writes its gradient and returns its value.
pub(crate) type Objective<'a> = dyn FnMut(&[f64], &mut [f64]) -> Result<f64> + 'a;

/// When to stop, and how much to remember.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Minimiser {
    /// Pairs of steps and gradient changes kept.
    pub memory: usize,
    /// Stops when an iteration lowers the value by at most this share of the larger of it and 1. (scipy's `ftol` is 2.2e-9.)
    pub value_tolerance: f64,
    /// Stops when no entry of the projected gradient is larger. (scipy's `gtol` is 1e-5.)
    pub gradient_tolerance: f64,
    /// Iterations at most.
    pub max_iterations: usize,
}

impl Default for Minimiser {
    /// Tight: the value to about 12 digits.
    fn default() -> Self {
        Minimiser { memory: 10, value_tolerance: 1e-13, gradient_tolerance: 1e-8, max_iterations: 15_000 }
    }
}

/// Why the iterations ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// The projected gradient is small.
    Gradient,
    /// The value does not fall any more.
    Value,
    /// The number of iterations.
    Iterations,
    /// No step lowers the value: rounding is all that is left, or the gradient is wrong.
    LineSearch,
}

/// Where the iterations ended.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Minimum {
    /// The point.
    pub(crate) x: Vec<f64>,
    /// The value there.
    pub(crate) value: f64,
    /// The largest entry of the projected gradient there.
    pub(crate) projected_gradient: f64,
    /// Iterations made.
    pub(crate) iterations: usize,
    /// Evaluations of the objective.
    pub(crate) evaluations: usize,
    /// Why they ended.
    pub(crate) ending: Ending,
}

/// Minimises `objective` from `start`, projected onto the bounds. A value
/// that is not finite counts as too far.
///
/// # Errors
/// What evaluating the objective came upon.
pub(crate) fn minimise(
    objective: &mut Objective<'_>,
    start: &[f64],
    bounds: &Bounds,
    options: &Minimiser,
) -> Result<Minimum> {
    let size = start.len();
    let mut x: Vec<f64> = start.iter().enumerate().map(|(i, &x)| bounds.project(i, x)).collect();
    let mut gradient = vec![0.0; size];
    let mut value = objective(&x, &mut gradient)?;
    let (mut iterations, mut evaluations) = (0, 1);
    let mut model = QuadraticModel::new(options.memory.max(1), size);
    let (mut next, mut next_gradient) = (x.clone(), gradient.clone());
    let ending = loop {
        if bounds.projected_gradient(&x, &gradient) <= options.gradient_tolerance {
            break Ending::Gradient;
        }
        if iterations == options.max_iterations {
            break Ending::Iterations;
        }
        let cauchy = cauchy_point(&x, &gradient, bounds, &model);
        let target = minimise_free(&x, &gradient, bounds, &model, cauchy);
        let direction = difference(&target, &x);
        let slope = dot(&direction, &gradient);
        let found = if slope < 0.0 {
            let (first, longest) = steps(&x, &direction, bounds, model.is_identity());
            let evaluated = Cell::new(f64::NAN);
            let mut at = |step: f64| {
                evaluated.set(step);
                // The whole step lands on the target to the bit, bounds included.
                match step {
                    1.0 => next.copy_from_slice(&target),
                    _ => bounds.project_along(&x, step, &direction, &mut next),
                }
                evaluations += 1;
                let value = objective(&next, &mut next_gradient)?;
                Ok(Trial { step, value, slope: dot(&direction, &next_gradient) })
            };
            let found = search(Trial { step: 0.0, value, slope }, first, longest, &mut at)?;
            match found {
                // The search may end at a point it did not evaluate last.
                Some(trial) if trial.step != evaluated.get() => Some(at(trial.step)?),
                found => found,
            }
        } else {
            None
        };
        let Some(found) = found else {
            if model.is_identity() {
                break Ending::LineSearch;
            }
            model.reset();
            continue;
        };
        iterations += 1;
        model.update(&difference(&next, &x), &difference(&next_gradient, &gradient));
        std::mem::swap(&mut x, &mut next);
        std::mem::swap(&mut gradient, &mut next_gradient);
        let fall = value - found.value;
        let scale = value.abs().max(found.value.abs()).max(1.0);
        value = found.value;
        if fall <= options.value_tolerance * scale {
            break Ending::Value;
        }
    };
    let projected_gradient = bounds.projected_gradient(&x, &gradient);
    Ok(Minimum { x, value, projected_gradient, iterations, evaluations, ending })
}

/// `a − b`.
fn difference(a: &[f64], b: &[f64]) -> Vec<f64> {
    wide(
        #[inline(always)]
        || a.iter().zip(b).map(|(a, b)| a - b).collect(),
    )
}

/// The first step to try and the longest within the bounds.
fn steps(x: &[f64], direction: &[f64], bounds: &Bounds, unscaled: bool) -> (f64, f64) {
    let mut longest = 1e10_f64;
    for (i, (&x, &d)) in x.iter().zip(direction).enumerate() {
        if d != 0.0 {
            let limit = if d > 0.0 { bounds.upper(i) } else { bounds.lower(i) };
            longest = longest.min((limit - x) / d);
        }
    }
    // The target is within the bounds; rounding must not say otherwise.
    let longest = longest.max(1.0);
    let first = if unscaled { (1.0 / dot(direction, direction).sqrt()).min(1.0) } else { 1.0 };
    (first, longest)
}

#[cfg(test)]
mod tests;
