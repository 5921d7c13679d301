//! Where common causes are hidden, the set that separates two nodes need not be among the neighbours of either. It is in the set
//! Possible-D-SEP of one of them (Spirtes, Glymour & Scheines 2000, section 6.7).
//!
//! The sets are those of the graph after the first colliders, for all pairs (Colombo et al. 2012): neither the order of pairs nor
//! the number of threads matters. Sets that consist of neighbours of one of the two have been tested before and are left out.

use rayon::prelude::*;

use crate::equivalence::skeleton::{Depth, PairTests, SeparatingSets, Skeleton, SkeletonOptions};
use crate::error::Result;
use crate::graph::{Knowledge, Mark, Node, NodeSet, Pag};
use crate::independence::IndependenceTest;
use crate::run::Run;

/// The nodes that a path from `start` leads to on which every inner node is a collider or in a triangle with its two
/// neighbours.
pub(super) fn possible_d_sep(graph: &Pag, start: Node) -> NodeSet {
    let d = graph.nodes();
    let mut seen = vec![NodeSet::with_capacity(d); d];
    let mut found = NodeSet::with_capacity(d);
    let mut pending: Vec<(Node, Node)> = graph.adjacents(start).ones().map(|next| (start, next)).collect();
    pending.iter().for_each(|&(a, b)| seen[a].insert(b));
    while let Some((a, b)) = pending.pop() {
        found.insert(b);
        for c in graph.adjacents(b).ones().filter(|&c| c != a && c != start) {
            let collider = graph.has_mark(a, b, Mark::Arrow) && graph.has_mark(c, b, Mark::Arrow);
            if (collider || graph.adjacent(a, c)) && !seen[b].put(c) {
                pending.push((b, c));
            }
        }
    }
    found
}

/// Separates pairs of the skeleton by sets within `beyond[x]` or `beyond[y]`; the pairs that it separates.
pub(super) fn separate_beyond(
    skeleton: &mut Skeleton,
    (test, options, knowledge): (&dyn IndependenceTest, &SkeletonOptions, &Knowledge),
    beyond: &[NodeSet],
    run: &Run<'_>,
) -> Result<Vec<(Node, Node)>> {
    let neighbours: Vec<NodeSet> = (0..beyond.len()).map(|node| skeleton.graph.neighbours(node).clone()).collect();
    let mut separated = Vec::new();
    for size in 1..=options.max_depth.unwrap_or(usize::MAX) {
        if size > test.largest_given() {
            skeleton.cut_short = true;
            break;
        }
        let level = Depth { test, options, knowledge, size, run };
        let pair = |&(x, y): &(Node, Node)| {
            let mut result = PairTests::none();
            level.side(x, y, &beyond[x], &[&neighbours[x], &neighbours[y]], &mut result)?;
            if result.separating.is_none() || options.separating_sets == SeparatingSets::All {
                level.side(y, x, &beyond[y], &[&neighbours[x], &neighbours[y], &beyond[x]], &mut result)?;
            }
            result.sort();
            Ok(result)
        };
        let mut pairs: Vec<(Node, Node)> = skeleton.graph.edges().into_iter().map(|(x, y, _)| (x, y)).collect();
        pairs.retain(|&(x, y)| !knowledge.joins(x, y));
        let results: Vec<PairTests> = pairs.par_iter().map(pair).collect::<Result<_>>()?;
        for (&pair, result) in pairs.iter().zip(&results) {
            skeleton.record(pair, result);
            separated.extend(result.separating.is_some().then_some(pair));
        }
        level.progress(pairs.len())?;
        if !results.iter().any(|result| result.larger) {
            break;
        }
    }
    separated.sort_unstable();
    Ok(separated)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{EdgeKind, Pdag};

    #[test]
    fn colliders_and_triangles_lead_on() {
        use EdgeKind::{Bidirected, PartiallyDirected, Undetermined};
        // 0 o-> 1 <-> 2 o-o 3: 1 is a collider, 2 is not.
        let chain = [(0, 1, PartiallyDirected), (1, 2, Bidirected), (2, 3, Undetermined)];
        let graph = Pag::from(&Pdag::from_edges(4, chain).expect("a graph"));
        let found: Vec<Node> = possible_d_sep(&graph, 0).ones().collect();
        assert_eq!(found, [1, 2]);
        // With 1 o-o 3 the nodes 1, 2 and 3 are a triangle.
        let graph = Pag::from(&Pdag::from_edges(4, chain.into_iter().chain([(1, 3, Undetermined)])).expect("a graph"));
        let found: Vec<Node> = possible_d_sep(&graph, 0).ones().collect();
        assert_eq!(found, [1, 2, 3]);
    }
}
