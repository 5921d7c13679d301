//! CAM, causal additive models (Bühlmann, Peters & Ernest 2014): candidate parents by boosting, an order by greedy
//! inclusion of edges, parents by significance.
//!
//! Differs from the R package CAM 1.0: the score's default basis is a P-spline, whose Gram matrix can be read from a stream
//! (`score=thin-plate` is R's); where R stops, at columns with few values, a smaller basis serves and a remark says so.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::along_order::{Ordered, Significance};
use super::facts::{LearnerInfo, Options, RestsOn, Uses};
use super::found::{Found, StructureLearner};
use super::input::Task;
use super::reports;
use crate::data::{ColumnSummary, Dataset};
use crate::error::{Result, within};
use crate::graph::{Dag, Knowledge, Node, NodeSet};
use crate::order::{GreedyEdges, greedy_edges_after};
use crate::regress::{Estimator, GamConfig, Smoother, Smoothing, SmoothingSearch};
use crate::residual_variance::{AdditiveParents, PERFECT_FIT, ParentGrams};
use crate::run::{Diagnostic, Event, Run, Stage};
use crate::select::{ChildCandidates, Selection, boosted_neighbourhoods, gam_significance_within};
use crate::smooth::{FewValued, WholeColumn, WholeColumns};

/// Rows per parent that R's CAM asks for.
const ROWS_PER_PARENT: f64 = 20.0;
/// Rows per coefficient below which R's CAM makes the basis smaller.
const ROWS_PER_FUNCTION: usize = 3;
/// An exact function of the parents leaves no more than this multiple of a perfect fit.
const EXACT: f64 = 2.0;

/// Whether candidate parents are selected before the search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NeighbourhoodSelection {
    /// Component-wise boosting of every node on all others, as the paper ran CAM.
    #[default]
    Boosting,
    /// Every node may be a parent of every other.
    None,
}

/// How parents are selected from the order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Pruning {
    /// The paper's common selection: the additive model `selection` on all nodes before a node.
    #[default]
    Common,
    /// CAM's own: the score's additive model on the parents that the search included.
    Own,
    /// None: the graph of the search itself.
    None,
}

/// The P-splines of CAM's score.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct PSplineScore {
    /// How smoothing parameters are chosen: `gcv`, `reml` or `fixed`.
    pub smoothing: Smoothing,
    /// The smoothing parameter λ (mgcv's `sp`) when it is fixed; not used otherwise.
    pub sp: f64,
    /// B-splines per column.
    pub k: usize,
    /// What a column with at most 9 distinct values gets: `saturated` (an indicator per value) or `spline`.
    pub few_valued: FewValued,
}

impl Default for PSplineScore {
    /// R's criterion and basis dimension; the fixed parameter is the paper's.
    fn default() -> Self {
        PSplineScore { smoothing: Smoothing::Gcv, sp: 0.6, k: 10, few_valued: FewValued::Saturated }
    }
}

impl PSplineScore {
    fn gam(&self) -> GamConfig {
        GamConfig {
            sp: self.sp,
            smoothing: self.smoothing,
            k: self.k,
            few_valued: self.few_valued,
            ..GamConfig::default()
        }
    }
}

/// The thin-plate splines of the R package, smoothed by GCV.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ThinPlateScore {
    /// Functions per column; ⌈n/(3m)⌉ in a regression on m parents with fewer than 3k rows for each.
    pub k: usize,
}

impl Default for ThinPlateScore {
    /// The R package's.
    fn default() -> Self {
        ThinPlateScore { k: 10 }
    }
}

/// The additive model of CAM's score.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum CamScore {
    /// P-splines.
    PSpline(PSplineScore),
    /// Thin-plate splines with GCV, as the R package; reads the whole table into memory.
    ThinPlate(ThinPlateScore),
}

impl Default for CamScore {
    fn default() -> Self {
        CamScore::PSpline(PSplineScore::default())
    }
}

impl CamScore {
    fn smoother(&self) -> Smoother {
        match self {
            CamScore::PSpline(score) => Smoother { smoothing: score.smoothing, sp: score.sp },
            CamScore::ThinPlate(_) => Smoother { smoothing: Smoothing::Gcv, sp: 0.0 },
        }
    }
}

