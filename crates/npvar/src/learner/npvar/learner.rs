//! NPVAR as a learner: what it is, what its options may be, and what its answer rests on.

use super::options::{NpvarConfig, ParentSelection, SampleSplit};
use super::plan::{Parents, Plan};
use super::search::find;
use super::source::Source;
use crate::data::Categories;
use crate::error::{Error, Result, within};
use crate::learner::alternatives::WITH_JOINT_EFFECTS;
use crate::learner::estimator::Choice;
use crate::learner::facts::{LearnerInfo, ModelKind, Options, RestsOn, Uses};
use crate::learner::found::{Found, StructureLearner};
use crate::learner::input::Task;
use crate::order::Eta;
use crate::regress::{GamConfig, Smoother, Smoothing};
use crate::residual_variance::VarianceForm;
use crate::run::Run;
use crate::select::LossTest;
use crate::smooth::{FewValued, SmoothSpec};

impl Options for NpvarConfig {
    const INFO: LearnerInfo = LearnerInfo {
        name: "npvar",
        title: "NPVAR",
        summary: "NPVAR (Gao, Ding & Aragam 2020): order by residual variances of an additive model, parents by significance",
        assumes: "all variables observed, residual variances E var(X | parents) about equal, measured on their natural scale",
    };

    fn reference() -> Option<Self> {
        Some(NpvarConfig::reference())
    }

    fn check(&self) -> Result<()> {
        let scaler = self.eta_scaler > 0.0 && self.eta_scaler.is_finite();
        within("eta-scaler", scaler, "must be positive", self.eta_scaler)?;
        within(
            "eta",
            self.eta != Eta::Adaptive || self.split == SampleSplit::None,
            "cannot be `adaptive` with a sample split, which it makes itself",
            "both",
        )?;
        within("folds", self.folds >= 2, "must be at least 2", self.folds)?;
        self.estimator.check()?;
        within(
            "loss-test",
            self.parents != ParentSelection::Permutation || self.loss_test == LossTest::T,
            "must be `t` with `parents=permutation`, because what shuffling loses is not symmetric about zero even where it \
             is zero on average",
            "a rank test",
        )?;
        let rate = self.false_discovery_rate;
        within("false-discovery-rate", rate > 0.0 && rate < 1.0, "must be between 0 and 1", rate)?;
        match self.estimator.choice() {
            Choice::One(estimator) => drop(Plan::of(self, estimator)?),
            Choice::Either(_) => self.check_undecided()?,
        }
        self.significance().check()
    }

    fn uses(&self) -> Uses {
        Uses { order: true, second_sample: self.eta == Eta::Adaptive }
    }

    fn rests_on(&self) -> RestsOn {
        let additivity = self.estimator.single().is_some_and(|estimator| estimator.additive().is_some());
        RestsOn { equal_variances: true, natural_scale: true, units: true, additivity }
    }

    fn joint_effects(&self) -> Option<&'static str> {
        Some(WITH_JOINT_EFFECTS)
    }

    /// Where the search and the selection give every value a coefficient of its own, the codes' order counts for nothing.
    fn categories(&self) -> Categories {
        let saturated = self.selection().is_some_and(|gam| gam.few_valued == FewValued::Saturated);
        if saturated && self.estimator.single().is_some_and(|estimator| estimator.has_levels()) {
            Categories::AsCauses
        } else {
            Categories::LeftOut
        }
    }

    fn selection(&self) -> Option<GamConfig> {
        matches!(Parents::known(self, self.estimator.choice()), Some(Parents::Significance)).then_some(self.selection)
    }

    fn search_model(&self) -> Option<ModelKind> {
        let (spec, Smoother { smoothing, sp }) = self.estimator.single()?.additive()?;
        match spec {
            SmoothSpec::Line => Some(ModelKind::Linear),
            SmoothSpec::Spline { dimension: k, few_valued, null_space } => (smoothing == Smoothing::Fixed)
                .then_some(ModelKind::Additive(GamConfig { sp, smoothing, k, few_valued, null_space })),
        }
    }

    fn is_misled_by_copies(&self) -> bool {
        let planned = |estimator| Plan::of(self, estimator).is_ok_and(|plan| plan.predicts_rows_from_others());
        self.eta == Eta::Adaptive
            || match self.estimator.choice() {
                Choice::One(estimator) => planned(estimator),
                Choice::Either(auto) => planned(&auto.gam) || planned(&auto.gp),
            }
    }
}

impl NpvarConfig {
    /// What `auto` asks of the other options.
    fn check_undecided(&self) -> Result<()> {
        let splits = self.split != SampleSplit::None;
        if self.residual_variance == VarianceForm::ByEstimator && !splits {
            return Ok(());
        }
        Err(Error::InvalidOption {
            option: "residual-variance",
            requirement:
                "must be `by-estimator`, without a sample split, for `auto`, which may take either of two estimators"
                    .to_owned(),
            got: if splits { "a sample split" } else { "another" }.to_owned(),
        })
    }
}

impl StructureLearner for NpvarConfig {
    fn find(&self, task: &Task<'_>, run: &Run<'_>) -> Result<Found> {
        find(self, self.estimator.choice(), &Source::of(task, self.selection.spec(), run)?, run)
    }
}
