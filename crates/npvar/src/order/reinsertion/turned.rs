//! How sure a direction is: the best order in which an edge's child comes before its parent.

use super::placed::Placed;
use super::search::Reinsertion;
use crate::error::Result;
use crate::graph::Node;
use crate::run::Run;

impl Reinsertion<'_> {
    /// The best order found with `child` before `parent`: either end is put where the total is largest, then all nodes
    /// whose parents that changed are swept once. An upper bound of what turning the edge costs, then, not the optimum. `None` when what is known rules it out.
    ///
    /// # Errors
    /// What the score came upon, or cancelling.
    pub fn turned(&self, placed: &Placed, edge: (Node, Node), run: &Run<'_>) -> Result<Option<Placed>> {
        let Some(better) = self.turned_at_once(placed, edge, run)? else { return Ok(None) };
        let within = Reinsertion { precedes: Some((edge.1, edge.0)), ..self.clone() };
        let changed = |node: Node| better.chosen[node].parents != placed.chosen[node].parents;
        let nodes: Vec<Node> = better.order.iter().copied().filter(|&node| changed(node)).collect();
        Ok(Some(within.swept(better, &nodes, run)?.0))
    }

    /// The same without the sweep.
    ///
    /// # Errors
    /// What the score came upon, or cancelling.
    pub fn turned_at_once(
        &self,
        placed: &Placed,
        (parent, child): (Node, Node),
        run: &Run<'_>,
    ) -> Result<Option<Placed>> {
        let within = Reinsertion { precedes: Some((child, parent)), ..self.clone() };
        let first = within.best_move(placed, child, run)?.map(|by| placed.moved(by));
        let second = within.best_move(placed, parent, run)?.map(|by| placed.moved(by));
        Ok(match (first, second) {
            (Some(first), Some(second)) if second.total() > first.total() => Some(second),
            (first, second) => first.or(second),
        })
    }
}
