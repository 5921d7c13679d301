//! A learner with valid options, and what it learned with everything a reader needs to judge it.

use super::facts::Uses;
use super::found::{Found, StructureLearner};
use super::input::{Input, Task, usable_columns};
use super::nats::Nats;
use super::npvar::NpvarConfig;
use super::registry::LearnerConfig;
use super::reports;
use super::weights::{EdgeWeight, weights};
use crate::data::{ColumnSummary, GapUse, RowBlocks};
use crate::error::{Error, Result, within};
use crate::graph::{Knowledge, Layers, Order, Pdag};
use crate::order::Step;
use crate::run::{Diagnostic, Event, Run, Seed, Stage};
use crate::select::Test;

/// What was learned, with everything a reader needs to judge it.
#[derive(Debug, Clone, PartialEq)]
pub struct Learned {
    /// The columns' names.
    pub names: Vec<String>,
    /// The number of samples.
    pub n: usize,
    /// The graph.
    pub graph: Pdag,
    /// The order behind it, source first.
    pub order: Option<Order>,
    /// The layers behind the order.
    pub layers: Option<Layers>,
    /// Every step of the order search.
    pub steps: Option<Vec<Step>>,
    /// Every test of the parent selection.
    pub tests: Option<Vec<Test>>,
    /// The weights of the edges, where every relation is linear.
    pub weights: Option<Vec<EdgeWeight>>,
    /// What the order and the edges are worth, where evidence found them.
    pub nats: Option<Nats>,
    /// What a reader should know.
    pub diagnostics: Vec<Diagnostic>,
    /// The full configuration.
    pub config: LearnerConfig,
    /// The seed every random choice derived from.
    pub seed: Seed,
}

/// A learner whose options have been checked.
#[derive(Debug, Clone, PartialEq)]
pub struct Learner(LearnerConfig);

impl LearnerConfig {
    /// The learner with these options.
    ///
    /// # Errors
    /// [`Error::InvalidOption`] when one is out of range.
    pub fn build(&self) -> Result<Learner> {
        self.check()?;
        Ok(Learner(self.clone()))
    }
}

impl Learner {
    /// Learns.
    ///
    /// # Errors
    /// When the input cannot be used or read, or the run is cancelled.
    pub fn learn(&self, input: &Input<'_>, run: &Run<'_>) -> Result<Learned> {
        learn_by(self.0.method(), &self.0, input, run)
    }
}

/// NPVAR as the paper ran it, on a table in memory.
///
/// ```
/// use npvar::simulate::{SimulateOptions, simulate};
/// use npvar::{Run, Seed};
/// let simulated = simulate("MC-SIN".parse()?, &SimulateOptions { nodes: Some(4), ..Default::default() }, Seed(1))?;
/// let learned = npvar::learn(&simulated.data, &Run::new(Seed(1)))?;
/// assert_eq!(learned.graph.to_dag(), Some(simulated.truth));
/// # Ok::<(), npvar::Error>(())
/// ```
///
/// # Errors
/// When the table cannot be used, or the run is cancelled.
pub fn learn(rows: &dyn RowBlocks, run: &Run<'_>) -> Result<Learned> {
    LearnerConfig::Npvar(NpvarConfig::default()).build()?.learn(&Input::new(rows), run)
}

/// Learns by a method that `config`, which is valid, describes.
///
/// It runs on a thread of the pool: many short parallel steps then need no hand-over from outside, which at 20 nodes would
/// cost more than the work.
pub(super) fn learn_by(
    method: &(dyn StructureLearner + Sync),
    config: &LearnerConfig,
    input: &Input<'_>,
    run: &Run<'_>,
) -> Result<Learned> {
    let names = input.rows.names();
    input.knowledge.map_or(Ok(()), |knowledge| check_knowledge(knowledge, input))?;
    rayon::scope(|_| {
        run.report(&Event::Stage(Stage::Order))?;
        check_uses(config, input)?;
        let columns = usable_columns(config.info().title, input.rows, run)?;
        let nothing = Knowledge::none(names.len());
        let task = Task {
            rows: input.rows,
            columns: &columns,
            second_sample: input.second_sample,
            order: input.order.as_ref(),
            knowledge: input.knowledge.unwrap_or(&nothing),
        };
        let mut found = method.find(&task, run)?;
        if let Some(knowledge) = input.knowledge {
            respect(&mut found, knowledge)?;
        }
        Ok(learned(config, names, &columns, found, run))
    })
}

/// Whether what is known fits the data and the order given.
fn check_knowledge(knowledge: &Knowledge, input: &Input<'_>) -> Result<()> {
    let names = input.rows.names();
    if knowledge.nodes() != names.len() {
        let problem = format!("it is about {} columns, the data have {}", knowledge.nodes(), names.len());
        return Err(Error::Knowledge { problem });
    }
    input.order.as_ref().map_or(Ok(()), |order| knowledge.check_order(order, names))
}

/// Whether the learner has a use for everything that was given.
fn check_uses(config: &LearnerConfig, input: &Input<'_>) -> Result<()> {
    let Uses { order, second_sample } = config.uses();
    let skips = input.rows.gaps().is_some_and(|gaps| gaps.gap_use() == GapUse::Skipped);
    within(
        "missing",
        !skips || config.skips_missing(),
        "is `pairwise` for `pc` and `fci`, and for `ges` with `score=gaussian-bic`; `impute` is for every learner",
        format!("the learner `{}`", config.info().name),
    )?;
    within(
        "second-sample",
        input.second_sample.is_none() || second_sample && input.order.is_none(),
        "is for `eta=adaptive`",
        "another way to find the order",
    )?;
    within(
        "order",
        input.order.is_none() || order,
        "is for learners that select parents along one",
        format!("the learner `{}`", config.info().name),
    )
}

/// What was found, with what it was found from.
pub(super) fn learned(
    config: &LearnerConfig,
    names: &[String],
    columns: &[ColumnSummary],
    found: Found,
    run: &Run<'_>,
) -> Learned {
    let Found { graph, order, layers, steps, tests, nats, covariance, diagnostics } = found;
    let weights = covariance.map(|covariance| weights(&graph, &covariance));
    let mut noticed = reports::columns(names, columns);
    noticed.extend(diagnostics);
    Learned {
        names: names.to_vec(),
        n: columns[0].n,
        graph,
        order,
        layers,
        steps,
        tests,
        weights,
        nats,
        diagnostics: noticed,
        config: config.clone(),
        seed: run.seed,
    }
}

/// Parents along the order as far as knowledge allows, and those it requires.
///
/// A selection regresses a node on all nodes before it, forbidden parents among them: they are no descendants, so that the true
/// parents' terms mean the same beside them. Only then are they left out.
fn respect(found: &mut Found, knowledge: &Knowledge) -> Result<()> {
    // Learners of equivalence classes, which find no order, have used the knowledge themselves.
    if let (Some(_), Some(dag)) = (&found.order, found.graph.to_dag()) {
        found.graph = Pdag::from(&knowledge.applied(&dag)?);
    }
    for test in found.tests.iter_mut() {
        test.retain(|test| !knowledge.forbids(test.parent, test.child));
    }
    Ok(())
}
