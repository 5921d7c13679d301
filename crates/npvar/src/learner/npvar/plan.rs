//! What NPVAR will do, decided once from its options: `by-estimator` is resolved here, and what an estimator cannot do is
//! refused.

use super::options::{NpvarConfig, ParentSelection, SampleSplit};
use crate::error::{Error, Result};
use crate::learner::estimator::{Choice, EstimatorConfig};
use crate::regress::gp::Gp;
use crate::regress::{ChoosesColumns, Estimator, Grid, Rodeo};
use crate::residual_variance::{Form, NeighbourForm, VarianceForm};

/// How residual variances are estimated.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Variances {
    /// By one regression for each node and step.
    OneFit(Form, SampleSplit),
    /// By regressions that predict every fold from the others.
    CrossFitted { folds: usize },
    /// The same with less smoothing than is best for the mean, and the form that is right for it.
    Undersmoothed { folds: usize },
    /// By the estimator's own noise variance.
    Own,
    /// By nearest neighbours, without the estimator.
    Neighbours(NeighbourForm),
}

/// How parents are selected along the order.
pub(super) enum Parents<'e> {
    /// By the significance of additive terms.
    Significance,
    /// In a way that needs the rows.
    OnRows(OnRows<'e>),
}

/// How parents are selected by looking at the rows.
pub(super) enum OnRows<'e> {
    /// By held-out loss without the candidate.
    LeaveOneOut,
    /// By held-out loss with the candidate shuffled.
    Permutation,
    /// By the marginal likelihood of Gaussian processes.
    MarginalLikelihood(Gp),
    /// By an estimator's own choice of columns.
    OwnChoice(Box<dyn ChoosesColumns + 'e>),
}

/// The estimator, and what is done with it.
pub(super) struct Plan<'e> {
    pub(super) estimator: &'e dyn Estimator,
    pub(super) variances: Variances,
    pub(super) parents: Parents<'e>,
}

impl<'e> Plan<'e> {
    /// The plan of these options with this estimator.
    ///
    /// # Errors
    /// [`Error::InvalidOption`] when the estimator cannot do what they ask for.
    pub(super) fn of(config: &NpvarConfig, estimator: &'e dyn Estimator) -> Result<Self> {
        let variances = Variances::of(config, estimator)?;
        Ok(Plan { estimator, variances, parents: Parents::of(config, estimator) })
    }

    /// Whether some rows are predicted from others.
    pub(super) fn predicts_rows_from_others(&self) -> bool {
        let held_out = match self.variances {
            Variances::OneFit(_, split) => split != SampleSplit::None,
            Variances::CrossFitted { .. } | Variances::Undersmoothed { .. } | Variances::Neighbours(_) => true,
            Variances::Own => false,
        };
        let selected = match self.parents {
            Parents::OnRows(OnRows::LeaveOneOut | OnRows::Permutation | OnRows::OwnChoice(_)) => true,
            Parents::OnRows(OnRows::MarginalLikelihood(_)) | Parents::Significance => false,
        };
        held_out || selected || self.estimator.predicts_rows_from_others()
    }
}

impl Variances {
    fn of(config: &NpvarConfig, estimator: &dyn Estimator) -> Result<Self> {
        let one_fit = |form| Ok(Variances::OneFit(form, config.split));
        let splits = config.split != SampleSplit::None;
        match config.residual_variance {
            VarianceForm::ByEstimator => Ok(Variances::usual(config, estimator)),
            VarianceForm::Difference => one_fit(Form::Difference),
            VarianceForm::PlugIn => one_fit(Form::PlugIn),
            VarianceForm::Rss if estimator.additive().is_none() && !splits => refused(
                "can be `rss` for `gam` and `linear`, which have effective degrees of freedom, or with a sample split; \
                 `cross-fitted` suits every estimator",
                "`rss`",
            ),
            VarianceForm::Rss => one_fit(Form::Rss),
            VarianceForm::CrossFitted | VarianceForm::OneStep | VarianceForm::Undersmoothed if splits => refused(
                "must be `difference`, `rss` or `plug-in` with a sample split, because the others hold rows out themselves",
                "another one",
            ),
            VarianceForm::NearestNeighbour | VarianceForm::Own if splits => refused(
                "must be `difference`, `rss` or `plug-in` with a sample split, because the others use all rows",
                "another one",
            ),
            VarianceForm::Undersmoothed if estimator.undersmoothed(1).is_none() => Err(no_smoothing()),
            VarianceForm::Own if !estimator.has_noise_variance() => Err(no_noise_variance()),
            VarianceForm::CrossFitted => Ok(Variances::CrossFitted { folds: config.folds }),
            VarianceForm::OneStep => Ok(Variances::CrossFitted { folds: 2 }),
            VarianceForm::Undersmoothed => Ok(Variances::Undersmoothed { folds: config.folds }),
            VarianceForm::NearestNeighbour => Ok(Variances::Neighbours(config.nearest_neighbour)),
            VarianceForm::Own => Ok(Variances::Own),
        }
    }

