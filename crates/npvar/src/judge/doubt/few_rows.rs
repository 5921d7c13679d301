//! Are there rows enough for the longest regression?
//!
//! The selection regresses every node on all nodes before it. Each of them takes its effective degrees of freedom; what they
//! leave of the rows is what residual variances and tests are made from. Selections that fit no additive terms count one
//! for every column.

use super::examined::Examined;
use crate::run::Diagnostic;

/// Rows per degree of freedom below which a regression is more fit than test.
const ROWS_PER_DEGREE: f64 = 3.0;

pub(super) fn check(examined: &Examined<'_>) -> Option<Diagnostic> {
    let known = |code: &str| examined.learned.diagnostics.iter().any(|found| found.code == code);
    if known("more-coefficients-than-samples") {
        return None;
    }
    let d = examined.data.d();
    let (mut degrees, mut ancestors) = (vec![1.0; d], vec![0; d]);
    for test in examined.learned.tests.iter().flatten() {
        degrees[test.child] += test.edf.unwrap_or(1.0);
        ancestors[test.child] += 1;
    }
    let additive = examined.learned.tests.iter().flatten().any(|test| test.edf.is_some());
    let smoother = if additive { ", or smooth more (`--set selection.k=5`)" } else { "" };
    let takes = if additive { "takes" } else { "takes at least" };
    let n = examined.learned.n as f64;
    let nodes = 0..d;
    let short = nodes.clone().filter(|&node| n < ROWS_PER_DEGREE * degrees[node]).count();
    let longest = nodes.max_by(|&a, &b| degrees[a].total_cmp(&degrees[b]))?;
    (short > 0).then(|| {
        Diagnostic::warning(
            "few-samples-for-ancestors",
            format!(
                "{} samples are few for so many ancestors: the regression of {} on the {} columns before it alone {takes} {:.0} \
                 degrees of freedom, and {short} of {d} regressions have fewer than {ROWS_PER_DEGREE} samples for each",
                examined.learned.n,
                examined.name(longest),
                ancestors[longest],
                degrees[longest],
            ),
        )
        .advise(format!(
            "trust the early part of the order more than the end; leave columns out, collect more samples{smoother}"
        ))
    })
}
