//! RESIT: regressions, HSIC tests and the order search put together; parents by the common selection or its own.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::along_order::{Ordered, Significance};
use super::estimator::EstimatorConfig;
use super::facts::{LearnerInfo, Options, RestsOn, Uses};
use super::found::{Found, StructureLearner};
use super::input::Task;
use super::reports;
use crate::data::{Dataset, Residuals};
use crate::error::{Error, Result, within};
use crate::graph::{Node, Order};
use crate::independence::{GammaTest, Hsic, LowRankFrom};
use crate::order::{Dependence, PreparedTest, ResitStep, Weakest, resit_order_within, resit_parents};
use crate::regress::{AdditiveResiduals, ConditionalMean, Estimator, GamConfig, Regressed, Smoothing};
use crate::run::{Diagnostic, Event, Run, Stage};
use crate::smooth::{FewValued, WholeColumn};

/// The smallest rank worth the name.
const LOWEST_RANK: usize = 10;

/// The spline basis of RESIT's regressions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SplineBasis {
    /// P-splines, as NPVAR.
    #[default]
    Ps,
    /// Thin-plate splines, as the authors' code (mgcv's default).
    Tp,
}

/// How RESIT's parents are selected along its order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ResitParents {
    /// The significance of additive terms, as the paper compares it.
    #[default]
    Significance,
    /// RESIT's own second phase: a candidate goes as long as the residuals stay independent of all nodes before.
    Independence,
}

/// RESIT (Peters et al. 2014): the node whose residuals depend least on its regressors is the next sink; then the same
/// selection as NPVAR.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ResitConfig {
    /// The level of the independence tests: of the second phase (`parents=independence`), and of the warning that no
    /// candidate's residuals were independent.
    pub alpha: f64,
    /// The estimator of the conditional means.
    pub estimator: EstimatorConfig,
    /// The basis of an additive model: `ps` or `tp` (thin plates, as the authors' code).
    pub basis: SplineBasis,
    /// The independence test.
    pub hsic: Hsic,
    /// Which candidate is the sink: that with the largest `p-value`, or the smallest `statistic` (lingam).
    pub weakest: Weakest,
    /// With `hsic.kernels=auto`: up to this many samples HSIC is exact (time grows with the square of their number);
    /// beyond, kernel matrices are replaced by low-rank factors.
    pub exact_up_to: usize,
    /// The largest rank of those factors.
    pub rank: usize,
    /// How parents are selected: `significance` (as the other learners) or `independence` (RESIT's second phase).
    pub parents: ResitParents,
    /// With `parents=significance`: the level of the parent selection.
    pub cutoff: f64,
    /// With `parents=significance`: the additive model of the parent selection.
    pub selection: GamConfig,
}

impl Default for ResitConfig {
    /// As the paper ran it: an additive model smoothed by cross-validation, HSIC, and the common selection. Exact up to
    /// 5,000 samples: a test takes about a quarter of a second there.
    fn default() -> Self {
        ResitConfig {
            alpha: 0.05,
            estimator: EstimatorConfig::Gam(GamConfig { smoothing: Smoothing::Gcv, ..GamConfig::default() }),
            basis: SplineBasis::Ps,
            hsic: Hsic::default(),
            weakest: Weakest::PValue,
            exact_up_to: 5000,
            rank: 200,
            parents: ResitParents::Significance,
            cutoff: 0.001,
            selection: GamConfig::default(),
        }
    }
}

impl Options for ResitConfig {
    const INFO: LearnerInfo = LearnerInfo {
        name: "resit",
        title: "RESIT",
        summary: "RESIT (Peters et al. 2014): sinks by the independence of residuals and regressors, parents by significance",
        assumes: "additive noise, independent of the parents, and relations the regression can estimate",
    };

    /// The authors' code with mgcv's thin plates; mgcv's basis for every column in the selection.
    fn reference() -> Option<Self> {
        let gam = GamConfig { few_valued: FewValued::Spline, ..GamConfig::default() };
        Some(ResitConfig {
            estimator: EstimatorConfig::Gam(GamConfig { smoothing: Smoothing::Gcv, ..gam }),
            basis: SplineBasis::Tp,
            selection: gam,
            ..ResitConfig::default()
        })
    }

