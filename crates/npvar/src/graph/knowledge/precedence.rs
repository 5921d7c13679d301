//! Who comes before whom in every order that respects what is known.

use crate::graph::{Node, NodeSet};

/// For every node those that come before it, directly or through others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Precedence {
    before: Vec<NodeSet>,
    /// Those that come after it.
    after: Vec<NodeSet>,
}

impl Precedence {
    /// Any order will do.
    pub(super) fn none(nodes: usize) -> Self {
        let nobody = vec![NodeSet::with_capacity(nodes); nodes];
        Precedence { before: nobody.clone(), after: nobody }
    }

    /// Parents of required edges come before their children, earlier tiers before later ones; a pair of nodes that cannot both
    /// be had is the error. Roots come before and sinks after all others, where neither of these speaks against it: they could
    /// stand anywhere, but there they leave the others every choice.
    pub(super) fn of(
        required: &[(Node, Node)],
        against_tiers: impl Fn(Node, Node) -> bool,
        (roots, sinks): (&NodeSet, &NodeSet),
    ) -> Result<Self, (Node, Node)> {
        let nodes = roots.len();
        let mut precedence = Precedence::none(nodes);
        for &(from, to) in required {
            precedence.add(from, to);
        }
        let every_pair = || (0..nodes).flat_map(|a| (0..nodes).map(move |b| (a, b)));
        for (first, later) in every_pair().filter(|&(first, later)| against_tiers(later, first)) {
            if precedence.before[first].contains(later) {
                return Err((later, first));
            }
            precedence.add(first, later);
        }
        let alone = |node: Node| roots.contains(node) && sinks.contains(node);
        for (first, later) in every_pair().filter(|&(a, b)| a != b && !alone(a) && !alone(b)) {
            let ends =
                (roots.contains(first) && !roots.contains(later)) || (sinks.contains(later) && !sinks.contains(first));
            if ends && !precedence.before[first].contains(later) {
                precedence.add(first, later);
            }
        }
        Ok(precedence)
    }

    /// The nodes before a node.
    pub(super) fn before(&self, node: Node) -> &NodeSet {
        &self.before[node]
    }

    /// The nodes after a node.
    pub(super) fn after(&self, node: Node) -> &NodeSet {
        &self.after[node]
    }

    /// Everything before `first` now comes before `later` and everything after it.
    fn add(&mut self, first: Node, later: Node) {
        if self.before[later].contains(first) {
            return;
        }
        let (mut above, mut below) = (self.before[first].clone(), self.after[later].clone());
        above.insert(first);
        below.insert(later);
        above.ones().for_each(|node| self.after[node].union_with(&below));
        below.ones().for_each(|node| self.before[node].union_with(&above));
    }
}
