//! Whether differences between held-out losses are above zero: three one-sided tests of paired samples.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::numerics::distribution::{f_upper_tail, normal_two_sided};

/// Up to this many differences Wilcoxon's distribution is exact, as in R.
const EXACT_UP_TO: usize = 49;

/// A one-sided test that paired differences are above zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LossTest {
    /// Wilcoxon's signed-rank test: the statistic is the sum of the ranks of the positive differences.
    Wilcoxon,
    /// The sign test: the statistic is the number of positive differences.
    Sign,
    /// Student's t test.
    #[default]
    T,
}

impl LossTest {
    /// The statistic, and how likely one as large is when the differences are symmetric about zero (sign test: have
    /// median zero; t test: have mean zero). Differences that are zero do not count in the rank tests.
    ///
    /// ```
    /// use npvar::select::LossTest;
    /// // all of ten differences positive: probability 2^(-10)
    /// let differences: Vec<f64> = (1..=10).map(f64::from).collect();
    /// assert_eq!(LossTest::Wilcoxon.above_zero(&differences), (55.0, 1.0 / 1024.0));
    /// ```
    pub fn above_zero(self, differences: &[f64]) -> (f64, f64) {
        match self {
            LossTest::Wilcoxon => signed_rank(differences),
            LossTest::Sign => sign(differences),
            LossTest::T => t(differences),
        }
    }
}

fn signed_rank(differences: &[f64]) -> (f64, f64) {
    let mut sorted: Vec<f64> = differences.iter().copied().filter(|&x| x != 0.0).collect();
    sorted.sort_by(|a, b| a.abs().total_cmp(&b.abs()));
    let m = sorted.len();
    let (mut statistic, mut ties, mut first) = (0.0, 0.0, 0);
    while first < m {
        let equal = sorted[first..].iter().take_while(|x| x.abs() == sorted[first].abs()).count();
        let rank = first as f64 + (equal as f64 + 1.0) / 2.0;
        statistic += rank * sorted[first..first + equal].iter().filter(|&&x| x > 0.0).count() as f64;
        ties += (equal as f64).powi(3) - equal as f64;
        first += equal;
    }
    if m == 0 {
        return (0.0, 1.0);
    }
    if m <= EXACT_UP_TO && ties == 0.0 {
        return (statistic, signed_rank_tail(m, statistic as usize));
    }
    let m = m as f64;
    let deviation = (m * (m + 1.0) * (2.0 * m + 1.0) / 24.0 - ties / 48.0).sqrt();
    // Half a step towards the mean: the statistic is a whole number, the normal variable is not.
    let above = statistic - m * (m + 1.0) / 4.0;
    (statistic, normal_upper_tail((above - 0.5 * above.signum()) / deviation))
}

/// P(W ≥ w) for `m` differences: the share of the subsets of `1 … m` whose sum is at least `w`.
fn signed_rank_tail(m: usize, w: usize) -> f64 {
    let mut share = vec![0.0; m * (m + 1) / 2 + 1];
    share[0] = 1.0;
    for rank in 1..=m {
        for sum in (0..share.len()).rev() {
            let with = if sum >= rank { share[sum - rank] } else { 0.0 };
            share[sum] = 0.5 * (share[sum] + with);
        }
    }
    share[w..].iter().rev().sum()
}

fn sign(differences: &[f64]) -> (f64, f64) {
    let positive = differences.iter().filter(|&&x| x > 0.0).count() as f64;
    let others = differences.iter().filter(|&&x| x < 0.0).count() as f64;
    if positive == 0.0 {
        return (0.0, 1.0);
    }
    // P(B ≥ s) of a binomial variable is the tail of an F.
    (positive, f_upper_tail(positive / (others + 1.0), 2.0 * (others + 1.0), 2.0 * positive))
}

fn t(differences: &[f64]) -> (f64, f64) {
    let n = differences.len() as f64;
    if n < 2.0 {
        return (0.0, 1.0);
    }
    let mean = differences.iter().sum::<f64>() / n;
    let variance = differences.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0);
    if mean == 0.0 {
        return (0.0, 1.0);
    }
    let statistic = mean / (variance / n).sqrt();
    let two_sided = f_upper_tail(statistic * statistic, 1.0, n - 1.0);
    (statistic, if statistic > 0.0 { 0.5 * two_sided } else { 1.0 - 0.5 * two_sided })
}

fn normal_upper_tail(z: f64) -> f64 {
    let two_sided = normal_two_sided(z.abs());
    if z > 0.0 { 0.5 * two_sided } else { 1.0 - 0.5 * two_sided }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_samples_agree_with_counting_by_hand() {
        // Ranks 1, 2, 3 with signs -, +, +: sums of at least 5 are {2,3} and {1,2,3}, 2 of 8 subsets.
        assert_eq!(LossTest::Wilcoxon.above_zero(&[-0.1, 0.2, 0.3]), (5.0, 0.25));
        // At least 2 of 3 heads: 4 of 8.
        let (statistic, p) = LossTest::Sign.above_zero(&[-0.1, 0.2, 0.3, 0.0]);
        assert!(statistic == 2.0 && (p - 0.5).abs() < 1e-12);
        // t = (2/15) / sqrt(var/3) = 1.1094 with two degrees of freedom: p = 1/2 (1 - t / sqrt(2 + t²)).
        let (statistic, p) = LossTest::T.above_zero(&[-0.1, 0.2, 0.3]);
        let expected = 0.5 * (1.0 - statistic / (2.0 + statistic * statistic).sqrt());
        assert!((p - expected).abs() < 1e-12 && (statistic - 1.109_400_392_450_458).abs() < 1e-12);
    }

    #[test]
    fn the_normal_approximation_meets_the_exact_distribution() {
        let differences: Vec<f64> = (1..=40).map(|i| f64::from(i) * if i % 3 == 0 { -1.0 } else { 1.0 }).collect();
        let (statistic, exact) = signed_rank(&differences);
        let m: f64 = 40.0;
        let z = (statistic - 0.5 - m * (m + 1.0) / 4.0) / (m * (m + 1.0) * (2.0 * m + 1.0) / 24.0).sqrt();
        assert!((exact / normal_upper_tail(z) - 1.0).abs() < 0.03);
    }

    #[test]
    fn no_difference_is_no_evidence() {
        for test in [LossTest::Wilcoxon, LossTest::Sign, LossTest::T] {
            assert_eq!(test.above_zero(&[0.0; 5]), (0.0, 1.0));
            assert!(test.above_zero(&[-1.0, -2.0, -3.0, 0.5]).1 > 0.5);
        }
    }
}
