//! Scales: were they made equal, and would they alone give the learned order?

use super::examined::Examined;
use crate::learner::reports;
use crate::metrics;
use crate::run::Diagnostic;

/// Variances within this factor of each other were made equal, where there are edges: along an edge a variance grows, under
/// equal residual variances, by as much as the parent explains.
const ALIKE: f64 = 1.02;
/// Ranges closer than this were made equal by someone.
const SAME_RANGE: f64 = 1e-9;
/// A sortability from here on could alone explain the order.
const SORTABLE: f64 = 0.9;
/// Fewer edges are sorted by chance.
const FEWEST_EDGES: usize = 5;

pub(super) fn standardised(examined: &Examined<'_>) -> Option<Diagnostic> {
    if !examined.rests_on.natural_scale {
        return None;
    }
    let data = examined.data;
    let varying: Vec<&[f64]> =
        (0..data.d()).map(|j| data.column(j)).filter(|column| column.iter().any(|value| *value != column[0])).collect();
    if varying.len() < 2 {
        return None;
    }
    let variances: Vec<f64> = data.variances().into_iter().filter(|&variance| variance > 0.0).collect();
    let (least, most) = extremes(variances.iter().copied());
    let edges = examined.learned.graph.edge_count() > 0;
    if edges && most <= ALIKE * least {
        return Some(reports::standardised(varying.len(), "almost the same variance"));
    }
    let ranges: Vec<(f64, f64)> = varying.iter().map(|column| extremes(column.iter().copied())).collect();
    let (low, high) = ranges[0];
    let same = |a: f64, b: f64| (a - b).abs() <= SAME_RANGE * (high - low);
    let few = (0..data.d()).all(|j| data.kind(j) != crate::data::ColumnKind::Continuous);
    let rescaled = !few && ranges.iter().all(|&(l, h)| same(l, low) && same(h, high));
    rescaled.then(|| reports::standardised(varying.len(), &format!("the same range, {low} to {high}")))
}

pub(super) fn sortability(examined: &Examined<'_>) -> Vec<Diagnostic> {
    let Some(dag) = examined.learned.graph.to_dag().filter(|dag| dag.edge_count() >= FEWEST_EDGES) else {
        return Vec::new();
    };
    let measure = |(code, what, scores, advice): (&str, &str, Vec<f64>, &str)| {
        let share = metrics::sortability(&scores, &dag).filter(|&share| share >= SORTABLE)?;
        let message = format!(
            "{what} grow along {:.0} % of the learned graph's directed paths: sorting the columns by them alone would give \
             much the same order, so the answer may be an artefact of scale",
            100.0 * share
        );
        Some(Diagnostic::info(code, message).advise(advice))
    };
    let by_variance = (
        "high-var-sortability",
        "variances",
        examined.data.variances(),
        "ask whether the columns' units mean anything to each other; if they do not, compare with a learner that no unit \
         changes (`score`, `cam`, `resit`)",
    );
    let by_r_squared = (
        "high-r2-sortability",
        "the shares of variance that the other columns explain (R²)",
        examined.data.r_squared(),
        "compare with `--learner r2-sort-regress`, which uses nothing else; what it finds too is no further evidence",
    );
    let mut found = Vec::new();
    if examined.rests_on.natural_scale {
        found.extend(measure(by_variance));
    }
    found.extend(measure(by_r_squared));
    found
}

fn extremes(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), value| (least.min(value), most.max(value)))
}
