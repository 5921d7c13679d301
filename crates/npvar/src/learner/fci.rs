//! FCI as a learner: a test, the search, and what a reader should know about the result.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::facts::{LearnerInfo, Options, RestsOn, Uses};
use super::found::{Found, StructureLearner};
use super::independence::{IndependenceConfig, cut_short};
use super::input::Task;
use crate::data::Categories;
use crate::equivalence::{FciOptions, FciResult, SecondSearch, SeparatingSets, SkeletonOptions, SkeletonOrder, fci};
use crate::error::Result;
use crate::graph::{EdgeKind, Node, Pdag};
use crate::run::{Diagnostic, Run};

/// How many of a kind a message lists.
const LISTED: usize = 3;

/// FCI (Spirtes, Glymour & Scheines 2000; Zhang 2008): an equivalence class where common causes may be hidden.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct FciConfig {
    /// The test: `fisher-z`, `chi-square`, `g-square`, `hsic`, `kci` or `rcot`.
    pub test: IndependenceConfig,
    /// The level of the tests: a pair is separated by a set given which its p-value is at least this.
    pub alpha: f64,
    /// The largest conditioning set; no limit unless given.
    pub max_depth: Option<usize>,
    /// Which separating sets decide about colliders: `all` of the level, whatever the order of the columns, or the `first`,
    /// which takes fewer tests.
    pub separating_sets: SeparatingSets,
    /// Where separating sets are looked for beyond the neighbours of two columns: `possible-d-sep`, or `none` for fewer tests.
    pub second_search: SecondSearch,
}

impl Default for FciConfig {
    /// PC's test and level; sets so that the answer does not depend on the order of the columns.
    fn default() -> Self {
        FciConfig {
            test: IndependenceConfig::default(),
            alpha: 0.01,
            max_depth: None,
            separating_sets: SeparatingSets::All,
            second_search: SecondSearch::PossibleDSep,
        }
    }
}

impl Options for FciConfig {
    const INFO: LearnerInfo = LearnerInfo {
        name: "fci",
        title: "FCI",
        summary: "FCI (Spirtes et al. 2000; Zhang 2008): a partial ancestral graph, where common causes may be hidden",
        assumes: "every independence in the data due to a graph over the columns and hidden nodes (faithfulness)",
    };

    fn check(&self) -> Result<()> {
        self.test.check(self.alpha)
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

    fn does_not_see(&self) -> &'static str {
        "cycles"
    }

    fn joint_effects(&self) -> Option<&'static str> {
        Some("--set test=kci")
    }
}

impl StructureLearner for FciConfig {
    fn find(&self, task: &Task<'_>, run: &Run<'_>) -> Result<Found> {
        let skeleton = SkeletonOptions {
            alpha: self.alpha,
            max_depth: self.max_depth,
            order: SkeletonOrder::Stable,
            separating_sets: self.separating_sets,
        };
        let options = FciOptions { skeleton, second_search: self.second_search };
        let (result, mut diagnostics) =
            self.test.of(task.rows, run, |test| fci(test, &options, task.knowledge, run))?;
        let graph = Pdag::from(&result.graph);
        diagnostics.extend(noticed(task.names(), &graph, &result));
        Ok(Found::class(graph, diagnostics))
    }
}

fn noticed(names: &[String], graph: &Pdag, result: &FciResult) -> Vec<Diagnostic> {
    let mut diagnostics: Vec<Diagnostic> = cut_short(&result.skeleton).into_iter().collect();
    let listed = |words: Vec<String>| {
        let more = words.len().saturating_sub(LISTED);
        let shown = words.into_iter().take(LISTED).collect::<Vec<_>>().join(", ");
        if more > 0 { format!("{shown}, {more} more") } else { shown }
    };
    let of_kind = |wanted: EdgeKind| -> Vec<String> {
        let edges = graph.edges().into_iter().filter(|&(_, _, kind)| kind == wanted);
        edges.map(|(a, b, kind)| format!("`{}` {} `{}`", names[a], kind.sign(), names[b])).collect()
    };
    let hidden = of_kind(EdgeKind::Bidirected);
    if !hidden.is_empty() {
        diagnostics.push(Diagnostic::info(
            "hidden-common-causes",
            format!("neither causes the other, and something that is not in the table joins them: {}", listed(hidden)),
        ));
    }
    let selected = of_kind(EdgeKind::Undirected);
    if !selected.is_empty() {
        diagnostics.push(Diagnostic::warning(
            "selected-rows",
            format!(
                "if the tests are right, which rows are in the table depends on columns at both ends of: {}",
                listed(selected)
            ),
        ));
    }
    if !result.overruled.is_empty() {
        let collider =
            |&(x, y, z): &(Node, Node, Node)| format!("`{}` *-> `{}` <-* `{}`", names[x], names[y], names[z]);
        let overruled = listed(result.overruled.iter().map(collider).collect());
        diagnostics.push(Diagnostic::warning(
            "knowledge-overrules-tests",
            format!("the tests speak for {overruled}, which the background knowledge excludes"),
        ));
    }
    diagnostics
}
