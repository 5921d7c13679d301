//! NPVAR: residual variances, order search and parent selection put together.

use faer::MatRef;

use super::along_order::{Found, read_gram, select_along, select_by, unused_second_sample, usable_columns};
use super::choose_estimator::choose;
use super::config::{NegativeVariance, NpvarConfig, SampleSplit};
use super::estimator::{EstimatorConfig, ParentSelection};
use super::gp_options::GpConfig;
use super::reports;
use super::variances::Sample;
use super::{Input, Learned, LearnerConfig, StructureLearner};
use crate::data::{ColumnSummary, Dataset, RowBlocks, random_half, summarise};
use crate::error::{Error, Result};
use crate::graph::{Knowledge, Order};
use crate::order::{Eta, LayerRule, Search, search_within};
use crate::regress::gp::{Gp, Table};
use crate::regress::{Grid, Rodeo, SelectsVariables, Smoothing};
use crate::residual_variance::{
    Additive, AdditiveFactor, Conditioning, Form, GpConditioning, GpRegression, Halves, Smoother, VarianceForm,
};
use crate::run::{Diagnostic, Event, Run, Stage};
use crate::select::{
    EvidenceRule, Importance, Selection, leave_one_out, marginal_likelihood, permutation, relevant_parents,
};
use crate::smooth::AdditiveGram;

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
        let n = columns[0].n;
        diagnostics.extend(reports::small_sample(n));
        // The Gram matrix of the selection serves the search too when both use the same bases.
        let selection_gram = read_gram(input.rows, self.0.selection.spec(), &columns, run)?;
        diagnostics.extend(reports::scale(&names, &selection_gram));
        if input.order.is_some() {
            diagnostics.extend(self.0.searches_specially().then(reports::unused_search_options));
        }
        let chosen = self.with_estimator(input, &columns, &selection_gram, &mut diagnostics, run)?;
        diagnostics.extend(reports::few_valued(&names, &columns, chosen.0.estimator.has_levels()));
        let Searched { search, factor, regressions } = match &input.order {
            Some(_) => Searched::default(),
            None => chosen.search(input, &columns, &selection_gram, run).map_err(|error| error.among(n))?,
        };
        if let Some(search) = &search {
            self.report_negative(search, &names, &mut diagnostics)?;
        }
        let order = order_of(search.as_ref(), input);
        let (layers, steps) = search.map(|search| (search.layers, search.steps)).unzip();
        let mut found = Found { order, layers, steps, diagnostics };
        found.diagnostics.extend(reports::unused_selection_options(&self.0.unused_selection_options()));
        let config = LearnerConfig::Npvar(self.0.clone());
        match chosen.0.parent_selection() {
            ParentSelection::ByEstimator | ParentSelection::Significance => {
                let rule = (&self.0.selection, self.0.cutoff);
                select_along(&names, &selection_gram, factor, found, rule, config, run)
            }
            parents => select_by(&names, &selection_gram, found, config, run, &|order| {
                let data = Dataset::of(input.rows, run)?;
                chosen.select(parents, &data, order, &regressions, run).map_err(|error| error.among(n))
            }),
        }
    }
}

/// What an order search leaves to the selection.
#[derive(Default)]
struct Searched<'g> {
    search: Option<Search>,
    /// The factor, where the selection can use it.
    factor: Option<AdditiveFactor<'g>>,
    /// Every node's regression by a Gaussian process.
    regressions: Vec<Option<GpRegression>>,
}

impl From<Search> for Searched<'_> {
    fn from(search: Search) -> Self {
        Searched { search: Some(search), ..Searched::default() }
    }
}

