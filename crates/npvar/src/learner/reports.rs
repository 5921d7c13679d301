//! Diagnostics every order-based learner gives: what a reader should know before believing the graph.

use super::alternatives::without_units;
use crate::data::{ColumnSummary, Covariance, FEW_VALUES, checks};
use crate::graph::{Node, Order};
use crate::residual_variance::Dependency;
use crate::run::Diagnostic;
use crate::smooth::AdditiveGram;

/// Variances closer to each other than this share were made equal by someone.
const EQUAL_VARIANCES: f64 = 1e-6;
/// A node takes part in a dependency when its share of the direction's square is above this.
const TAKES_PART: f64 = 1e-10;
/// Below this many rows a variance is uncertain by a fifth and more.
const SMALL_SAMPLE: usize = 50;
/// What to do with few rows.
const RESAMPLE: &str = "collect more samples, or see with `--bootstrap 200` how far the answer depends on the rows";
/// How many names a message lists.
const LISTED: usize = 5;

/// Columns without information.
pub(crate) fn columns(names: &[String], columns: &[ColumnSummary]) -> Vec<Diagnostic> {
    checks::constant_columns(names, columns)
}

/// Data whose variances all agree carry no information in their scale.
pub(crate) fn scale(names: &[String], gram: &AdditiveGram) -> Option<Diagnostic> {
    let variances: Vec<f64> = (0..gram.d()).map(|j| gram.square(j) / (gram.n() as f64 - 1.0)).collect();
    equal_variances(names, &variances)
}

/// The same from the covariance matrix.
pub(crate) fn covariance_scale(names: &[String], covariance: &Covariance) -> Option<Diagnostic> {
    let variances: Vec<f64> = (0..names.len()).map(|j| covariance.matrix()[(j, j)]).collect();
    equal_variances(names, &variances)
}

fn equal_variances(names: &[String], variances: &[f64]) -> Option<Diagnostic> {
    let variances: Vec<f64> = variances.iter().copied().filter(|&variance| variance > 0.0).collect();
    let smallest = variances.iter().copied().fold(f64::INFINITY, f64::min);
    let largest = variances.iter().copied().fold(0.0, f64::max);
    let equal = variances.len() > 1 && largest - smallest <= EQUAL_VARIANCES * largest;
    equal.then(|| standardised(names.len(), "the same variance"))
}

/// Columns that have `what` in common, which only someone's rescaling explains.
pub(crate) fn standardised(columns: usize, what: &str) -> Diagnostic {
    Diagnostic::warning(
        "standardised-data",
        format!(
            "all {columns} columns have {what}, as after rescaling: the order rests on comparing variances, and these \
             say nothing any more"
        ),
    )
    .advise(format!("learn from the data on their original scale; where there is none, use {}", without_units()))
}

/// Fewer samples than columns.
pub(crate) fn few_samples(n: usize, d: usize) -> Option<Diagnostic> {
    (n <= d).then(|| {
        let message = format!(
            "there are {n} samples for {d} columns: a regression on all other columns fits perfectly, so the edges may be \
             chance"
        );
        Diagnostic::warning("few-samples", message)
    })
}

/// Residual variances below zero.
pub(crate) fn negative_variances(names: &[String], negative: &[(Node, f64)]) -> Option<Diagnostic> {
    let mut nodes: Vec<Node> = negative.iter().map(|(node, _)| *node).collect();
    nodes.sort_unstable();
    nodes.dedup();
    (!nodes.is_empty()).then(|| {
        Diagnostic::warning(
            "negative-residual-variance",
            format!(
                "the residual variance of {} came out below zero and was taken as zero: an exact function of the \
                 columns before it, or too few samples for so many of them",
                list(names, &nodes)
            ),
        )
    })
}

/// Exact dependencies between the terms of a regression, `tested` where p-values of those terms were asked for.
pub(crate) fn dependencies(
    names: &[String],
    order: &Order,
    dependencies: &[Dependency],
    tested: bool,
) -> Vec<Diagnostic> {
    let consequence = if tested { ", and p-values rest on sharing it out with the smallest coefficients" } else { "" };
    dependencies
        .iter()
        .map(|dependency| {
            let involved = dependency.involved(order.nodes());
            let involved: Vec<Node> =
                involved.into_iter().filter(|(_, share)| *share > TAKES_PART).map(|(n, _)| n).collect();
            if involved.len() < 2 {
                return Diagnostic::info(
                    "unseen-basis-function",
                    format!(
                        "no row tells the coefficients of `{}` apart; they were left at zero",
                        names[dependency.node]
                    ),
                );
            }
            Diagnostic::warning(
                "dependent-columns",
                format!(
                    "{} are exactly dependent: their common effect cannot be told apart{consequence}",
                    list(names, &involved)
                ),
            )
        })
        .collect()
}

