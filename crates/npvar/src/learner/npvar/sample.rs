//! What a search's residual variances are estimated from: Gram matrices where the estimator is an additive model, the table
//! itself where it is not.

use super::options::SampleSplit;
use super::plan::{Plan, Variances, no_noise_variance, no_smoothing};
use crate::data::{ColumnSummary, Dataset, RowBlocks};
use crate::error::Result;
use crate::regress::{ConditionalMean, NoiseVariance, Smoother, Smoothing, Undersmoothed};
use crate::residual_variance::{
    Additive, Conditioning, CrossFitted, Estimated, FoldForm, Folds, Form, FreshSplit, HalfSplit, Halves,
    NearestNeighbour, NeighbourForm, OwnNoise, Regressions, RowUse,
};
use crate::run::Run;
use crate::smooth::{AdditiveGram, RawGram, SmoothSpec};

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
    Table(Dataset, Box<dyn ConditionalMean + 'a>, RowUse),
    /// Any estimator's own noise variances.
    Own(Dataset, Box<dyn NoiseVariance>),
    /// Nearest neighbours.
    Neighbours(Dataset, NeighbourForm),
}

impl<'a> Sample<'a> {
    /// Reads what the plan needs.
    pub(super) fn read(
        plan: &Plan<'a>,
        rows: &'a dyn RowBlocks,
        columns: &'a [ColumnSummary],
        run: &Run<'_>,
    ) -> Result<Self> {
        let seed = run.seed.child("estimator", 0);
        let mean = || plan.estimator.conditional_mean(seed);
        let gram = |spec| Ok(AdditiveGram::new(&RawGram::of(rows, spec, columns, run)?));
        let folds = |spec, count| Folds::split(rows, spec, columns, count, run.seed.child("folds", 0), run);
        match (plan.variances, plan.estimator.additive()) {
            (Variances::Neighbours(form), _) => Ok(Sample::Neighbours(Dataset::of(rows, run)?, form)),
            (Variances::OneFit(form, split), Some((spec, smoother))) => match split {
                SampleSplit::None => Ok(Sample::Gram(gram(spec)?, smoother, form)),
                SampleSplit::Half => {
                    let halves = Halves::split(rows, spec, columns, run.seed.child("split", 0), run)?;
                    Ok(Sample::Halves(Box::new(halves), smoother, form))
                }
                SampleSplit::Fresh => Ok(Sample::Fresh(rows, spec, columns, smoother, form)),
            },
            (Variances::OneFit(form, split), None) => {
                let evaluation = match split {
                    SampleSplit::None => RowUse::SameRows(form),
                    SampleSplit::Half => RowUse::Half(form),
                    SampleSplit::Fresh => RowUse::Fresh(form),
                };
                Ok(Sample::Table(Dataset::of(rows, run)?, mean(), evaluation))
            }
            (Variances::Own, Some((spec, _))) => Ok(Sample::Reml(gram(spec)?)),
            (Variances::Own, None) => {
                let estimator = plan.estimator.noise_estimator(seed).ok_or_else(no_noise_variance)?;
                Ok(Sample::Own(Dataset::of(rows, run)?, estimator))
            }
            (Variances::CrossFitted { folds: count }, Some((spec, smoother))) => {
                Ok(Sample::Folds(folds(spec, count)?, smoother, FoldForm::SquaredResidual))
            }
            (Variances::CrossFitted { folds }, None) => {
                let evaluation = RowUse::Folds(folds, FoldForm::SquaredResidual);
                Ok(Sample::Table(Dataset::of(rows, run)?, mean(), evaluation))
            }
            (Variances::Undersmoothed { folds: count }, _) => {
                match plan.estimator.undersmoothed(columns[0].n).ok_or_else(no_smoothing)? {
                    Undersmoothed::Additive(spec, smoother) => {
                        Ok(Sample::Folds(folds(spec, count)?, smoother, FoldForm::Product))
                    }
                    Undersmoothed::Mean(mean) => {
                        Ok(Sample::Table(Dataset::of(rows, run)?, mean, RowUse::Folds(count, FoldForm::Product)))
                    }
                }
            }
        }
    }

    /// Residual variances, beginning at the empty ancestral set.
    pub(super) fn conditioning(&self) -> Result<Box<dyn Conditioning + '_>> {
        Ok(match self {
            Sample::Gram(gram, smoother, form) => conditioning_on(gram, *smoother, *form),
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

/// Additive regressions on all rows of a Gram matrix.
pub(super) fn conditioning_on<'g>(
    gram: &'g AdditiveGram,
    smoother: Smoother,
    form: Form,
) -> Box<dyn Conditioning + 'g> {
    match smoother.smoothing {
        Smoothing::Fixed => Box::new(Additive::new(gram, smoother.sp, form).conditioning()),
        Smoothing::Gcv | Smoothing::Reml => Box::new(Estimated::new(gram, smoother, form)),
    }
}