/// CAM (Bühlmann, Peters & Ernest 2014): greedy inclusion of edges by the gain in log residual variance, then parents.
///
/// ```
/// use npvar::learner::{CamConfig, Input, LearnerConfig};
/// use npvar::simulate::{SimulateOptions, simulate};
/// use npvar::{Run, Seed};
/// let options = SimulateOptions { samples: 300, ..Default::default() };
/// let simulated = simulate("CAM-SIN".parse()?, &options, Seed(1))?;
/// let cam = LearnerConfig::Cam(CamConfig::default()).build()?;
/// let learned = cam.learn(&Input::new(&simulated.data), &Run::new(Seed(1)))?;
/// let order = learned.order.expect("CAM finds an order");
/// assert!(!simulated.truth.is_consistent_with(&order), "the paper's example misleads CAM");
/// # Ok::<(), npvar::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct CamConfig {
    /// `boosting` (candidate parents are selected before the search) or `none`.
    pub neighbourhood_selection: NeighbourhoodSelection,
    /// The additive model of the score: `p-spline` or `thin-plate`.
    pub score: CamScore,
    /// The most parents the search includes for a node; left out, a twentieth of the number of samples, as R.
    pub max_parents: Option<usize>,
    /// `common` (the selection shared by all learners that find an order), `own` (CAM's, among the parents included) or `none`.
    pub pruning: Pruning,
    /// The level of the parent selection.
    pub cutoff: f64,
    /// The additive model of the common selection.
    pub selection: GamConfig,
}

impl Default for CamConfig {
    /// As the paper compared it: neighbourhoods selected, the selection common to all learners at 0.001.
    fn default() -> Self {
        CamConfig {
            neighbourhood_selection: NeighbourhoodSelection::default(),
            score: CamScore::default(),
            max_parents: None,
            pruning: Pruning::default(),
            cutoff: 0.001,
            selection: GamConfig::default(),
        }
    }
}

impl Options for CamConfig {
    const INFO: LearnerInfo = LearnerInfo {
        name: "cam",
        title: "CAM",
        summary: "CAM (Bühlmann, Peters & Ernest 2014): order by greedy inclusion of edges in an additive model, parents by significance",
        assumes: "additive nonlinear relations with Gaussian noise (greedy: the paper shows models on which it goes wrong)",
    };

    /// The R package CAM 1.0: thin-plate score, no neighbourhood selection, its own pruning.
    fn reference() -> Option<Self> {
        Some(CamConfig {
            neighbourhood_selection: NeighbourhoodSelection::None,
            score: CamScore::ThinPlate(ThinPlateScore::default()),
            pruning: Pruning::Own,
            selection: GamConfig { few_valued: FewValued::Spline, ..GamConfig::default() },
            ..CamConfig::default()
        })
    }

    fn check(&self) -> Result<()> {
        self.significance().check()?;
        within("max-parents", self.max_parents != Some(0), "must be at least 1", 0)?;
        let CamConfig { cutoff, selection, .. } = CamConfig::default();
        let untouched = self.selection == selection || Some(self.selection) == Self::reference().map(|r| r.selection);
        within(
            "pruning",
            self.pruning == Pruning::Common || untouched,
            "must be `common` where `selection` is set",
            "another pruning",
        )?;
        within(
            "pruning",
            self.pruning != Pruning::None || self.cutoff == cutoff,
            "must be `common` or `own` where `cutoff` is set",
            "`none`",
        )?;
        match &self.score {
            CamScore::PSpline(score) => score.gam().check(),
            CamScore::ThinPlate(score) => within("k", (3..=60).contains(&score.k), "must be between 3 and 60", score.k),
        }
    }

    fn uses(&self) -> Uses {
        Uses::ORDER
    }

    fn rests_on(&self) -> RestsOn {
        RestsOn { equal_variances: false, natural_scale: false, units: false, additivity: true }
    }

    fn selection(&self) -> Option<GamConfig> {
        (self.pruning == Pruning::Common).then_some(self.selection)
    }
}

