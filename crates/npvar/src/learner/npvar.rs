//! NPVAR: residual variances, order search and parent selection put together.

use super::along_order::{Found, read_gram, select_along, unused_second_sample, usable_columns};
use super::config::{EstimatorConfig, NegativeVariance, NpvarConfig, SampleSplit};
use super::reports;
use super::{Input, Learned, LearnerConfig, StructureLearner};
use crate::data::{ColumnSummary, RowBlocks};
use crate::error::{Error, Result};
use crate::order::{Eta, LayerRule, Search, search};
use crate::regress::Smoothing;
use crate::residual_variance::{
    Additive, AdditiveFactor, Conditioning, Estimated, FreshSplit, HalfSplit, Halves, Smoother,
};
use crate::run::{Diagnostic, Event, Run, Stage};
use crate::smooth::{AdditiveGram, SmoothSpec};

/// NPVAR with valid options.
pub(super) struct Npvar(pub(super) NpvarConfig);

impl StructureLearner for Npvar {
    fn learn(&self, input: &Input<'_>, run: &Run<'_>) -> Result<Learned> {
        run.report(&Event::Stage(Stage::Order))?;
        let names = input.rows.names().to_vec();
        let columns = usable_columns("NPVAR", input.rows, run)?;
        if input.second_sample.is_some() && (self.0.eta != Eta::Adaptive || input.order.is_some()) {
            return Err(unused_second_sample());
        }
        let mut diagnostics = reports::columns(&names, &columns);
        // The Gram matrix of the selection serves the search too when both use the same bases.
        let selection_gram = read_gram(input.rows, self.0.selection.spec(), &columns, run)?;
        diagnostics.extend(reports::scale(&names, &selection_gram));
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
        let (layers, steps) = search.map(|search| (search.layers, search.steps)).unzip();
        let found = Found { order, layers, steps, diagnostics };
        let rule = (&self.0.selection, self.0.cutoff);
        select_along(&names, &selection_gram, factor, found, rule, LearnerConfig::Npvar(self.0.clone()), run)
    }
}

impl Npvar {
    /// The order, and the search's factor where the selection can use it.
    fn search<'g>(
        &self,
        input: &Input<'_>,
        columns: &[ColumnSummary],
        selection_gram: &'g AdditiveGram,
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
                let first = read_gram(input.rows, spec, columns, run)?;
                let second = read_gram(rows, spec, &usable_columns("NPVAR", rows, run)?, run)?;
                Ok((self.adaptive(&first, &second, smoother, columns, run)?, None))
            }
            (SampleSplit::None, Eta::Adaptive, None) => {
                let halves = Halves::split(input.rows, spec, columns, run.seed.child("split", 0), run)?;
                Ok((self.adaptive(&halves.fitted, &halves.second(), smoother, columns, run)?, None))
            }
            (SampleSplit::None, ..) if smoother.smoothing != Smoothing::Fixed || spec != self.0.selection.spec() => {
                let own = read_gram(input.rows, spec, columns, run)?;
                let mut conditioning = same_sample(&own, smoother, form);
                Ok((self.run_search(&mut *conditioning, None, columns, run)?, None))
            }
            (SampleSplit::None, ..) => {
                let mut conditioning = Additive::new(selection_gram, smoother.sp, form).conditioning();
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

    pub(super) fn run_search(
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

    pub(super) fn report_negative(&self, search: &Search, names: &[String], diagnostics: &mut Vec<Diagnostic>) -> Result<()> {
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

pub(super) fn same_sample<'g>(
    gram: &'g AdditiveGram,
    smoother: Smoother,
    form: crate::residual_variance::Form,
) -> Box<dyn Conditioning + 'g> {
    match smoother.smoothing {
        Smoothing::Fixed => Box::new(Additive::new(gram, smoother.sp, form).conditioning()),
        Smoothing::Gcv | Smoothing::Reml => Box::new(Estimated::new(gram, smoother, form)),
    }
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
