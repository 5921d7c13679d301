//! The graph of the search with what operators ask of it.

use crate::graph::{Node, NodeSet, Pdag};

/// The most cliques that are tried around one node. Beyond it (about 12 neighbours all adjacent to one another) the smaller
/// ones are, and the search says so.
pub(super) const MOST_CLIQUES: usize = 1 << 12;

/// Some cliques, and whether they are all there are.
pub(super) struct Cliques {
    pub(super) found: Vec<NodeSet>,
    pub(super) complete: bool,
}

impl Cliques {
    /// With this clique too, where it is not among them.
    pub(super) fn with(mut self, clique: NodeSet) -> Self {
        if !self.complete && !self.found.contains(&clique) {
            self.found.push(clique);
        }
        self
    }
}

/// A CPDAG and the adjacent nodes of every node.
#[derive(Debug, Clone)]
pub(super) struct Surroundings {
    pub(super) graph: Pdag,
    adjacents: Vec<NodeSet>,
    /// Children and neighbours of every node: where a semi-directed path may go on.
    forward: Vec<NodeSet>,
}

impl Surroundings {
    pub(super) fn new(graph: Pdag) -> Self {
        let adjacents = (0..graph.nodes()).map(|node| graph.adjacents(node)).collect();
        let forward = |node: Node| {
            let mut forward = graph.children(node).clone();
            forward.union_with(graph.neighbours(node));
            forward
        };
        let forward = (0..graph.nodes()).map(forward).collect();
        Surroundings { graph, adjacents, forward }
    }

    pub(super) fn nodes(&self) -> usize {
        self.adjacents.len()
    }

    pub(super) fn adjacents(&self, node: Node) -> &NodeSet {
        &self.adjacents[node]
    }

    /// `ne(y) ∩ ad(x)`.
    pub(super) fn common(&self, x: Node, y: Node) -> NodeSet {
        let mut common = self.graph.neighbours(y).clone();
        common.intersect_with(&self.adjacents[x]);
        common
    }

    pub(super) fn is_clique(&self, nodes: &NodeSet) -> bool {
        nodes.ones().all(|node| {
            let adjacent = nodes.intersection(&self.adjacents[node]).count();
            adjacent + 1 == nodes.count_ones(..)
        })
    }

    /// Every clique `base ∪ S` with `S ⊆ extra` and `|S| ≤ most`, given that `base` is a clique; smaller ones first, and no
    /// more than [`MOST_CLIQUES`].
    pub(super) fn cliques(&self, base: &NodeSet, extra: &NodeSet, most: usize) -> Cliques {
        let joins_all = |node: &Node| base.is_subset(&self.adjacents[*node]);
        let candidates: Vec<Node> = extra.ones().filter(joins_all).collect();
        let mut found = vec![base.clone()];
        // What each clique may still take: later candidates that are adjacent to all it has taken.
        let mut open = vec![candidates];
        let mut from = 0;
        for _ in 0..most.min(extra.count_ones(..)) {
            let to = found.len();
            for place in from..to {
                for i in 0..open[place].len() {
                    if found.len() == MOST_CLIQUES {
                        return Cliques { found, complete: false };
                    }
                    let node = open[place][i];
                    let mut larger = found[place].clone();
                    larger.insert(node);
                    let adjacent = |other: &Node| self.adjacents[node].contains(*other);
                    let rest = open[place][i + 1..].iter().copied().filter(adjacent).collect();
                    found.push(larger);
                    open.push(rest);
                }
            }
            from = to;
        }
        Cliques { found, complete: true }
    }

    /// Whether a semi-directed path (edges undirected or pointing forward) leads from `from` to `to` around `blocked`. The
    /// edge from `from` straight to `to` does not count.
    pub(super) fn reaches(&self, from: Node, to: Node, blocked: &NodeSet) -> bool {
        let mut starts = self.forward[from].clone();
        starts.set(to, false);
        starts.difference_with(blocked);
        let mut blocked = blocked.clone();
        blocked.insert(from);
        starts.ones().any(|start| self.reached(start, &blocked).contains(to))
    }

    /// `blocked`, `from`, and every node that a semi-directed path from `from` leads to around `blocked`.
    pub(super) fn reached(&self, from: Node, blocked: &NodeSet) -> NodeSet {
        let mut seen = blocked.clone();
        seen.insert(from);
        let mut pending = vec![from];
        while let Some(node) = pending.pop() {
            let before = pending.len();
            pending.extend(self.forward[node].difference(&seen));
            seen.extend(pending[before..].iter().copied());
        }
        seen
    }

    /// Whether `cut` separates `a` from `b` among `within`, along edges of any kind.
    pub(super) fn separates(&self, cut: &NodeSet, a: &NodeSet, b: &NodeSet, within: &NodeSet) -> bool {
        let mut seen = cut.clone();
        seen.union_with(a);
        let mut pending: Vec<Node> = a.ones().collect();
        while let Some(node) = pending.pop() {
            if b.contains(node) {
                return false;
            }
            for next in self.adjacents[node].intersection(within) {
                if !seen.put(next) {
                    pending.push(next);
                }
            }
        }
        true
    }
}