impl StructureLearner for CamConfig {
    fn find(&self, task: &Task<'_>, run: &Run<'_>) -> Result<Found> {
        let given = task.order.is_some() && self.pruning == Pruning::None;
        within("pruning", !given, "must be `common` or `own` when an order is given", "none")?;
        let mut diagnostics = Vec::new();
        let most_parents = self.most_parents(task).max(most_required(task.knowledge));
        let (order, included, grams) = match task.order {
            Some(order) => {
                let grams = match self.pruning {
                    Pruning::Own => Some(self.grams(task, task.columns.len() - 1, &mut diagnostics, run)?),
                    Pruning::Common | Pruning::None => None,
                };
                (order.clone(), Included::every_edge_along(order.nodes()), grams)
            }
            None => {
                let grams = self.grams(task, most_parents, &mut diagnostics, run)?;
                let found = self.search(task, &grams, most_parents, run)?;
                diagnostics.extend(exact_functions(task.names(), &grams, &found));
                diagnostics.extend(bounded(task.columns, most_parents));
                diagnostics.extend(undecided(task.names(), &found));
                // Required edges of constant columns, which no regression includes, decide the order too.
                let dag = task.knowledge.applied(&found.dag)?;
                (dag.order().clone(), Included::by(&found, self.smoothing_search()), Some(grams))
            }
        };
        match (self.pruning, grams) {
            (Pruning::Common, _) => Ordered::new(order, diagnostics).select(task, self.significance(), run),
            (Pruning::Own, Some(grams)) => {
                run.report(&Event::Stage(Stage::Selection))?;
                let selection = self.prune(included, &grams, run)?;
                Ok(Found { tests: Some(selection.tests), ..Found::dag(&selection.dag, order, diagnostics) })
            }
            (Pruning::Own | Pruning::None, _) => {
                Ok(Found::dag(&Dag::from_edges(task.columns.len(), included.edges)?, order, diagnostics))
            }
        }
    }
}

impl CamConfig {
    fn significance(&self) -> Significance<'_> {
        Significance { selection: &self.selection, cutoff: self.cutoff }
    }

    fn most_parents(&self, task: &Task<'_>) -> usize {
        let others = task.columns.len() - 1;
        let affordable = (task.n() as f64 / ROWS_PER_PARENT).round_ties_even().max(1.0) as usize;
        self.max_parents.unwrap_or(affordable).min(others)
    }

    /// The Gram matrices of the score.
    fn grams(
        &self,
        task: &Task<'_>,
        most_parents: usize,
        diagnostics: &mut Vec<Diagnostic>,
        run: &Run<'_>,
    ) -> Result<ParentGrams> {
        match self.score {
            CamScore::PSpline(score) => Ok(ParentGrams::one(task.gram(score.gam().spec(), run)?.turned(run)?)),
            CamScore::ThinPlate(ThinPlateScore { k }) => {
                let data = Dataset::of(task.rows, run)?;
                let whole = WholeColumns::new(&data, WholeColumn::ThinPlate, k, run)?;
                let few: Vec<Node> = (0..data.d()).filter(|&node| (2..k).contains(&whole.distinct(node))).collect();
                diagnostics.extend(reduced_bases(data.names(), &few, k));
                let dimensions: Vec<usize> = (0..=most_parents).map(|m| dimension(k, data.n(), m)).collect();
                Ok(ParentGrams::by_dimension(&dimensions, |dimension| whole.gram(dimension)))
            }
        }
    }

    fn search(&self, task: &Task<'_>, grams: &ParentGrams, most_parents: usize, run: &Run<'_>) -> Result<GreedyEdges> {
        let (columns, known) = (task.columns, task.knowledge);
        let varies = |node: &Node| columns[*node].min < columns[*node].max;
        let mut allowed: Vec<NodeSet> = match self.neighbourhood_selection {
            NeighbourhoodSelection::Boosting => boosted_neighbourhoods(task.rows, columns, run)?,
            NeighbourhoodSelection::None => vec![(0..columns.len()).filter(varies).collect(); columns.len()],
        };
        for (node, allowed) in allowed.iter_mut().enumerate() {
            if !varies(&node) {
                allowed.clear();
            }
            *allowed = allowed.ones().filter(|&parent| !known.forbids(parent, node)).collect();
        }
        let mut required = known.required_edges();
        required.retain(|(parent, child)| varies(parent) && varies(child));
        let regressions = AdditiveParents::new(grams, self.score.smoother(), self.smoothing_search());
        greedy_edges_after(&regressions, (&required, Some(&rank_by_name(task.names()))), &allowed, most_parents, run)
    }

    /// R searches every regression's parameters afresh, and GCV may have several minima.
    fn smoothing_search(&self) -> SmoothingSearch {
        match self.score {
            CamScore::PSpline(_) => SmoothingSearch::Continued,
            CamScore::ThinPlate(_) => SmoothingSearch::Afresh,
        }
    }

    /// CAM's own pruning.
    fn prune(&self, included: Included, grams: &ParentGrams, run: &Run<'_>) -> Result<Selection> {
        let mut regressions: Vec<ChildCandidates> = included
            .smoothing
            .into_iter()
            .enumerate()
            .map(|(child, start)| ChildCandidates { child, candidates: Vec::new(), start })
            .collect();
        included.edges.iter().for_each(|&(parent, child)| regressions[child].candidates.push(parent));
        let gram = |count: usize| grams.for_parents(count);
        gam_significance_within(&regressions, &gram, self.score.smoother(), self.cutoff, run)
    }
}

