//! Greedy edge inclusion: step 2 of CAM (Bühlmann, Peters & Ernest 2014, "IncEdge").
//!
//! From the empty graph, again and again the edge `i → j` with the largest gain
//! `log σ̂²(j | pa(j)) − log σ̂²(j | pa(j) ∪ {i})` among those that close no cycle. After an inclusion only the gains into
//! the same child change, so only those are computed again; which edges would close a cycle is known from the ancestors
//! and descendants of every node, kept up to date.
//!
//! As the R package, and unlike the paper's text, it goes on while any edge is admissible, also at gains of zero or a little
//! below: an order of all nodes is what is wanted, and parents are selected afterwards. Equal gains: the smallest child,
//! then the smallest parent.

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use crate::error::Result;
use crate::graph::{Dag, Node, NodeSet};
use crate::residual_variance::{ChildRegression, ChildRegressions};
use crate::run::{Event, Run};

/// One edge included.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Inclusion {
    /// Where the edge begins.
    pub parent: Node,
    /// Where it ends.
    pub child: Node,
    /// By how much the child's log residual variance fell.
    pub gain: f64,
}

/// What the search found.
#[derive(Debug, Clone, PartialEq)]
pub struct GreedyEdges {
    /// The graph of all edges included; its order is CAM's.
    pub dag: Dag,
    /// The edges in the order of their inclusion.
    pub inclusions: Vec<Inclusion>,
    /// The edges that would have gained the same the other way round.
    pub either_way: Vec<(Node, Node)>,
    /// The gains from the empty graph, `initial_gains[child][parent]`; minus infinity where an edge is not allowed.
    pub initial_gains: Vec<Vec<f64>>,
    /// `−Σ log σ̂²(j)` of the empty graph.
    pub initial_score: f64,
    /// For every child the logarithms of its parents' smoothing parameters, in the order of their inclusion, from which a
    /// search for the best ones would go on; empty where nothing was searched for.
    pub smoothing: Vec<Vec<f64>>,
}

impl GreedyEdges {
    /// `−Σ log σ̂²(j | pa(j))` after each inclusion.
    pub fn scores(&self) -> Vec<f64> {
        let mut score = self.initial_score;
        self.inclusions
            .iter()
            .map(|inclusion| {
                score += inclusion.gain;
                score
            })
            .collect()
    }
}

/// Includes edges greedily; `allowed[j]` holds the nodes that may become parents of `j`, at most `most_parents` of them.
///
/// # Errors
/// [`crate::Error::Cancelled`].
pub fn greedy_edges(
    regressions: &dyn ChildRegressions,
    allowed: &[NodeSet],
    most_parents: usize,
    run: &Run<'_>,
) -> Result<GreedyEdges> {
    greedy_edges_after(regressions, (&[], None), allowed, most_parents, run)
}

