//! The estimators a learner can be told to use, and what each can do.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::config::{GamConfig, NoOptions, SampleSplit};
use super::gp_options::{AutoConfig, GpConfig};
use crate::error::{Error, Result};
use crate::regress::{
    ConditionalMean, Forest, Gam, Grid, Kernel, Knn, Linear, Mlp, NoiseVariance, Rodeo, Smoothing, Undersmooth,
};
use crate::residual_variance::{Smoother, VarianceForm};
use crate::run::Seed;
use crate::smooth::{FewValued, SmoothSpec};

/// The estimator of the conditional means.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum EstimatorConfig {
    /// An additive model.
    Gam(GamConfig),
    /// Linear regression.
    Linear(NoOptions),
    /// Kernel regression: local linear or local constant.
    Kernel(Kernel),
    /// Nearest neighbours.
    Knn(Knn),
    /// A Gaussian process with an additive and a joint part.
    Gp(GpConfig),
    /// A random forest.
    Forest(Forest),
    /// A neural network with one hidden layer.
    Mlp(Mlp),
    /// Local linear regression with greedily shrinking bandwidths (RODEO).
    Rodeo(Rodeo),
    /// Local linear regression in the columns that tests leave (GRID).
    Grid(Grid),
    /// `gam` where the data show no interactions, else `gp`.
    Auto(AutoConfig),
}

impl Default for EstimatorConfig {
    /// The paper's implementation.
    fn default() -> Self {
        EstimatorConfig::Gam(GamConfig::default())
    }
}

/// How parents are selected along an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ParentSelection {
    /// What suits the estimator.
    #[default]
    ByEstimator,
    /// By the significance of additive terms, as the paper.
    Significance,
    /// By what held-out predictions lose when the estimator does without the candidate (Lei et al. 2018).
    LeaveOneOut,
    /// By what held-out predictions lose when the candidate's values are shuffled (Breiman 2001).
    Permutation,
    /// By the marginal likelihood of Gaussian processes, at rate `false-discovery-rate`.
    MarginalLikelihood,
    /// By RODEO's own choice of columns; no p-values, so `cutoff` has no part in it.
    Rodeo,
    /// By GRID's own choice of columns; no p-values, so `cutoff` has no part in it.
    Grid,
}

impl EstimatorConfig {
    /// Whether every option is within its range.
    pub(super) fn check(&self) -> Result<()> {
        match self {
            EstimatorConfig::Gam(gam) => gam.check(),
            EstimatorConfig::Linear(_) => Ok(()),
            EstimatorConfig::Kernel(kernel) => kernel.check(),
            EstimatorConfig::Knn(knn) => knn.check(),
            EstimatorConfig::Forest(forest) => forest.check(),
            EstimatorConfig::Mlp(mlp) => mlp.check(),
            EstimatorConfig::Rodeo(rodeo) => rodeo.check(),
            EstimatorConfig::Grid(grid) => grid.check(),
            EstimatorConfig::Gp(gp) => gp.check(),
            EstimatorConfig::Auto(auto) => auto.check(),
        }
    }

    /// The estimator; `seed` is for those that draw at random.
    pub(super) fn conditional_mean(&self, seed: Seed) -> Box<dyn ConditionalMean> {
        match *self {
            EstimatorConfig::Gam(gam) => Box::new(gam_of(gam)),
            EstimatorConfig::Linear(_) => Box::new(Linear),
            EstimatorConfig::Kernel(kernel) => Box::new(kernel),
            EstimatorConfig::Knn(knn) => Box::new(knn),
            EstimatorConfig::Forest(forest) => Box::new(Forest { seed, ..forest }),
            EstimatorConfig::Mlp(mlp) => Box::new(Mlp { seed, ..mlp }),
            EstimatorConfig::Rodeo(rodeo) => Box::new(rodeo),
            EstimatorConfig::Grid(grid) => Box::new(grid),
            EstimatorConfig::Gp(gp) => Box::new(gp.estimator()),
            EstimatorConfig::Auto(_) => unreachable!("`auto` has been resolved before anything is fitted"),
        }
    }

    /// The bases and the smoothing of an estimator whose residual variances come from the Gram matrix alone.
    pub(super) fn additive(&self) -> Option<(SmoothSpec, Smoother)> {
        match self {
            EstimatorConfig::Gam(gam) => Some((gam.spec(), Smoother { smoothing: gam.smoothing, sp: gam.sp })),
            EstimatorConfig::Linear(_) => Some((SmoothSpec::Line, Smoother { smoothing: Smoothing::Fixed, sp: 0.0 })),
            _ => None,
        }
    }

    /// Whether a column of few values gets a coefficient for each of them.
    pub(super) fn has_levels(&self) -> bool {
        matches!(self, EstimatorConfig::Gam(gam) if gam.few_valued == FewValued::Saturated)
    }

    /// The same estimator for `n` rows with less bias than is best for the mean, where it has smoothing to take back.
    pub(super) fn undersmoothed(&self, n: usize) -> Option<EstimatorConfig> {
        match *self {
            EstimatorConfig::Gam(gam) => {
                let less = gam_of(gam).undersmoothed(n).ok()?;
                Some(EstimatorConfig::Gam(GamConfig { sp: less.sp, ..gam }))
            }
            EstimatorConfig::Kernel(kernel) => kernel.undersmoothed(n).ok().map(EstimatorConfig::Kernel),
            _ => None,
        }
    }