/// The place of every column among all of them sorted by name.
fn rank_by_name(names: &[String]) -> Vec<usize> {
    let mut sorted: Vec<Node> = (0..names.len()).collect();
    sorted.sort_by_key(|&node| &names[node]);
    let mut rank = vec![0; names.len()];
    sorted.into_iter().enumerate().for_each(|(place, node)| rank[node] = place);
    rank
}

/// Edges whose direction nothing decides.
fn undecided(names: &[String], found: &GreedyEdges) -> Option<Diagnostic> {
    let &(parent, child) = found.either_way.first()?;
    let edges = match found.either_way.len() {
        1 => "1 edge fits".to_owned(),
        edges => format!("{edges} edges fit"),
    };
    let message = format!(
        "{edges} equally well both ways when included (`{}` -> `{}`), as between two columns of two values: their direction is \
         that of the names, and says nothing",
        names[parent], names[child]
    );
    Some(Diagnostic::info("undecided-directions", message))
}

/// The edges that may stay, those into a child in some order, and where the search for their smoothing parameters ended.
struct Included {
    edges: Vec<(Node, Node)>,
    smoothing: Vec<Option<Vec<f64>>>,
}

impl Included {
    fn every_edge_along(order: &[Node]) -> Self {
        let edges = (0..order.len()).flat_map(|t| order[..t].iter().map(move |&parent| (parent, order[t]))).collect();
        Included { edges, smoothing: vec![None; order.len()] }
    }

    /// Of a search that goes on from one regression to the next; one that starts afresh each time ends so.
    fn by(found: &GreedyEdges, search: SmoothingSearch) -> Self {
        let start = |rho: &Vec<f64>| (search == SmoothingSearch::Continued && !rho.is_empty()).then(|| rho.clone());
        let edges = found.inclusions.iter().map(|edge| (edge.parent, edge.child)).collect();
        Included { edges, smoothing: found.smoothing.iter().map(start).collect() }
    }
}

/// The most parents that knowledge gives a node.
fn most_required(knowledge: &Knowledge) -> usize {
    let mut parents = vec![0; knowledge.nodes()];
    for (_, child) in knowledge.required_edges() {
        parents[child] += 1;
    }
    parents.into_iter().max().unwrap_or(0)
}

/// The basis dimension of R's CAM in a regression on `parents` nodes.
fn dimension(k: usize, n: usize, parents: usize) -> usize {
    if n < ROWS_PER_FUNCTION * k * parents { n.div_ceil(ROWS_PER_FUNCTION * parents) } else { k }
}

fn reduced_bases(names: &[String], few: &[Node], k: usize) -> Option<Diagnostic> {
    (!few.is_empty()).then(|| {
        Diagnostic::info(
            "reduced-basis",
            format!(
                "{} have fewer distinct values than the {k} functions of a thin-plate basis (R's CAM stops at them); each \
                 got a basis of as many functions as it has values",
                reports::list(names, few)
            ),
        )
    })
}

fn bounded(columns: &[ColumnSummary], most_parents: usize) -> Option<Diagnostic> {
    (most_parents + 1 < columns.len()).then(|| {
        Diagnostic::info("bounded-parents", format!("the search stopped at `max-parents`, {most_parents} for a node"))
    })
}

/// Nodes of which the included parents leave nothing but rounding.
fn exact_functions(names: &[String], grams: &ParentGrams, found: &GreedyEdges) -> Option<Diagnostic> {
    let gram = grams.for_parents(0);
    let mut explained = vec![0.0; gram.d()];
    found.inclusions.iter().for_each(|edge| explained[edge.child] += edge.gain);
    let exact: Vec<Node> = (0..gram.d()).filter(|&node| explained[node] >= -(EXACT * PERFECT_FIT).ln()).collect();
    (!exact.is_empty()).then(|| {
        Diagnostic::warning(
            "exact-function",
            format!(
                "a perfect fit to other columns was found for {}: the direction of such edges is arbitrary",
                reports::list(names, &exact)
            ),
        )
    })
}
