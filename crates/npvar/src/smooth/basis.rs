//! The basis of one column: cubic P-splines for continuous columns, indicators for columns with few values, or a line.
//!
//! The P-spline is mgcv's `s(x, bs = "ps")` (Eilers & Marx 1996): `k` cubic B-splines on equally spaced knots over the
//! range of the column extended by 0.1 % at each end, and a penalty on second differences of the coefficients. All kinds
//! of basis are local: a value lies in one cell, and only the (at most four) functions of that cell are not zero there.
//! All reproduce the column itself, see [`Basis::identity_coefficients`].

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How many functions of a basis can be nonzero at one value.
pub(super) const WIDTH: usize = 4;

/// How far mgcv extends the range of the data at each end, as a share of the range.
const RANGE_EXTENSION: f64 = 0.001;

/// Whether the penalty of a smooth function reaches its straight part, which second differences do not see.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NullSpace {
    /// Straight functions are free, as in the paper's implementation.
    #[default]
    Free,
    /// Straight functions are penalised too, a tenth as much as the least rough of the others, so that with an estimated
    /// smoothing parameter a whole term can go to zero (Marra & Wood 2011; mgcv's bases `cs` and `ts`).
    Shrunk,
}

/// Cubic B-splines on equally spaced knots.
#[derive(Debug, Clone, PartialEq)]
pub struct PSpline {
    low: f64,
    /// The distance between knots.
    spacing: f64,
    dimension: usize,
    null_space: NullSpace,
}

impl PSpline {
    /// `dimension` B-splines for data between `min` and `max`; `dimension` is at least 4 and `min < max`.
    pub fn over(min: f64, max: f64, dimension: usize) -> Self {
        let extension = RANGE_EXTENSION * (max - min);
        PSpline::between(min - extension, max + extension, dimension)
    }

    /// `dimension` B-splines with the outermost inner knots at `low` and `high`; `dimension` is at least 4 and `low < high`.
    pub fn between(low: f64, high: f64, dimension: usize) -> Self {
        debug_assert!(dimension >= WIDTH && low < high);
        PSpline {
            low,
            spacing: (high - low) / (dimension - (WIDTH - 1)) as f64,
            dimension,
            null_space: NullSpace::Free,
        }
    }

    /// The same with its straight part penalised or not.
    pub fn with_null_space(self, null_space: NullSpace) -> Self {
        PSpline { null_space, ..self }
    }

    /// Whether its straight part is penalised.
    pub fn null_space(&self) -> NullSpace {
        self.null_space
    }

    /// How many B-splines there are.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// All knots, the three beyond each end included.
    pub fn knots(&self) -> Vec<f64> {
        (0..self.dimension + WIDTH).map(|i| self.low + self.spacing * (i as f64 - 3.0)).collect()
    }

    fn cells(&self) -> usize {
        self.dimension - (WIDTH - 1)
    }

    /// Cell and function values at `x`; beyond the knot range the functions go on as straight lines.
    #[inline]
    pub(super) fn evaluate(&self, x: f64) -> (usize, [f64; WIDTH]) {
        let position = (x - self.low) / self.spacing;
        let cell = (position.max(0.0) as usize).min(self.cells() - 1);
        let u = position - cell as f64;
        if !(0.0..=1.0).contains(&u) {
            let end = if u < 0.0 { 0.0 } else { 1.0 };
            let (value, slope) = (cubic(end), cubic_slope(end));
            return (cell, std::array::from_fn(|a| value[a] + (u - end) * slope[a]));
        }
        (cell, cubic(u))
    }
}

/// The four cubic B-splines of a cell at the local coordinate `u` in [0, 1].
#[inline]
fn cubic(u: f64) -> [f64; WIDTH] {
    let v = 1.0 - u;
    let (u2, v2) = (u * u, v * v);
    const SIXTH: f64 = 1.0 / 6.0;
    const MIDDLE: f64 = 2.0 / 3.0;
    [v2 * v * SIXTH, MIDDLE - u2 + 0.5 * u2 * u, MIDDLE - v2 + 0.5 * v2 * v, u2 * u * SIXTH]
}

/// Their derivatives with respect to `u`.
fn cubic_slope(u: f64) -> [f64; WIDTH] {
    let v = 1.0 - u;
    [-v * v / 2.0, -2.0 * u + 1.5 * u * u, 2.0 * v - 1.5 * v * v, u * u / 2.0]
}

/// The basis of one column.
#[derive(Debug, Clone, PartialEq)]
pub enum Basis {
    /// Penalised cubic B-splines.
    PSpline(PSpline),
    /// The column itself, not penalised: two hat functions over the range, one coefficient after the constraint.
    Line {
        /// The smallest value.
        min: f64,
        /// The largest value.
        max: f64,
    },
    /// One indicator per level, not penalised: E[Y | X] exactly. Levels are sorted and distinct.
    Saturated(Vec<f64>),
    /// The column has one value and carries no information; the basis is empty.
    Constant,
}

impl Basis {
    /// How many functions the basis has before its constraint.
    pub fn functions(&self) -> usize {
        match self {
            Basis::PSpline(spline) => spline.dimension,
            Basis::Line { .. } => 2,
            Basis::Saturated(levels) => levels.len(),
            Basis::Constant => 0,
        }
    }

    /// How many cells the values fall into.
    pub(super) fn cells(&self) -> usize {
        match self {
            Basis::PSpline(spline) => spline.cells(),
            Basis::Line { .. } => 1,
            Basis::Saturated(levels) => levels.len(),
            Basis::Constant => 0,
        }
    }

    /// How many functions are nonzero in a cell; cell `c` holds functions `c .. c + width`.
    pub(super) fn width(&self) -> usize {
        match self {
            Basis::PSpline(_) => WIDTH,
            Basis::Line { .. } => 2,
            Basis::Saturated(_) => 1,
            Basis::Constant => 0,
        }
    }

