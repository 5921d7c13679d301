//! PC as a learner: a test, the search, and what a reader should know about the result.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::facts::{LearnerInfo, NoOptions, Options, RestsOn, Uses};
use super::found::{Found, StructureLearner};
use super::input::Task;
use super::reports::list;
use crate::data::{Categories, Covariance, Dataset, RowBlocks};
use crate::equivalence::{
    ColliderRule, ConflictRule, OrientationRules, PcOptions, PcResult, SeparatingSets, SkeletonOptions, SkeletonOrder,
    pc,
};
use crate::error::{Result, within};
use crate::graph::{EdgeKind, Knowledge, Node, Pdag};
use crate::independence::{Contingency, Discrepancy, FisherZ, Hsic, HsicTest, IndependenceTest, Kci, KciWidth, Rcot};
use crate::regress::{Gam, Regressed};
use crate::run::{Diagnostic, Run};

/// A search of so many tests or fewer is made a second time, to see whether the order of the columns matters.
const MOST_TESTS: usize = 50_000;

/// How many colliders a message lists.
const LISTED: usize = 3;

/// KCI.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct KciConfig {
    /// The kernels' widths: `empirical` (Zhang et al. 2011), `median`, or `median-unscaled` (causal-learn's median).
    pub width: KciWidth,
}

/// RCoT.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct RcotConfig {
    /// The random features of a conditioning set.
    pub features: usize,
    /// The random features of each of the two columns.
    pub own_features: usize,
}

impl Default for RcotConfig {
    /// The authors' numbers.
    fn default() -> Self {
        RcotConfig { features: 100, own_features: 5 }
    }
}

/// A test of independence.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum IndependenceConfig {
    /// Fisher's z-test of partial correlations: for Gaussian columns.
    FisherZ(NoOptions),
    /// Pearson's χ² test: for discrete columns.
    ChiSquare(NoOptions),
    /// The likelihood-ratio G² test: for discrete columns.
    GSquare(NoOptions),
    /// HSIC; given a set, of the residuals of additive regressions on it.
    Hsic(Hsic),
    /// The kernel conditional independence test.
    Kci(KciConfig),
    /// The randomised conditional correlation test: kernels by random features, for many rows.
    Rcot(RcotConfig),
}

impl Default for IndependenceConfig {
    /// pcalg's for continuous data.
    fn default() -> Self {
        IndependenceConfig::FisherZ(NoOptions {})
    }
}

/// PC (Spirtes & Glymour 1991; Colombo & Maathuis 2014): a Markov equivalence class from tests of independence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct PcConfig {
    /// The test: `fisher-z`, `chi-square`, `g-square`, `hsic`, `kci` or `rcot`.
    pub test: IndependenceConfig,
    /// The level of the tests: a pair is separated by a set given which its p-value is at least this.
    pub alpha: f64,
    /// The largest conditioning set; no limit unless given.
    pub max_depth: Option<usize>,
    /// When the removal of an edge takes effect: `stable` (after the level) or `original` (after the node in hand).
    pub skeleton: SkeletonOrder,
    /// Which separating sets decide about colliders: `first` (pcalg) or `all` of the level (causal-learn).
    pub separating_sets: SeparatingSets,
    /// When a triple is a collider: `separating-set`, `max-p`, `definite-max-p`, or, independently of the order of the columns,
    /// `majority` or `conservative` (which direct edges by lists, so that `conflicts` and `rules` have no place).
    pub colliders: ColliderRule,
    /// When colliders disagree: `overwrite` (pcalg), `bidirected`, `keep-first` (causal-learn), `by-dependence` or
    /// `by-independence`.
    pub conflicts: ConflictRule,
    /// The order of Meek's rules, which matters only after conflicts: `closure`, `pcalg` or `causal-learn`.
    pub rules: OrientationRules,
}

impl Default for PcConfig {
    /// pcalg's, at the level 0.01; Meek's rules as a closure.
    fn default() -> Self {
        PcConfig {
            test: IndependenceConfig::default(),
            alpha: 0.01,
            max_depth: None,
            skeleton: SkeletonOrder::Stable,
            separating_sets: SeparatingSets::First,
            colliders: ColliderRule::SeparatingSet,
            conflicts: ConflictRule::Overwrite,
            rules: OrientationRules::Closure,
        }
    }
}

impl PcConfig {
    /// pcalg's `pc(…, u2pd = "relaxed")`, also where tests contradict each other.
    pub fn reference() -> Self {
        PcConfig { rules: OrientationRules::Pcalg, ..PcConfig::default() }
    }

    fn options(&self) -> PcOptions {
        PcOptions {
            skeleton: SkeletonOptions {
                alpha: self.alpha,
                max_depth: self.max_depth,
                order: self.skeleton,
                separating_sets: self.separating_sets,
            },
            colliders: self.colliders,
            conflicts: self.conflicts,
            rules: self.rules,
        }
    }
}

