//! The RBF process as a power series with independent Gaussian coefficients.
//!
//! ```text
//! exp(−|x − x'|²/2) = Σ_α φ_α(x) φ_α(x')      φ_α(x) = Π_i φ_{α_i}(x_i)      φ_a(x) = exp(−x²/2) xᵃ / √a!
//! ```
//!
//! over all multi-indices `α` (expand `exp(x·x')`), so `f(x) = Σ_α Z_α φ_α(x)` with standard normal `Z_α` is a draw from the
//! process, at all `x` at once. The variance that degree `k = |α|` contributes at `x` is the Poisson(`|x|²`) probability of
//! `k`; a point uses the degrees up to where the rest is below 1e-30. No matrix is formed and nothing is ill-conditioned:
//! all terms are at most one in size.

use rand_distr::{Distribution, StandardNormal};
use rayon::prelude::*;

use crate::run::Seed;

/// At most this many coefficients (32 MB).
pub(super) const MOST_TERMS: usize = 1 << 22;

/// ln of the Poisson probability at which a point's series ends.
const LN_NEGLIGIBLE: f64 = -70.0;

/// A draw from the process in `m` coordinates.
pub(super) struct Series {
    /// `Z_α`, by degree, then lexicographically; a longer series begins with the shorter one.
    coefficients: Vec<Vec<f64>>,
    /// `ln a!`.
    ln_factorials: Vec<f64>,
}

impl Series {
    /// A draw long enough for these points, unless that needs too many terms.
    pub(super) fn reaching(coordinates: &[&[f64]], seed: Seed) -> Option<Series> {
        let farthest = squared_norms(coordinates).into_iter().fold(0.0, f64::max);
        let m = coordinates.len();
        let short_enough = |degree: usize| terms_up_to(degree, m).is_some_and(|terms| terms <= MOST_TERMS);
        // The last degree is above |x|²: a look at that spares counting to it in vain.
        if !short_enough(farthest as usize) {
            return None;
        }
        let degree = last_degree(farthest);
        if !short_enough(degree) {
            return None;
        }
        let mut rng = seed.rng();
        let coefficients =
            (0..=degree).map(|k| (0..terms_of(k, m)).map(|_| StandardNormal.sample(&mut rng)).collect()).collect();
        let mut ln_factorials = vec![0.0; degree + 1];
        for a in 1..=degree {
            ln_factorials[a] = ln_factorials[a - 1] + (a as f64).ln();
        }
        Some(Series { coefficients, ln_factorials })
    }

    /// `f` at every point. Rows are independent of each other, so threads do not change the result.
    pub(super) fn at_each(&self, coordinates: &[&[f64]]) -> Vec<f64> {
        let norms = squared_norms(coordinates);
        (0..norms.len())
            .into_par_iter()
            .map(|row| {
                let degree = last_degree(norms[row]);
                let tables: Vec<Vec<f64>> =
                    coordinates.iter().map(|coordinate| self.basis(coordinate[row], degree)).collect();
                (0..=degree).map(|k| homogeneous(&tables, k, &mut self.coefficients[k].as_slice())).sum()
            })
            .collect()
    }

    /// `φ_0(x), …, φ_degree(x)`, by the recursion `φ_a = φ_{a−1} x/√a` up and down from the largest one at `a ≈ x²`.
    fn basis(&self, x: f64, degree: usize) -> Vec<f64> {
        let mut basis = vec![0.0; degree + 1];
        let peak = ((x * x) as usize).min(degree);
        let power = if peak == 0 { 0.0 } else { peak as f64 * x.abs().ln() };
        let sign = if x < 0.0 && peak % 2 == 1 { -1.0 } else { 1.0 };
        basis[peak] = sign * (-0.5 * x * x + power - 0.5 * self.ln_factorials[peak]).exp();
        for a in peak + 1..=degree {
            basis[a] = basis[a - 1] * x / (a as f64).sqrt();
        }
        for a in (0..peak).rev() {
            basis[a] = basis[a + 1] * ((a + 1) as f64).sqrt() / x;
        }
        basis
    }
}

