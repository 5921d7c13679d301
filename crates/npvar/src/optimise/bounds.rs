//! Bounds on every variable.

/// Lower and upper bounds; infinite ones do not bind, equal ones hold a variable fixed.
#[derive(Debug, Clone, PartialEq)]
pub struct Bounds {
    lower: Vec<f64>,
    upper: Vec<f64>,
}

impl Bounds {
    /// No bounds on any of `size` variables.
    pub fn none(size: usize) -> Self {
        Bounds { lower: vec![f64::NEG_INFINITY; size], upper: vec![f64::INFINITY; size] }
    }

    /// Requires a variable to lie within `lower..=upper`.
    ///
    /// # Panics
    /// When the interval is empty.
    pub fn restrict(&mut self, variable: usize, lower: f64, upper: f64) {
        assert!(lower <= upper, "an interval from {lower} to {upper} is empty");
        self.lower[variable] = lower;
        self.upper[variable] = upper;
    }

    /// The number of variables.
    pub fn size(&self) -> usize {
        self.lower.len()
    }

    /// A variable's lower bound.
    pub fn lower(&self, variable: usize) -> f64 {
        self.lower[variable]
    }

    /// A variable's upper bound.
    pub fn upper(&self, variable: usize) -> f64 {
        self.upper[variable]
    }

    /// The nearest value within the bounds.
    pub fn project(&self, variable: usize, value: f64) -> f64 {
        value.max(self.lower[variable]).min(self.upper[variable])
    }

    /// The largest entry of `P(x − g) − x`: zero exactly where the first-order (KKT) conditions hold.
    pub fn projected_gradient(&self, x: &[f64], gradient: &[f64]) -> f64 {
        let entry = |i: usize| (self.project(i, x[i] - gradient[i]) - x[i]).abs();
        (0..x.len()).map(entry).fold(0.0, f64::max)
    }
}