/// The same after the edges `first`, which close no cycle, have been included. Of edges that gain alike the first by `rank`, where
/// there is one, is taken, by its child and then by its parent: a rank that goes with the columns (by name) keeps the answer from depending on
/// where they stand.
///
/// # Errors
/// [`crate::Error::Cancelled`].
pub fn greedy_edges_after(
    regressions: &dyn ChildRegressions,
    (first, rank): (&[(Node, Node)], Option<&[usize]>),
    allowed: &[NodeSet],
    most_parents: usize,
    run: &Run<'_>,
) -> Result<GreedyEdges> {
    let d = regressions.nodes();
    let mut children: Vec<Box<dyn ChildRegression + '_>> = (0..d).map(|child| regressions.start(child)).collect();
    let initial_score = -children.iter().map(|child| child.log_variance()).sum::<f64>();
    let mut reachability = Reachability::new(d);
    let (mut inclusions, mut parents) = (Vec::new(), vec![0; d]);
    for &(parent, child) in first {
        let before = children[child].log_variance();
        // A regression includes only what it has seen as a candidate.
        children[child].log_variances(&[parent], run)?;
        children[child].include(parent);
        inclusions.push(Inclusion { parent, child, gain: before - children[child].log_variance() });
        parents[child] += 1;
        reachability.add(parent, child);
    }
    let done = AtomicUsize::new(0);
    let mut gains: Vec<Vec<f64>> = children
        .par_iter_mut()
        .enumerate()
        .map(|(j, child)| {
            let open = |i: &Node| {
                let included = first.contains(&(*i, j));
                *i != j && !included && parents[j] < most_parents && !reachability.descendants[j].contains(*i)
            };
            let candidates = allowed[j].ones().filter(open).collect();
            let gains = gains(&mut **child, candidates, d, run)?;
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            run.report(&Event::Working { phase: "first gains", done, total: Some(d) })?;
            Ok(gains)
        })
        .collect::<Result<_>>()?;
    let initial_gains = gains.clone();
    let mut either_way = Vec::new();
    while let Some((parent, child, gain)) = best(&gains, rank) {
        if alike(gains[parent][child], gain) {
            either_way.push((parent, child));
        }
        children[child].include(parent);
        inclusions.push(Inclusion { parent, child, gain });
        parents[child] += 1;
        reachability.add(parent, child);
        run.report(&Event::Working { phase: "including edges", done: inclusions.len(), total: Some(d * (d - 1) / 2) })?;
        for (j, gains) in gains.iter_mut().enumerate() {
            reachability.descendants[j].ones().for_each(|i| gains[i] = f64::NEG_INFINITY);
        }
        gains[child][parent] = f64::NEG_INFINITY;
        let open = |i: &Node| gains[child][*i] > f64::NEG_INFINITY && parents[child] < most_parents;
        let candidates: Vec<Node> = (0..d).filter(open).collect();
        gains[child] = self::gains(&mut *children[child], candidates, d, run)?;
    }
    let dag = Dag::from_edges(d, inclusions.iter().map(|edge| (edge.parent, edge.child)))?;
    let smoothing = children.iter().map(|child| child.smoothing().to_vec()).collect();
    Ok(GreedyEdges { dag, inclusions, either_way, initial_gains, initial_score, smoothing })
}

/// The gain of every candidate; minus infinity for all other nodes.
fn gains(child: &mut dyn ChildRegression, candidates: Vec<Node>, d: usize, run: &Run<'_>) -> Result<Vec<f64>> {
    let mut gains = vec![f64::NEG_INFINITY; d];
    let present = child.log_variance();
    for (&candidate, variance) in candidates.iter().zip(child.log_variances(&candidates, run)?) {
        gains[candidate] = present - variance;
    }
    Ok(gains)
}

/// Gains that differ by less are the same but for rounding. Between two binary columns both directions gain exactly the same.
const SAME_GAIN: f64 = 1e-12;

fn alike(a: f64, b: f64) -> bool {
    (a - b).abs() <= SAME_GAIN * b.abs().max(1.0)
}

/// The largest gain: parent, child, gain. With a rank, of those like it the first by rank; without, the first of the largest.
fn best(gains: &[Vec<f64>], rank: Option<&[usize]>) -> Option<(Node, Node, f64)> {
    let most = gains.iter().flatten().copied().fold(f64::NEG_INFINITY, f64::max);
    let edges = gains
        .iter()
        .enumerate()
        .flat_map(|(child, gains)| gains.iter().enumerate().map(move |(parent, &gain)| (parent, child, gain)));
    let mut largest =
        edges.filter(|&(.., gain)| gain > f64::NEG_INFINITY && (gain == most || (rank.is_some() && alike(gain, most))));
    match rank {
        Some(rank) => largest.min_by_key(|&(parent, child, _)| (rank[child], rank[parent])),
        None => largest.next(),
    }
}

/// Ancestors and descendants of every node.
struct Reachability {
    ancestors: Vec<NodeSet>,
    descendants: Vec<NodeSet>,
}

impl Reachability {
    fn new(d: usize) -> Self {
        let none = vec![NodeSet::with_capacity(d); d];
        Reachability { ancestors: none.clone(), descendants: none }
    }

