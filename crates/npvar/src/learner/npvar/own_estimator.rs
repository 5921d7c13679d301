//! NPVAR with an estimator that the caller brings: the paper's algorithm asks for nothing but conditional means.

use super::options::{NpvarConfig, ParentSelection};
use super::search::find;
use super::source::Source;
use crate::error::{Result, within};
use crate::learner::estimator::Choice;
use crate::learner::found::{Found, StructureLearner};
use crate::learner::input::{Input, Task};
use crate::learner::learned::{Learned, learn_by};
use crate::learner::registry::LearnerConfig;
use crate::order::Eta;
use crate::regress::{ConditionalMean, Estimator};
use crate::residual_variance::VarianceForm;
use crate::run::{Diagnostic, Run, Seed};

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
/// [`Error::InvalidOption`](crate::Error::InvalidOption) for options that need to know the estimator; as any learner otherwise.
pub fn learn_with(
    estimator: &dyn ConditionalMean,
    name: &str,
    config: &NpvarConfig,
    input: &Input<'_>,
    run: &Run<'_>,
) -> Result<Learned> {
    check(config)?;
    let described = LearnerConfig::Npvar(config.clone());
    described.build()?;
    let mut learned = learn_by(&WithMean { config, brought: Brought(estimator) }, &described, input, run)?;
    let message = format!("conditional means were estimated by {name}, not by the `estimator` of the configuration");
    learned.diagnostics.push(Diagnostic::info("own-estimator", message));
    Ok(learned)
}

/// NPVAR with conditional means of the caller's.
struct WithMean<'a> {
    config: &'a NpvarConfig,
    brought: Brought<'a>,
}

impl StructureLearner for WithMean<'_> {
    fn find(&self, task: &Task<'_>, run: &Run<'_>) -> Result<Found> {
        find(self.config, Choice::One(&self.brought), &Source::of(task, self.config.selection.spec(), run)?, run)
    }
}

/// An estimator of which nothing is known but its predictions.
struct Brought<'a>(&'a dyn ConditionalMean);

impl Estimator for Brought<'_> {
    fn check(&self) -> Result<()> {
        Ok(())
    }

    fn conditional_mean(&self, _: Seed) -> Box<dyn ConditionalMean + '_> {
        Box::new(self.0)
    }
}

/// Whether the options leave everything to the estimator; what it cannot do is refused by the plan.
fn check(config: &NpvarConfig) -> Result<()> {
    let another = "another one";
    within(
        "eta",
        config.eta != Eta::Adaptive,
        "must be `node-by-node` or a number for an estimator of one's own",
        another,
    )?;
    let by_loss = matches!(
        config.parents,
        ParentSelection::ByEstimator
            | ParentSelection::LeaveOneOut
            | ParentSelection::Permutation
            | ParentSelection::Significance
    );
    let requirement = "must be `leave-one-out`, `permutation` or `significance` for an estimator of one's own";
    within("parents", by_loss, requirement, another)?;
    within(
        "residual-variance",
        config.residual_variance != VarianceForm::NearestNeighbour,
        "must be `cross-fitted`, `one-step`, `difference` or `plug-in` for an estimator of one's own",
        another,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Dataset;
    use crate::error::Error;
    use crate::graph::{Knowledge, WrittenKnowledge};
    use crate::learner::estimator::EstimatorConfig;
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
        let built_in = NpvarConfig { estimator: EstimatorConfig::Linear(Default::default()), ..config };
        let expected = LearnerConfig::Npvar(built_in).build().unwrap().learn(&Input::new(&data), &run).unwrap();
        assert_eq!((own.order, own.graph), (expected.order, expected.graph));
        for (own, expected) in own.steps.unwrap().iter().zip(expected.steps.unwrap()) {
            for (own, expected) in own.residual_variances.iter().zip(expected.residual_variances) {
                assert!((own - expected).abs() <= 1e-10 * expected, "{own:?} {expected:?}");
            }
        }
    }

    #[test]
    fn a_line_brought_along_respects_what_is_known() {
        let (data, run) = (data(), Run::new(Seed(1)));
        let learned = |input: &Input<'_>| learn_with(&Linear, "a line", &NpvarConfig::default(), input, &run).unwrap();
        let Some(&(parent, child)) = learned(&Input::new(&data)).graph.to_dag().unwrap().edges().first() else {
            panic!("the example has an edge")
        };
        let names = data.names();
        let forbidden = vec![[names[parent].clone(), names[child].clone()]];
        let knowledge = Knowledge::new(names, &WrittenKnowledge { forbidden, ..WrittenKnowledge::default() }).unwrap();
        let known = learned(&Input { knowledge: Some(&knowledge), ..Input::new(&data) });
        assert!(!known.graph.to_dag().unwrap().has_edge(parent, child));
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
