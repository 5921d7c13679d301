//! Is the noise of all columns about equal, as the paper (its Condition 2) takes it to be?
//!
//! The logarithm of a residual variance `s²` has sampling variance `(κ − 1)/n`, `κ` the residuals' own kurtosis, so that no
//! law of the noise is taken for granted (Layard 1973). The nodes' logarithms are compared with their weighted mean.
//!
//! Exact equality is not what the order needs, and a fit from a sample leaves some bias; so the test is whether some variance
//! is further than a factor [`TOLERATED`] from the common one: a one-sided normal test per node, with Bonferroni's correction.

use super::examined::{Examined, LEVEL};
use super::how_long;
use crate::learner::alternatives::{WITHOUT_UNITS, without_units};
use crate::numerics::distribution::normal_two_sided;
use crate::numerics::words::{self, rounded, times};
use crate::run::Diagnostic;

/// By what factor a residual variance may differ from the common one before it counts.
const TOLERATED: f64 = 1.35;
/// The least `κ − 1`: a fair coin's is zero, and no sample tells a variance without error.
const LEAST_SPREAD: f64 = 0.1;

pub(super) fn check(examined: &Examined<'_>) -> Option<Diagnostic> {
    if !examined.rests_on.equal_variances || examined.fits.len() < 2 {
        return None;
    }
    let logs: Vec<(f64, f64)> = examined
        .fits
        .iter()
        .map(|fit| (fit.variance().ln(), (kurtosis(&fit.residuals) - 1.0).max(LEAST_SPREAD) / fit.degrees))
        .collect();
    let weights: f64 = logs.iter().map(|(_, spread)| 1.0 / spread).sum();
    let common = logs.iter().map(|(log, spread)| log / spread).sum::<f64>() / weights;
    let beyond = |&(log, spread): &(f64, f64)| ((log - common).abs() - TOLERATED.ln()) / spread.sqrt();
    let furthest = logs.iter().map(beyond).fold(0.0, f64::max);
    let p_value = (0.5 * normal_two_sided(furthest) * logs.len() as f64).min(1.0);
    if p_value >= LEVEL {
        return None;
    }
    let by_log = |a: &usize, b: &usize| logs[*a].0.total_cmp(&logs[*b].0);
    let (smallest, largest) = ((0..logs.len()).min_by(by_log)?, (0..logs.len()).max_by(by_log)?);
    let named = |at: usize| examined.name(examined.fits[at].node);
    Some(
        Diagnostic::warning(
            "unequal-residual-variances",
            format!(
                "noise differs between columns: what the parents leave unexplained has variance {} for {} and {} for {}, {} times \
                 as much; the order rests on its being about the same for all, and sampling does not explain this ({})",
                rounded(logs[smallest].0.exp(), 2),
                named(smallest),
                rounded(logs[largest].0.exp(), 2),
                named(largest),
                times((logs[largest].0 - logs[smallest].0).exp()),
                words::p_value(p_value),
            ),
        )
        .advise(format!(
            "check that all columns are in the units they were measured in; compare with {}, and believe only what they agree on \
             (the first takes {})",
            without_units(),
            how_long::estimate(WITHOUT_UNITS[0], examined.learned.n, examined.data.d())
        )),
    )
}

fn kurtosis(residuals: &[f64]) -> f64 {
    let n = residuals.len() as f64;
    let (mut squares, mut fourths) = (0.0, 0.0);
    for value in residuals {
        let square = value * value;
        squares += square;
        fourths += square * square;
    }
    n * fourths / (squares * squares)
}
