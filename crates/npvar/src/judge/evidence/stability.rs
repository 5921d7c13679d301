//! What many learned graphs have in common.

use std::collections::BTreeMap;

use crate::graph::{EdgeKind, Node, Pdag};
use crate::learner::Learned;
use crate::run::Diagnostic;

use super::resampling::Resampling;

/// The share of replicates from which on an edge belongs to the consensus.
pub const CONSENSUS: f64 = 0.5;

/// What of a replicate is counted.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Replicate {
    graph: Pdag,
    /// For every node the number of its layer, or of its place in the order where there are no layers.
    places: Option<(Places, Vec<usize>)>,
}

impl From<Learned> for Replicate {
    fn from(learned: Learned) -> Self {
        let mut places = vec![0; learned.names.len()];
        let places = match (&learned.layers, &learned.order) {
            (Some(layers), _) => {
                for (place, layer) in layers.layers().iter().enumerate() {
                    layer.iter().for_each(|&node| places[node] = place);
                }
                Some((Places::Layers, places))
            }
            (None, Some(order)) => {
                order.nodes().iter().enumerate().for_each(|(place, &node)| places[node] = place);
                Some((Places::Order, places))
            }
            (None, None) => None,
        };
        Replicate { graph: learned.graph, places }
    }
}

/// What a node's place is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Places {
    /// The number of its layer; node by node that is its place in the order.
    Layers,
    /// Its place in the order.
    Order,
}

/// How often an edge was found. At most one edge joins two nodes in a replicate, so the frequencies of a pair add up to
/// the share of replicates in which the two are adjacent at all.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Frequency {
    /// The parent, or the smaller of the two nodes.
    pub from: Node,
    /// The child, or the larger of the two nodes.
    pub to: Node,
    /// Directed, undirected (the class does not say which way), bidirected, or with circles.
    pub kind: EdgeKind,
    /// The share of replicates.
    pub frequency: f64,
}

/// The edges and places of a learner's answers to resampled data.
#[derive(Debug, Clone, PartialEq)]
pub struct Stability {
    /// How many replicates ended with a graph; all frequencies are shares of them.
    pub replicates: usize,
    /// How many did not.
    pub failed: usize,
    /// How rows were drawn.
    pub resampling: Resampling,
    /// Every edge that was found at least once, in the learned graph or not; sorted by nodes.
    pub edges: Vec<Frequency>,
    /// For every node, the share of replicates in which it had each place; each row sums to one.
    pub places: Option<(Places, Vec<Vec<f64>>)>,
    /// Edges found in at least half of the replicates ([`CONSENSUS`]), the most frequent first. A directed edge that would
    /// close a cycle with more frequent ones is left out, so the directed part has no cycle.
    pub consensus: Pdag,
    /// What a reader should know.
    pub diagnostics: Vec<Diagnostic>,
}

impl Stability {
    /// Counts.
    pub(super) fn of(nodes: usize, replicates: &[Replicate], resampling: Resampling) -> Self {
        let total = replicates.len().max(1) as f64;
        let mut counts: BTreeMap<(Node, Node, EdgeKind), usize> = BTreeMap::new();
        for edge in replicates.iter().flat_map(|replicate| replicate.graph.edges()) {
            *counts.entry(edge).or_default() += 1;
        }
        let edges: Vec<Frequency> = counts
            .into_iter()
            .map(|((from, to, kind), count)| Frequency { from, to, kind, frequency: count as f64 / total })
            .collect();
        Stability {
            replicates: replicates.len(),
            failed: 0,
            resampling,
            consensus: consensus(nodes, &edges),
            edges,
            places: places(nodes, replicates, total),
            diagnostics: Vec::new(),
        }
    }

    /// The share of replicates with this very edge.
    pub fn frequency(&self, from: Node, to: Node, kind: EdgeKind) -> f64 {
        let is = |edge: &&Frequency| (edge.from, edge.to, edge.kind) == (from, to, kind);
        self.edges.iter().find(is).map_or(0.0, |edge| edge.frequency)
    }

    /// The share of replicates in which two nodes are joined by an edge of any kind.
    pub fn adjacency(&self, a: Node, b: Node) -> f64 {
        let joins = |edge: &&Frequency| (edge.from, edge.to) == (a, b) || (edge.from, edge.to) == (b, a);
        self.edges.iter().filter(joins).map(|edge| edge.frequency).sum()
    }
}

