//! The null distribution of Wood's (2013) test of a smooth term of fractional rank r = k + ν.
//!
//! ```text
//! P( Σ_i w_i χ²_1 > (q/k0) χ²_{k0} ),   w_1 … w_{k−1} = 1,
//! w_k = ((ν+1) + sqrt((ν+1)(1−ν)))/2,   w_{k+1} = (ν+1) − w_k
//! ```
//!
//! Differs from the reference (mgcv, Davies' method with absolute tolerance 2e-5): a contour integral, exact to about 1e-12
//! relative, so that small p-values mean something. Its cost hardly depends on ν or p. Ruben's series (1962) was measured
//! beside it (k = 7, k0 = 900): a third of the time at ν = 0.9, equal near ν = 0.5, twice at 0.3, ten times at 0.07, a hundred
//! times at 0.01, and longer still for large statistics; it is kept as the independent check in the tests.

use super::contour::{self, Complex, WeightedSum};
use super::f_upper_tail;

/// The weights for a term of rank k + ν.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct WoodWeights {
    k: usize,
    larger: f64,
    smaller: f64,
}

impl WoodWeights {
    /// `k` = ⌊r⌋ and `nu` = r − k with 0 ≤ ν ≤ 1. For k = 0 the reference uses a single weight equal to one, whatever ν.
    pub(crate) fn new(k: usize, nu: f64) -> Self {
        assert!((0.0..=1.0).contains(&nu), "nu must lie between 0 and 1, got {nu}");
        let larger = 0.5 * ((nu + 1.0) + ((nu + 1.0) * (1.0 - nu)).sqrt());
        // the product of the two is ν(ν+1)/2: no cancellation for small ν
        Self { k, larger, smaller: 0.5 * nu * (nu + 1.0) / larger }
    }

    /// P( Σ w_i χ²_1 > (statistic/k0) χ²_{k0} ) with k0 = `residual_df` ≥ 1. One at 0, zero at +∞ and where it underflows.
    pub(crate) fn upper_tail(&self, statistic: f64, residual_df: usize) -> f64 {
        debug_assert!(residual_df >= 1, "residual degrees of freedom must be at least 1");
        let k0 = residual_df as f64;
        if self.k == 0 || self.smaller == 0.0 {
            let r = self.k.max(1) as f64;
            return f_upper_tail(statistic / r, r, k0);
        }
        if statistic <= 0.0 {
            1.0
        } else if statistic == f64::INFINITY {
            0.0
        } else if statistic.is_nan() {
            f64::NAN
        } else {
            contour::upper_tail(self, statistic, k0)
        }
    }

    /// The p-value of the test: the mean of the tails of the two statistics d+ and d−.
    pub(crate) fn mean_upper_tail(&self, d_plus: f64, d_minus: f64, residual_df: usize) -> f64 {
        0.5 * (self.upper_tail(d_plus, residual_df) + self.upper_tail(d_minus, residual_df))
    }
}

impl WeightedSum<3> for WoodWeights {
    fn terms(&self) -> [(f64, f64); 3] {
        [(1.0, (self.k - 1) as f64), (self.larger, 1.0), (self.smaller, 1.0)]
    }

    #[inline]
    fn root_product(&self, slopes: &[f64; 3], z: Complex) -> Complex {
        let factor = |slope: f64| Complex { re: 1.0 - slope * z.re, im: -slope * z.im };
        let one = factor(slopes[0]);
        let ones = self.k - 1;
        // each factor has its argument in (−π, 0), the product of two in (−2π, 0)
        let mut product = factor(slopes[1]).times(factor(slopes[2])).lower_root().times(one.power(ones / 2));
        if ones % 2 == 1 {
            product = product.times(one.lower_root());
        }
        product
    }
}

#[cfg(test)]
mod tests {
    use super::super::ruben;
    use super::*;
    use proptest::prelude::*;
    use serde_json::Value;