    /// Everything above `parent` now reaches everything below `child`.
    fn add(&mut self, parent: Node, child: Node) {
        let mut above = self.ancestors[parent].clone();
        above.insert(parent);
        let mut below = self.descendants[child].clone();
        below.insert(child);
        above.ones().for_each(|node| self.descendants[node].union_with(&below));
        below.ones().for_each(|node| self.ancestors[node].union_with(&above));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Seed;

    /// Log variances read from a table: `table[child][set of parents as bits]`.
    struct Table(Vec<Vec<f64>>);
    struct Row<'t>(&'t [f64], usize);

    impl ChildRegressions for Table {
        fn nodes(&self) -> usize {
            self.0.len()
        }

        fn start(&self, child: Node) -> Box<dyn ChildRegression + '_> {
            Box::new(Row(&self.0[child], 0))
        }
    }

    impl ChildRegression for Row<'_> {
        fn log_variance(&self) -> f64 {
            self.0[self.1]
        }

        fn log_variances(&mut self, candidates: &[Node], _: &Run<'_>) -> Result<Vec<f64>> {
            Ok(candidates.iter().map(|&candidate| self.0[self.1 | 1 << candidate]).collect())
        }

        fn include(&mut self, parent: Node) {
            self.1 |= 1 << parent;
        }

        fn smoothing(&self) -> &[f64] {
            &[]
        }
    }

    fn everyone(d: usize) -> Vec<NodeSet> {
        vec![(0..d).collect(); d]
    }

    /// The linear model of the paper's appendix, `X2 = X1 + ε, X3 = X1 + X2 + ε`, in population variances. `X2 → X3` and
    /// `X3 → X2` gain log 4 alike; the latter's child is smaller, and the order is wrong either way, as the paper says.
    #[test]
    fn the_linear_example_of_the_paper_goes_wrong_as_it_says() {
        let log = |variances: [f64; 8]| variances.map(f64::ln).to_vec();
        let unused = 1.0;
        let table = Table(vec![
            log([1.0, unused, 0.5, unused, 1.0 / 3.0, unused, 1.0 / 3.0, unused]),
            log([2.0, 1.0, unused, unused, 0.5, 0.5, unused, unused]),
            log([6.0, 2.0, 1.5, 1.0, unused, unused, unused, unused]),
        ]);
        let run = Run::new(Seed(0));
        let found = greedy_edges(&table, &everyone(3), 2, &run).unwrap();
        let edges: Vec<(Node, Node)> = found.inclusions.iter().map(|edge| (edge.parent, edge.child)).collect();
        assert_eq!(edges, [(2, 1), (2, 0), (1, 0)]);
        assert_eq!(found.dag.order().nodes(), [2, 1, 0]);
        assert!((found.initial_score + 12f64.ln()).abs() < 1e-12);
        assert!((found.inclusions[0].gain - 4f64.ln()).abs() < 1e-12);
        // Had `X2 → X3` come first, `X3 → X1` would be next.
        let mut first = everyone(3);
        first[1].clear();
        let found = greedy_edges(&table, &first, 2, &run).unwrap();
        let edges: Vec<(Node, Node)> = found.inclusions.iter().map(|edge| (edge.parent, edge.child)).collect();
        assert_eq!(edges[..2], [(1, 2), (2, 0)]);
    }

    #[test]
    fn only_allowed_edges_are_included_and_no_more_than_so_many_parents() {
        let table = Table(vec![(0..16).map(|set: u32| -f64::from(set.count_ones())).collect(); 4]);
        let run = Run::new(Seed(0));
        let mut allowed = everyone(4);
        allowed[0].clear();
        let found = greedy_edges(&table, &allowed, 1, &run).unwrap();
        assert!(found.inclusions.iter().all(|edge| edge.child != 0));
        assert!((0..4).all(|node| found.dag.parents(node).count_ones(..) <= 1));
        let complete = greedy_edges(&table, &everyone(4), 3, &run).unwrap();
        assert_eq!(complete.dag.edge_count(), 6);
        assert_eq!(complete.scores().len(), 6);
    }
}
