//! PC as a learner: a test, the search, and what a reader should know about the result.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::facts::{LearnerInfo, Options, RestsOn, Uses};
use super::found::{Found, StructureLearner};
use super::independence::IndependenceConfig;
use super::input::Task;
use super::pc_noticed::noticed;
use crate::data::Categories;
use crate::equivalence::{
    ColliderRule, ConflictRule, OrientationRules, PcOptions, PcResult, SeparatingSets, SkeletonOptions, SkeletonOrder,
    pc,
};
use crate::error::{Result, within};
use crate::graph::{Knowledge, Node, Pdag};
use crate::independence::IndependenceTest;
use crate::run::{Diagnostic, Run};

/// A search of so many tests or fewer is made a second time, to see whether the order of the columns matters.
const MOST_TESTS: usize = 50_000;

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
        self.test.check(self.alpha)?;
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
        self.test.categories()
    }

    fn skips_missing(&self) -> bool {
        true
    }

    fn rests_on(&self) -> RestsOn {
        self.test.rests_on()
    }

    fn joint_effects(&self) -> Option<&'static str> {
        Some("--set test=kci")
    }
}

impl StructureLearner for PcConfig {
    fn find(&self, task: &Task<'_>, run: &Run<'_>) -> Result<Found> {
        let (rows, names) = (task.rows, task.names());
        let ((result, dependence), mut diagnostics) = self.test.of(rows, run, |test| {
            let result = pc(test, &self.options(), task.knowledge, run)?;
            // Where tests are cheap, a second search shows whether the first depended on the order of the columns.
            let cheap = self.test.is_cheap() && rows.gaps().is_none();
            let dependence = if cheap { self.order_dependence(test, &result, task.knowledge, run)? } else { None };
            Ok((result, dependence))
        })?;
        diagnostics.extend(dependence);
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