/// Regressions with more coefficients than samples.
pub(crate) fn sample_size(gram: &AdditiveGram, names: &[String], order: &Order) -> Option<Diagnostic> {
    let mut coefficients = 1;
    for (position, &node) in order.nodes().iter().enumerate() {
        if coefficients > gram.n() {
            let diagnostic = Diagnostic::warning(
                "more-coefficients-than-samples",
                format!(
                    "from `{}` on ({} of {} columns), regressions have more coefficients than the {} samples; only the \
                     smoothing penalty determines them, their order and parents are unreliable, and where no degree of \
                     freedom is left none is selected",
                    names[node],
                    order.nodes().len() - position,
                    order.nodes().len(),
                    gram.n()
                ),
            );
            return Some(diagnostic.advise(format!("leave columns out; {RESAMPLE}")));
        }
        coefficients += gram.term(node).size();
    }
    None
}

/// Columns of few values, and what becomes of them: `levels` where every value has a coefficient of its own.
pub(crate) fn few_valued(names: &[String], columns: &[ColumnSummary], levels: bool) -> Option<Diagnostic> {
    let few = |column: &ColumnSummary| column.levels.as_ref().is_some_and(|levels| levels.len() > 1);
    let nodes: Vec<Node> = (0..columns.len()).filter(|&node| few(&columns[node])).collect();
    (!nodes.is_empty()).then(|| {
        let have = if nodes.len() == 1 { "has" } else { "have" };
        let taken = if levels { "every value has an effect of its own" } else { "they are taken as numbers" };
        let counts = nodes.iter().filter_map(|&node| columns[node].levels.as_ref().map(Vec::len));
        let most = counts.fold(FEW_VALUES, usize::max);
        let message = format!("{} {have} at most {most} different values: {taken}", list(names, &nodes));
        Diagnostic::info("few-valued-columns", message)
    })
}

/// Options of the selection that the way parents are selected has no use for.
pub(crate) fn unused_selection_options(unused: &[&str]) -> Option<Diagnostic> {
    (!unused.is_empty()).then(|| {
        let options: Vec<String> = unused.iter().map(|option| format!("`{option}`")).collect();
        let message = format!("{} had no effect on how parents were selected", options.join(" and "));
        Diagnostic::info("unused-options", message)
    })
}

/// Options of a search that did not take place.
pub(crate) fn unused_search_options() -> Diagnostic {
    Diagnostic::info(
        "unused-options",
        "an order was given, so the options of the order search (`eta`, `split`, `estimator` and the like) had no effect",
    )
}

/// Too few rows for variances to be compared with.
pub(crate) fn small_sample(n: usize) -> Option<Diagnostic> {
    (n < SMALL_SAMPLE).then(|| {
        let error = 100.0 * (2.0 / (n.max(2) - 1) as f64).sqrt();
        Diagnostic::warning(
            "small-sample",
            format!(
                "{n} samples are few: a residual variance estimated from them has a standard error of at least {error:.0} %, \
                 and variances closer than that are ordered by chance"
            ),
        )
        .advise(RESAMPLE)
    })
}

/// Too few rows for dependence to be noticed.
pub(crate) fn small_sample_of_tests(n: usize) -> Option<Diagnostic> {
    (n < SMALL_SAMPLE).then(|| {
        let message = format!(
            "{n} samples are few: tests of independence notice only strong dependence in them, so that the order may be chance"
        );
        Diagnostic::warning("small-sample", message).advise(RESAMPLE)
    })
}

/// A covariance matrix without an inverse.
pub(crate) fn singular_covariance() -> Diagnostic {
    Diagnostic::warning(
        "singular-covariance",
        "some columns are exact linear functions of others; their precisions were bounded to find an order at all",
    )
}

/// Names in a sentence.
pub(crate) fn list(names: &[String], nodes: &[Node]) -> String {
    let mut text: Vec<String> = nodes.iter().take(LISTED).map(|&node| format!("`{}`", names[node])).collect();
    if nodes.len() > LISTED {
        text.push(format!("{} more", nodes.len() - LISTED));
    }
    match text.len() {
        1 => text.remove(0),
        _ => {
            let last = text.pop().unwrap_or_default();
            format!("{} and {last}", text.join(", "))
        }
    }
}
