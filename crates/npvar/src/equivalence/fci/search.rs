//! FCI (Spirtes, Glymour & Scheines 2000; Zhang 2008): skeleton, a second look for separating sets, colliders, and what they
//! imply.
//!
//! Right where every independence in the data is one of a graph over the columns and hidden nodes and the other way round
//! (faithfulness), and the tests are right; then the result is the partial ancestral graph of that graph, complete (Zhang 2008).
//!
//! The skeleton is PC's stable one (Colombo & Maathuis 2014). Colliders are read off separating sets; they only add arrowheads,
//! so two of them cannot disagree, and every rule is applied to the whole graph at once. With [`SeparatingSets::All`] the answer
//! therefore does not depend on the order of the columns, whatever the tests say; with [`SeparatingSets::First`] the sets may.
//!
//! Background knowledge says who is no cause of whom: where two columns are joined, a forbidden edge, a later tier, a root or a
//! sink puts an arrowhead at the one that is no cause, and a required edge is never tested and has both its marks. What is
//! known keeps no two columns apart, because a hidden common cause may join them; and it is never overruled by tests.
//!
//! [`SeparatingSets::All`]: crate::equivalence::SeparatingSets::All
//! [`SeparatingSets::First`]: crate::equivalence::SeparatingSets::First

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::possible_d_sep::{possible_d_sep, separate_beyond};
use super::rules;
use crate::equivalence::colliders::{Triple, unshielded};
use crate::equivalence::skeleton::{Skeleton, SkeletonOptions, skeleton};
use crate::error::Result;
use crate::graph::{Knowledge, Mark, Node, Pag};
use crate::independence::IndependenceTest;
use crate::run::Run;

/// Whether separating sets are looked for among more nodes than the neighbours of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SecondSearch {
    /// Among the Possible-D-SEP sets of both, as the paper.
    #[default]
    PossibleDSep,
    /// Not at all, as pcalg's `doPdsep = FALSE`: fewer tests, so that fewer edges fall to chance; an edge can be left that only
    /// such a set would remove.
    None,
}

/// How FCI searches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FciOptions {
    /// The skeleton's search, with the level of all tests.
    pub skeleton: SkeletonOptions,
    /// The search after it.
    pub second_search: SecondSearch,
}

/// What FCI found.
#[derive(Debug, Clone, PartialEq)]
pub struct FciResult {
    /// The partial ancestral graph.
    pub graph: Pag,
    /// The final skeleton and its evidence.
    pub skeleton: Skeleton,
    /// Pairs that only a set beyond their neighbours separates.
    pub separated_beyond: Vec<(Node, Node)>,
    /// Colliders `(x, y, z)` that background knowledge excludes.
    pub overruled: Vec<(Node, Node, Node)>,
}

/// Learns a partial ancestral graph from tests of independence.
///
/// ```
/// use npvar::data::Covariance;
/// use npvar::equivalence::{FciOptions, PcOptions, SecondSearch, fci};
/// use npvar::graph::{EdgeKind, Knowledge, Pdag};
/// use npvar::independence::FisherZ;
/// use npvar::{Run, Seed};
/// // a -> b <- h -> c <- d with h hidden, every coefficient and error variance 1
/// let covariance = faer::mat![
///     [1.0, 1.0, 0.0, 0.0],
///     [1.0, 3.0, 1.0, 0.0],
///     [0.0, 1.0, 3.0, 1.0],
///     [0.0, 0.0, 1.0, 1.0]
/// ];
/// let test = FisherZ::new(&Covariance::known(covariance, 500))?;
/// let options = FciOptions { skeleton: PcOptions::at(0.01).skeleton, second_search: SecondSearch::default() };
/// let result = fci(&test, &options, &Knowledge::none(4), &Run::new(Seed(1)))?;
/// let graph = Pdag::from(&result.graph);
/// assert!(graph.has(1, 2, EdgeKind::Bidirected) && graph.has(0, 1, EdgeKind::PartiallyDirected));
/// # Ok::<(), npvar::Error>(())
/// ```
///
/// # Errors
/// When a test fails, or the run is cancelled.
pub fn fci(
    test: &dyn IndependenceTest,
    options: &FciOptions,
    knowledge: &Knowledge,
    run: &Run<'_>,
) -> Result<FciResult> {
    let joined = knowledge.without_separations();
    let mut skeleton = skeleton(test, &options.skeleton, &joined, run)?;
    let separated_beyond = match options.second_search {
        SecondSearch::None => Vec::new(),
        SecondSearch::PossibleDSep => {
            let (first, _) = with_colliders(&skeleton, knowledge);
            let set = |node| run.check().map(|()| possible_d_sep(&first, node));
            let beyond: Vec<_> = (0..test.nodes()).map(set).collect::<Result<_>>()?;
            separate_beyond(&mut skeleton, (test, &options.skeleton, &joined), &beyond, run)?
        }
    };
    let (mut graph, overruled) = with_colliders(&skeleton, knowledge);
    rules::close(&mut graph, &skeleton, run)?;
    Ok(FciResult { graph, skeleton, separated_beyond, overruled })
}

/// The skeleton with circles everywhere but where knowledge or a collider puts something else, and the colliders that knowledge
/// excludes.
fn with_colliders(skeleton: &Skeleton, knowledge: &Knowledge) -> (Pag, Vec<Triple>) {
    let mut graph = Pag::undetermined(&skeleton.graph);
    for a in 0..graph.nodes() {
        for b in graph.adjacents(a).clone().ones() {
            if knowledge.requires(a, b) {
                graph.set_mark(b, a, Mark::Tail);
            } else if knowledge.forbids(a, b) {
                graph.set_mark(b, a, Mark::Arrow);
            }
        }
    }
    let mut overruled = Vec::new();
    for (x, y, z) in unshielded(&skeleton.graph) {
        if skeleton.separating(x, z).is_none_or(|set| set.contains(&y)) {
            continue;
        }
        if [x, z].iter().any(|&end| graph.has_mark(end, y, Mark::Tail)) {
            overruled.push((x, y, z));
            continue;
        }
        [x, z].iter().for_each(|&end| graph.set_mark(end, y, Mark::Arrow));
    }
    overruled.sort_unstable();
    (graph, overruled)
}
