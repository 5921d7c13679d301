//! Uncovered paths: no node on them is joined to the one after the next.

use crate::error::Result;
use crate::graph::{Node, NodeSet, Pag};
use crate::run::Run;

/// Uncovered paths whose every step from one node to the next is of one kind.
pub(super) struct UncoveredPaths<'a> {
    pub(super) graph: &'a Pag,
    /// Whether a path may go from the first node to the second.
    pub(super) step: &'a dyn Fn(Node, Node) -> bool,
    /// Nodes that no path goes through.
    pub(super) barred: &'a [Node],
    pub(super) run: &'a Run<'a>,
}

impl UncoveredPaths<'_> {
    /// Whether a path that begins `a`, `b` has an edge `(u, v)` that satisfies `goal`. The step from `a` to `b` is the caller's.
    pub(super) fn lead(&self, begin: (Node, Node), goal: &dyn Fn(Node, Node) -> bool) -> Result<bool> {
        let d = self.graph.nodes();
        // First walks, which may return to a node: they are found in no time, and only what they reach can lie on a path.
        let mut seen = vec![NodeSet::with_capacity(d); d];
        let mut edges = vec![begin];
        seen[begin.0].insert(begin.1);
        let mut next = 0;
        while let Some(&edge) = edges.get(next) {
            next += 1;
            for w in self.onward(edge) {
                if !seen[edge.1].put(w) {
                    edges.push((edge.1, w));
                }
            }
        }
        let mut hopeful = vec![NodeSet::with_capacity(d); d];
        loop {
            let mut changed = false;
            for &(u, v) in edges.iter().rev() {
                let hope = goal(u, v) || self.onward((u, v)).any(|w| hopeful[v].contains(w));
                changed |= hope && !hopeful[u].put(v);
            }
            if !changed {
                break;
            }
        }
        if !hopeful[begin.0].contains(begin.1) {
            return Ok(false);
        }
        let mut path = NodeSet::with_capacity(d);
        [begin.0, begin.1].iter().for_each(|&node| path.insert(node));
        self.from(begin, goal, &hopeful, &mut path)
    }

    /// Whether the path that ends with this edge leads to the goal without meeting itself.
    fn from(
        &self,
        (u, v): (Node, Node),
        goal: &dyn Fn(Node, Node) -> bool,
        hopeful: &[NodeSet],
        path: &mut NodeSet,
    ) -> Result<bool> {
        self.run.check()?;
        if goal(u, v) {
            return Ok(true);
        }
        for w in self.onward((u, v)).filter(|&w| hopeful[v].contains(w)) {
            if path.put(w) {
                continue;
            }
            if self.from((v, w), goal, hopeful, path)? {
                return Ok(true);
            }
            path.remove(w);
        }
        Ok(false)
    }

    fn onward(&self, (u, v): (Node, Node)) -> impl Iterator<Item = Node> + '_ {
        let open = move |&w: &Node| w != u && !self.graph.adjacent(u, w) && !self.barred.contains(&w);
        self.graph.adjacents(v).ones().filter(open).filter(move |&w| (self.step)(v, w))
    }
}