    /// What suits the estimator: the reference's form for additive models, else what does not grow more optimistic with the
    /// flexibility of the fit, from one fit where that is possible.
    fn usual(config: &NpvarConfig, estimator: &dyn Estimator) -> Self {
        match config.split {
            split if estimator.additive().is_some() => Variances::OneFit(Form::Difference, split),
            split @ (SampleSplit::Half | SampleSplit::Fresh) => Variances::OneFit(Form::Rss, split),
            SampleSplit::None if estimator.has_noise_variance() => Variances::Own,
            SampleSplit::None => Variances::CrossFitted { folds: config.folds },
        }
    }
}

impl<'e> Parents<'e> {
    /// As the options say, or as suits the estimator: additive models have terms to test, adaptive ones choose.
    fn of(config: &NpvarConfig, estimator: &'e dyn Estimator) -> Self {
        let process = estimator.process();
        Parents::OnRows(match config.parents {
            ParentSelection::Significance => return Parents::Significance,
            ParentSelection::LeaveOneOut => OnRows::LeaveOneOut,
            ParentSelection::Permutation => OnRows::Permutation,
            ParentSelection::MarginalLikelihood => OnRows::MarginalLikelihood(process.unwrap_or_default()),
            ParentSelection::Rodeo => match config.estimator {
                EstimatorConfig::Rodeo(rodeo) => OnRows::OwnChoice(Box::new(rodeo)),
                _ => OnRows::OwnChoice(Box::new(Rodeo::default())),
            },
            ParentSelection::Grid => match config.estimator {
                EstimatorConfig::Grid(grid) => OnRows::OwnChoice(Box::new(grid)),
                _ => OnRows::OwnChoice(Box::new(Grid::default())),
            },
            ParentSelection::ByEstimator => match (estimator.additive(), process, estimator.own_choice()) {
                (Some(_), _, _) => return Parents::Significance,
                (None, Some(gp), _) => OnRows::MarginalLikelihood(gp),
                (None, None, Some(own)) => OnRows::OwnChoice(Box::new(own)),
                (None, None, None) => OnRows::LeaveOneOut,
            },
        })
    }

    /// The same before the data are there: nothing where they decide.
    pub(super) fn known(config: &NpvarConfig, choice: Choice<'e>) -> Option<Self> {
        match choice {
            Choice::One(estimator) => Some(Parents::of(config, estimator)),
            Choice::Either(_) if config.parents == ParentSelection::ByEstimator => None,
            Choice::Either(auto) => Some(Parents::of(config, &auto.gam)),
        }
    }

    /// Options of the selection that were set and that this way of selecting has no use for.
    pub(super) fn unused_options(&self, config: &NpvarConfig) -> Vec<&'static str> {
        let usual = NpvarConfig::default();
        let usual_selection = [usual.selection, NpvarConfig::reference().selection].contains(&config.selection);
        let significance = matches!(self, Parents::Significance);
        let held_out = matches!(self, Parents::OnRows(OnRows::LeaveOneOut | OnRows::Permutation));
        let by_likelihood = matches!(self, Parents::OnRows(OnRows::MarginalLikelihood(_)));
        let options = [
            ("cutoff", config.cutoff != usual.cutoff && !significance && !held_out),
            ("false-discovery-rate", config.false_discovery_rate != usual.false_discovery_rate && !by_likelihood),
            ("loss-test", config.loss_test != usual.loss_test && !held_out),
            ("selection", !usual_selection && !significance),
        ];
        options.iter().filter(|(_, unused)| *unused).map(|(option, _)| *option).collect()
    }
}

pub(super) fn no_smoothing() -> Error {
    invalid_form(
        "can be `undersmoothed` for `gam` with `smoothing=fixed` and `kernel`, where there is smoothing to take back",
        "`undersmoothed` with another estimator",
    )
}

pub(super) fn no_noise_variance() -> Error {
    invalid_form(
        "can be `own` for `gam` with `smoothing=reml`, `kernel`, `knn`, `gp`, `forest`, `mlp` and `grid`, which have a noise \
         variance of their own",
        "`own` with another estimator",
    )
}

fn refused(requirement: &str, got: &str) -> Result<Variances> {
    Err(invalid_form(requirement, got))
}

fn invalid_form(requirement: &str, got: &str) -> Error {
    Error::InvalidOption { option: "residual-variance", requirement: requirement.to_owned(), got: got.to_owned() }
}
