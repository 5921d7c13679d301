//! NPVAR from sums over the rows alone, wherever they were formed.

use super::options::{NpvarConfig, SampleSplit};
use super::plan::{Parents, Plan, Variances};
use super::search::find;
use super::source::Source;
use crate::error::{Result, within};
use crate::graph::{Knowledge, Order};
use crate::learner::facts::Options;
use crate::learner::input::check_columns;
use crate::learner::learned::{Learned, learned};
use crate::learner::registry::LearnerConfig;
use crate::order::Eta;
use crate::run::{Event, Run, Stage};
use crate::smooth::{AdditiveGram, SmoothSpec, Summed};

/// Learns from a table that has been summed. The answer is NPVAR's on the rows themselves, to the last digits of the sums.
///
/// ```
/// use npvar::learner::{NpvarConfig, learn_from_sums};
/// use npvar::simulate::{SimulateOptions, simulate};
/// use npvar::smooth::{Knots, Summed};
/// use npvar::{Run, Seed};
/// let data = simulate("MC-SIN".parse()?, &SimulateOptions { nodes: Some(4), ..Default::default() }, Seed(1))?.data;
/// let (config, run) = (NpvarConfig::default(), Run::new(Seed(1)));
/// let knots = Knots::of(&data, config.selection.spec(), &run)?;
/// let learned = learn_from_sums(&Summed::of(&data, &knots, &run)?, &config, None, &run)?;
/// assert_eq!(learned, npvar::learn(&data, &run)?);
/// # Ok::<(), npvar::Error>(())
/// ```
///
/// # Errors
/// [`Error::InvalidOption`](crate::Error::InvalidOption) when an option needs the rows: a sample split, an adaptive `η`, other bases than those that were
/// summed; or when not all rows have been summed. As any learner otherwise.
pub fn learn_from_sums(sums: &Summed, config: &NpvarConfig, order: Option<Order>, run: &Run<'_>) -> Result<Learned> {
    let described = LearnerConfig::Npvar(config.clone());
    described.build()?;
    let (names, columns) = (sums.knots().names(), sums.knots().columns());
    check(config, sums.knots().spec())?;
    sums.check_complete()?;
    run.report(&Event::Stage(Stage::Order))?;
    check_columns(NpvarConfig::INFO.title, names, columns)?;
    let source = Source {
        names,
        columns,
        gram: AdditiveGram::new(sums.gram()),
        rows: None,
        second_sample: None,
        order: order.as_ref(),
        knowledge: &Knowledge::none(names.len()),
    };
    let found = find(config, config.estimator.choice(), &source, run)?;
    Ok(learned(&described, names, columns, found, run))
}

/// Whether the options need nothing but the sums, which have these bases.
fn check(config: &NpvarConfig, spec: SmoothSpec) -> Result<()> {
    let another = "another";
    let no_split = config.split == SampleSplit::None;
    within("split", no_split, "must be `none` where only sums over the rows are left", another)?;
    within(
        "eta",
        config.eta != Eta::Adaptive,
        "must be `node-by-node` or a number where only sums over the rows are left",
        another,
    )?;
    let same = config.selection.spec() == spec;
    within("selection", same, "must have the `k` and `few-valued` that the knots were made with", another)?;
    let estimator = config.estimator.single().filter(|one| one.additive().is_some_and(|(own, _)| own == spec));
    let requirement = "must be `gam` with the `k` and `few-valued` that the knots were made with";
    within("estimator", estimator.is_some(), requirement, another)?;
    let Some(estimator) = estimator else { return Ok(()) };
    let plan = Plan::of(config, estimator)?;
    let significance = matches!(plan.parents, Parents::Significance);
    within("parents", significance, "must be `significance` where only sums over the rows are left", another)?;
    within(
        "residual-variance",
        matches!(plan.variances, Variances::OneFit(..)),
        "must be `difference`, `rss` or `plug-in` where only sums are left",
        another,
    )
}
