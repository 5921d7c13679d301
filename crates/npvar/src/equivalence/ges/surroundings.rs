//! The graph of the search with what operators ask of it.

use crate::graph::{Node, NodeSet, Pdag};

/// A CPDAG and the adjacent nodes of every node.
#[derive(Debug, Clone)]
pub(super) struct Surroundings {
    pub(super) graph: Pdag,
    adjacents: Vec<NodeSet>,
}

impl Surroundings {
    pub(super) fn new(graph: Pdag) -> Self {
        let adjacents = (0..graph.nodes()).map(|node| graph.adjacents(node)).collect();
        Surroundings { graph, adjacents }
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

    /// Every clique `base ∪ S` with `S ⊆ extra` and `|S| ≤ most`, given that `base` is a clique; `base` itself first.
    pub(super) fn cliques(&self, base: &NodeSet, extra: &NodeSet, most: usize) -> Vec<NodeSet> {
        let joins_all = |node: &Node| base.is_subset(&self.adjacents[*node]);
        let candidates: Vec<Node> = extra.ones().filter(joins_all).collect();
        let mut found = vec![base.clone()];
        self.grow(base, &candidates, most, &mut found);
        found
    }

    fn grow(&self, clique: &NodeSet, candidates: &[Node], most: usize, found: &mut Vec<NodeSet>) {
        if most == 0 {
            return;
        }
        for (i, &node) in candidates.iter().enumerate() {
            let mut larger = clique.clone();
            larger.insert(node);
            let rest: Vec<Node> =
                candidates[i + 1..].iter().copied().filter(|&other| self.adjacents[node].contains(other)).collect();
            found.push(larger.clone());
            self.grow(&larger, &rest, most - 1, found);
        }
    }

    /// Whether a semi-directed path (edges undirected or pointing forward) leads from `from` to `to` around `blocked`. The
    /// edge from `from` straight to `to` does not count.
    pub(super) fn reaches(&self, from: Node, to: Node, blocked: &NodeSet) -> bool {
        let mut seen = blocked.clone();
        seen.grow(self.nodes());
        seen.insert(from);
        let mut pending = vec![from];
        while let Some(node) = pending.pop() {
            for next in self.graph.children(node).ones().chain(self.graph.neighbours(node).ones()) {
                if next == to && node != from {
                    return true;
                }
                if next != to && !seen.put(next) {
                    pending.push(next);
                }
            }
        }
        false
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