impl Npvar {
    /// The same learner with an estimator that is not `auto`, and the reason for it in the diagnostics.
    fn with_estimator(
        &self,
        input: &Input<'_>,
        columns: &[ColumnSummary],
        gram: &AdditiveGram,
        diagnostics: &mut Vec<Diagnostic>,
        run: &Run<'_>,
    ) -> Result<Npvar> {
        let EstimatorConfig::Auto(auto) = self.0.estimator else { return Ok(Npvar(self.0.clone())) };
        let with = |estimator| Npvar(NpvarConfig { estimator, ..self.0.clone() });
        let additive = with(EstimatorConfig::Gam(auto.gam));
        let searched = match &input.order {
            Some(_) => None,
            None => additive.search(input, columns, gram, run)?.search,
        };
        let order = order_of(searched.as_ref(), input);
        let choice =
            choose(&table(&Dataset::of(input.rows, run)?), &order, &auto, &auto.gp.estimator().without_prior(), run)?;
        diagnostics.push(reports::estimator_chosen(input.rows.names(), &choice, input.order.is_some()));
        Ok(if choice.interacting { with(EstimatorConfig::Gp(auto.gp)) } else { additive })
    }

    /// The order, and what the selection can use of the search.
    fn search<'g>(
        &self,
        input: &Input<'_>,
        columns: &[ColumnSummary],
        selection_gram: &'g AdditiveGram,
        run: &Run<'_>,
    ) -> Result<Searched<'g>> {
        let nothing = Knowledge::none(columns.len());
        let knowledge = input.knowledge.unwrap_or(&nothing);
        if let Some((smoother, form)) = self.shares_selection_gram() {
            let mut conditioning = Additive::new(selection_gram, smoother.sp, form).conditioning();
            let search = self.run_search(&mut conditioning, None, knowledge, run)?;
            let reusable = smoother.sp == self.0.selection.sp && self.0.selection.smoothing == Smoothing::Fixed;
            let factor = reusable.then(|| conditioning.into_factor());
            return Ok(Searched { search: Some(search), factor, regressions: Vec::new() });
        }
        if let Some(gp) = self.shares_processes() {
            let table = table(&Dataset::of(input.rows, run)?);
            let mut conditioning = GpConditioning::new(&table, gp);
            let search = self.run_search(&mut conditioning, None, knowledge, run)?;
            return Ok(Searched { search: Some(search), factor: None, regressions: conditioning.into_regressions() });
        }
        let search = match (self.0.eta, input.second_sample) {
            (Eta::Adaptive, Some(rows)) => {
                same_names(input.rows, rows)?;
                let others = usable_columns("NPVAR", rows, run)?;
                let first = Sample::read(&self.0, input.rows, columns, run)?;
                let second = Sample::read(&self.0, rows, &others, run)?;
                self.run_search(&mut *first.conditioning()?, Some(&mut *second.conditioning()?), knowledge, run)
            }
            (Eta::Adaptive, None) => self.adaptive(input.rows, columns, knowledge, run),
            _ => {
                let sample = Sample::read(&self.0, input.rows, columns, run)?;
                self.run_search(&mut *sample.conditioning()?, None, knowledge, run)
            }
        };
        search.map(Searched::from)
    }

    /// Parents along an order without a Gram matrix.
    fn select(
        &self,
        parents: ParentSelection,
        data: &Dataset,
        order: &Order,
        regressions: &[Option<GpRegression>],
        run: &Run<'_>,
    ) -> Result<Selection> {
        let estimator = self.0.estimator.conditional_mean(run.seed.child("estimator", 0));
        let importance = Importance { folds: self.0.folds, test: self.0.loss_test, cutoff: self.0.cutoff };
        match parents {
            ParentSelection::Permutation => permutation(data, &*estimator, order, importance, run),
            ParentSelection::MarginalLikelihood => {
                let gp = if let EstimatorConfig::Gp(gp) = self.0.estimator { gp } else { GpConfig::default() };
                let rule = EvidenceRule {
                    false_discovery_rate: self.0.false_discovery_rate,
                    gp: gp.estimator().without_prior(),
                };
                marginal_likelihood(&table(data), order, regressions, rule, run)
            }
            ParentSelection::Rodeo => {
                let rodeo = if let EstimatorConfig::Rodeo(rodeo) = self.0.estimator { rodeo } else { Rodeo::default() };
                let relevant = |z: MatRef<'_, f64>, y: &[f64]| Ok(rodeo.fit_rodeo(z, y)?.relevant_variables());
                relevant_parents(data, order, &relevant, run)
            }
            ParentSelection::Grid => {
                let grid = if let EstimatorConfig::Grid(grid) = self.0.estimator { grid } else { Grid::default() };
                let relevant = |z: MatRef<'_, f64>, y: &[f64]| Ok(grid.fit_grid(z, y)?.relevant_variables());
                relevant_parents(data, order, &relevant, run)
            }
            ParentSelection::ByEstimator | ParentSelection::Significance | ParentSelection::LeaveOneOut => {
                leave_one_out(data, &*estimator, order, importance, run)
            }
        }
    }

    /// Whether the Gram matrix of the selection, and perhaps its factor, serves the search too.
    fn shares_selection_gram(&self) -> Option<(Smoother, Form)> {
        let form = self.0.variance_form().of_one_regression()?;
        let (spec, smoother) = self.0.estimator.additive()?;
        let shares = self.0.split == SampleSplit::None
            && self.0.eta != Eta::Adaptive
            && smoother.smoothing == Smoothing::Fixed
            && spec == self.0.selection.spec();
        shares.then_some((smoother, form))
    }

    /// Whether the search's Gaussian processes can start the selection's.
    fn shares_processes(&self) -> Option<Gp> {
        match self.0.estimator {
            EstimatorConfig::Gp(gp) if self.0.variance_form() == VarianceForm::Own && self.0.eta != Eta::Adaptive => {
                Some(gp.estimator())
            }
            _ => None,
        }
    }

    /// The search with an `η` from two random halves of the sample, on the first of them.
    fn adaptive(
        &self,
        rows: &dyn RowBlocks,
        columns: &[ColumnSummary],
        knowledge: &Knowledge,
        run: &Run<'_>,
    ) -> Result<Search> {
        let seed = run.seed.child("split", 0);
        match (self.0.variance_form().of_one_regression(), self.0.estimator.additive()) {
            (Some(form), Some((spec, smoother))) => {
                let halves = Halves::split(rows, spec, columns, seed, run)?;
                let second = Sample::Gram(halves.second(), smoother, form);
                let first = Sample::Gram(halves.fitted, smoother, form);
                self.run_search(&mut *first.conditioning()?, Some(&mut *second.conditioning()?), knowledge, run)
            }
            _ => {
                let data = Dataset::of(rows, run)?;
                let half = random_half(data.n(), seed);
                let (ours, theirs): (Vec<usize>, Vec<usize>) = (0..data.n()).partition(|&row| half.contains(row));
                let (first, second) = (data.rows(&ours)?, data.rows(&theirs)?);
                let summaries = (summarise(&first, run)?, summarise(&second, run)?);
                let first = Sample::read(&self.0, &first, &summaries.0, run)?;
                let second = Sample::read(&self.0, &second, &summaries.1, run)?;
                self.run_search(&mut *first.conditioning()?, Some(&mut *second.conditioning()?), knowledge, run)
            }
        }
    }

    pub(super) fn run_search(
        &self,
        conditioning: &mut dyn Conditioning,
        second: Option<&mut dyn Conditioning>,
        knowledge: &Knowledge,
        run: &Run<'_>,
    ) -> Result<Search> {
        let rule = LayerRule {
            eta: self.0.eta,
            eta_scaler: self.0.eta_scaler,
            comparison: self.0.comparison,
            last_node: self.0.last_node,
        };
        search_within(conditioning, second, &rule, knowledge, run)
    }

    pub(super) fn report_negative(
        &self,
        search: &Search,
        names: &[String],
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Result<()> {
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

/// The order that was found, or given.
fn order_of(search: Option<&Search>, input: &Input<'_>) -> Order {
    match (search, &input.order) {
        (Some(search), _) => search.layers.order(),
        (None, Some(order)) => order.clone(),
        (None, None) => unreachable!("there is a search where no order is given"),
    }
}

/// The standardised columns.
fn table(data: &Dataset) -> Table {
    Table::new((0..data.d()).map(|j| data.column(j)))
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
