//! What a search's residual variances are estimated from: Gram matrices where the estimator is an additive model, the table
//! itself where it is not.

use super::along_order::read_gram;
use super::config::{NpvarConfig, SampleSplit};
use super::estimator::EstimatorConfig;
use crate::data::{ColumnSummary, Dataset, RowBlocks};
use crate::error::Result;
use crate::regress::{ConditionalMean, NoiseVariance, Smoothing};
use crate::residual_variance::{
    Additive, Conditioning, CrossFitted, Estimated, Evaluation, FoldForm, Folds, Form, FreshSplit, HalfSplit, Halves,
    NearestNeighbour, NeighbourForm, OwnNoise, Regressions, Smoother, VarianceForm,
};
use crate::run::Run;
use crate::smooth::{AdditiveGram, SmoothSpec};

/// A sample as far as residual variances need it.
pub(super) enum Sample<'a> {
    /// Additive regressions on all rows.
    Gram(AdditiveGram, Smoother, Form),
    /// REML regressions on all rows, with their own noise variances.
    Reml(AdditiveGram),
    /// Additive regressions on one half.
    Halves(Box<Halves>, Smoother, Form),
    /// Additive regressions on a fresh half for every layer.
    Fresh(&'a dyn RowBlocks, SmoothSpec, &'a [ColumnSummary], Smoother, Form),
    /// Additive regressions on all folds but one.
    Folds(Folds, Smoother, FoldForm),
    /// Any regressions.
    Table(Dataset, Box<dyn ConditionalMean>, Evaluation),
    /// Any estimator's own noise variances.
    Own(Dataset, Box<dyn NoiseVariance>),
    /// Nearest neighbours.
    Neighbours(Dataset, NeighbourForm),
}

impl<'a> Sample<'a> {
    /// Reads what the form and the estimator of `config` need.
    pub(super) fn read(
        config: &NpvarConfig,
        rows: &'a dyn RowBlocks,
        columns: &'a [ColumnSummary],
        run: &Run<'_>,
    ) -> Result<Self> {
        let form = config.variance_form();
        let (folds, fold_form) = match form {
            VarianceForm::OneStep => (2, FoldForm::SquaredResidual),
            VarianceForm::Undersmoothed => (config.folds, FoldForm::Product),
            _ => (config.folds, FoldForm::SquaredResidual),
        };
        let estimator = match form {
            VarianceForm::Undersmoothed => config.estimator.undersmoothed(columns[0].n).unwrap_or(config.estimator),
            _ => config.estimator,
        };
        match (form.of_one_regression(), form, estimator.additive()) {
            (_, VarianceForm::NearestNeighbour, _) => {
                Ok(Sample::Neighbours(Dataset::of(rows, run)?, config.nearest_neighbour))
            }
            (Some(form), _, Some((spec, smoother))) => match config.split {
                SampleSplit::None => Ok(Sample::Gram(read_gram(rows, spec, columns, run)?, smoother, form)),
                SampleSplit::Half => {
                    let halves = Halves::split(rows, spec, columns, run.seed.child("split", 0), run)?;
                    Ok(Sample::Halves(Box::new(halves), smoother, form))
                }
                SampleSplit::Fresh => Ok(Sample::Fresh(rows, spec, columns, smoother, form)),
            },
            (None, VarianceForm::Own, Some((spec, _))) => Ok(Sample::Reml(read_gram(rows, spec, columns, run)?)),
            (None, _, Some((spec, smoother))) => {
                let folds = Folds::split(rows, spec, columns, folds, run.seed.child("folds", 0), run)?;
                Ok(Sample::Folds(folds, smoother, fold_form))
            }
            (of_one, form, None) => {
                let evaluation = match (of_one, config.split) {
                    (Some(form), SampleSplit::None) => Evaluation::SameRows(form),
                    (Some(form), SampleSplit::Half) => Evaluation::Half(form),
                    (Some(form), SampleSplit::Fresh) => Evaluation::Fresh(form),
                    (None, _) => Evaluation::Folds(folds, fold_form),
                };
                Ok(Sample::table(estimator, form, evaluation, Dataset::of(rows, run)?, run))
            }
        }
    }

    fn table(
        estimator: EstimatorConfig,
        form: VarianceForm,
        evaluation: Evaluation,
        data: Dataset,
        run: &Run<'_>,
    ) -> Self {
        let seed = run.seed.child("estimator", 0);
        match (form, estimator.noise_variance(seed)) {
            (VarianceForm::Own, Some(estimator)) => Sample::Own(data, estimator),
            _ => Sample::Table(data, estimator.conditional_mean(seed), evaluation),
        }
    }

    /// Residual variances, beginning at the empty ancestral set.
    pub(super) fn conditioning(&self) -> Result<Box<dyn Conditioning + '_>> {
        Ok(match self {
            Sample::Gram(gram, smoother, form) => match smoother.smoothing {
                Smoothing::Fixed => Box::new(Additive::new(gram, smoother.sp, *form).conditioning()),
                Smoothing::Gcv | Smoothing::Reml => Box::new(Estimated::new(gram, *smoother, *form)),
            },
            Sample::Reml(gram) => Box::new(Estimated::own(gram)),
            Sample::Halves(halves, smoother, form) => Box::new(HalfSplit::new(halves, *smoother, *form)),
            Sample::Fresh(rows, spec, columns, smoother, form) => {
                Box::new(FreshSplit::new(*rows, *spec, columns, *smoother, *form))
            }
            Sample::Folds(folds, smoother, form) => Box::new(CrossFitted::new(folds, *smoother, *form)),
            Sample::Table(data, estimator, evaluation) => {
                Box::new(Regressions::new(data, estimator.as_ref(), *evaluation))
            }
            Sample::Own(data, estimator) => Box::new(OwnNoise::new(data, estimator.as_ref())),
            Sample::Neighbours(data, form) => Box::new(NearestNeighbour::new(data, *form)?),
        })
    }
}
