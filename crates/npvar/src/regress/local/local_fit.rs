//! A line (or a constant) fitted around one point, with Gaussian weights: Fan & Gijbels (1996), chapter 2.
//!
//! With weights `w_k ∝ exp(−½ Σ_j (z_kj − x_j)² / h_j²)` that sum to one, `t_k = z_k − x`, weighted means `t̄`, `ȳ` and
//! the weighted covariance `S` of the `t_k`,
//!
//! ```text
//! m̂(x) = Σ_k w_k a_k y_k,   a_k = 1 − t̄' S⁻¹ (t_k − t̄)        (a_k = 1 for a constant)
//! ∂m̂/∂log h_j = Σ_k w_k u_kj² a_k e_k,   u_kj = t_kj / h_j,   e_k the residual of the local line at row k
//! ```
//!
//! An infinite bandwidth leaves a column out of the weights but not out of the line. `S` gets a ridge of 1e-8 of the
//! variance a full window would have: nothing where there are data, and a slope that fades to zero where there are none.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::numerics::linalg::{small, wide};
use crate::regress::unit_scale::Rows;

/// The ridge, as a share of the variance of a full window.
const EMPTY_WINDOW: f64 = 1e-8;
/// The ridge, as a share of the variance in the window at hand: decides between duplicated columns.
const DUPLICATED: f64 = 1e-10;
/// Rows whose weight is below `exp(−this)` of the largest count for nothing.
const NEGLIGIBLE: f64 = 45.0;

/// What is fitted around a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Degree {
    /// A constant: Nadaraya (1964) and Watson (1964).
    Constant,
    /// A line.
    #[default]
    Linear,
}

/// Bandwidths of the columns, which may be infinite.
#[derive(Debug, Clone)]
pub(super) struct Widths {
    inverse: Vec<f64>,
    ridge: Vec<f64>,
}

impl Widths {
    pub(super) fn new(bandwidths: &[f64]) -> Self {
        let inverse: Vec<f64> = bandwidths.iter().map(|h| 1.0 / h).collect();
        let ridge = inverse.iter().map(|inverse| EMPTY_WINDOW / (1.0 + inverse * inverse)).collect();
        Widths { inverse, ridge }
    }
}

/// A fit around one point.
pub(super) struct LocalFit {
    /// Rows with a weight.
    pub(super) rows: Vec<usize>,
    /// Their weights, which sum to one.
    weights: Vec<f64>,
    /// `t_k − t̄`, column by column, and `t̄`.
    offsets: Vec<f64>,
    mean_offset: Vec<f64>,
    /// `1/h`.
    inverse: Vec<f64>,
    /// The inverse of the Cholesky factor of `S`; empty for a constant.
    inverse_factor: Vec<f64>,
    /// `a_k`.
    pull: Vec<f64>,
    /// `e_k`.
    pub(super) residuals: Vec<f64>,
    /// `m̂(x)`.
    pub(super) estimate: f64,
    /// The weight of a row at the point itself.
    largest_weight: f64,
}

impl LocalFit {
    pub(super) fn new(sample: &Rows, y: &[f64], at: &[f64], widths: &Widths, degree: Degree) -> Self {
        let (rows, mut weights) = weighted_rows(sample, at, &widths.inverse);
        let total = wide::sum(&weights);
        weights.iter_mut().for_each(|weight| *weight /= total);
        let width = sample.width();
        let mut offsets = Vec::with_capacity(rows.len() * width);
        let mut mean_offset = Vec::with_capacity(width);
        for (j, x) in at.iter().enumerate() {
            let (column, begin) = (sample.column(j), offsets.len());
            offsets.extend(rows.iter().map(|&row| column[row] - x));
            let own = &mut offsets[begin..];
            let mean = wide::dot(&weights, own);
            own.iter_mut().for_each(|offset| *offset -= mean);
            mean_offset.push(mean);
        }
        let mean: f64 = rows.iter().zip(&weights).map(|(&row, weight)| weight * y[row]).sum();
        let mut fit = LocalFit {
            pull: vec![1.0; rows.len()],
            residuals: rows.iter().map(|&row| y[row] - mean).collect(),
            rows,
            weights,
            offsets,
            mean_offset,
            inverse: widths.inverse.clone(),
            inverse_factor: Vec::new(),
            estimate: mean,
            largest_weight: 1.0 / total,
        };
        if degree == Degree::Linear && width > 0 {
            fit.add_line(&widths.ridge);
        }
        fit
    }

