//! The part of an operator's validity that depends on the whole graph.

use std::collections::HashMap;

use super::operator::{Operator, OperatorKind};
use super::surroundings::Surroundings;
use crate::graph::{Node, NodeSet};

/// Semi-directed paths of one state. Insertions that differ in `x` only share the nodes their `y` leads to.
pub(super) struct Paths<'s, 'o> {
    state: &'s Surroundings,
    reached: HashMap<(Node, &'o [Node]), NodeSet>,
}

impl<'s, 'o> Paths<'s, 'o> {
    pub(super) fn new(state: &'s Surroundings) -> Self {
        Paths { state, reached: HashMap::new() }
    }

    /// Whether no path is in the operator's way.
    pub(super) fn allow(&mut self, operator: &'o Operator) -> bool {
        let (state, &Operator { kind, x, y, ref clique }) = (self.state, operator);
        let blocked = || {
            let mut blocked = NodeSet::with_capacity(state.nodes());
            blocked.extend(clique.iter().copied());
            blocked
        };
        match kind {
            OperatorKind::Insert => {
                let reached = self.reached.entry((y, clique)).or_insert_with(|| state.reached(y, &blocked()));
                !reached.contains(x)
            }
            OperatorKind::Turn if state.graph.has_directed(y, x) => {
                let mut blocked = blocked();
                blocked.union_with(state.graph.neighbours(x));
                !state.reaches(y, x, &blocked)
            }
            OperatorKind::Turn | OperatorKind::Delete => true,
        }
    }
}
