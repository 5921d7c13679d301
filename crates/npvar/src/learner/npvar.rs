//! NPVAR: residual variances, order search and parent selection put together.

use super::config::{EstimatorConfig, GamConfig, NegativeVariance, NpvarConfig, SampleSplit};
use super::reports;
use super::{Input, Learned, LearnerConfig, StructureLearner};
use crate::data::{ColumnSummary, RowBlocks, summarise};
use crate::error::{Error, Result};
use crate::graph::{Order, Pdag};
use crate::order::{Eta, LayerRule, Search, search};
use crate::regress::Smoothing;
use crate::residual_variance::{
    Additive, AdditiveFactor, Conditioning, Estimated, FreshSplit, HalfSplit, Halves, Smoother,
};
use crate::run::{Diagnostic, Event, Run, Stage};
use crate::select::{Selection, gam_significance, gam_significance_estimated};
use crate::smooth::{AdditiveGram, RawGram, SmoothSpec};

/// The fewest samples a variance, a regression and a split can be formed from.
const FEWEST_SAMPLES: usize = 4;
/// Sums of squares of larger values could overflow.
const LARGEST_VALUE: f64 = 1e140;

/// NPVAR with valid options.
pub(super) struct Npvar(pub(super) NpvarConfig);

impl StructureLearner for Npvar {
    fn learn(&self, input: &Input<'_>, run: &Run<'_>) -> Result<Learned> {
        run.report(&Event::Stage(Stage::Order))?;
        let names = input.rows.names().to_vec();
        let columns = usable_columns("NPVAR", input.rows, run)?;
        let n = columns[0].n;
        if input.second_sample.is_some() && (self.0.eta != Eta::Adaptive || input.order.is_some()) {
            return Err(unused_second_sample());
        }
        let mut diagnostics = reports::columns(&names, &columns);
        // The Gram matrix of the selection serves the search too when both use the same bases.
        let selection_gram = Gram::read(input.rows, self.0.selection.spec(), &columns, run)?;
        diagnostics.extend(reports::scale(&names, &selection_gram.0));
        let (search, factor) = match &input.order {
            Some(_) => {
                diagnostics.extend(self.0.searches_specially().then(reports::unused_search_options));
                (None, None)
            }
            None => {
                let (search, factor) = self.search(input, &columns, &selection_gram, run)?;
                (Some(search), factor)
            }
        };
        if let Some(search) = &search {
            self.report_negative(search, &names, &mut diagnostics)?;
        }
        let order = match (&search, &input.order) {
            (Some(search), _) => search.layers.order(),
            (None, Some(order)) => order.clone(),
            (None, None) => unreachable!("there is a search where no order is given"),
        };
        run.report(&Event::Stage(Stage::Selection))?;
        let selection = select_parents(&selection_gram.0, factor, &order, &self.0.selection, self.0.cutoff, run)?;
        diagnostics.extend(reports::dependencies(&names, &order, &selection.1));
        diagnostics.extend(reports::sample_size(&selection_gram.0, &names, &order));
        let (layers, steps) = search.map(|search| (search.layers, search.steps)).unzip();
        Ok(Learned {
            names,
            n,
            graph: Pdag::from(&selection.0.dag),
            order: Some(order),
            layers,
            steps,
            tests: Some(selection.0.tests),
            diagnostics,
            config: LearnerConfig::Npvar(self.0.clone()),
            seed: run.seed,
        })
    }
}

/// Summaries of the columns, which must be long enough and not too large for `learner`.
pub(super) fn usable_columns(learner: &'static str, rows: &dyn RowBlocks, run: &Run<'_>) -> Result<Vec<ColumnSummary>> {
    let columns = summarise(rows, run)?;
    let n = columns[0].n;
    if n < FEWEST_SAMPLES {
        return Err(Error::TooFewSamples { what: learner, needed: FEWEST_SAMPLES, n });
    }
    for (name, column) in rows.names().iter().zip(&columns) {
        let largest = column.min.abs().max(column.max.abs());
        if largest > LARGEST_VALUE {
            return Err(Error::TooLarge { column: name.clone(), largest });
        }
    }
    Ok(columns)
}

/// A Gram matrix of a whole sample.
struct Gram(AdditiveGram);

impl Gram {
    fn read(rows: &dyn RowBlocks, spec: SmoothSpec, columns: &[ColumnSummary], run: &Run<'_>) -> Result<Self> {
        Ok(Gram(AdditiveGram::new(&RawGram::of(rows, spec, columns, run)?)))
    }
}

