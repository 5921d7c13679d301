//! NPVAR with an estimator that the caller brings: the paper's algorithm asks for nothing but conditional means.

use super::along_order::{Found, read_gram, select_along, select_by, unused_second_sample, usable_columns};
use super::config::{NpvarConfig, SampleSplit};
use super::estimator::ParentSelection;
use super::npvar::Npvar;
use super::{Input, Learned, LearnerConfig, reports};
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::graph::Knowledge;
use crate::order::Eta;
use crate::regress::ConditionalMean;
use crate::residual_variance::{Evaluation, FoldForm, Regressions, VarianceForm};
use crate::run::{Diagnostic, Event, Run, Stage};
use crate::select::{Importance, leave_one_out, permutation};

/// Learns with `estimator` in place of the one in the configuration; `name` stands for it in the result.
///
/// Residual variances are `cross-fitted` and parents selected by `leave-one-out` unless the options say otherwise.
///
/// ```
/// use npvar::learner::{Input, NpvarConfig, learn_with};
/// use npvar::regress::Linear;
/// use npvar::simulate::{SimulateOptions, simulate};
/// use npvar::{Run, Seed};
/// let options = SimulateOptions { nodes: Some(3), samples: 200, ..Default::default() };
/// let data = simulate("ER-LIN-1".parse()?, &options, Seed(1))?.data;
/// let learned = learn_with(&Linear, "a line", &NpvarConfig::default(), &Input::new(&data), &Run::new(Seed(1)))?;
/// assert_eq!(learned.diagnostics.last().map(|last| last.code.as_str()), Some("own-estimator"));
/// # Ok::<(), npvar::Error>(())
/// ```
///
/// # Errors
/// [`Error::InvalidOption`] for options that need to know the estimator; as any learner otherwise.
pub fn learn_with(
    estimator: &dyn ConditionalMean,
    name: &str,
    config: &NpvarConfig,
    input: &Input<'_>,
    run: &Run<'_>,
) -> Result<Learned> {
    LearnerConfig::Npvar(config.clone()).build()?;
    let (evaluation, parents) = (evaluation(config)?, parents(config)?);
    if input.knowledge.is_some() {
        return Err(Error::Knowledge { problem: "an estimator of one's own cannot use any".to_owned() });
    }
    if input.second_sample.is_some() {
        return Err(unused_second_sample());
    }
    run.report(&Event::Stage(Stage::Order))?;
    let names = input.rows.names().to_vec();
    let columns = usable_columns("NPVAR", input.rows, run)?;
    let mut diagnostics = reports::columns(&names, &columns);
    diagnostics.extend(reports::small_sample(columns[0].n));
    let gram = read_gram(input.rows, config.selection.spec(), &columns, run)?;
    diagnostics.extend(reports::scale(&names, &gram));
    let data = Dataset::of(input.rows, run)?;
    let npvar = Npvar(config.clone());
    let (order, layers, steps) = match &input.order {
        Some(order) => (order.clone(), None, None),
        None => {
            let mut conditioning = Regressions::new(&data, estimator, evaluation);
            let search = npvar.run_search(&mut conditioning, None, &Knowledge::none(names.len()), run)?;
            npvar.report_negative(&search, &names, &mut diagnostics)?;
            (search.layers.order(), Some(search.layers), Some(search.steps))
        }
    };
    let found = Found { order, layers, steps, diagnostics };
    let own = LearnerConfig::Npvar(config.clone());
    let importance = Importance { folds: config.folds, test: config.loss_test, cutoff: config.cutoff };
    let mut learned = match parents {
        Parents::Significance => {
            select_along(&names, &gram, None, found, (&config.selection, config.cutoff), own, run)?
        }
        Parents::LeaveOneOut => {
            select_by(&names, &gram, found, own, run, &|order| leave_one_out(&data, estimator, order, importance, run))?
        }
        Parents::Permutation => {
            select_by(&names, &gram, found, own, run, &|order| permutation(&data, estimator, order, importance, run))?
        }
    };
    let message = format!("conditional means were estimated by {name}, not by the `estimator` of the configuration");
    learned.diagnostics.push(Diagnostic::info("own-estimator", message));
    Ok(learned)
}

/// How parents are selected when the estimator is not known.
enum Parents {
    Significance,
    LeaveOneOut,
    Permutation,
}

