//! Are the method's assumptions believable for these data?
//!
//! Learns with NPVAR and looks at what the answer rests on: the columns' scales, the residual variances at which nodes
//! joined the order (Condition 2 of the paper says they are equal), how far each step's winner was ahead of the
//! runner-up, whether the order could have been read off the marginal variances or R² alone (Reisach et al. 2021,
//! 2023), and everything in [`doubts`]. Sampling errors are those of normal residuals: a residual variance `s` has standard error `s √(2/n)`.

use serde::Serialize;

use super::doubt::doubts;
use crate::data::{ColumnKind, Dataset, Tabular, checks};
use crate::error::Result;
use crate::learner::{Input, Learned, LearnerConfig, NpvarConfig};
use crate::metrics;
use crate::numerics::words;
use crate::order::Step;
use crate::run::{Diagnostic, Run};

/// A step whose winner is ahead by fewer standard errors than this could have gone otherwise.
const CLOSE: f64 = 2.0;

/// One column.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ColumnDiagnosis {
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: ColumnKind,
    /// Its variance.
    pub variance: f64,
    /// The share of its variance the other columns explain linearly.
    pub r_squared: f64,
    /// Its residual variance when it joined the order.
    pub residual_variance: Option<f64>,
}

/// How clearly a step of the search was decided.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Margin {
    /// The node that joined.
    pub winner: String,
    /// The node that came closest.
    pub runner_up: String,
    /// The runner-up's residual variance minus the winner's.
    pub ahead: f64,
    /// The sampling error of that difference.
    pub standard_error: f64,
    /// The runner-up's residual variance divided by the winner's: by what factor the winner's noise could be larger
    /// before the step goes wrong (the appendix's condition for unequal variances).
    /// None when the winner has no residual variance at all.
    pub ratio: Option<f64>,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Diagnosis {
    /// The number of samples.
    pub n: usize,
    /// Every column.
    pub columns: Vec<ColumnDiagnosis>,
    /// The learned order.
    pub order: Vec<String>,
    /// The largest final residual variance divided by the smallest.
    pub residual_variance_ratio: Option<f64>,
    /// Every step with at least two candidates.
    pub margins: Vec<Margin>,
    /// The share of directed paths of the learned graph along which the variance grows.
    pub var_sortability: Option<f64>,
    /// The share of directed paths of the learned graph along which R² grows.
    pub r2_sortability: Option<f64>,
    /// What to make of it.
    pub diagnostics: Vec<Diagnostic>,
}

/// Diagnoses a table.
///
/// # Errors
/// When NPVAR cannot learn from it, or the run is cancelled.
pub fn diagnose(table: &dyn Tabular, run: &Run<'_>) -> Result<Diagnosis> {
    let data = &Dataset::of(table.rows(), run)?;
    let learned = LearnerConfig::Npvar(NpvarConfig::default()).build()?.learn(&Input::new(data), run)?;
    let steps = learned.steps.as_deref().unwrap_or_default();
    let finals = final_variances(&learned, steps);
    let (variances, r_squared) = (data.variances(), data.r_squared());
    let columns = (0..data.d())
        .map(|j| ColumnDiagnosis {
            name: data.names()[j].clone(),
            kind: data.kind(j),
            variance: variances[j],
            r_squared: r_squared[j],
            residual_variance: finals[j],
        })
        .collect();
    let margins = steps.iter().filter_map(|step| margin(step, data)).collect::<Vec<_>>();
    let dag = learned.graph.to_dag();
    let sortability = |scores: &[f64]| dag.as_ref().and_then(|dag| metrics::sortability(scores, dag));
    let mut diagnosis = Diagnosis {
        n: data.n(),
        columns,
        order: learned.order.iter().flat_map(|order| order.nodes()).map(|&j| data.names()[j].clone()).collect(),
        residual_variance_ratio: ratio(finals.iter().flatten().copied()),
        margins,
        var_sortability: sortability(&variances),
        r2_sortability: sortability(&r_squared),
        diagnostics: table.diagnostics(),
    };
    let mut noticed = checks::diagnostics(data);
    let doubts = doubts(data, &learned, &run.unobserved())?;
    noticed.extend(learned.diagnostics);
    noticed.extend(doubts);
    noticed.extend(verdicts(&diagnosis));
    Diagnostic::add_new(&mut diagnosis.diagnostics, noticed);
    Ok(diagnosis)
}

/// The residual variance of every node at the step it joined the order.
fn final_variances(learned: &Learned, steps: &[Step]) -> Vec<Option<f64>> {
    let mut finals = vec![None; learned.names.len()];
    for (layer, step) in learned.layers.iter().flat_map(|layers| layers.layers()).zip(steps) {
        for &node in layer {
            finals[node] = step.nodes.iter().position(|&n| n == node).map(|at| step.residual_variances[at]);
        }
    }
    finals
}

fn margin(step: &Step, data: &Dataset) -> Option<Margin> {
    let mut ranked: Vec<(f64, usize)> =
        step.residual_variances.iter().copied().zip(step.nodes.iter().copied()).collect();
    ranked.sort_by(|a, b| a.0.total_cmp(&b.0));
    let [(first, winner), (second, runner_up), ..] = ranked[..] else { return None };
    Some(Margin {
        winner: data.names()[winner].clone(),
        runner_up: data.names()[runner_up].clone(),
        ahead: second - first,
        standard_error: (2.0 / data.n() as f64).sqrt() * first.hypot(second),
        ratio: (first > 0.0).then(|| second / first),
    })
}

fn ratio(values: impl Iterator<Item = f64> + Clone) -> Option<f64> {
    let smallest = values.clone().fold(f64::INFINITY, f64::min);
    let largest = values.fold(0.0, f64::max);
    (smallest > 0.0 && smallest.is_finite()).then(|| largest / smallest)
}

fn verdicts(diagnosis: &Diagnosis) -> Vec<Diagnostic> {
    let mut verdicts = Vec::new();
    let close: Vec<&Margin> = diagnosis.margins.iter().filter(|m| m.ahead < CLOSE * m.standard_error).collect();
    if !close.is_empty() {
        let named: Vec<String> =
            close.iter().take(5).map(|m| format!("`{}` before `{}`", m.winner, m.runner_up)).collect();
        verdicts.push(Diagnostic::info(
            "close-steps",
            format!(
                "{} of {} steps were decided by less than {CLOSE} standard errors ({}): such nodes may come in the other order",
                close.len(),
                diagnosis.margins.len(),
                named.join(", ")
            ),
        ));
    }
    let by_ratio = diagnosis.margins.iter().filter_map(|margin| margin.ratio.map(|ratio| (ratio, margin)));
    if let Some((ratio, weakest)) = by_ratio.min_by(|a, b| a.0.total_cmp(&b.0)) {
        verdicts.push(Diagnostic::info(
            "unequal-variance-condition",
            format!(
                "the step with the least room is `{}` before `{}`: noise {} times as large would have turned it; with unequal \
                 noise the order is still right if at every step the winner's noise variance is below what is left of every \
                 later node",
                weakest.winner,
                weakest.runner_up,
                words::times(ratio)
            ),
        ));
    }
    verdicts
}