    fn check(&self) -> Result<()> {
        within("alpha", self.alpha > 0.0 && self.alpha < 1.0, "must be between 0 and 1", self.alpha)?;
        within("rank", self.rank >= LOWEST_RANK, &format!("must be at least {LOWEST_RANK}"), self.rank)?;
        self.estimator.check()?;
        self.single_estimator()?;
        within(
            "basis",
            self.basis == SplineBasis::Ps || matches!(self.estimator, EstimatorConfig::Gam(_)),
            "is for `estimator=gam`",
            "`tp` with another estimator",
        )?;
        self.significance().check()?;
        let ResitConfig { cutoff, selection, .. } = ResitConfig::default();
        let selects = self.parents == ResitParents::Significance;
        // The preset's selection is left alone by a change of `parents`.
        let untouched = self.selection == selection || Some(self.selection) == Self::reference().map(|r| r.selection);
        within(
            "parents",
            selects || (self.cutoff == cutoff && untouched),
            "must be `significance` where `cutoff` or `selection` is set",
            "`independence`",
        )
    }

    fn uses(&self) -> Uses {
        Uses::ORDER
    }

    fn rests_on(&self) -> RestsOn {
        // One kernel over all columns measures their distances.
        RestsOn { equal_variances: false, natural_scale: false, units: true, additivity: true }
    }

    fn selection(&self) -> Option<GamConfig> {
        (self.parents == ResitParents::Significance).then_some(self.selection)
    }
}

/// When low-rank factors miss more than this of a kernel, a warning says so.
const MUCH_MISSED: f64 = 0.01;

impl StructureLearner for ResitConfig {
    fn find(&self, task: &Task<'_>, run: &Run<'_>) -> Result<Found> {
        let (names, n) = (task.names(), task.n());
        let tested = task.order.is_none() || self.parents == ResitParents::Independence;
        if tested && n < Hsic::FEWEST_SAMPLES {
            return Err(Error::TooFewSamples { what: "RESIT", needed: Hsic::FEWEST_SAMPLES, n });
        }
        // An additive model of so few rows leaves no residuals of its own, and the search for its smoothing takes long to say so.
        if tested && self.single_estimator()?.additive().is_some() && n <= names.len() {
            let what = "RESIT, which regresses every column on all the others,";
            return Err(Error::TooFewSamples { what, needed: names.len() + 1, n });
        }
        let mut diagnostics = Vec::from_iter(reports::small_sample_of_tests(n));
        let estimator = self.single_estimator()?;
        let has_levels = self.basis == SplineBasis::Ps && estimator.has_levels();
        diagnostics.extend(reports::few_valued(names, task.columns, has_levels));
        let data = Dataset::of(task.rows, run)?;
        let test = JointHsic { data: &data, config: self };
        if !tested {
            let order = task.order.cloned().expect("tests are for an order, or for parents along one");
            return Ordered::new(order, diagnostics).select(task, self.significance(), run);
        }
        let mean = estimator.conditional_mean(run.seed.child("estimator", 0));
        let residuals = self.residuals(&data, estimator, &*mean, run)?;
        diagnostics.extend(test.approximated(run)?);
        let is_constant = |node: &Node| task.columns[*node].min == task.columns[*node].max;
        let order = match task.order {
            Some(order) => order.clone(),
            None => {
                let (constant, varying): (Vec<Node>, Vec<Node>) = (0..names.len()).partition(is_constant);
                let known = task.knowledge;
                let (order, steps) = resit_order_within(&varying, &*residuals, &test, self.weakest, known, run)?;
                diagnostics.extend(self.dependent_sinks(names, &steps));
                // A constant column is neither cause nor effect: it comes first, and nothing is asked of it.
                Order::new(known.arranged(&[constant, order].concat()))?
            }
        };
        match self.parents {
            ResitParents::Independence => {
                run.report(&Event::Stage(Stage::Selection))?;
                let varying: Vec<Node> = order.nodes().iter().copied().filter(|node| !is_constant(node)).collect();
                let (dag, _) = resit_parents(&varying, names.len(), &*residuals, &test, self.alpha, run)?;
                Ok(Found::dag(&dag, order, diagnostics))
            }
            ResitParents::Significance => Ordered::new(order, diagnostics).select(task, self.significance(), run),
        }
    }
}