impl Npvar {
    /// The order, and the search's factor where the selection can use it.
    fn search<'g>(
        &self,
        input: &Input<'_>,
        columns: &[ColumnSummary],
        selection_gram: &'g Gram,
        run: &Run<'_>,
    ) -> Result<(Search, Option<AdditiveFactor<'g>>)> {
        let NpvarConfig { residual_variance: form, .. } = self.0;
        let (spec, smoother) = match self.0.estimator {
            EstimatorConfig::Gam(gam) => (gam.spec(), Smoother { smoothing: gam.smoothing, sp: gam.sp }),
            EstimatorConfig::Linear(_) => (SmoothSpec::Line, Smoother { smoothing: Smoothing::Fixed, sp: 0.0 }),
        };
        match (self.0.split, self.0.eta, input.second_sample) {
            (SampleSplit::Half, ..) => {
                let halves = Halves::split(input.rows, spec, columns, run.seed.child("split", 0), run)?;
                Ok((self.run_search(&mut HalfSplit::new(&halves, smoother, form), None, columns, run)?, None))
            }
            (SampleSplit::Fresh, ..) => {
                let mut fresh = FreshSplit::new(input.rows, spec, columns, smoother, form);
                Ok((self.run_search(&mut fresh, None, columns, run)?, None))
            }
            (SampleSplit::None, Eta::Adaptive, Some(rows)) => {
                same_names(input.rows, rows)?;
                let first = Gram::read(input.rows, spec, columns, run)?;
                let second = Gram::read(rows, spec, &usable_columns("NPVAR", rows, run)?, run)?;
                Ok((self.adaptive(&first.0, &second.0, smoother, columns, run)?, None))
            }
            (SampleSplit::None, Eta::Adaptive, None) => {
                let halves = Halves::split(input.rows, spec, columns, run.seed.child("split", 0), run)?;
                Ok((self.adaptive(&halves.fitted, &halves.second(), smoother, columns, run)?, None))
            }
            (SampleSplit::None, ..) if smoother.smoothing != Smoothing::Fixed || spec != self.0.selection.spec() => {
                let own = Gram::read(input.rows, spec, columns, run)?;
                let mut conditioning = same_sample(&own.0, smoother, form);
                Ok((self.run_search(&mut *conditioning, None, columns, run)?, None))
            }
            (SampleSplit::None, ..) => {
                let mut conditioning = Additive::new(&selection_gram.0, smoother.sp, form).conditioning();
                let search = self.run_search(&mut conditioning, None, columns, run)?;
                let reusable = smoother.sp == self.0.selection.sp && self.0.selection.smoothing == Smoothing::Fixed;
                Ok((search, reusable.then(|| conditioning.into_factor())))
            }
        }
    }

    fn adaptive(
        &self,
        first: &AdditiveGram,
        second: &AdditiveGram,
        smoother: Smoother,
        columns: &[ColumnSummary],
        run: &Run<'_>,
    ) -> Result<Search> {
        let mut first = same_sample(first, smoother, self.0.residual_variance);
        let mut second = same_sample(second, smoother, self.0.residual_variance);
        self.run_search(&mut *first, Some(&mut *second), columns, run)
    }

    fn run_search(
        &self,
        conditioning: &mut dyn Conditioning,
        second: Option<&mut dyn Conditioning>,
        columns: &[ColumnSummary],
        run: &Run<'_>,
    ) -> Result<Search> {
        let rule = LayerRule {
            eta: self.0.eta,
            eta_scaler: self.0.eta_scaler,
            comparison: self.0.comparison,
            last_node: self.0.last_node,
        };
        search(conditioning, second, columns.len(), &rule, run)
    }

    fn report_negative(&self, search: &Search, names: &[String], diagnostics: &mut Vec<Diagnostic>) -> Result<()> {
        match (self.0.negative_variance, search.negative.first()) {
            (NegativeVariance::Stop, Some(&(node, value))) => {
                Err(Error::NegativeVariance { column: names[node].clone(), value })
            }
            _ => {
                diagnostics.extend(reports::negative_variances(names, &search.negative));
                Ok(())
            }
        }
    }
}

fn same_sample<'g>(
    gram: &'g AdditiveGram,
    smoother: Smoother,
    form: crate::residual_variance::Form,
) -> Box<dyn Conditioning + 'g> {
    match smoother.smoothing {
        Smoothing::Fixed => Box::new(Additive::new(gram, smoother.sp, form).conditioning()),
        Smoothing::Gcv | Smoothing::Reml => Box::new(Estimated::new(gram, smoother, form)),
    }
}

/// Parents along the order, and the exact dependencies met on the way.
pub(super) fn select_parents(
    gram: &AdditiveGram,
    factor: Option<AdditiveFactor<'_>>,
    order: &Order,
    config: &GamConfig,
    cutoff: f64,
    run: &Run<'_>,
) -> Result<(Selection, Vec<crate::residual_variance::Dependency>)> {
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

fn same_names(first: &dyn RowBlocks, second: &dyn RowBlocks) -> Result<()> {
    if first.names() == second.names() {
        return Ok(());
    }
    Err(Error::InvalidOption {
        option: "second-sample",
        requirement: format!("must have the columns {}", first.names().join(", ")),
        got: second.names().join(", "),
    })
}

pub(super) fn unused_second_sample() -> Error {
    Error::InvalidOption {
        option: "second-sample",
        requirement: "is for `eta=adaptive`".to_owned(),
        got: "another way to find the order".to_owned(),
    }
}