fn parents(config: &NpvarConfig) -> Result<Parents> {
    match config.parents {
        ParentSelection::ByEstimator | ParentSelection::LeaveOneOut => Ok(Parents::LeaveOneOut),
        ParentSelection::Permutation => Ok(Parents::Permutation),
        ParentSelection::Significance => Ok(Parents::Significance),
        _ => {
            refused("parents", "must be `leave-one-out`, `permutation` or `significance` for an estimator of one's own")
        }
    }
}

/// Which rows are fitted and predicted.
fn evaluation(config: &NpvarConfig) -> Result<Evaluation> {
    if config.eta == Eta::Adaptive {
        return refused("eta", "must be `node-by-node` or a number for an estimator of one's own");
    }
    let form = match (config.residual_variance, config.split) {
        (VarianceForm::ByEstimator, SampleSplit::None) => VarianceForm::CrossFitted,
        (VarianceForm::ByEstimator, _) => VarianceForm::Rss,
        (form, _) => form,
    };
    match (form.of_one_regression(), form, config.split) {
        (Some(_), VarianceForm::Rss, SampleSplit::None) => {
            refused("residual-variance", "can be `rss` for an estimator of one's own only with a sample split")
        }
        (Some(form), _, SampleSplit::None) => Ok(Evaluation::SameRows(form)),
        (Some(form), _, SampleSplit::Half) => Ok(Evaluation::Half(form)),
        (Some(form), _, SampleSplit::Fresh) => Ok(Evaluation::Fresh(form)),
        (None, VarianceForm::CrossFitted, SampleSplit::None) => {
            Ok(Evaluation::Folds(config.folds, FoldForm::SquaredResidual))
        }
        (None, VarianceForm::OneStep, SampleSplit::None) => Ok(Evaluation::Folds(2, FoldForm::SquaredResidual)),
        _ => refused(
            "residual-variance",
            "must be `cross-fitted`, `one-step`, `difference` or `plug-in` for an estimator of one's own",
        ),
    }
}

fn refused<T>(option: &'static str, requirement: &str) -> Result<T> {
    Err(Error::InvalidOption { option, requirement: requirement.to_owned(), got: "another one".to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::regress::Linear;
    use crate::run::Seed;
    use crate::simulate::{SimulateOptions, simulate};

    fn data() -> Dataset {
        let options = SimulateOptions { nodes: Some(4), samples: 300, ..Default::default() };
        simulate("ER-LIN-1".parse().unwrap(), &options, Seed(2)).unwrap().data
    }

    #[test]
    fn a_line_brought_along_is_the_built_in_line() {
        let (data, run) = (data(), Run::new(Seed(1)));
        let config = NpvarConfig {
            parents: ParentSelection::LeaveOneOut,
            residual_variance: VarianceForm::Difference,
            ..Default::default()
        };
        let own = learn_with(&Linear, "a line", &config, &Input::new(&data), &run).unwrap();
        let built_in = NpvarConfig { estimator: crate::learner::EstimatorConfig::Linear(Default::default()), ..config };
        let expected = LearnerConfig::Npvar(built_in).build().unwrap().learn(&Input::new(&data), &run).unwrap();
        assert_eq!((own.order, own.graph), (expected.order, expected.graph));
        for (own, expected) in own.steps.unwrap().iter().zip(expected.steps.unwrap()) {
            for (own, expected) in own.residual_variances.iter().zip(expected.residual_variances) {
                assert!((own - expected).abs() <= 1e-10 * expected, "{own:?} {expected:?}");
            }
        }
    }

    #[test]
    fn options_that_must_know_the_estimator_are_refused() {
        let (data, run) = (data(), Run::new(Seed(1)));
        for config in [
            NpvarConfig { eta: Eta::Adaptive, ..Default::default() },
            NpvarConfig { parents: ParentSelection::MarginalLikelihood, ..Default::default() },
            NpvarConfig { residual_variance: VarianceForm::Rss, ..Default::default() },
            NpvarConfig { residual_variance: VarianceForm::NearestNeighbour, ..Default::default() },
        ] {
            let refused = learn_with(&Linear, "a line", &config, &Input::new(&data), &run);
            assert!(matches!(refused, Err(Error::InvalidOption { .. })), "{config:?}");
        }
    }
}
