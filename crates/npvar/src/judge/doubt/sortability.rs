//! Would the columns' scales alone give the learned order (Reisach et al. 2021, 2023)?

use super::examined::Examined;
use crate::learner::alternatives::without_units;
use crate::metrics;
use crate::run::Diagnostic;

/// A sortability from here on could alone explain the order.
const SORTABLE: f64 = 0.9;
/// Fewer edges are sorted by chance.
const FEWEST_EDGES: usize = 5;

pub(super) fn check(examined: &Examined<'_>) -> Vec<Diagnostic> {
    let Some(dag) = examined.learned.graph.to_dag().filter(|dag| dag.edge_count() >= FEWEST_EDGES) else {
        return Vec::new();
    };
    let measure = |code: &str, what: &str, scores: Vec<f64>, advice: String| {
        let share = metrics::sortability(&scores, &dag).filter(|&share| share >= SORTABLE)?;
        let message = format!(
            "{what} grow along {:.0} % of the learned graph's directed paths: sorting the columns by them alone would give \
             much the same order, so the answer may be an artefact of scale",
            100.0 * share
        );
        Some(Diagnostic::info(code, message).advise(advice))
    };
    let mut found = Vec::new();
    if examined.rests_on.natural_scale {
        let advice = format!(
            "ask whether the columns' units mean anything to each other; if they do not, compare with {}",
            without_units()
        );
        found.extend(measure("high-var-sortability", "variances", examined.data.variances(), advice));
    }
    let advice =
        "compare with `--learner r2-sort-regress`, which uses nothing else; what it finds too is no further evidence";
    found.extend(measure(
        "high-r2-sortability",
        "the shares of variance that the other columns explain (R²)",
        examined.data.r_squared(),
        advice.to_owned(),
    ));
    found
}