    /// The estimator, where it has a noise variance of its own and is not an additive model.
    pub(super) fn noise_variance(&self, seed: Seed) -> Option<Box<dyn NoiseVariance>> {
        match *self {
            EstimatorConfig::Kernel(kernel) => Some(Box::new(kernel)),
            EstimatorConfig::Knn(knn) => Some(Box::new(knn)),
            EstimatorConfig::Forest(forest) => Some(Box::new(Forest { seed, ..forest })),
            EstimatorConfig::Mlp(mlp) => Some(Box::new(Mlp { seed, ..mlp })),
            EstimatorConfig::Grid(grid) => Some(Box::new(grid)),
            EstimatorConfig::Gp(gp) => Some(Box::new(gp.estimator())),
            EstimatorConfig::Gam(_)
            | EstimatorConfig::Linear(_)
            | EstimatorConfig::Rodeo(_)
            | EstimatorConfig::Auto(_) => None,
        }
    }

    /// Whether the estimator has a noise variance of its own.
    fn has_noise_variance(&self) -> bool {
        matches!(self, EstimatorConfig::Gam(gam) if gam.smoothing == Smoothing::Reml)
            || self.noise_variance(Seed(0)).is_some()
    }

    /// The form of the residual variances that suits the estimator: the reference's for additive models, else what does
    /// not grow more optimistic with the flexibility of the fit, from one fit where that is possible.
    pub(super) fn usual_form(&self, split: SampleSplit) -> VarianceForm {
        match (self.additive(), split) {
            (Some(_), _) => VarianceForm::Difference,
            (None, SampleSplit::Half | SampleSplit::Fresh) => VarianceForm::Rss,
            (None, SampleSplit::None) if self.has_noise_variance() => VarianceForm::Own,
            (None, SampleSplit::None) => VarianceForm::CrossFitted,
        }
    }

    /// The selection of parents that suits the estimator: additive models have terms to test, adaptive ones choose.
    pub(super) fn usual_parents(&self) -> ParentSelection {
        match self {
            EstimatorConfig::Gam(_) | EstimatorConfig::Linear(_) => ParentSelection::Significance,
            EstimatorConfig::Rodeo(_) => ParentSelection::Rodeo,
            EstimatorConfig::Grid(_) => ParentSelection::Grid,
            EstimatorConfig::Gp(_) => ParentSelection::MarginalLikelihood,
            EstimatorConfig::Auto(_) => ParentSelection::ByEstimator,
            _ => ParentSelection::LeaveOneOut,
        }
    }

    /// Whether residual variances of this form can be had from this estimator and split.
    pub(super) fn check_form(&self, form: VarianceForm, split: SampleSplit) -> Result<()> {
        let refused = |requirement: &str, got: &str| {
            Err(Error::InvalidOption {
                option: "residual-variance",
                requirement: requirement.to_owned(),
                got: got.to_owned(),
            })
        };
        let splits = split != SampleSplit::None;
        if matches!(self, EstimatorConfig::Auto(_)) && (form != VarianceForm::ByEstimator || splits) {
            return refused(
                "must be `by-estimator`, without a sample split, for `auto`, which may take either of two estimators",
                if splits { "a sample split" } else { "another" },
            );
        }
        match form {
            VarianceForm::ByEstimator | VarianceForm::Difference | VarianceForm::PlugIn => Ok(()),
            VarianceForm::Rss if self.additive().is_none() && !splits => refused(
                "can be `rss` for `gam` and `linear`, which have effective degrees of freedom, or with a sample split; \
                 `cross-fitted` suits every estimator",
                "`rss`",
            ),
            VarianceForm::Rss => Ok(()),
            VarianceForm::CrossFitted | VarianceForm::OneStep | VarianceForm::Undersmoothed if splits => refused(
                "must be `difference`, `rss` or `plug-in` with a sample split, because the others hold rows out themselves",
                "another one",
            ),
            VarianceForm::NearestNeighbour | VarianceForm::Own if splits => refused(
                "must be `difference`, `rss` or `plug-in` with a sample split, because the others use all rows",
                "another one",
            ),
            VarianceForm::Undersmoothed if self.undersmoothed(1).is_none() => refused(
                "can be `undersmoothed` for `gam` with `smoothing=fixed` and `kernel`, where there is smoothing to take back",
                "`undersmoothed` with another estimator",
            ),
            VarianceForm::Own if !self.has_noise_variance() => refused(
                "can be `own` for `gam` with `smoothing=reml`, `kernel`, `knn`, `gp`, `forest`, `mlp` and `grid`, which have a noise \
                 variance of their own",
                "`own` with another estimator",
            ),
            VarianceForm::CrossFitted
            | VarianceForm::OneStep
            | VarianceForm::Undersmoothed
            | VarianceForm::NearestNeighbour
            | VarianceForm::Own => Ok(()),
        }
    }
}

fn gam_of(gam: GamConfig) -> Gam {
    Gam { sp: gam.sp, smoothing: gam.smoothing, spec: gam.spec() }
}