    fn width(&self) -> usize {
        self.mean_offset.len()
    }

    /// `t_kj − t̄_j` of every row.
    fn offset(&self, column: usize) -> &[f64] {
        &self.offsets[column * self.rows.len()..(column + 1) * self.rows.len()]
    }

    /// `Σ_j direction_j (t_kj − t̄_j)` of every row, times `factor`, is added.
    fn add_along(&self, direction: &[f64], factor: f64, values: &mut [f64]) {
        let column = |(j, along): (usize, &f64)| wide::add_multiple(values, factor * along, self.offset(j));
        direction.iter().enumerate().for_each(column);
    }

    fn add_line(&mut self, ridge: &[f64]) {
        let width = self.width();
        let (mut covariance, mut cross) = (vec![0.0; width * width], vec![0.0; width]);
        for i in 0..width {
            let weighted: Vec<f64> = self.offset(i).iter().zip(&self.weights).map(|(t, weight)| t * weight).collect();
            cross[i] = wide::dot(&weighted, &self.residuals);
            for j in 0..=i {
                covariance[i * width + j] = wide::dot(&weighted, self.offset(j));
            }
        }
        for j in 0..width {
            covariance[j * width + j] = covariance[j * width + j] * (1.0 + DUPLICATED) + ridge[j];
        }
        let smallest = small::cholesky(&mut covariance, width, ridge);
        debug_assert!(smallest > 0.0, "a covariance matrix with a ridge is positive definite");
        self.inverse_factor = small::invert_lower(&covariance, width);
        let slope = self.solve(&cross);
        let toward: Vec<f64> = self.mean_offset.iter().map(|mean| -mean).collect();
        let direction = self.solve(&toward);
        let (mut pull, mut residuals) = (std::mem::take(&mut self.pull), std::mem::take(&mut self.residuals));
        self.add_along(&direction, 1.0, &mut pull);
        self.add_along(&slope, -1.0, &mut residuals);
        (self.pull, self.residuals) = (pull, residuals);
        self.estimate += small::dot(&slope, &toward);
    }

    /// `S⁻¹ x`.
    fn solve(&self, x: &[f64]) -> Vec<f64> {
        let width = self.width();
        let half: Vec<f64> =
            (0..width).map(|i| small::dot(&self.inverse_factor[i * width..=i * width + i], &x[..=i])).collect();
        (0..width).map(|j| (j..width).map(|i| self.inverse_factor[i * width + j] * half[i]).sum()).collect()
    }

    /// The weight of a row's own response in the estimate there; only where the point is a row of the sample.
    pub(super) fn own_influence(&self) -> f64 {
        let toward: Vec<f64> = self.mean_offset.iter().map(|mean| -mean).collect();
        let tilt = if self.inverse_factor.is_empty() { 0.0 } else { small::dot(&toward, &self.solve(&toward)) };
        self.largest_weight * (1.0 + tilt)
    }

