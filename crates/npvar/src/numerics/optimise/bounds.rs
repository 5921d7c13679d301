//! Bounds on every variable.

use crate::numerics::linalg::wide::wide;

/// Lower and upper bounds; infinite ones do not bind, equal ones hold a variable fixed.
#[derive(Debug, Clone, PartialEq)]
pub struct Bounds {
    lower: Vec<f64>,
    upper: Vec<f64>,
}

impl Bounds {
    /// No bounds on any of `size` variables.
    pub(crate) fn none(size: usize) -> Self {
        Bounds { lower: vec![f64::NEG_INFINITY; size], upper: vec![f64::INFINITY; size] }
    }

    /// Requires a variable to lie within `lower..=upper`.
    ///
    /// # Panics
    /// When the interval is empty.
    pub(crate) fn restrict(&mut self, variable: usize, lower: f64, upper: f64) {
        assert!(lower <= upper, "an interval from {lower} to {upper} is empty");
        self.lower[variable] = lower;
        self.upper[variable] = upper;
    }

    /// A variable's lower bound.
    pub(crate) fn lower(&self, variable: usize) -> f64 {
        self.lower[variable]
    }

    /// A variable's upper bound.
    pub(crate) fn upper(&self, variable: usize) -> f64 {
        self.upper[variable]
    }

    /// The nearest value within the bounds.
    pub(crate) fn project(&self, variable: usize, value: f64) -> f64 {
        value.max(self.lower[variable]).min(self.upper[variable])
    }

    /// The nearest point within the bounds to `x + step · direction`.
    pub(super) fn project_along(&self, x: &[f64], step: f64, direction: &[f64], target: &mut [f64]) {
        let entries = x.iter().zip(direction).zip(self.lower.iter().zip(&self.upper));
        wide(
            #[inline(always)]
            || {
                for (target, ((x, d), (lower, upper))) in target.iter_mut().zip(entries) {
                    *target = (x + step * d).max(*lower).min(*upper);
                }
            },
        );
    }

    /// The largest entry of `P(x − g) − x`: zero exactly where the first-order (KKT) conditions hold.
    pub(crate) fn projected_gradient(&self, x: &[f64], gradient: &[f64]) -> f64 {
        const LANES: usize = 4;
        let entries = x.iter().zip(gradient).zip(self.lower.iter().zip(&self.upper));
        let mut largest = [0.0_f64; LANES];
        wide(
            #[inline(always)]
            || {
                for (i, ((x, g), (lower, upper))) in entries.enumerate() {
                    let entry = ((x - g).max(*lower).min(*upper) - x).abs();
                    let lane = &mut largest[i % LANES];
                    *lane = if entry > *lane { entry } else { *lane };
                }
            },
        );
        largest.into_iter().fold(0.0, f64::max)
    }
}