impl Options for PcConfig {
    const INFO: LearnerInfo = LearnerInfo {
        name: "pc",
        title: "PC",
        summary: "PC (Spirtes & Glymour 1991): an equivalence class from tests of conditional independence",
        assumes: "all common causes observed, and every independence in the data due to the graph (faithfulness)",
    };

    fn reference() -> Option<Self> {
        Some(PcConfig::reference())
    }

    fn check(&self) -> Result<()> {
        within("alpha", self.alpha > 0.0 && self.alpha < 1.0, "must be above 0 and below 1", self.alpha)?;
        if let IndependenceConfig::Rcot(RcotConfig { features, own_features }) = self.test {
            within("features", (2..=1000).contains(&features), "must be between 2 and 1000", features)?;
            within("own-features", (1..=30).contains(&own_features), "must be between 1 and 30", own_features)?;
        }
        let named = !matches!(self.conflicts, ConflictRule::Overwrite | ConflictRule::Bidirected);
        within(
            "conflicts",
            named || self.colliders != ColliderRule::DefiniteMaxP,
            "must be `keep-first`, `by-dependence` or `by-independence` with `colliders=definite-max-p`",
            if self.conflicts == ConflictRule::Overwrite { "overwrite" } else { "bidirected" },
        )?;
        let by_votes = self.colliders.is_order_independent();
        let requirement = "is not for `colliders=majority` and `conservative`, which direct edges by lists";
        within(
            "conflicts",
            !by_votes || self.conflicts == ConflictRule::Overwrite,
            requirement,
            "another than `overwrite`",
        )?;
        let untouched = matches!(self.rules, OrientationRules::Closure | OrientationRules::Pcalg);
        within("rules", !by_votes || untouched, requirement, "`causal-learn`")
    }

    fn uses(&self) -> Uses {
        Uses::ROWS
    }

    fn categories(&self) -> Categories {
        match self.test {
            IndependenceConfig::ChiSquare(_) | IndependenceConfig::GSquare(_) => Categories::Anywhere,
            _ => Categories::LeftOut,
        }
    }

    fn rests_on(&self) -> RestsOn {
        let additivity = matches!(self.test, IndependenceConfig::FisherZ(_) | IndependenceConfig::Hsic(_));
        RestsOn { equal_variances: false, natural_scale: false, units: false, additivity }
    }

    fn joint_effects(&self) -> Option<&'static str> {
        Some("--set test=kci")
    }
}

impl StructureLearner for PcConfig {
    fn find(&self, task: &Task<'_>, run: &Run<'_>) -> Result<Found> {
        let (rows, names) = (task.rows, task.names());
        let mut diagnostics = Vec::new();
        let search = |test: &dyn IndependenceTest| pc(test, &self.options(), task.knowledge, run);
        // Where tests are cheap, a second search shows whether the first depended on the order of the columns.
        let search_twice = |test: &dyn IndependenceTest, diagnostics: &mut Vec<Diagnostic>| {
            let result = search(test)?;
            diagnostics.extend(self.order_dependence(test, &result, task.knowledge, run)?);
            Ok(result)
        };
        let result = match self.test {
            IndependenceConfig::FisherZ(_) => {
                let test = FisherZ::new(&Covariance::of(rows, run)?)?;
                diagnostics.extend(singular(names, &test.determined()));
                search_twice(&test, &mut diagnostics)?
            }
            IndependenceConfig::ChiSquare(_) => {
                search_twice(&contingency(rows, Discrepancy::ChiSquare, run)?, &mut diagnostics)?
            }
            IndependenceConfig::GSquare(_) => {
                search_twice(&contingency(rows, Discrepancy::GSquare, run)?, &mut diagnostics)?
            }
            IndependenceConfig::Hsic(hsic) => {
                let data = Dataset::of(rows, run)?;
                let residuals = Regressed { data: &data, estimator: &Gam::default() };
                search(&HsicTest::new(&data, hsic, &residuals)?)?
            }
            IndependenceConfig::Rcot(RcotConfig { features, own_features }) => {
                let seed = run.seed.child("random features", 0);
                search(&Rcot::new(&Dataset::of(rows, run)?, features, own_features, seed)?)?
            }
            IndependenceConfig::Kci(kci) => search(&Kci::new(&Dataset::of(rows, run)?, kci.width)?.during(*run))?,
        };
        diagnostics.extend(noticed(names, &result));
        Ok(Found::class(result.graph, diagnostics))
    }
}

