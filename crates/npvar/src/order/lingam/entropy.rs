//! Hyvärinen's (1998) approximation of the entropy of a column of mean zero and variance one, from two of its moments:
//!
//! ```text
//! H(u) ≈ (1 + log 2π)/2 − k₁(E log cosh u − γ)² − k₂(E u e^{−u²/2})²
//! ```
//!
//! `log cosh u = |u| + log(1 + e^{−2|u|}) − log 2`, and the logarithms of many factors between one and two are the logarithm of
//! their product: two exponentials per value is what it costs.

use crate::numerics::linalg::wide::{exponential, wide};

const K1: f64 = 79.047;
const K2: f64 = 7.4129;
const GAMMA: f64 = 0.374_57;

/// The scale of a column as it is.
pub(super) const UNIT: f64 = 1.0;
const LANES: usize = 8;
/// Factors of one lane before a logarithm is taken: eight lanes of 64 factors of at most two stay below 2⁵¹².
const FACTORS: usize = 64;

/// `H(u)`.
pub(super) fn entropy(u: &[f64]) -> f64 {
    residual_entropy(u, u, 0.0, UNIT)
}

/// `H` of `scale·(x − slope·y)`.
pub(super) fn residual_entropy(x: &[f64], y: &[f64], slope: f64, scale: f64) -> f64 {
    let n = x.len() as f64;
    let (mut log_cosh, mut odd) = (0.0, 0.0);
    for (x, y) in x.chunks(LANES * FACTORS).zip(y.chunks(LANES * FACTORS)) {
        let part = moments(x, y, slope, scale);
        log_cosh += part.absolute.iter().sum::<f64>() + part.product.iter().product::<f64>().ln();
        odd += part.odd.iter().sum::<f64>();
    }
    let log_cosh = log_cosh / n - std::f64::consts::LN_2;
    let odd = odd / n;
    0.5 * (1.0 + (2.0 * std::f64::consts::PI).ln()) - K1 * (log_cosh - GAMMA).powi(2) - K2 * odd * odd
}

/// Sums and a product over some values, in interleaved lanes.
struct Moments {
    /// `Σ |u|`.
    absolute: [f64; LANES],
    /// `Π (1 + e^{−2|u|})`.
    product: [f64; LANES],
    /// `Σ u e^{−u²/2}`.
    odd: [f64; LANES],
}

impl Moments {
    #[inline(always)]
    fn add(&mut self, lane: usize, u: f64) {
        self.absolute[lane] += u.abs();
        self.product[lane] *= 1.0 + exponential(-2.0 * u.abs());
        self.odd[lane] += u * exponential(-0.5 * u * u);
    }
}

fn moments(x: &[f64], y: &[f64], slope: f64, scale: f64) -> Moments {
    wide(
        #[inline(always)]
        || {
            let mut moments = Moments { absolute: [0.0; LANES], product: [1.0; LANES], odd: [0.0; LANES] };
            let ((x, x_rest), (y, y_rest)) = (x.as_chunks::<LANES>(), y.as_chunks::<LANES>());
            for (x, y) in x.iter().zip(y) {
                for lane in 0..LANES {
                    moments.add(lane, scale * (x[lane] - slope * y[lane]));
                }
            }
            for (lane, (x, y)) in x_rest.iter().zip(y_rest).enumerate() {
                moments.add(lane, scale * (x - slope * y));
            }
            moments
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Another order of operations.
    const ROUNDING: f64 = 1e-12;

    #[test]
    fn it_equals_its_definition_whatever_the_length() {
        for n in [1, 7, 8, 9, 511, 512, 513, 1100] {
            let x: Vec<f64> = (0..n).map(|i| 3.0 * (1.7 * i as f64).sin()).collect();
            let y: Vec<f64> = (0..n).map(|i| (0.3 * i as f64).cos() + if i == 5 { 40.0 } else { 0.0 }).collect();
            let u: Vec<f64> = x.iter().zip(&y).map(|(x, y)| 0.8 * (x - 0.4 * y)).collect();
            let mean = |value: &dyn Fn(f64) -> f64| u.iter().map(|&u| value(u)).sum::<f64>() / n as f64;
            let expected = 0.5 * (1.0 + (2.0 * std::f64::consts::PI).ln())
                - K1 * (mean(&|u| u.cosh().ln()) - GAMMA).powi(2)
                - K2 * mean(&|u| u * (-0.5 * u * u).exp()).powi(2);
            let got = residual_entropy(&x, &y, 0.4, 0.8);
            assert!((got - expected).abs() <= ROUNDING * expected.abs().max(1.0), "{n}: {got} instead of {expected}");
        }
    }

    #[test]
    fn no_value_is_too_large() {
        assert!(entropy(&[1e8, -1e8, 1e-300, 0.0]).is_finite());
    }
}
