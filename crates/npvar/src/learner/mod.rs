//! Whole systems: from a table to a graph. Those that find an order share one selection of parents along it
//! (`along_order.rs`), as the paper evaluates them; `registry.rs` lists them all.

mod along_order;
mod assignment;
mod cam;
mod choose_estimator;
mod config;
mod describe;
mod eqvar;
mod estimator;
mod from_sums;
mod gds;
mod ges;
mod gp_options;
mod gsges;
mod notears;
mod npvar;
mod own_estimator;
mod pc;
mod registry;
pub(crate) mod reports;
mod resit;
mod score;
mod sort_regress;
mod variances;

pub use assignment::{Assignment, keyword};
pub use cam::{CamConfig, CamScore, NeighbourhoodSelection, PSplineScore, Pruning, ThinPlateScore};
pub use config::{Direction, EqvarConfig, GamConfig, NegativeVariance, NoOptions, NpvarConfig, SampleSplit};
pub use describe::{KindDescription, LearnerDescription, OptionDescription, Takes};
pub use estimator::{EstimatorConfig, ParentSelection};
pub use from_sums::learn_from_sums;
pub use gds::{GdsConfig, GdsModel};
pub use ges::{BdeuConfig, GaussianBicConfig, GesConfig, GesScore, Penalty};
pub use gp_options::{AutoConfig, GpConfig};
pub use gsges::{CrossValidatedConfig, GsgesConfig, GsgesScore, LowRankUse, MarginalConfig};
pub use notears::{NotearsConfig, NotearsMlpConfig, NotearsParents, SignificanceConfig};
pub use own_estimator::learn_with;
pub use pc::{IndependenceConfig, KciConfig, PcConfig};
pub use registry::{LEARNERS, LearnerConfig, LearnerInfo};
pub use resit::{ResitConfig, ResitParents, SplineBasis};
pub use score::{ScoreConfig, Units};
pub use sort_regress::{R2SortRegressConfig, SortRegressConfig, SortedParents, VarSortRegressConfig};

use crate::data::RowBlocks;
use crate::error::{Error, Result};
use crate::graph::{Knowledge, Layers, Order, Pdag};
use crate::order::Step;
use crate::run::{Diagnostic, Run, Seed};
use crate::select::Test;

/// What a learner learns from.
#[derive(Clone)]
pub struct Input<'a> {
    /// The sample.
    pub rows: &'a dyn RowBlocks,
    /// A second sample of the same columns, for an adaptive `η`.
    pub second_sample: Option<&'a dyn RowBlocks>,
    /// An order to take as given; only parents are selected then.
    pub order: Option<Order>,
    /// What is known about the graph beforehand; learners that cannot use it refuse it.
    pub knowledge: Option<&'a Knowledge>,
}

impl<'a> Input<'a> {
    /// One sample and nothing else.
    pub fn new(rows: &'a dyn RowBlocks) -> Self {
        Input { rows, second_sample: None, order: None, knowledge: None }
    }
}

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
    /// What a reader should know.
    pub diagnostics: Vec<Diagnostic>,
    /// The full configuration.
    pub config: LearnerConfig,
    /// The seed every random choice derived from.
    pub seed: Seed,
}

/// A system that learns a graph from a table.
pub trait StructureLearner {
    /// Learns.
    ///
    /// # Errors
    /// When the input cannot be used or read, or the run is cancelled.
    fn learn(&self, input: &Input<'_>, run: &Run<'_>) -> Result<Learned>;
}

/// Runs a learner on a thread of the pool: its many short parallel steps then need no hand-over from outside, which at
/// 20 nodes would cost more than the work.
struct InPool {
    learner: Box<dyn StructureLearner + Sync>,
    info: LearnerInfo,
    refuses_knowledge: Option<&'static str>,
}

impl StructureLearner for InPool {
    fn learn(&self, input: &Input<'_>, run: &Run<'_>) -> Result<Learned> {
        let Some(knowledge) = input.knowledge else {
            return rayon::scope(|_| self.learner.learn(input, run));
        };
        self.check(knowledge, input)?;
        respect(rayon::scope(|_| self.learner.learn(input, run))?, knowledge)
    }
}

impl InPool {
    /// Whether the learner can use what is known, which must fit the data and the order given.
    fn check(&self, knowledge: &Knowledge, input: &Input<'_>) -> Result<()> {
        if let Some(reason) = self.refuses_knowledge {
            return Err(Error::Knowledge {
                problem: format!("the learner `{}` cannot use any: {reason}", self.info.name),
            });
        }
        let names = input.rows.names();
        if knowledge.nodes() != names.len() {
            let problem = format!("it is about {} columns, the data have {}", knowledge.nodes(), names.len());
            return Err(Error::Knowledge { problem });
        }
        input.order.as_ref().map_or(Ok(()), |order| knowledge.check_order(order, names))
    }
}

/// Parents along the order as far as knowledge allows, and those it requires.
///
/// A selection regresses a node on all nodes before it, forbidden parents among them: they are no descendants, so that the true
/// parents' terms mean the same beside them. Only then are they left out.
fn respect(mut learned: Learned, knowledge: &Knowledge) -> Result<Learned> {
    // PC, which finds no order, has used the knowledge itself.
    if let (Some(_), Some(dag)) = (&learned.order, learned.graph.to_dag()) {
        learned.graph = Pdag::from(&knowledge.applied(&dag)?);
    }
    for test in learned.tests.iter_mut() {
        test.retain(|test| !knowledge.forbids(test.parent, test.child));
    }
    Ok(learned)
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
