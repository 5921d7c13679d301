//! NPVAR over any plan: residual variances, the order search and the selection of parents put together.

use faer::MatRef;

use super::auto::interactions;
use super::options::{NegativeVariance, NpvarConfig, SampleSplit};
use super::plan::{OnRows, Parents, Plan, Variances};
use super::sample::{Sample, conditioning_on};
use super::source::{Source, standardised};
use crate::data::{ColumnSummary, Dataset, RowBlocks, random_half, summarise};
use crate::error::{Error, Result, within};
use crate::graph::Order;
use crate::learner::along_order::Ordered;
use crate::learner::estimator::Choice;
use crate::learner::found::Found;
use crate::learner::input::usable_columns;
use crate::learner::reports;
use crate::order::{Eta, LayerRule, Search, search_within};
use crate::regress::Smoothing;
use crate::regress::gp::Gp;
use crate::residual_variance::{
    Additive, AdditiveFactor, Conditioning, Estimated, GpConditioning, GpRegression, Halves,
};
use crate::run::Run;
use crate::select::{
    EvidenceRule, Importance, Selection, leave_one_out, marginal_likelihood, permutation, relevant_parents,
};

/// Finds an order, unless one is given, and parents along it.
pub(super) fn find(config: &NpvarConfig, choice: Choice<'_>, source: &Source<'_>, run: &Run<'_>) -> Result<Found> {
    let (names, n) = (source.names, source.columns[0].n);
    let mut diagnostics = Vec::from_iter(reports::small_sample(n));
    diagnostics.extend(reports::scale(names, &source.gram));
    if source.order.is_some() {
        diagnostics.extend(config.searches_specially().then(reports::unused_search_options));
    }
    let npvar = match choice {
        Choice::One(estimator) => Npvar { config, plan: Plan::of(config, estimator)?, source },
        Choice::Either(auto) => {
            let additive = Npvar { config, plan: Plan::of(config, &auto.gam)?, source };
            let order = match source.order {
                Some(order) => order.clone(),
                None => additive.search(run)?.search.layers.order(),
            };
            let found = interactions(&source.standardised(run)?, &order, auto, run)?;
            diagnostics.push(found.report(names, source.order.is_some()));
            if found.interacting { Npvar { config, plan: Plan::of(config, &auto.gp)?, source } } else { additive }
        }
    };
    diagnostics.extend(reports::few_valued(names, source.columns, npvar.plan.estimator.has_levels()));
    let (mut ordered, factor, regressions) = match source.order {
        Some(order) => (Ordered::new(order.clone(), diagnostics), None, Vec::new()),
        None => {
            let Searched { search, factor, regressions } = npvar.search(run).map_err(|error| error.among(n))?;
            npvar.check_negative(&search)?;
            diagnostics.extend(reports::negative_variances(names, &search.negative));
            let order = search.layers.order();
            let ordered = Ordered { order, layers: Some(search.layers), steps: Some(search.steps), diagnostics };
            (ordered, factor, regressions)
        }
    };
    let unused = Parents::known(config, choice).map(|parents| parents.unused_options(config)).unwrap_or_default();
    ordered.diagnostics.extend(reports::unused_selection_options(&unused));
    match &npvar.plan.parents {
        Parents::Significance => ordered.select_from(&source.gram, factor, names, config.significance(), run),
        Parents::OnRows(by) => ordered.select_by(&source.gram, names, run, |order| {
            npvar.select(by, order, &regressions, run).map_err(|error| error.among(n))
        }),
    }
}

/// One plan on one source.
struct Npvar<'a> {
    config: &'a NpvarConfig,
    plan: Plan<'a>,
    source: &'a Source<'a>,
}

/// What an order search leaves to the selection.
struct Searched<'g> {
    search: Search,
    /// The factor, where the selection can use it.
    factor: Option<AdditiveFactor<'g>>,
    /// Every node's regression by a Gaussian process.
    regressions: Vec<Option<GpRegression>>,
}

impl From<Search> for Searched<'_> {
    fn from(search: Search) -> Self {
        Searched { search, factor: None, regressions: Vec::new() }
    }
}

/// Rows and what is known of their columns.
type Summarised<'a> = (&'a dyn RowBlocks, &'a [ColumnSummary]);

