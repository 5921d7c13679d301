//! NPVAR: residual variances, order search and parent selection put together.

use super::along_order::{Found, read_gram, select_along, unused_second_sample, usable_columns};
use super::choose_estimator::choose;
use super::config::{EstimatorConfig, NegativeVariance, NpvarConfig, SampleSplit};
use super::gp_options::GpConfig;
use super::reports;
use super::{Input, Learned, LearnerConfig, StructureLearner};
use crate::data::{ColumnSummary, Dataset, RowBlocks};
use crate::error::{Error, Result};
use crate::graph::Pdag;
use crate::order::{Eta, LayerRule, Search, search};
use crate::regress::Smoothing;
use crate::regress::gp::Table;
use crate::residual_variance::{
    Additive, AdditiveFactor, Conditioning, Estimated, FreshSplit, GpConditioning, GpRegression, HalfSplit, Halves,
    Smoother, random_half,
};
use crate::run::{Diagnostic, Event, Run, Stage};
use crate::select::{EvidenceRule, marginal_likelihood};
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
        if input.order.is_some() {
            diagnostics.extend(self.0.searches_specially().then(reports::unused_search_options));
        }
        let chosen = self.with_estimator(input, &columns, &selection_gram, &mut diagnostics, run)?;
        let by_evidence = chosen.0.parents.by_marginal_likelihood(&chosen.0.estimator);
        let table = match by_evidence || matches!(chosen.0.estimator, EstimatorConfig::Gp(_)) {
            true => Some(read_table(input.rows, run)?),
            false => None,
        };
        let Searched { search, factor, regressions } = match (&input.order, &chosen.0.estimator, &table) {
            (Some(_), ..) => Searched::default(),
            (None, EstimatorConfig::Gp(gp), Some(table)) => chosen.search_by_gp(input, table, gp, &columns, run)?,
            (None, ..) => {
                let (search, factor) = chosen.search(input, &columns, &selection_gram, run)?;
                Searched { search: Some(search), factor, regressions: Vec::new() }
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
        match &table {
            Some(table) if by_evidence => self.select_by_evidence(names, table, found, &chosen, &regressions, run),
            _ => {
                let rule = (&self.0.selection, self.0.cutoff);
                select_along(&names, &selection_gram, factor, found, rule, LearnerConfig::Npvar(self.0.clone()), run)
            }
        }
    }
}

/// What the order search leaves to the selection.
#[derive(Default)]
struct Searched<'g> {
    search: Option<Search>,
    factor: Option<AdditiveFactor<'g>>,
    regressions: Vec<Option<GpRegression>>,
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
        let EstimatorConfig::Auto(auto) = &self.0.estimator else { return Ok(Npvar(self.0.clone())) };
        let with = |estimator| Npvar(NpvarConfig { estimator, ..self.0.clone() });
        let additive = with(EstimatorConfig::Gam(auto.gam));
        let order = match &input.order {
            Some(order) => order.clone(),
            None => additive.search(input, columns, gram, run)?.0.layers.order(),
        };
        let choice = choose(&read_table(input.rows, run)?, &order, auto, &auto.gp.estimator(), run)?;
        diagnostics.push(reports::estimator_chosen(input.rows.names(), &choice));
        Ok(if choice.interacting { with(EstimatorConfig::Gp(auto.gp)) } else { additive })
    }

    /// The order by noise variances of Gaussian processes.
    fn search_by_gp<'g>(
        &self,
        input: &Input<'_>,
        table: &Table,
        gp: &GpConfig,
        columns: &[ColumnSummary],
        run: &Run<'_>,
    ) -> Result<Searched<'g>> {
        let gp = gp.estimator();
        if self.0.eta == Eta::Adaptive {
            let (first, second) = match input.second_sample {
                Some(rows) => {
                    same_names(input.rows, rows)?;
                    (read_table(input.rows, run)?, read_table(rows, run)?)
                }
                None => halves(&Dataset::of(input.rows, run)?, run)?,
            };
            let (mut first, mut second) = (GpConditioning::new(&first, gp), GpConditioning::new(&second, gp));
            let search = self.run_search(&mut first, Some(&mut second), columns, run)?;
            return Ok(Searched { search: Some(search), ..Searched::default() });
        }
        let mut conditioning = GpConditioning::new(table, gp);
        let search = self.run_search(&mut conditioning, None, columns, run)?;
        Ok(Searched { search: Some(search), factor: None, regressions: conditioning.into_regressions() })
    }

    /// Parents by the marginal likelihood of Gaussian processes along the order.
    fn select_by_evidence(
        &self,
        names: Vec<String>,
        table: &Table,
        found: Found,
        chosen: &Npvar,
        regressions: &[Option<GpRegression>],
        run: &Run<'_>,
    ) -> Result<Learned> {
        run.report(&Event::Stage(Stage::Selection))?;
        let gp = match &chosen.0.estimator {
            EstimatorConfig::Gp(gp) => *gp,
            _ => GpConfig::default(),
        };
        let rule = EvidenceRule { false_discovery_rate: self.0.false_discovery_rate, gp: gp.estimator() };
        let selected = marginal_likelihood(table, &found.order, regressions, rule, run)?;
        let Found { order, layers, steps, mut diagnostics } = found;
        diagnostics.extend(reports::small_sample_for_gp(table.n()));
        Ok(Learned {
            names,
            n: table.n(),
            graph: Pdag::from(&selected.dag),
            order: Some(order),
            layers,
            steps,
            tests: Some(selected.tests),
            diagnostics,
            config: LearnerConfig::Npvar(self.0.clone()),
            seed: run.seed,
        })
    }

    /// The order, and the search's factor where the selection can use it.
    fn search<'g>(
        &self,
        input: &Input<'_>,
        columns: &[ColumnSummary],
        selection_gram: &'g AdditiveGram,
        run: &Run<'_>,
    ) -> Result<(Search, Option<AdditiveFactor<'g>>)> {
        let form = self.0.residual_variance.additive();
        let (spec, smoother) = match self.0.estimator {
            EstimatorConfig::Gam(gam) => (gam.spec(), Smoother { smoothing: gam.smoothing, sp: gam.sp }),
            EstimatorConfig::Linear(_) => (SmoothSpec::Line, Smoother { smoothing: Smoothing::Fixed, sp: 0.0 }),
            EstimatorConfig::Gp(_) | EstimatorConfig::Auto(_) => {
                unreachable!("Gaussian processes have a search of their own, and `auto` has been resolved")
            }
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
        let form = self.0.residual_variance.additive();
        let mut first = same_sample(first, smoother, form);
        let mut second = same_sample(second, smoother, form);
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

fn read_table(rows: &dyn RowBlocks, run: &Run<'_>) -> Result<Table> {
    Ok(table_of(&Dataset::of(rows, run)?))
}

fn table_of(data: &Dataset) -> Table {
    Table::new((0..data.d()).map(|j| data.column(j)))
}

/// Two random halves, as the additive model's adaptive `η` takes them.
fn halves(data: &Dataset, run: &Run<'_>) -> Result<(Table, Table)> {
    let in_first = random_half(data.n(), run.seed.child("split", 0));
    let half = |wanted: bool| -> Vec<usize> { (0..data.n()).filter(|&row| in_first[row] == wanted).collect() };
    Ok((table_of(&data.rows(&half(true))?), table_of(&data.rows(&half(false))?)))
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
