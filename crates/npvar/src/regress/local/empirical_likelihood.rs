//! Empirical likelihood for a mean (Owen 1988): how much less likely the sample becomes when its mean must be zero.
//!
//! ```text
//! −2 log max { Π n p_i : p_i ≥ 0, Σ p_i = 1, Σ p_i t_i = 0 } = 2 Σ log(1 + λ t_i),   λ with Σ t_i / (1 + λ t_i) = 0
//! ```
//!
//! It scales itself: no variance need be known. Compared with `F(1, n − 1)`, which is closer than its limit `χ²(1)` in
//! samples of some dozens (Owen 2001, section 3.3).

use crate::numerics::distribution::f_upper_tail;

/// Halvings of the interval of λ: to the last digit.
const HALVINGS: usize = 60;

/// The probability of a statistic at least as large when the terms have mean zero. `rows` is how many rows of equal weight
/// the terms are worth.
pub(super) fn p_value_of_zero_mean(terms: &[f64], rows: f64) -> f64 {
    let statistic = statistic(terms);
    if statistic == f64::INFINITY { 0.0 } else { f_upper_tail(statistic, 1.0, (rows - 1.0).max(1.0)) }
}

fn statistic(terms: &[f64]) -> f64 {
    let (mut low, mut high) = (0.0_f64, 0.0_f64);
    for &term in terms {
        (low, high) = (low.min(term), high.max(term));
    }
    if low == 0.0 && high == 0.0 {
        return 0.0;
    }
    if low == 0.0 || high == 0.0 {
        return f64::INFINITY;
    }
    // In units of the largest term, so that nothing overflows.
    let scale = high.max(-low);
    let n = terms.len() as f64;
    // No p_i is larger than 1, so 1 + λ t_i is at least 1/n.
    let (mut below, mut above) = ((1.0 / n - 1.0) * scale / high, (1.0 / n - 1.0) * scale / low);
    let slope = |lambda: f64| terms.iter().map(|term| (term / scale) / (1.0 + lambda * term / scale)).sum::<f64>();
    for _ in 0..HALVINGS {
        let middle = 0.5 * (below + above);
        if slope(middle) > 0.0 { below = middle } else { above = middle }
    }
    let lambda = 0.5 * (below + above);
    (2.0 * terms.iter().map(|term| (lambda * term / scale).ln_1p()).sum::<f64>()).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_values_by_hand() {
        // −1 three times and 2 twice: p = 2/3 in all on −1 and 1/3 on 2
        let exact = -2.0 * (3.0 * (5.0 * 2.0 / 9.0_f64).ln() + 2.0 * (5.0 / 6.0_f64).ln());
        assert!((statistic(&[-1.0, 2.0, -1.0, 2.0, -1.0]) - exact).abs() < 1e-12);
        assert!((statistic(&[-1e200, 2e200, -1e200, 2e200, -1e200]) - exact).abs() < 1e-12);
        assert_eq!(statistic(&[1.0, 2.0]), f64::INFINITY);
        assert_eq!(statistic(&[0.0, 0.0]), 0.0);
        assert!(statistic(&[-1.0, 1.0]).abs() < 1e-12);
    }

    #[test]
    fn a_small_shift_counts_as_a_squared_t_statistic() {
        let terms: Vec<f64> = (0..500).map(|i| ((i * 7919) % 1009) as f64 / 1009.0 - 0.48).collect();
        let mean = terms.iter().sum::<f64>() / 500.0;
        let square = terms.iter().map(|term| (term - mean).powi(2)).sum::<f64>() / 500.0;
        let t = 500.0 * mean * mean / square;
        assert!((statistic(&terms) / t - 1.0).abs() < 0.05);
    }
}
