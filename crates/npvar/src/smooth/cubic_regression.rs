//! Cubic regression splines, mgcv's `s(x, bs = "cr")`: natural cubic splines with knots at quantiles of the distinct
//! values, whose coefficients are the values at the knots.
//!
//! Wood (2017), section 5.3.1: with `h` the distances of the knots, `D` the second divided differences and `B` the
//! tridiagonal matrix that gives the second derivatives `δ = B⁻¹Dβ` at the inner knots, the penalty
//! `∫ f''(x)² dx = β'D'B⁻¹Dβ`. Beyond the knots a natural spline is a straight line.

use crate::numerics::linalg::small;

/// Natural cubic splines with given knots.
#[derive(Debug, Clone, PartialEq)]
pub struct CubicRegression {
    knots: Vec<f64>,
    /// `F`, `k` by `k`, row-major: second derivatives at the knots from the values there; the outer rows are zero.
    curvature: Vec<f64>,
    /// `D'B⁻¹D`, row-major.
    roughness: Vec<f64>,
}

impl CubicRegression {
    /// `dimension` knots at equally spaced quantiles (R's type 7) of the distinct values; needs at least three of them.
    pub fn new(distinct: &[f64], dimension: usize) -> Self {
        debug_assert!(dimension >= 3 && distinct.len() >= dimension);
        let last = (distinct.len() - 1) as f64;
        let knots = (0..dimension)
            .map(|i| {
                let position = last * i as f64 / (dimension - 1) as f64;
                let below = (position.floor() as usize).min(distinct.len() - 2);
                distinct[below] + (position - below as f64) * (distinct[below + 1] - distinct[below])
            })
            .collect();
        CubicRegression::with_knots(knots)
    }

    fn with_knots(knots: Vec<f64>) -> Self {
        let k = knots.len();
        let inner = k - 2;
        let h: Vec<f64> = knots.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let mut differences = vec![0.0; inner * k];
        let mut tridiagonal = vec![0.0; inner * inner];
        for i in 0..inner {
            differences[i * k + i] = 1.0 / h[i];
            differences[i * k + i + 1] = -1.0 / h[i] - 1.0 / h[i + 1];
            differences[i * k + i + 2] = 1.0 / h[i + 1];
            tridiagonal[i * inner + i] = (h[i] + h[i + 1]) / 3.0;
            if i + 1 < inner {
                tridiagonal[i * inner + i + 1] = h[i + 1] / 6.0;
                tridiagonal[(i + 1) * inner + i] = h[i + 1] / 6.0;
            }
        }
        let scale: Vec<f64> = (0..inner).map(|i| tridiagonal[i * inner + i]).collect();
        small::cholesky(&mut tridiagonal, inner, &scale);
        let factor = small::invert_lower(&tridiagonal, inner);
        // half = L⁻¹D, so that B⁻¹D = L⁻ᵀ half and D'B⁻¹D = half'half.
        let mut half = vec![0.0; inner * k];
        for i in 0..inner {
            for j in 0..k {
                half[i * k + j] = (0..=i).map(|l| factor[i * inner + l] * differences[l * k + j]).sum();
            }
        }
        let mut curvature = vec![0.0; k * k];
        for i in 0..inner {
            for j in 0..k {
                curvature[(i + 1) * k + j] = (i..inner).map(|l| factor[l * inner + i] * half[l * k + j]).sum();
            }
        }
        let mut roughness = vec![0.0; k * k];
        for i in 0..k {
            for j in 0..k {
                roughness[i * k + j] = (0..inner).map(|l| half[l * k + i] * half[l * k + j]).sum();
            }
        }
        CubicRegression { knots, curvature, roughness }
    }

    /// The knots.
    pub fn knots(&self) -> &[f64] {
        &self.knots
    }

    /// The penalty before scaling, row-major.
    pub(super) fn roughness(&self) -> &[f64] {
        &self.roughness
    }

    /// The values of all functions at `x`; beyond the knots they go on as straight lines.
    pub fn row(&self, x: f64) -> Vec<f64> {
        let k = self.knots.len();
        let at = self.knots.partition_point(|&knot| knot <= x).clamp(1, k - 1) - 1;
        let (low, high) = (self.knots[at], self.knots[at + 1]);
        let (h, inside) = (high - low, x.clamp(low, high));
        let (left, right) = (high - inside, inside - low);
        let mut row = vec![0.0; k];
        let mut add = |value: [f64; 2], curvature: [f64; 2]| {
            row[at] += value[0];
            row[at + 1] += value[1];
            for (j, entry) in row.iter_mut().enumerate() {
                *entry += curvature[0] * self.curvature[at * k + j] + curvature[1] * self.curvature[(at + 1) * k + j];
            }
        };
        add(
            [left / h, right / h],
            [(left * left * left / h - h * left) / 6.0, (right * right * right / h - h * right) / 6.0],
        );
        if x != inside {
            let slope = [(h - 3.0 * left * left / h) / 6.0, (3.0 * right * right / h - h) / 6.0];
            let step = x - inside;
            add([-step / h, step / h], [step * slope[0], step * slope[1]]);
        }
        row
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coefficients_are_the_values_at_the_knots() {
        let spline = CubicRegression::with_knots(vec![0.0, 1.0, 3.0, 3.5, 7.0]);
        for (i, &knot) in spline.knots().iter().enumerate() {
            for (j, value) in spline.row(knot).into_iter().enumerate() {
                assert!((value - f64::from(u8::from(i == j))).abs() < 1e-14);
            }
        }
    }

    #[test]
    fn lines_are_reproduced_everywhere_and_not_penalised() {
        let spline = CubicRegression::with_knots(vec![0.0, 1.0, 3.0, 3.5, 7.0]);
        let line: Vec<f64> = spline.knots().iter().map(|x| 2.0 - 3.0 * x).collect();
        for x in [-4.0, 0.0, 0.3, 2.9, 7.0, 11.0] {
            assert!((small::dot(&spline.row(x), &line) - (2.0 - 3.0 * x)).abs() < 1e-12, "at {x}");
        }
        assert!(small::quadratic(&line, spline.roughness(), &line).abs() < 1e-12);
    }

    #[test]
    fn the_penalty_is_the_integral_of_the_squared_second_derivative() {
        let spline = CubicRegression::with_knots(vec![0.0, 1.0, 3.0, 3.5, 7.0]);
        let beta = [0.3, -1.0, 2.0, 0.5, 1.0];
        let f = |x: f64| small::dot(&spline.row(x), &beta);
        let (steps, h) = (70_000, 1e-4);
        let integral: f64 = (0..steps)
            .map(|i| {
                let x = (i as f64 + 0.5) * h;
                // A wide difference: the function is a cubic piece by piece, and rounding matters more than curvature.
                let width: f64 = 1e-3;
                let width = width.min(x).min(7.0 - x);
                ((f(x - width) - 2.0 * f(x) + f(x + width)) / (width * width)).powi(2) * h
            })
            .sum();
        let exact = small::quadratic(&beta, spline.roughness(), &beta);
        assert!((integral / exact - 1.0).abs() < 1e-3, "{integral} {exact}");
    }
}