impl PcConfig {
    /// A note where the columns in reverse order give another graph; not looked for where a search takes long, where something
    /// is known, or where no order can matter.
    fn order_dependence(
        &self,
        test: &dyn IndependenceTest,
        result: &PcResult,
        knowledge: &Knowledge,
        run: &Run<'_>,
    ) -> Result<Option<Diagnostic>> {
        let d = test.nodes();
        let tests: usize = result.skeleton.tests.iter().sum();
        if self.colliders.is_order_independent() || tests > MOST_TESTS || *knowledge != Knowledge::none(d) {
            return Ok(None);
        }
        let turned = pc(&Reversed(test), &self.options(), knowledge, &run.unobserved())?;
        let mut graph = Pdag::empty(d);
        for (a, b, kind) in turned.graph.edges() {
            graph.set(d - 1 - a, d - 1 - b, kind);
        }
        let (here, there) = (result.graph.edges(), graph.edges());
        let differ = here.iter().filter(|edge| !there.contains(edge)).count();
        let differ = differ.max(there.iter().filter(|edge| !here.contains(edge)).count());
        let told = |edges: usize| {
            let edges = if edges == 1 { "1 edge".to_owned() } else { format!("{edges} edges") };
            Diagnostic::info(
                "column-order",
                format!("with the columns in reverse order {edges} would differ: this rule for colliders depends on the order"),
            )
            .advise("`--set colliders=majority` (or `conservative`) gives an answer that does not depend on it")
        };
        Ok((differ > 0).then(|| told(differ)))
    }
}

/// The same test of the columns in reverse order.
struct Reversed<'a>(&'a dyn IndependenceTest);

impl IndependenceTest for Reversed<'_> {
    fn nodes(&self) -> usize {
        self.0.nodes()
    }

    fn p_value(&self, x: Node, y: Node, given: &[Node]) -> Result<f64> {
        let turned = |node: Node| self.nodes() - 1 - node;
        let given: Vec<Node> = given.iter().rev().map(|&node| turned(node)).collect();
        self.0.p_value(turned(x), turned(y), &given)
    }

    fn largest_given(&self) -> usize {
        self.0.largest_given()
    }
}

fn contingency(rows: &dyn RowBlocks, discrepancy: Discrepancy, run: &Run<'_>) -> Result<Contingency> {
    Contingency::new(&Dataset::of(rows, run)?, discrepancy)
}

fn singular(names: &[String], determined: &[Node]) -> Option<Diagnostic> {
    (!determined.is_empty()).then(|| {
        Diagnostic::warning(
            "singular-correlation",
            format!(
                "the correlation matrix is singular: {} an exact linear function of columns before it; given those it \
                 counts as independent of everything, so edges between these columns can be missing",
                if determined.len() == 1 {
                    format!("{} is", list(names, determined))
                } else {
                    format!("each of {} is", list(names, determined))
                }
            ),
        )
    })
}

fn noticed(names: &[String], result: &PcResult) -> Vec<Diagnostic> {
    let colliders = |triples: &[(Node, Node, Node)]| {
        let mut shown: Vec<String> = triples
            .iter()
            .take(LISTED)
            .map(|&(x, y, z)| format!("`{}` -> `{}` <- `{}`", names[x], names[y], names[z]))
            .collect();
        if triples.len() > LISTED {
            shown.push(format!("{} more", triples.len() - LISTED));
        }
        shown.join(", ")
    };
    let mut diagnostics = Vec::new();
    if result.skeleton.cut_short {
        diagnostics.push(Diagnostic::warning(
            "sample-limits-depth",
            format!(
                "sets of more than {} columns were not conditioned on, because the sample is too small for it; edges that \
                 only larger sets would remove are still there",
                result.skeleton.tests.len() - 1
            ),
        ));
    }
    if !result.overruled.is_empty() {
        diagnostics.push(Diagnostic::warning(
            "knowledge-overrules-tests",
            format!("the tests speak for {}, which the background knowledge excludes", colliders(&result.overruled)),
        ));
    }
    if !result.conflicts.is_empty() {
        diagnostics.push(Diagnostic::warning(
            "conflicting-colliders",
            format!(
                "the tests contradict each other: {} would direct edges against other colliders or against the \
                 background knowledge; directions near them are unreliable (`conflicts` says who wins)",
                colliders(&result.conflicts)
            ),
        ));
    }
    if !result.ambiguous.is_empty() {
        let shown = result.ambiguous.len();
        diagnostics.push(Diagnostic::info(
            "ambiguous-triples",
            format!(
                "the tests do not tell whether {} of three columns {} a common effect in the middle; edges that only this \
                 would direct are left undirected",
                if shown == 1 { "1 chain".to_owned() } else { format!("{shown} chains") },
                if shown == 1 { "has" } else { "have" }
            ),
        ));
    }
    let graph = &result.graph;
    let bidirected = graph.edges().iter().any(|&(_, _, kind)| kind == EdgeKind::Bidirected);
    if bidirected || graph.consistent_extension().is_none() {
        diagnostics.push(Diagnostic::warning(
            "not-an-equivalence-class",
            "no directed acyclic graph has these edges and directions without further colliders, as happens when tests \
             contradict each other",
        ));
    }
    diagnostics
}
