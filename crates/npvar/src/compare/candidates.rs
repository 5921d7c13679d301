//! One learner for each class of assumptions, and how long it may take.

use super::model::{Law, Mean, Model};
use crate::error::Result;
use crate::learner::{Assignment, LearnerConfig};

/// A learner with its options, and what it rests on.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    /// The learner, and the options that differ from its defaults: `best-order score=linear`.
    pub(super) label: String,
    pub(super) config: LearnerConfig,
    /// The models it was made for.
    pub(super) made_for: Vec<Model>,
    /// What it takes for granted, in words.
    pub(super) assumes: &'static str,
    /// Whether it looks for effects of several columns together.
    pub(super) joint: bool,
}

const fn model(mean: Mean, law: Law) -> Model {
    Model { mean, law }
}

/// Name, options, the models it was made for, and what it assumes.
type Row = (&'static str, &'static [&'static str], &'static [Model], &'static str);

/// The quick ones first, and of those made for one model the better one first.
const ROWS: [Row; 13] = [
    (
        "best-order",
        &["score=linear", "noise=shared"],
        &[model(Mean::Linear, Law::Shared)],
        "linear effects, Gaussian noise of equal variances",
    ),
    ("best-order", &["score=linear", "noise=own"], &[model(Mean::Linear, Law::Own)], "linear effects, Gaussian noise"),
    ("eqvar", &[], &[model(Mean::Linear, Law::Shared)], "linear effects, equal noise variances"),
    ("ges", &[], &[model(Mean::Linear, Law::Own)], "linear effects, Gaussian noise, faithfulness"),
    ("pc", &[], &[], "linear effects for its tests, faithfulness"),
    ("direct-lingam", &[], &[model(Mean::Linear, Law::Any)], "linear effects, noise that is not Gaussian"),
    (
        "best-order",
        &[],
        &[model(Mean::Additive, Law::Shared), model(Mean::Additive, Law::Own), model(Mean::Additive, Law::Any)],
        "effects that add up, Gaussian noise, of equal variances or of any",
    ),
    ("npvar", &[], &[model(Mean::Additive, Law::Shared)], "effects that add up, equal noise variances"),
    ("cam", &[], &[model(Mean::Additive, Law::Own)], "effects that add up and are not linear, Gaussian noise"),
    ("score", &[], &[], "effects that are not linear, Gaussian noise"),
    ("nogam", &[], &[model(Mean::Additive, Law::Any)], "effects that are not linear, independent noise of any law"),
    ("resit", &[], &[model(Mean::Additive, Law::Any)], "effects that add up, independent noise of any law"),
    (
        "best-order",
        &["score=gaussian-process"],
        &[model(Mean::Joint, Law::Shared), model(Mean::Joint, Law::Own), model(Mean::Joint, Law::Any)],
        "effects of any kind, Gaussian noise, of equal variances or of any",
    ),
];

/// All candidates.
pub(super) fn candidates() -> Result<Vec<Candidate>> {
    ROWS.iter()
        .map(|&(name, settings, made_for, assumes)| {
            let assignments: Vec<Assignment> =
                settings.iter().map(|setting| Assignment::parse(setting)).collect::<Result<_>>()?;
            let label = [&[name], settings].concat().join(" ");
            let config = LearnerConfig::resolve(name, &assignments)?;
            let joint = made_for.iter().any(|model| model.mean == Mean::Joint);
            Ok(Candidate { label, config, made_for: made_for.to_vec(), assumes, joint })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_model_has_a_learner_that_was_made_for_it_and_labels_are_unique() {
        let all = candidates().unwrap();
        for mean in Mean::ALL {
            for law in Law::ALL {
                assert!(all.iter().any(|one| one.made_for.contains(&model(mean, law))), "{mean:?} {law:?}");
            }
        }
        let mut labels: Vec<&str> = all.iter().map(|one| one.label.as_str()).collect();
        labels.sort_unstable();
        labels.dedup();
        assert_eq!(labels.len(), all.len());
    }
}
