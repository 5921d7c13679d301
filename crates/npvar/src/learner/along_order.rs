//! Parents along an order: what NPVAR, EqVar and every other learner that finds an order end with, as the paper
//! compares them.

use super::config::GamConfig;
use super::{Input, Learned, LearnerConfig, reports};
use crate::data::{ColumnSummary, RowBlocks, summarise};
use crate::error::{Error, Result};
use crate::graph::{Layers, Order, Pdag};
use crate::order::Step;
use crate::regress::Smoothing;
use crate::residual_variance::{AdditiveFactor, Dependency, Smoother};
use crate::run::{Diagnostic, Event, Run, Stage};
use crate::select::{Selection, gam_significance, gam_significance_estimated};
use crate::smooth::{AdditiveGram, RawGram, SmoothSpec};

/// The fewest samples a variance, a regression and a split can be formed from.
const FEWEST_SAMPLES: usize = 4;
/// Sums of squares of larger values could overflow.
const LARGEST_VALUE: f64 = 1e140;
/// Squares of smaller differences could vanish.
const SMALLEST_RANGE: f64 = 1e-140;

/// An order, how it was found, and what was noticed on the way.
pub(super) struct Found {
    pub(super) order: Order,
    pub(super) layers: Option<Layers>,
    pub(super) steps: Option<Vec<Step>>,
    pub(super) diagnostics: Vec<Diagnostic>,
}

/// The Gram matrix of a whole sample.
pub(super) fn read_gram(
    rows: &dyn RowBlocks,
    spec: SmoothSpec,
    columns: &[ColumnSummary],
    run: &Run<'_>,
) -> Result<AdditiveGram> {
    Ok(AdditiveGram::new(&RawGram::of(rows, spec, columns, run)?))
}

/// Selects parents along the order that was found: a node before another is its parent when the p-value of its term is
/// below `cutoff`. `gram` has the selection's bases; `factor` is the search's where it serves the selection too.
pub(super) fn select_along(
    names: &[String],
    gram: &AdditiveGram,
    factor: Option<AdditiveFactor<'_>>,
    found: Found,
    (selection, cutoff): (&GamConfig, f64),
    config: LearnerConfig,
    run: &Run<'_>,
) -> Result<Learned> {
    run.report(&Event::Stage(Stage::Selection))?;
    let (selected, dependencies) = select_parents(gram, factor, &found.order, selection, cutoff, run)?;
    let unsure = reports::sample_size(gram, names, &found.order);
    let dependencies = reports::dependencies(names, &found.order, &dependencies, true);
    let mut learned = learned(names, gram.n(), found, (selected, dependencies), config, run);
    learned.diagnostics.extend(unsure);
    Ok(learned)
}

/// Selects parents along the order that was found in another way.
pub(super) fn select_by(
    names: &[String],
    gram: &AdditiveGram,
    found: Found,
    config: LearnerConfig,
    run: &Run<'_>,
    select: &dyn Fn(&Order) -> Result<Selection>,
) -> Result<Learned> {
    run.report(&Event::Stage(Stage::Selection))?;
    let selected = select(&found.order)?;
    let factor = grown(AdditiveFactor::new(gram, GamConfig::default().sp), &found.order, run)?;
    let dependencies = reports::dependencies(names, &found.order, factor.dependencies(), false);
    Ok(learned(names, gram.n(), found, (selected, dependencies), config, run))
}

fn learned(
    names: &[String],
    n: usize,
    found: Found,
    (selected, dependencies): (Selection, Vec<Diagnostic>),
    config: LearnerConfig,
    run: &Run<'_>,
) -> Learned {
    let Found { order, layers, steps, mut diagnostics } = found;
    diagnostics.extend(dependencies);
    Learned {
        names: names.to_vec(),
        n,
        graph: Pdag::from(&selected.dag),
        order: Some(order),
        layers,
        steps,
        // An estimator's own choice of columns comes without tests.
        tests: Some(selected.tests).filter(|tests| !tests.is_empty()),
        diagnostics,
        config,
        seed: run.seed,
    }
}

/// Parents along the order, and the exact dependencies met on the way.
fn select_parents(
    gram: &AdditiveGram,
    factor: Option<AdditiveFactor<'_>>,
    order: &Order,
    config: &GamConfig,
    cutoff: f64,
    run: &Run<'_>,
) -> Result<(Selection, Vec<Dependency>)> {
    if config.smoothing != Smoothing::Fixed {
        let smoother = Smoother { smoothing: config.smoothing, sp: config.sp };
        let selection = gam_significance_estimated(gram, order, smoother, cutoff, run)?;
        // Which terms depend exactly on each other does not depend on how much they are smoothed.
        let factor = grown(AdditiveFactor::new(gram, GamConfig::default().sp), order, run)?;
        return Ok((selection, factor.dependencies().to_vec()));
    }
    let factor = grown(factor.unwrap_or_else(|| AdditiveFactor::new(gram, config.sp)), order, run)?;
    let selection = gam_significance(&factor, order, cutoff, run)?;
    Ok((selection, factor.dependencies().to_vec()))
}

/// The factor of all but the last node of the order.
fn grown<'g>(mut factor: AdditiveFactor<'g>, order: &Order, run: &Run<'_>) -> Result<AdditiveFactor<'g>> {
    for &node in &order.nodes()[factor.order().len()..order.nodes().len() - 1] {
        factor.append(node, run)?;
    }
    Ok(factor)
}

/// Summaries of the columns, which must be long enough and not too large for `learner`.
pub(super) fn usable_columns(learner: &'static str, rows: &dyn RowBlocks, run: &Run<'_>) -> Result<Vec<ColumnSummary>> {
    let columns = summarise(rows, run)?;
    check_columns(learner, rows.names(), &columns)?;
    Ok(columns)
}

/// Whether columns are long enough and not too large for `learner`.
pub(super) fn check_columns(learner: &'static str, names: &[String], columns: &[ColumnSummary]) -> Result<()> {
    let n = columns.first().map_or(0, |column| column.n);
    if n < FEWEST_SAMPLES {
        return Err(Error::TooFewSamples { what: learner, needed: FEWEST_SAMPLES, n });
    }
    for (name, column) in names.iter().zip(columns) {
        let largest = column.min.abs().max(column.max.abs());
        if largest > LARGEST_VALUE {
            return Err(Error::TooLarge { column: name.clone(), largest });
        }
        let range = column.max - column.min;
        if range > 0.0 && range < SMALLEST_RANGE {
            return Err(Error::TooSmall { column: name.clone(), range });
        }
    }
    Ok(())
}

pub(super) fn unused_second_sample() -> Error {
    Error::InvalidOption {
        option: "second-sample",
        requirement: "is for `eta=adaptive`".to_owned(),
        got: "another way to find the order".to_owned(),
    }
}

/// What a learner that finds a graph at once cannot use.
pub(super) fn refuse_unused(input: &Input<'_>, learner: &'static str) -> Result<()> {
    if input.second_sample.is_some() {
        return Err(unused_second_sample());
    }
    if input.order.is_some() {
        return Err(Error::InvalidOption {
            option: "order",
            requirement: "is for learners that select parents along one".to_owned(),
            got: format!("the learner `{learner}`"),
        });
    }
    Ok(())
}