    /// The derivatives of the estimate and of the own influence by the logarithm of each bandwidth.
    pub(super) fn bandwidth_derivatives(&self) -> (Vec<f64>, Vec<f64>) {
        let pulled: Vec<f64> = self.weights.iter().zip(&self.pull).map(|(weight, pull)| weight * pull).collect();
        let first: Vec<f64> = pulled.iter().zip(&self.residuals).map(|(pulled, residual)| pulled * residual).collect();
        let second: Vec<f64> = pulled.iter().zip(&self.pull).map(|(pulled, pull)| pulled * pull).collect();
        let of_column = |j: usize| {
            let squared = self.squared_distances(j);
            (wide::dot(&squared, &first), -self.largest_weight * wide::dot(&squared, &second))
        };
        (0..self.width()).map(of_column).unzip()
    }

    /// `u_kj²` of every row.
    fn squared_distances(&self, column: usize) -> Vec<f64> {
        let (mean, inverse) = (self.mean_offset[column], self.inverse[column]);
        self.offset(column).iter().map(|offset| ((offset + mean) * inverse).powi(2)).collect()
    }

    /// The terms of `∂m̂/∂log h_j = Σ_k w_k u_kj² a_k e_k`.
    pub(super) fn derivative_terms(&self, column: usize) -> Vec<f64> {
        let mut terms = self.squared_distances(column);
        (0..terms.len()).for_each(|k| terms[k] *= self.weights[k] * self.pull[k] * self.residuals[k]);
        terms
    }

    /// The same derivative as a weighted sum of responses: the weight of each of [`Self::rows`].
    pub(super) fn derivative_influence(&self, column: usize) -> Vec<f64> {
        let mut influence = self.squared_distances(column);
        (0..influence.len()).for_each(|k| influence[k] *= self.weights[k] * self.pull[k]);
        let mut back = vec![wide::sum(&influence); influence.len()];
        if !self.inverse_factor.is_empty() {
            let moment: Vec<f64> = (0..self.width()).map(|j| wide::dot(&influence, self.offset(j))).collect();
            self.add_along(&self.solve(&moment), 1.0, &mut back);
        }
        (0..influence.len()).for_each(|k| influence[k] -= self.weights[k] * back[k]);
        influence
    }

    /// The local slope along a column as a weighted sum of responses: the weight of each of [`Self::rows`].
    pub(super) fn slope_influence(&self, column: usize) -> Vec<f64> {
        let mut unit = vec![0.0; self.width()];
        unit[column] = 1.0;
        let direction = self.solve(&unit);
        let mut influence = vec![0.0; self.rows.len()];
        self.add_along(&direction, 1.0, &mut influence);
        influence.iter_mut().zip(&self.weights).for_each(|(influence, weight)| *influence *= weight);
        influence
    }

    /// The terms of the residuals' weighted covariance with another variable, and with what of its square is not linear in
    /// it: both sums are zero on average where the residuals do not depend on it around the point.
    pub(super) fn terms_along(&self, other: impl Fn(usize) -> f64) -> [Vec<f64>; 2] {
        let values: Vec<f64> = self.rows.iter().map(|&row| other(row)).collect();
        let mean = |of: &[f64]| small::dot(&self.weights, of);
        let centred = |of: Vec<f64>| {
            let mean = mean(&of);
            of.into_iter().map(|value| value - mean).collect::<Vec<f64>>()
        };
        let line = centred(values);
        let square = centred(line.iter().map(|value| value * value).collect());
        let product = |a: &[f64], b: &[f64]| (0..a.len()).map(|k| self.weights[k] * a[k] * b[k]).sum::<f64>();
        let slope = product(&square, &line) / product(&line, &line).max(f64::MIN_POSITIVE);
        let bend: Vec<f64> = square.iter().zip(&line).map(|(square, line)| square - slope * line).collect();
        let terms = |of: Vec<f64>| (0..of.len()).map(|k| self.weights[k] * of[k] * self.residuals[k]).collect();
        [terms(line), terms(bend)]
    }

    /// How many rows of equal weight would count as much.
    pub(super) fn effective_rows(&self) -> f64 {
        1.0 / self.weights.iter().map(|weight| weight * weight).sum::<f64>()
    }
}