impl<'a> Npvar<'a> {
    /// The order, and what the selection can use of the search.
    fn search(&self, run: &Run<'_>) -> Result<Searched<'a>> {
        if self.config.eta == Eta::Adaptive {
            return self.adaptive(run).map(Searched::from);
        }
        let Source { gram, .. } = self.source;
        // The Gram matrix of the selection serves the search too when both use the same bases.
        let own = self.plan.estimator.additive().filter(|(spec, _)| *spec == self.config.selection.spec());
        match (self.plan.variances, own, self.plan.estimator.process()) {
            (Variances::OneFit(form, SampleSplit::None), Some((_, smoother)), _)
                if smoother == self.config.selection.smoother() && smoother.smoothing == Smoothing::Fixed =>
            {
                let mut conditioning = Additive::new(gram, smoother.sp, form).conditioning();
                let search = self.layers(&mut conditioning, None, run)?;
                Ok(Searched { factor: Some(conditioning.into_factor()), ..Searched::from(search) })
            }
            (Variances::OneFit(form, SampleSplit::None), Some((_, smoother)), _) => {
                self.layers(&mut *conditioning_on(gram, smoother, form), None, run).map(Searched::from)
            }
            (Variances::Own, Some(_), _) => self.layers(&mut Estimated::own(gram), None, run).map(Searched::from),
            (Variances::Own, None, Some(gp)) => self.by_processes(gp, run),
            _ => {
                let sample = Sample::read(&self.plan, self.source.rows()?, self.source.columns, run)?;
                self.layers(&mut *sample.conditioning()?, None, run).map(Searched::from)
            }
        }
    }

    /// The search by Gaussian processes, which can start the selection's.
    fn by_processes(&self, gp: Gp, run: &Run<'_>) -> Result<Searched<'a>> {
        let table = self.source.standardised(run)?;
        let mut conditioning = GpConditioning::new(&table, gp);
        let search = self.layers(&mut conditioning, None, run)?;
        Ok(Searched { regressions: conditioning.into_regressions(), ..Searched::from(search) })
    }

    /// The search with an `η` from a second sample, or from two random halves of the sample, on the first of them.
    fn adaptive(&self, run: &Run<'_>) -> Result<Search> {
        let Source { columns, second_sample, .. } = *self.source;
        let rows = self.source.rows()?;
        if let Some(others) = second_sample {
            same_names(rows, others)?;
            return self.on_two((rows, columns), (others, &usable_columns("NPVAR", others, run)?), run);
        }
        let seed = run.seed.child("split", 0);
        if let (Variances::OneFit(form, _), Some((spec, smoother))) =
            (self.plan.variances, self.plan.estimator.additive())
        {
            let halves = Halves::split(rows, spec, columns, seed, run)?;
            let second = halves.second();
            let mut first = conditioning_on(&halves.fitted, smoother, form);
            return self.layers(&mut *first, Some(&mut *conditioning_on(&second, smoother, form)), run);
        }
        let data = Dataset::of(rows, run)?;
        let half = random_half(data.n(), seed);
        let (ours, theirs): (Vec<usize>, Vec<usize>) = (0..data.n()).partition(|&row| half.contains(row));
        let (first, second) = (data.rows(&ours)?, data.rows(&theirs)?);
        self.on_two((&first, &summarise(&first, run)?), (&second, &summarise(&second, run)?), run)
    }

    fn on_two(&self, first: Summarised<'_>, second: Summarised<'_>, run: &Run<'_>) -> Result<Search> {
        let first = Sample::read(&self.plan, first.0, first.1, run)?;
        let second = Sample::read(&self.plan, second.0, second.1, run)?;
        self.layers(&mut *first.conditioning()?, Some(&mut *second.conditioning()?), run)
    }

    fn layers(
        &self,
        conditioning: &mut dyn Conditioning,
        second: Option<&mut dyn Conditioning>,
        run: &Run<'_>,
    ) -> Result<Search> {
        let NpvarConfig { eta, eta_scaler, comparison, last_node, .. } = *self.config;
        let rule = LayerRule { eta, eta_scaler, comparison, last_node };
        search_within(conditioning, second, &rule, self.source.knowledge, run)
    }

    fn check_negative(&self, search: &Search) -> Result<()> {
        match (self.config.negative_variance, search.negative.first()) {
            (NegativeVariance::Stop, Some(&(node, value))) => {
                Err(Error::NegativeVariance { column: self.source.names[node].clone(), value })
            }
            _ => Ok(()),
        }
    }

    /// Parents along an order without a Gram matrix.
    fn select(
        &self,
        by: &OnRows<'_>,
        order: &Order,
        regressions: &[Option<GpRegression>],
        run: &Run<'_>,
    ) -> Result<Selection> {
        let NpvarConfig { folds, loss_test: test, cutoff, false_discovery_rate, .. } = *self.config;
        let importance = Importance { folds, test, cutoff };
        let data = Dataset::of(self.source.rows()?, run)?;
        let mean = self.plan.estimator.conditional_mean(run.seed.child("estimator", 0));
        match by {
            OnRows::Permutation => permutation(&data, &*mean, order, importance, run),
            OnRows::LeaveOneOut => leave_one_out(&data, &*mean, order, importance, run),
            OnRows::MarginalLikelihood(gp) => {
                let rule = EvidenceRule { false_discovery_rate, gp: gp.without_prior() };
                marginal_likelihood(&standardised(&data), order, regressions, rule, run)
            }
            OnRows::OwnChoice(own) => {
                relevant_parents(&data, order, &|z: MatRef<'_, f64>, y: &[f64]| own.relevant(z, y, run), run)
            }
        }
    }
}

fn same_names(first: &dyn RowBlocks, second: &dyn RowBlocks) -> Result<()> {
    let requirement = format!("must have the columns {}", first.names().join(", "));
    within("second-sample", first.names() == second.names(), &requirement, second.names().join(", "))
}
