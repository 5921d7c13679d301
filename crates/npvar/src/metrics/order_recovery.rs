//! Whether an estimated order is an order of the true graph.

use serde::{Deserialize, Serialize};

use crate::graph::{Dag, Order};

/// How an order stands to the true graph.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct OrderRecovery {
    /// Whether the order is a topological order of the truth: the event whose probability the paper bounds.
    pub recovered: bool,
    /// True edges whose child stands before its parent.
    pub violated_edges: usize,
    /// The same as a share of all true edges; 0 when there are none.
    pub violated_fraction: f64,
}

/// Compares an order with the true graph.
///
/// ```
/// use npvar::graph::{Dag, Order};
/// use npvar::metrics::order_recovery;
/// let truth = Dag::from_edges(3, [(0, 1), (0, 2)])?;
/// assert!(order_recovery(&Order::new(vec![0, 2, 1])?, &truth).recovered);
/// assert_eq!(order_recovery(&Order::new(vec![1, 0, 2])?, &truth).violated_fraction, 0.5);
/// # Ok::<(), npvar::Error>(())
/// ```
///
/// # Panics
/// When the order and the graph differ in their number of nodes.
pub fn order_recovery(order: &Order, truth: &Dag) -> OrderRecovery {
    let positions = order.positions();
    assert_eq!(positions.len(), truth.nodes(), "order and graph must have the same nodes");
    let violated_edges =
        truth.edges().into_iter().filter(|&(parent, child)| positions[child] < positions[parent]).count();
    OrderRecovery {
        recovered: violated_edges == 0,
        violated_edges,
        violated_fraction: violated_edges as f64 / truth.edge_count().max(1) as f64,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::graph::arbitrary::dags;

    #[test]
    fn any_order_recovers_a_graph_without_edges() {
        let order = Order::new(vec![2, 0, 1]).expect("a permutation");
        let recovery = order_recovery(&order, &Dag::empty(3));
        assert_eq!(recovery, OrderRecovery { recovered: true, violated_edges: 0, violated_fraction: 0.0 });
    }

    proptest! {
        #[test]
        fn a_topological_order_violates_nothing_and_its_reverse_everything(truth in dags(8)) {
            prop_assert!(order_recovery(truth.order(), &truth).recovered);
            let reversed = Order::new(truth.order().nodes().iter().rev().copied().collect()).expect("a permutation");
            let recovery = order_recovery(&reversed, &truth);
            prop_assert_eq!(recovery.violated_edges, truth.edge_count());
            prop_assert_eq!(recovery.recovered, truth.is_consistent_with(&reversed));
        }
    }
}
