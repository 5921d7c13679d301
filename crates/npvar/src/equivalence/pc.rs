//! PC (Spirtes & Glymour 1991): skeleton, colliders, and what they imply.
//!
//! Right where every independence in the data is one of the graph and the other way round (faithfulness), nothing that
//! matters is unobserved, and the tests are right; then the result is the graph's Markov equivalence class. Where tests
//! contradict each other the result may be no equivalence class; [`PcResult`] says where.

use super::colliders::{ColliderRule, ConflictRule, Strengths, Triple, orient_colliders};
use super::lists;
use super::rules::OrientationRules;
use super::skeleton::{Skeleton, SkeletonOptions, skeleton};
use crate::error::Result;
use crate::graph::{EdgeKind, Knowledge, Node, Pdag};
use crate::independence::IndependenceTest;
use crate::run::Run;

/// How PC searches and orients.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PcOptions {
    /// The skeleton's search.
    pub skeleton: SkeletonOptions,
    /// When an unshielded triple is a collider.
    pub colliders: ColliderRule,
    /// What happens when colliders disagree. A collider rule by votes has its own answer.
    pub conflicts: ConflictRule,
    /// The order of Meek's rules. A collider rule by votes has its own.
    pub rules: OrientationRules,
}

/// What PC found.
#[derive(Debug, Clone, PartialEq)]
pub struct PcResult {
    /// The graph.
    pub graph: Pdag,
    /// The skeleton and its evidence.
    pub skeleton: Skeleton,
    /// Colliders `(x, y, z)` that met an edge directed the other way.
    pub conflicts: Vec<(Node, Node, Node)>,
    /// Colliders `(x, y, z)` that background knowledge excludes.
    pub overruled: Vec<(Node, Node, Node)>,
    /// Triples `(x, y, z)` of which the tests do not tell whether they are colliders; only the rules by votes know any.
    pub ambiguous: Vec<(Node, Node, Node)>,
}

/// Learns an equivalence class from tests of independence.
///
/// ```
/// use npvar::equivalence::{PcOptions, pc};
/// use npvar::graph::Knowledge;
/// use npvar::independence::FisherZ;
/// use npvar::data::Covariance;
/// use npvar::{Run, Seed};
/// // a -> c <- b, each with error variance 1
/// let covariance = faer::mat![[1.0, 0.0, 1.0], [0.0, 1.0, 1.0], [1.0, 1.0, 3.0]];
/// let test = FisherZ::new(&Covariance::known(covariance, 500))?;
/// let result = pc(&test, &PcOptions::at(0.01), &Knowledge::none(3), &Run::new(Seed(1)))?;
/// assert!(result.graph.has_directed(0, 2) && result.graph.has_directed(1, 2));
/// # Ok::<(), npvar::Error>(())
/// ```
///
/// # Errors
/// When a test fails, or the run is cancelled.
pub fn pc(test: &dyn IndependenceTest, options: &PcOptions, knowledge: &Knowledge, run: &Run<'_>) -> Result<PcResult> {
    let skeleton = skeleton(test, &options.skeleton, knowledge, run)?;
    let mut graph = skeleton.graph.clone();
    for (a, b, _) in skeleton.graph.edges() {
        match (knowledge.forbids(a, b), knowledge.forbids(b, a)) {
            (true, _) => graph.set(b, a, EdgeKind::Directed),
            (_, true) => graph.set(a, b, EdgeKind::Directed),
            _ => {}
        }
    }
    let before = graph.clone();
    let SkeletonOptions { alpha, max_depth, .. } = options.skeleton;
    let strengths = Strengths { test, skeleton: &skeleton, knowledge, alpha, max_depth, run };
    let by_lists = options.colliders.is_order_independent();
    let conflicts = if by_lists { ConflictRule::Bidirected } else { options.conflicts };
    let oriented = orient_colliders(&mut graph, &skeleton, (options.colliders, conflicts), &strengths, knowledge)?;
    if by_lists {
        lists::by_lists(&mut graph, &oriented.ambiguous);
    } else {
        options.rules.apply(&mut graph, &before, &oriented, options.colliders == ColliderRule::DefiniteMaxP);
    }
    let sorted = |mut triples: Vec<Triple>| {
        triples.sort_unstable();
        triples
    };
    Ok(PcResult {
        graph,
        skeleton,
        conflicts: sorted(oriented.conflicts),
        overruled: sorted(oriented.overruled),
        ambiguous: sorted(oriented.ambiguous),
    })
}

impl PcOptions {
    /// pcalg's defaults at a level.
    pub fn at(alpha: f64) -> Self {
        let skeleton =
            SkeletonOptions { alpha, max_depth: None, order: Default::default(), separating_sets: Default::default() };
        PcOptions {
            skeleton,
            colliders: Default::default(),
            conflicts: Default::default(),
            rules: OrientationRules::Closure,
        }
    }
}
