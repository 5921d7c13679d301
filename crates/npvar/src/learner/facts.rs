//! What stands with a learner: its name, what it does, what it rests on, and what it can be given.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::found::StructureLearner;
use crate::data::Categories;
use crate::error::Result;
use crate::regress::GamConfig;

/// A learner's name, what it is, and what it assumes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct LearnerInfo {
    /// The name by which it is called.
    pub name: &'static str,
    /// The name by which it is known, as its authors write it.
    pub title: &'static str,
    /// What it does.
    pub summary: &'static str,
    /// When its answer is right.
    pub assumes: &'static str,
}

/// What would make a learner's answer wrong, as far as the data can show it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RestsOn {
    /// Residual variances are equal (Condition 2 of the paper).
    pub(crate) equal_variances: bool,
    /// The columns are on the scale they were measured on: what the answer is read off is how much they vary.
    pub(crate) natural_scale: bool,
    /// The columns are in units that mean something to each other: another unit for one of them changes the answer.
    pub(crate) units: bool,
    /// The effects of the parents add up.
    pub(crate) additivity: bool,
}

/// A model that a learner fits, and that what is shown of its answer is fitted with too.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum ModelKind {
    /// Straight lines.
    Linear,
    /// An additive model.
    Additive(GamConfig),
}

/// What a learner can use of an input, beside the rows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Uses {
    /// A given order.
    pub(crate) order: bool,
    /// A second sample.
    pub(crate) second_sample: bool,
}

impl Uses {
    /// A learner that selects parents along an order, which may be given.
    pub(crate) const ORDER: Uses = Uses { order: true, second_sample: false };
    /// A learner that finds a graph at once.
    pub(crate) const ROWS: Uses = Uses { order: false, second_sample: false };
}

/// A learner's options, and the facts about it that depend on them; with valid options they are the learner itself. `Default`
/// is the learner as the paper runs it.
pub(crate) trait Options: Default + StructureLearner + Sync {
    /// The learner.
    const INFO: LearnerInfo;

    /// The public implementation it is compared with, to the digit, where there is one.
    fn reference() -> Option<Self> {
        None
    }

    /// Presets of its own, beside `paper` and `reference`.
    const PRESETS: &[&str] = &[];

    /// The options of one of its own presets.
    fn preset(_name: &str) -> Option<Self> {
        None
    }

    /// Whether every option is within its range.
    fn check(&self) -> Result<()>;

    /// What it can use beside the rows.
    fn uses(&self) -> Uses;

    /// What its answer rests on.
    fn rests_on(&self) -> RestsOn;

    /// The additive model by which it selects parents along its order, where it does.
    fn selection(&self) -> Option<GamConfig> {
        None
    }

    /// The model of its order search, where that is linear or additive with a fixed smoothing parameter.
    fn search_model(&self) -> Option<ModelKind> {
        None
    }

    /// Options with which the same learner finds effects of several columns together, where it can; added to `npvar learn` as
    /// they stand.
    fn joint_effects(&self) -> Option<&'static str> {
        None
    }

    /// What could be there and leave no trace in its answer.
    fn does_not_see(&self) -> &'static str {
        "hidden common causes and cycles"
    }

    /// What it can do with a column of three or more words, which has codes for numbers.
    fn categories(&self) -> Categories {
        Categories::LeftOut
    }

    /// Whether it can do with the cells that are there: its tests or correlations then use the rows that have their columns.
    fn skips_missing(&self) -> bool {
        false
    }

    /// Whether it is a search that can be told to end with the best it has ([`Run::until`](crate::run::Run::until)).
    fn keeps_the_best(&self) -> bool {
        false
    }

    /// Whether it predicts some rows from others: a copy of a row then tells what should be unknown.
    fn is_misled_by_copies(&self) -> bool {
        false
    }
}

/// No options.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct NoOptions {}