    /// The contour integral: its step is accepted at 1e-6, so the error is about 1e-12; rounding of K(c), up to 700, adds 3e-13.
    const EXACT: f64 = 3e-12;
    /// Rounding of Ruben's series in double precision: the m-th term is a product of m factors (y (a+b)/(b+1), g and their
    /// stored values) with about twelve roundings of ε/2 each, and the logarithm of x^a, about as large as the number of terms
    /// when that is large, has four. 1e-10 is reached at 56,000 terms.
    const PER_TERM: f64 = 8.0 * f64::EPSILON;
    /// Davies' routine was asked for 1e-9 absolute, which bounds each of its two error sources (integration and truncation).
    const AGAINST_DAVIES: f64 = 3e-9;
    /// mgcv asks Davies' routine for 2e-5; twice that for the same reason.
    const AGAINST_MGCV: f64 = 4e-5;

    fn golden(name: &str) -> Vec<Value> {
        let path = format!("{}/../../reference/r/gam/{name}", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(path).expect("golden file");
        serde_json::from_str(&text).expect("an array of cases")
    }

    fn number(case: &Value, field: &str) -> f64 {
        case[field].as_f64().expect("a number")
    }

    fn relative(value: f64, truth: f64) -> f64 {
        (value / truth - 1.0).abs()
    }

    /// A statistic whose tail is about `p`, or `None` if it would be beyond 1e290.
    fn statistic_for(weights: &WoodWeights, k0: usize, p: f64) -> Option<f64> {
        let (mut low, mut high) = (-12.0, 290.0);
        if weights.upper_tail(10_f64.powf(high), k0) > p {
            return None;
        }
        while high - low > 1e-3 {
            let middle = 0.5 * (low + high);
            if weights.upper_tail(10_f64.powf(middle), k0) > p {
                low = middle;
            } else {
                high = middle;
            }
        }
        Some(10_f64.powf(low))
    }

    #[test]
    fn agrees_with_davies_and_mgcv() {
        let cases = golden("psum_chisq.json");
        assert_eq!(cases.len(), 108);
        for case in &cases {
            let weights = WoodWeights::new(number(case, "k") as usize, number(case, "nu"));
            let p = weights.upper_tail(number(case, "d"), number(case, "k0") as usize);
            assert!((p - number(case, "p_davies_tol1e9")).abs() <= AGAINST_DAVIES, "{case}: {p}");
            assert!((p - number(case, "p_mgcv_tol2e5")).abs() <= AGAINST_MGCV, "{case}: {p}");
        }
    }

    #[test]
    fn agrees_with_sixty_digit_arithmetic_far_into_the_tail() {
        let cases = golden("weighted_chi_square_mpmath.json");
        assert!(cases.iter().any(|case| number(case, "p") < 1e-270));
        for case in &cases {
            let weights = WoodWeights::new(number(case, "k") as usize, number(case, "nu"));
            let p = weights.upper_tail(number(case, "q"), number(case, "k0") as usize);
            assert!(relative(p, number(case, "p")) <= EXACT, "{case}: {p:e}");
        }
    }

    #[test]
    fn contour_and_ruben_series_agree() {
        // the series is too long for some far tails with small ν; the 60-digit cases cover those
        let nus = [0.001, 0.01, 0.07, 0.3, 0.5, 0.9, 0.999];
        let mut compared = [0; 7];
        for k in 1..=9 {
            for (which, nu) in nus.into_iter().enumerate() {
                let weights = WoodWeights::new(k, nu);
                for k0 in [1, 2, 5, 20, 100, 1000, 100_000, 100_000_000] {
                    for target in [0.999, 0.7, 0.2, 1e-3, 1e-12, 1e-60, 1e-250] {
                        let Some(statistic) = statistic_for(&weights, k0, target) else { continue };
                        let Some((series, terms)) = ruben::upper_tail(k, nu, statistic, k0 as f64, 300_000) else {
                            continue;
                        };
                        let contour = weights.upper_tail(statistic, k0);
                        assert!(
                            relative(contour, series) <= EXACT + PER_TERM * terms as f64,
                            "k={k} nu={nu} k0={k0} q={statistic:e}: {contour:e} {series:e}"
                        );
                        compared[which] += 1;
                    }
                }
            }
        }
        // 504 each, less the statistics beyond 1e290 (k0 = 1) and, for ν = 0.001, the series beyond 300,000 terms
        assert!(compared.into_iter().all(|count| count >= 440), "{compared:?}");
    }

    /// k = 1: in polar coordinates Q = R² h(θ), R² ~ χ²_2, so p is the mean of (1 + q/(k0 h(θ)))^(−k0/2) over the circle, and the
    /// mean of exp(−q/(2h(θ))) for k0 → ∞. The midpoint rule on a circle converges exponentially.
    #[test]
    fn two_weights_are_an_average_over_the_circle() {
        for nu in [0.1, 0.5, 0.8] {
            let weights = WoodWeights::new(1, nu);
            for (k0, statistic) in [(3, 5.0), (40, 0.2), (40, 100.0), (usize::pow(10, 15), 30.0)] {
                let points = 4_000;
                let mean = (0..points)
                    .map(|i| {
                        let angle = std::f64::consts::PI * (f64::from(i) + 0.5) / f64::from(points);
                        let h = weights.larger * angle.cos().powi(2) + weights.smaller * angle.sin().powi(2);
                        let k0 = k0 as f64;
                        (-0.5 * k0 * (statistic / (k0 * h)).ln_1p()).exp()
                    })
                    .sum::<f64>()
                    / f64::from(points);
                assert!(relative(weights.upper_tail(statistic, k0), mean) <= EXACT);
            }
        }
    }

    #[test]
    fn nu_zero_and_one_are_f_tails() {
        for k in 1..=9 {
            for statistic in [0.5, 5.0, 50.0, 500.0] {
                let r = k as f64;
                let zero = WoodWeights::new(k, 0.0).upper_tail(statistic, 200);
                assert_eq!(zero, f_upper_tail(statistic / r, r, 200.0));
                let nearly = WoodWeights::new(k, 1e-15).upper_tail(statistic, 200);
                assert!(relative(nearly, zero) <= 1e-5); // the larger weight is 1 + ν/2, the root of the smaller 2e-8
                let one = WoodWeights::new(k, 1.0).upper_tail(statistic, 200);
                assert!(relative(one, f_upper_tail(statistic / (r + 1.0), r + 1.0, 200.0)) <= EXACT);
            }
        }
    }

    #[test]
    fn without_a_whole_rank_one_weight_remains() {
        // F with 1 and 2 degrees of freedom: P(F > f) = 1 − sqrt(f/(f + 2))
        let p = WoodWeights::new(0, 0.4).upper_tail(3.0, 2);
        assert!(relative(p, 1.0 - 0.6_f64.sqrt()) <= EXACT);
    }

    #[test]
    fn the_ends_are_exact_and_nothing_is_nan() {
        for k in [0, 1, 2, 9, 64] {
            for nu in [0.0, 1e-300, 1e-12, 0.5, 1.0] {
                let weights = WoodWeights::new(k, nu);
                for k0 in [1, 7, 1000, 1_000_000_000] {
                    assert_eq!(weights.upper_tail(0.0, k0), 1.0);
                    assert_eq!(weights.upper_tail(f64::INFINITY, k0), 0.0);
                    for exponent in -320..=308 {
                        let p = weights.upper_tail(10_f64.powi(exponent), k0);
                        assert!((0.0..=1.0).contains(&p), "k={k} nu={nu} k0={k0} q=1e{exponent}: {p}");
                    }
                    assert_eq!(weights.upper_tail(f64::MIN_POSITIVE, k0), 1.0);
                    let p = weights.upper_tail(f64::MAX, k0);
                    assert!(p < 1e-150, "k={k} nu={nu} k0={k0}: {p}");
                }
            }
        }
    }

    #[test]
    fn the_two_signs_are_averaged() {
        let weights = WoodWeights::new(4, 0.3);
        let mean = 0.5 * (weights.upper_tail(3.0, 90) + weights.upper_tail(8.0, 90));
        assert_eq!(weights.mean_upper_tail(3.0, 8.0, 90), mean);
    }

    proptest! {
        #[test]
        fn the_tail_falls_with_the_statistic(
            k in 0_usize..12, nu in 0.0..1.0, log_statistic in -3.0..3.0, gap in 1e-6..1.0, k0 in 1_usize..5000
        ) {
            let weights = WoodWeights::new(k, nu);
            let statistic = 10_f64.powf(log_statistic);
            let (before, after) = (weights.upper_tail(statistic, k0), weights.upper_tail(statistic * (1.0 + gap), k0));
            prop_assert!(after <= before * (1.0 + 1e-15), "{before} {after}");
        }
    }
}
