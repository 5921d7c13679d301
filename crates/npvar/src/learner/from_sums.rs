//! NPVAR from sums over the rows alone, wherever they were formed.

use super::along_order::{Found, check_columns, select_along};
use super::config::{NpvarConfig, SampleSplit};
use super::estimator::ParentSelection;
use super::npvar::Npvar;
use super::{Learned, LearnerConfig, reports};
use crate::error::{Error, Result};
use crate::graph::{Knowledge, Order};
use crate::order::Eta;
use crate::regress::Smoothing;
use crate::residual_variance::{Additive, Estimated, Form, Smoother};
use crate::run::{Event, Run, Stage};
use crate::smooth::{AdditiveGram, Summed};

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
/// [`Error::InvalidOption`] when an option needs the rows: a sample split, an adaptive `η`, other bases than those that were
/// summed; or when not all rows have been summed. As any learner otherwise.
pub fn learn_from_sums(sums: &Summed, config: &NpvarConfig, order: Option<Order>, run: &Run<'_>) -> Result<Learned> {
    let config = LearnerConfig::Npvar(config.clone());
    config.build()?;
    let LearnerConfig::Npvar(config) = config else { unreachable!("it is NPVAR's") };
    let (smoother, form) = additive(&config, sums)?;
    sums.check_complete()?;
    run.report(&Event::Stage(Stage::Order))?;
    let (names, columns) = (sums.knots().names(), sums.knots().columns());
    check_columns("NPVAR", names, columns)?;
    let mut diagnostics = reports::columns(names, columns);
    diagnostics.extend(reports::small_sample(columns[0].n));
    let gram = AdditiveGram::new(sums.gram());
    diagnostics.extend(reports::scale(names, &gram));
    let (npvar, nothing) = (Npvar(config.clone()), Knowledge::none(names.len()));
    let (search, factor) = match &order {
        Some(_) => {
            diagnostics.extend(config.searches_specially().then(reports::unused_search_options));
            (None, None)
        }
        None if smoother.smoothing == Smoothing::Fixed => {
            let mut conditioning = Additive::new(&gram, smoother.sp, form).conditioning();
            let search = npvar.run_search(&mut conditioning, None, &nothing, run)?;
            let reusable = smoother.sp == config.selection.sp && config.selection.smoothing == Smoothing::Fixed;
            (Some(search), reusable.then(|| conditioning.into_factor()))
        }
        None => {
            let mut conditioning = Estimated::new(&gram, smoother, form);
            (Some(npvar.run_search(&mut conditioning, None, &nothing, run)?), None)
        }
    };
    if let Some(search) = &search {
        npvar.report_negative(search, names, &mut diagnostics)?;
    }
    let order = match (&search, order) {
        (Some(search), _) => search.layers.order(),
        (None, Some(order)) => order,
        (None, None) => unreachable!("there is a search where no order is given"),
    };
    let (layers, steps) = search.map(|search| (search.layers, search.steps)).unzip();
    let found = Found { order, layers, steps, diagnostics };
    let rule = (&config.selection, config.cutoff);
    select_along(names, &gram, factor, found, rule, LearnerConfig::Npvar(config.clone()), run)
}

/// The search's smoothing and form, where the options need nothing but the sums.
fn additive(config: &NpvarConfig, sums: &Summed) -> Result<(Smoother, Form)> {
    let refused = |option: &'static str, requirement: &str| {
        let got = "another".to_owned();
        Err(Error::InvalidOption { option, requirement: requirement.to_owned(), got })
    };
    if config.split != SampleSplit::None {
        return refused("split", "must be `none` where only sums over the rows are left");
    }
    if config.eta == Eta::Adaptive {
        return refused("eta", "must be `node-by-node` or a number where only sums over the rows are left");
    }
    let spec = sums.knots().spec();
    if config.selection.spec() != spec {
        return refused("selection", "must have the `k` and `few-valued` that the knots were made with");
    }
    let Some((_, smoother)) = config.estimator.additive().filter(|(own, _)| *own == spec) else {
        return refused("estimator", "must be `gam` with the `k` and `few-valued` that the knots were made with");
    };
    if config.parent_selection() != ParentSelection::Significance {
        return refused("parents", "must be `significance` where only sums over the rows are left");
    }
    match config.variance_form().of_one_regression() {
        Some(form) => Ok((smoother, form)),
        None => refused("residual-variance", "must be `difference`, `rss` or `plug-in` where only sums are left"),
    }
}