fn places(nodes: usize, replicates: &[Replicate], total: f64) -> Option<(Places, Vec<Vec<f64>>)> {
    let found: Vec<&(Places, Vec<usize>)> =
        replicates.iter().map(|replicate| replicate.places.as_ref()).collect::<Option<_>>()?;
    let most = found.iter().flat_map(|(_, places)| places).max()? + 1;
    let mut counts = vec![vec![0_usize; most]; nodes];
    for (_, places) in &found {
        places.iter().zip(&mut counts).for_each(|(&place, counts)| counts[place] += 1);
    }
    let shares = counts.iter().map(|counts| counts.iter().map(|&count| count as f64 / total).collect()).collect();
    Some((found[0].0, shares))
}

fn consensus(nodes: usize, edges: &[Frequency]) -> Pdag {
    let mut frequent: Vec<&Frequency> = edges.iter().filter(|edge| edge.frequency >= CONSENSUS).collect();
    // Stable: ties stay in the order of their nodes.
    frequent.sort_by(|a, b| b.frequency.total_cmp(&a.frequency));
    let mut graph = Pdag::empty(nodes);
    for edge in frequent {
        let cyclic = edge.kind == EdgeKind::Directed && reaches(&graph, edge.to, edge.from);
        if !cyclic && !graph.adjacent(edge.from, edge.to) {
            graph.set(edge.from, edge.to, edge.kind);
        }
    }
    graph
}

/// Whether directed edges lead from one node to another.
fn reaches(graph: &Pdag, from: Node, to: Node) -> bool {
    let (mut seen, mut waiting) = (vec![false; graph.nodes()], vec![from]);
    while let Some(node) = waiting.pop() {
        if node == to {
            return true;
        }
        if !std::mem::replace(&mut seen[node], true) {
            waiting.extend(graph.children(node).ones());
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replicate(edges: &[(Node, Node, EdgeKind)], places: Option<Vec<usize>>) -> Replicate {
        let graph = Pdag::from_edges(3, edges.iter().copied()).unwrap();
        Replicate { graph, places: places.map(|places| (Places::Order, places)) }
    }

    #[test]
    fn frequencies_places_and_consensus_by_hand() {
        use EdgeKind::{Directed, Undirected};
        let stability = Stability::of(
            3,
            &[
                replicate(&[(0, 1, Directed), (1, 2, Directed)], Some(vec![0, 1, 2])),
                replicate(&[(1, 0, Directed), (1, 2, Undirected)], Some(vec![1, 0, 2])),
                replicate(&[(0, 1, Directed)], Some(vec![0, 2, 1])),
                replicate(&[(0, 1, Directed), (1, 2, Undirected)], Some(vec![0, 1, 2])),
            ],
            Resampling::WithReplacement,
        );
        assert_eq!(stability.frequency(0, 1, Directed), 0.75);
        assert_eq!(stability.frequency(1, 0, Directed), 0.25);
        assert_eq!((stability.adjacency(0, 1), stability.adjacency(2, 1), stability.adjacency(0, 2)), (1.0, 0.75, 0.0));
        assert_eq!(stability.consensus.edges(), [(0, 1, Directed), (1, 2, Undirected)]);
        let (kind, places) = stability.places.unwrap();
        assert_eq!((kind, &places[1][..]), (Places::Order, &[0.25, 0.5, 0.25][..]));
    }

    #[test]
    fn the_consensus_leaves_out_the_rarest_edge_of_a_cycle() {
        use EdgeKind::Directed;
        // Each of three edges in two of three or more replicates: together they are a cycle.
        let stability = Stability::of(
            3,
            &[
                replicate(&[(0, 1, Directed), (1, 2, Directed)], None),
                replicate(&[(0, 1, Directed), (1, 2, Directed)], None),
                replicate(&[(1, 2, Directed), (2, 0, Directed)], None),
                replicate(&[(2, 0, Directed), (0, 1, Directed)], None),
            ],
            Resampling::Half,
        );
        assert_eq!(stability.frequency(2, 0, Directed), 0.5);
        assert_eq!(stability.consensus.edges(), [(0, 1, Directed), (1, 2, Directed)]);
        assert!(stability.places.is_none());
    }
}