/// The part of degree `k`; takes its coefficients from the front of `coefficients`.
fn homogeneous(tables: &[Vec<f64>], k: usize, coefficients: &mut &[f64]) -> f64 {
    match tables {
        [] => 0.0,
        [only] => take(coefficients, 1)[0] * only[k],
        [first, last] => take(coefficients, k + 1)
            .iter()
            .zip(&first[..=k])
            .zip(last[..=k].iter().rev())
            .map(|((coefficient, a), b)| coefficient * a * b)
            .sum(),
        [first, rest @ ..] => (0..=k).map(|a| first[a] * homogeneous(rest, k - a, coefficients)).sum(),
    }
}

fn take<'a>(coefficients: &mut &'a [f64], count: usize) -> &'a [f64] {
    let (front, rest) = coefficients.split_at(count);
    *coefficients = rest;
    front
}

/// The first degree above `|x|²` whose Poisson(`|x|²`) probability is negligible.
fn last_degree(squared_norm: f64) -> usize {
    let (mut k, mut ln_probability) = (0_usize, -squared_norm);
    while k as f64 <= squared_norm || ln_probability > LN_NEGLIGIBLE {
        k += 1;
        ln_probability += (squared_norm / k as f64).ln();
    }
    k
}

/// Multi-indices of degree `k` in `m` coordinates: `C(k + m − 1, m − 1)`.
fn terms_of(k: usize, m: usize) -> usize {
    (1..m).fold(1, |terms, i| terms * (k + i) / i)
}

/// Multi-indices of degree at most `k`: `C(k + m, m)`, if that is a number one can count to.
fn terms_up_to(k: usize, m: usize) -> Option<usize> {
    (1..=m).try_fold(1_usize, |terms, i| terms.checked_mul(k.checked_add(i)?).map(|product| product / i))
}

/// `|x|²` of every point.
fn squared_norms(coordinates: &[&[f64]]) -> Vec<f64> {
    let n = coordinates.first().map_or(0, |coordinate| coordinate.len());
    (0..n).map(|row| coordinates.iter().map(|coordinate| coordinate[row] * coordinate[row]).sum()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rounding of about a hundred terms, and of exponents of size up to about a thousand.
    const KERNEL: f64 = 1e-12;

    #[test]
    fn the_basis_multiplies_out_to_the_kernel() {
        let series = Series::reaching(&[&[45.0]], Seed(1)).expect("short enough");
        for (x, y) in [(0.0, 0.0), (0.0, 1.5), (-0.7, 0.4), (3.0, -2.0), (6.1, 5.9), (-12.0, -11.0), (44.0, 44.5)] {
            let degree = last_degree(f64::max(x * x, y * y));
            let (a, b) = (series.basis(x, degree), series.basis(y, degree));
            let kernel: f64 = a.iter().zip(&b).map(|(a, b)| a * b).sum();
            assert!((kernel - (-0.5_f64 * (x - y) * (x - y)).exp()).abs() < KERNEL, "{x} {y}: {kernel}");
        }
    }

    #[test]
    fn every_multi_index_has_its_own_coefficient() {
        // With all coefficients zero but one, f is that basis function: sum the squares over all of them at one point.
        for m in 1..=3 {
            let point = [0.8, -1.1, 0.3];
            let coordinates: Vec<&[f64]> = point[..m].iter().map(std::slice::from_ref).collect();
            let mut series = Series::reaching(&coordinates, Seed(1)).expect("short enough");
            let count: usize = series.coefficients.iter().map(Vec::len).sum();
            assert_eq!(Some(count), terms_up_to(series.coefficients.len() - 1, m));
            series.coefficients.iter_mut().flatten().for_each(|z| *z = 0.0);
            let mut total = 0.0;
            for k in 0..series.coefficients.len() {
                for index in 0..series.coefficients[k].len() {
                    series.coefficients[k][index] = 1.0;
                    total += series.at_each(&coordinates)[0].powi(2);
                    series.coefficients[k][index] = 0.0;
                }
            }
            assert!((total - 1.0).abs() < KERNEL, "{m}: {total}");
        }
    }

    #[test]
    fn a_series_that_would_be_too_long_is_refused() {
        assert!(Series::reaching(&[&[1e9]], Seed(1)).is_none());
        assert!(Series::reaching(&[&[40.0], &[0.0], &[0.0]], Seed(1)).is_none());
    }
}