    /// The cell of `x` and the values of that cell's functions, padded with zeros.
    ///
    /// A value that is none of a saturated basis' levels falls to the nearest level.
    #[inline]
    pub(crate) fn evaluate(&self, x: f64) -> (usize, [f64; WIDTH]) {
        match self {
            Basis::PSpline(spline) => spline.evaluate(x),
            Basis::Line { min, max } => {
                let u = (x - min) / (max - min);
                (0, [1.0 - u, u, 0.0, 0.0])
            }
            Basis::Saturated(levels) => {
                let above = levels.partition_point(|&level| level < x).min(levels.len() - 1);
                let nearest = if above > 0 && x - levels[above - 1] < levels[above] - x { above - 1 } else { above };
                (nearest, [1.0, 0.0, 0.0, 0.0])
            }
            Basis::Constant => (0, [0.0; WIDTH]),
        }
    }

    /// The values of all functions at `x`.
    pub fn row(&self, x: f64) -> Vec<f64> {
        let mut row = vec![0.0; self.functions()];
        let (cell, weights) = self.evaluate(x);
        row[cell..cell + self.width()].copy_from_slice(&weights[..self.width()]);
        row
    }

    /// Coefficients `ξ` with `Σ ξ_i B_i(x) = x - centre` for every `x` in the range (Greville abscissae for splines).
    ///
    /// They make `B_i'x_j = G_ij ξ_j`: the cross products with the data are part of the Gram matrix.
    pub(crate) fn identity_coefficients(&self) -> Vec<f64> {
        match self {
            Basis::PSpline(spline) => {
                let middle = (spline.cells() as f64) / 2.0 + 1.0;
                (0..spline.dimension).map(|i| spline.spacing * (i as f64 - middle)).collect()
            }
            Basis::Line { min, max } => vec![-0.5 * (max - min), 0.5 * (max - min)],
            Basis::Saturated(levels) => {
                let middle = 0.5 * (levels[0] + levels[levels.len() - 1]);
                levels.iter().map(|level| level - middle).collect()
            }
            Basis::Constant => Vec::new(),
        }
    }

    /// The penalty matrix `S`, row by row, scaled as mgcv scales it: `D'D / ‖D'D‖₁` with `D` the second differences
    /// (rows of a B-spline basis sum to one, so `‖X‖∞ = 1` and the scale is 16 for every dimension of five or more).
    pub fn penalty(&self) -> Vec<f64> {
        let k = self.functions();
        let mut penalty = vec![0.0; k * k];
        if let Basis::PSpline(_) = self {
            const DIFFERENCE: [f64; 3] = [1.0, -2.0, 1.0];
            for row in 0..k - 2 {
                for a in 0..3 {
                    for b in 0..3 {
                        penalty[(row + a) * k + row + b] += DIFFERENCE[a] * DIFFERENCE[b];
                    }
                }
            }
            let scale = (0..k).map(|j| (0..k).map(|i| penalty[i * k + j].abs()).sum()).fold(0.0, f64::max);
            penalty.iter_mut().for_each(|entry| *entry /= scale);
        }
        penalty
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROUNDING: f64 = 1e-14;

    fn value(basis: &Basis, coefficients: &[f64], x: f64) -> f64 {
        let (cell, weights) = basis.evaluate(x);
        (0..basis.width()).map(|a| weights[a] * coefficients[cell + a]).sum()
    }

    #[test]
    fn functions_sum_to_one_inside_and_outside_the_range() {
        let basis = Basis::PSpline(PSpline::over(-1.0, 3.0, 10));
        for x in [-2.0, -1.0, -0.3, 0.0, 1.7, 3.0, 4.5] {
            assert!((value(&basis, &[1.0; 10], x) - 1.0).abs() < ROUNDING, "at {x}");
        }
    }

    #[test]
    fn the_identity_coefficients_reproduce_the_column() {
        let spline = Basis::PSpline(PSpline::over(-1.0, 3.0, 7));
        let levels = Basis::Saturated(vec![-1.0, 0.5, 3.0]);
        let line = Basis::Line { min: -1.0, max: 3.0 };
        for (basis, xs) in [
            (&line, vec![-1.0, 0.3, 3.0, 7.0]),
            (&spline, vec![-1.5, -1.0, 0.2, 2.9, 3.0, 5.0]),
            (&levels, vec![-1.0, 0.5, 3.0]),
        ] {
            for x in xs {
                assert!((value(basis, &basis.identity_coefficients(), x) - (x - 1.0)).abs() < ROUNDING, "at {x}");
            }
        }
    }

    #[test]
    fn the_penalty_scale_is_sixteen_for_ten_functions() {
        assert_eq!(Basis::PSpline(PSpline::over(0.0, 1.0, 10)).penalty()[0], 1.0 / 16.0);
    }

    #[test]
    fn functions_continue_smoothly_as_lines_beyond_the_range() {
        let basis = Basis::PSpline(PSpline::over(0.0, 1.0, 10));
        let coefficients: Vec<f64> = (0..10).map(|i| ((i * 7 % 5) as f64).sin()).collect();
        let high = 1.001;
        let (inside, at, outside) = (
            value(&basis, &coefficients, high - 1e-6),
            value(&basis, &coefficients, high),
            value(&basis, &coefficients, high + 1e-6),
        );
        assert!(((outside - at) - (at - inside)).abs() < 1e-9);
        let step = value(&basis, &coefficients, 3.0) - value(&basis, &coefficients, 2.0);
        assert!((step - (value(&basis, &coefficients, 4.0) - value(&basis, &coefficients, 3.0))).abs() < 1e-11);
    }
}
