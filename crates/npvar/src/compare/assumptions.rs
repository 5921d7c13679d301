//! What the data say about each assumption.

use super::document::{Assessment, AssumptionRow};
use super::model::{Law, Mean, Model};
use super::valued::{Difference, Valued};
use crate::numerics::words::rounded;
use crate::run::Diagnostic;

/// What a mean may look like and what the noise may be, as far as the data do not reject it; and every assumption with its
/// evidence.
pub(super) struct Assumptions {
    /// The model that makes every assumption that is not rejected.
    pub(super) model: Model,
    /// The same with Gaussian noise.
    pub(super) gaussian: Model,
    pub(super) rows: Vec<AssumptionRow>,
}

/// Standard errors that are no chance.
const ERRORS: f64 = 2.0;
/// The same where lines are compared with splines, and Gaussian densities with kernel densities. These cost more than they gain
/// where they are not needed, so that a gain on new rows is no chance, though its error, which few rows decide, is large.
const OF_SHAPES: f64 = 0.5;

const OWN_AND_ANY: [Law; 2] = [Law::Own, Law::Any];

fn models(mean: Mean, laws: &[Law]) -> Vec<Model> {
    laws.iter().map(|&law| Model { mean, law }).collect()
}

/// By how much effects that add up are ahead of linear ones; laws of the noise are left open.
fn beyond_linear(valued: &Valued) -> Option<Difference> {
    valued.gain(&models(Mean::Linear, &OWN_AND_ANY), &models(Mean::Additive, &OWN_AND_ANY))
}

/// By how much joint effects are ahead of effects that add up.
pub(super) fn beyond_additive(valued: &Valued) -> Option<Difference> {
    valued.gain(&models(Mean::Additive, &OWN_AND_ANY), &models(Mean::Joint, &OWN_AND_ANY))
}

/// Whether a difference was looked at and is more than chance.
pub(super) fn rejects(difference: Option<Difference>) -> bool {
    difference.is_some_and(|difference| difference.exceeds(ERRORS))
}

/// The assumptions about means and noise.
pub(super) fn assumptions(valued: &Valued) -> Assumptions {
    let (linear, additive) = (beyond_linear(valued), beyond_additive(valued));
    let is_no_chance = |gain: Option<Difference>| gain.is_some_and(|gain| gain.exceeds(OF_SHAPES));
    let bent = is_no_chance(linear);
    let mean = match (bent, rejects(additive)) {
        (_, true) => Mean::Joint,
        (true, false) => Mean::Additive,
        (false, false) => Mean::Linear,
    };
    let with = |law| [Model { mean, law }];
    let gaussian = valued.gain(&with(Law::Own), &with(Law::Any));
    let equal = valued.gain(&with(Law::Shared), &with(Law::Own));
    let of_gaussian = if rejects(equal) { Law::Own } else { Law::Shared };
    let law = if is_no_chance(gaussian) { Law::Any } else { of_gaussian };
    let rows = vec![
        row("linear", (linear, bent), "smooth effects that add up", "straight lines"),
        row("additive", (additive, rejects(additive)), "effects of several columns together", "effects that add up"),
        row("gaussian", (gaussian, law == Law::Any), "noise of any law", "Gaussian noise"),
        row(
            "equal-variances",
            (equal, rejects(equal)),
            "noise variances of each column's own",
            "one noise variance for all",
        ),
    ];
    Assumptions { model: Model { mean, law }, gaussian: Model { mean, law: of_gaussian }, rows }
}

/// The verdict on an assumption, by how much the general is ahead of the special, and whether that rejects it.
fn row(name: &str, (gain, rejected): (Option<Difference>, bool), general: &str, special: &str) -> AssumptionRow {
    let Some(gain) = gain else {
        let evidence = format!("not looked at: no graph was valued with {general}");
        return AssumptionRow {
            name: name.to_owned(),
            verdict: Assessment::Undecided,
            nats: None,
            error: None,
            evidence,
        };
    };
    let Difference { nats, error } = gain;
    let verdict = if rejected { Assessment::Rejected } else { Assessment::Kept };
    let ahead = if nats > 0.0 { "better" } else { "worse" };
    let clear = match (rejected, nats > 0.0) {
        (true, _) => "",
        (false, true) => ", no more than chance explains",
        (false, false) => "",
    };
    let size = rounded(nats.abs(), 3);
    let evidence = format!(
        "with {general} the best graph explains rows it has not seen {ahead} than with {special}, by {size} \u{b1} {} nats{clear}",
        rounded(error, 2)
    );
    AssumptionRow { name: name.to_owned(), verdict, nats: Some(nats), error: Some(error), evidence }
}

/// Units, by what was noticed about the columns' scales.
pub(super) fn units(noticed: &[Diagnostic]) -> AssumptionRow {
    let codes = ["standardised-data", "partly-standardised", "different-units"];
    let found = noticed.iter().find(|diagnostic| codes.contains(&diagnostic.code.as_str()));
    let (verdict, evidence) = match found {
        Some(found) => (Assessment::Rejected, found.headline().to_owned()),
        None => {
            (Assessment::Kept, "neither the columns' names nor their variances speak against common units".to_owned())
        }
    };
    AssumptionRow { name: "common-units".to_owned(), verdict, nats: None, error: None, evidence }
}
