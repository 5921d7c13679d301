//! Does a row resemble the one before it?
//!
//! The lag-1 autocorrelation of the residuals' ranks (Wald & Wolfowitz 1943): under independent rows `√n (r₁ + 1/n)` is about
//! standard normal whatever the law of the noise. One test per node, with Bonferroni's correction.

use super::examined::{Examined, LEVEL};
use crate::graph::Node;
use crate::learner::reports::list;
use crate::numerics::distribution::normal_two_sided;
use crate::run::Diagnostic;

/// Fewer rows say little about their order.
const FEWEST_ROWS: usize = 30;

pub(super) fn check(examined: &Examined<'_>) -> Option<Diagnostic> {
    let (n, columns) = (examined.data.n() as f64, examined.fits.len() as f64);
    if examined.data.n() < FEWEST_ROWS {
        return None;
    }
    let mut found: Vec<(Node, f64)> = Vec::new();
    for fit in &examined.fits {
        let correlation = autocorrelation(&ranks(&fit.residuals));
        let z = n.sqrt() * (correlation + 1.0 / n).abs();
        if normal_two_sided(z) * columns < LEVEL {
            found.push((fit.node, correlation));
        }
    }
    found.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
    let &(most, correlation) = found.first()?;
    let nodes: Vec<Node> = found.iter().map(|(node, _)| *node).collect();
    let names = examined.data.names();
    let sorted = (0..examined.data.d()).find(|&node| is_sorted(examined.data.column(node)));
    let because = sorted.map_or_else(String::new, |by| format!(", the rows being sorted by `{}`", names[by]));
    Some(
        Diagnostic::warning(
            "time-ordered-rows",
            format!(
                "the rows follow each other: what is left of {} given the parents resembles the row before (rank correlation \
                 {correlation:.2} for {}{because}); samples that are not independent make p-values too small",
                list(names, &nodes),
                examined.name(most)
            ),
        )
        .advise(
            "if the rows are a series in time, the samples are not independent and p-values are too small: take rows far apart, \
             or differences between rows; if someone sorted the rows of independent samples, nothing is lost",
        ),
    )
}

fn is_sorted(column: &[f64]) -> bool {
    let varies = column.iter().any(|value| *value != column[0]);
    varies && (column.windows(2).all(|pair| pair[0] <= pair[1]) || column.windows(2).all(|pair| pair[0] >= pair[1]))
}

/// Ranks, 0-based; equal values share their mean rank.
pub(super) fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut ranks = vec![0.0; values.len()];
    let mut first = 0;
    for tied in order.chunk_by(|&a, &b| values[a] == values[b]) {
        tied.iter().for_each(|&row| ranks[row] = first as f64 + (tied.len() - 1) as f64 / 2.0);
        first += tied.len();
    }
    ranks
}

fn autocorrelation(values: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let products: f64 = values.windows(2).map(|pair| (pair[0] - mean) * (pair[1] - mean)).sum();
    products / squares.max(f64::MIN_POSITIVE)
}