/// Rows with a weight that counts, and the weights relative to the largest.
fn weighted_rows(sample: &Rows, at: &[f64], inverse: &[f64]) -> (Vec<usize>, Vec<f64>) {
    let mut distances = vec![0.0; sample.len()];
    for (j, (x, inverse)) in at.iter().zip(inverse).enumerate().filter(|(_, (_, inverse))| **inverse != 0.0) {
        wide::wide(
            #[inline(always)]
            || {
                let column = distances.iter_mut().zip(sample.column(j));
                column.for_each(|(distance, z)| *distance += 0.5 * ((z - x) * inverse).powi(2));
            },
        );
    }
    let nearest = distances.iter().copied().fold(f64::INFINITY, f64::min);
    let rows: Vec<usize> = (0..sample.len()).filter(|&i| distances[i] - nearest < NEGLIGIBLE).collect();
    let mut weights: Vec<f64> = rows.iter().map(|&i| distances[i] - nearest).collect();
    wide::exponentials(&mut weights, -1.0);
    (rows, weights)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::regress::unit_scale::UnitScale;

    /// Rounding over a step of 1e-5 in a central difference.
    const DIFFERENCE: f64 = 1e-7;

    fn sample() -> (Rows, Vec<f64>) {
        let z = faer::Mat::from_fn(40, 2, |i, j| ((i * (3 + 4 * j)) as f64 * 0.7).sin() + 0.1 * (i % 5) as f64);
        let y = (0..40).map(|i| z[(i, 0)].powi(2) + 0.5 * z[(i, 1)] + 0.1 * (i as f64 * 2.3).cos()).collect();
        (UnitScale::of(z.as_ref()).rows(z.as_ref()), y)
    }

    #[test]
    fn derivatives_agree_with_differences() {
        let (rows, y) = sample();
        for degree in [Degree::Constant, Degree::Linear] {
            let at = |log: [f64; 2]| {
                LocalFit::new(&rows, &y, rows.row(7), &Widths::new(&[log[0].exp(), log[1].exp()]), degree)
            };
            let fit = at([-0.2, 0.3]);
            let (estimate, influence) = fit.bandwidth_derivatives();
            for j in 0..2 {
                let mut step = [0.0; 2];
                step[j] = 1e-5;
                let (up, down) = (at([-0.2 + step[0], 0.3 + step[1]]), at([-0.2 - step[0], 0.3 - step[1]]));
                assert!(((up.estimate - down.estimate) / 2e-5 - estimate[j]).abs() < DIFFERENCE);
                assert!(((up.own_influence() - down.own_influence()) / 2e-5 - influence[j]).abs() < DIFFERENCE);
                let as_sum: f64 = fit.derivative_influence(j).iter().zip(&fit.rows).map(|(w, &row)| w * y[row]).sum();
                assert!((as_sum - estimate[j]).abs() < 1e-8);
                assert!((fit.derivative_terms(j).iter().sum::<f64>() - estimate[j]).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn infinite_bandwidths_give_the_regression_line() {
        let (rows, y) = sample();
        let line: Vec<f64> = (0..40).map(|i| 2.0 - 3.0 * rows.row(i)[0] + rows.row(i)[1]).collect();
        let widths = Widths::new(&[f64::INFINITY; 2]);
        let far = LocalFit::new(&rows, &line, &[50.0, -20.0], &widths, Degree::Linear);
        assert!((far.estimate - (2.0 - 150.0 - 20.0)).abs() < 1e-4);
        let slope: f64 = far.slope_influence(0).iter().zip(&far.rows).map(|(w, &row)| w * line[row]).sum();
        assert!((slope + 3.0).abs() < 1e-6);
        let constant = LocalFit::new(&rows, &y, &[50.0, -20.0], &widths, Degree::Constant);
        assert!((constant.estimate - y.iter().sum::<f64>() / 40.0).abs() < 1e-12);
    }
}