impl ResitConfig {
    fn significance(&self) -> Significance<'_> {
        Significance { selection: &self.selection, cutoff: self.cutoff }
    }

    fn single_estimator(&self) -> Result<&dyn Estimator> {
        self.estimator.single().ok_or_else(|| Error::InvalidOption {
            option: "estimator",
            requirement: "must be a single one for RESIT, which has no order yet to look for interactions along"
                .to_owned(),
            got: "`auto`".to_owned(),
        })
    }

    fn residuals<'a>(
        &self,
        data: &'a Dataset,
        estimator: &dyn Estimator,
        mean: &'a dyn ConditionalMean,
        run: &Run<'_>,
    ) -> Result<Box<dyn Residuals + 'a>> {
        Ok(match (self.estimator, estimator.additive(), self.basis) {
            (EstimatorConfig::Gam(gam), _, SplineBasis::Tp) => {
                let basis = (WholeColumn::ThinPlate, gam.k);
                Box::new(AdditiveResiduals::whole_columns(data, basis, gam.smoothing, gam.sp, run)?)
            }
            (_, Some((spec, smoother)), _) => {
                Box::new(AdditiveResiduals::new(data, spec, smoother.smoothing, smoother.sp, run)?)
            }
            (_, None, _) => Box::new(Regressed { data, estimator: mean }),
        })
    }

    /// Sinks whose residuals are not independent of their regressors: no additive noise model fits.
    fn dependent_sinks(&self, names: &[String], steps: &[ResitStep]) -> Option<Diagnostic> {
        let largest = |step: &&ResitStep| step.tests.iter().map(|test| test.p_value).fold(0.0, f64::max);
        let sinks: Vec<Node> = steps.iter().filter(|step| largest(step) < self.alpha).map(|step| step.sink).collect();
        (!sinks.is_empty()).then(|| {
            Diagnostic::warning(
                "dependent-residuals",
                format!(
                    "when {} became the next sink, no column's residuals were independent of the others at level {}: \
                     additive noise, or this regression, does not fit there",
                    reports::list(names, &sinks),
                    self.alpha
                ),
            )
        })
    }
}

/// HSIC between residuals and columns taken jointly.
struct JointHsic<'a> {
    data: &'a Dataset,
    config: &'a ResitConfig,
}

impl JointHsic<'_> {
    fn low_rank(&self) -> LowRankFrom {
        LowRankFrom { exact_up_to: self.config.exact_up_to, rank: self.config.rank }
    }

    /// How much of the kernel of all columns, the hardest to approximate, low-rank factors miss.
    fn approximated(&self, run: &Run<'_>) -> Result<Option<Diagnostic>> {
        let columns: Vec<&[f64]> = (0..self.data.d()).map(|node| self.data.column(node)).collect();
        let Some(missed) = self.config.hsic.missed(&columns, self.low_rank(), run)? else { return Ok(None) };
        let message = format!(
            "HSIC rests on kernel factors of rank at most {}, which miss {:.2} % of the kernel of all columns (`rank`, \
             `exact-up-to`)",
            self.config.rank,
            100.0 * missed
        );
        let level = if missed > MUCH_MISSED { Diagnostic::warning } else { Diagnostic::info };
        Ok(Some(level("low-rank-hsic", message)))
    }
}

impl Dependence for JointHsic<'_> {
    fn test(&self, residuals: &[f64], nodes: &[Node], run: &Run<'_>) -> Result<GammaTest> {
        self.against(nodes, run)?(residuals)
    }

    fn against<'a>(&'a self, nodes: &'a [Node], run: &'a Run<'_>) -> Result<PreparedTest<'a>> {
        let columns: Vec<&[f64]> = nodes.iter().map(|&node| self.data.column(node)).collect();
        let hsic = &self.config.hsic;
        let nodes = hsic.columns_side(&columns, self.low_rank(), run)?;
        Ok(Box::new(move |residuals| hsic.test_against(&nodes, residuals, run)))
    }
}
