//! Background knowledge that has been checked, and what it says of edges and orders.

use super::precedence::Precedence;
use crate::error::{Error, Result};
use crate::graph::{Dag, Node, NodeSet, Order};

/// Background knowledge about nodes `0..d`, free of contradictions.
///
/// ```
/// use npvar::graph::{Knowledge, WrittenKnowledge};
/// let names = ["a", "b", "c"].map(str::to_owned);
/// let tiers = vec![vec!["b".to_owned()], vec!["a".to_owned(), "c".to_owned()]];
/// let knowledge = Knowledge::new(&names, &WrittenKnowledge { tiers, ..Default::default() })?;
/// assert!(knowledge.forbids(0, 1) && !knowledge.forbids(1, 0) && !knowledge.forbids(0, 2));
/// # Ok::<(), npvar::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Knowledge {
    pub(super) required: Vec<NodeSet>,
    pub(super) forbidden: Vec<NodeSet>,
    pub(super) tier: Vec<Option<usize>>,
    pub(super) roots: NodeSet,
    pub(super) sinks: NodeSet,
    pub(super) precedence: Precedence,
}

impl Knowledge {
    /// Nothing is known.
    pub fn none(nodes: usize) -> Self {
        let nobody = NodeSet::with_capacity(nodes);
        let none = vec![nobody.clone(); nodes];
        Knowledge {
            required: none.clone(),
            forbidden: none,
            tier: vec![None; nodes],
            roots: nobody.clone(),
            sinks: nobody,
            precedence: Precedence::none(nodes),
        }
    }

    /// `d`.
    pub fn nodes(&self) -> usize {
        self.tier.len()
    }

    /// Whether `from -> to` must be there.
    pub fn requires(&self, from: Node, to: Node) -> bool {
        self.required[from].contains(to)
    }

    /// Whether `from -> to` cannot be there: it is forbidden, runs against the tiers, into a root or out of a sink, or its
    /// reverse is required.
    pub fn forbids(&self, from: Node, to: Node) -> bool {
        self.forbidden[from].contains(to)
            || self.against_tiers(from, to)
            || self.roots.contains(to)
            || self.sinks.contains(from)
            || self.requires(to, from)
    }

    /// Whether no edge can join the two.
    pub fn separates(&self, a: Node, b: Node) -> bool {
        self.forbids(a, b) && self.forbids(b, a)
    }

    /// The same without what keeps two nodes apart, for learners that reckon with hidden common causes: tiers and required edges.
    pub fn without_separations(&self) -> Knowledge {
        let nothing = Knowledge::none(self.nodes());
        let Knowledge { required, tier, precedence, .. } = self.clone();
        Knowledge { required, tier, precedence, ..nothing }
    }

    /// Whether some edge must join the two.
    pub fn joins(&self, a: Node, b: Node) -> bool {
        self.requires(a, b) || self.requires(b, a)
    }

    /// Whether `node` is in a tier after both others, so that it cannot be an ancestor of either.
    pub fn is_after(&self, node: Node, a: Node, b: Node) -> bool {
        match (self.tier[node], self.tier[a], self.tier[b]) {
            (Some(tier), Some(a), Some(b)) => tier > a.max(b),
            _ => false,
        }
    }

    /// The edges that must be there.
    pub fn required_edges(&self) -> Vec<(Node, Node)> {
        self.required.iter().enumerate().flat_map(|(from, set)| set.ones().map(move |to| (from, to))).collect()
    }

    /// Whether a node can come next in an order, source first: every node that must come before it is among those `placed`.
    pub fn may_follow(&self, node: Node, placed: &NodeSet) -> bool {
        self.precedence.before(node).is_subset(placed)
    }

    /// Whether a node can be the last of those that `remain`: none of them must come after it.
    pub fn may_be_last_of(&self, node: Node, remain: &[Node]) -> bool {
        let after = self.precedence.after(node);
        after.is_clear() || remain.iter().all(|&other| !after.contains(other))
    }

    /// The order as it was, but for nodes that must come later: each waits until the nodes before it are there.
    pub fn arranged(&self, order: &[Node]) -> Vec<Node> {
        let mut waiting = order.to_vec();
        let (mut arranged, mut placed) = (Vec::with_capacity(order.len()), NodeSet::with_capacity(self.nodes()));
        while !waiting.is_empty() {
            let next = waiting.iter().position(|&node| self.may_follow(node, &placed)).unwrap_or(0);
            let node = waiting.remove(next);
            placed.insert(node);
            arranged.push(node);
        }
        arranged
    }

    /// A graph without the edges that are forbidden and with those that are required. Edges along an order that respects the
    /// knowledge stay along it.
    ///
    /// # Errors
    /// [`Error::InvalidGraph`] when that closes a cycle.
    pub fn applied(&self, dag: &Dag) -> Result<Dag> {
        let kept = dag.edges().into_iter().filter(|&(from, to)| !self.forbids(from, to) && !self.requires(from, to));
        Dag::from_edges(dag.nodes(), kept.chain(self.required_edges()))
    }

    /// Whether an order that someone gave runs along the required edges.
    ///
    /// # Errors
    /// [`Error::Knowledge`] when it does not; the message names the edge.
    pub fn check_order(&self, order: &Order, names: &[String]) -> Result<()> {
        let positions = order.positions();
        match self.required_edges().into_iter().find(|&(from, to)| positions[from] > positions[to]) {
            Some((from, to)) => Err(problem(format!(
                "the edge `{}` -> `{}` is required, but the order given puts `{}` first",
                names[from], names[to], names[to]
            ))),
            None => Ok(()),
        }
    }

    pub(super) fn against_tiers(&self, from: Node, to: Node) -> bool {
        matches!((self.tier[from], self.tier[to]), (Some(from), Some(to)) if from > to)
    }
}

/// Knowledge that cannot be used, and why.
pub(super) fn problem(problem: String) -> Error {
    Error::Knowledge { problem }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::WrittenKnowledge;

    fn know(required: &[[&str; 2]], forbidden: &[[&str; 2]], tiers: &[&[&str]]) -> Result<Knowledge> {
        know_ends(required, forbidden, tiers, &[], &[])
    }

    fn know_ends(
        required: &[[&str; 2]],
        forbidden: &[[&str; 2]],
        tiers: &[&[&str]],
        roots: &[&str],
        sinks: &[&str],
    ) -> Result<Knowledge> {
        let owned = |pairs: &[[&str; 2]]| pairs.iter().map(|pair| pair.map(str::to_owned)).collect();
        let tiers = tiers.iter().map(|tier| tier.iter().map(|name| (*name).to_owned()).collect()).collect();
        let names = ["a", "b", "c", "d"].map(str::to_owned);
        let named = |nodes: &[&str]| nodes.iter().map(|name| (*name).to_owned()).collect();
        let written = WrittenKnowledge {
            required: owned(required),
            forbidden: owned(forbidden),
            tiers,
            roots: named(roots),
            sinks: named(sinks),
        };
        Knowledge::new(&names, &written)
    }

    #[test]
    fn contradictions_are_explained() {
        for (knowledge, expected) in [
            (know(&[["a", "b"]], &[["a", "b"]], &[]), "the edge `a` -> `b` is required and forbidden"),
            (know(&[["a", "b"]], &[], &[&["b"], &["a"]]), "`b` is in an earlier tier than `a`"),
            (
                know(&[["d", "a"], ["a", "b"], ["b", "c"], ["c", "a"]], &[], &[]),
                "the required edges `a` -> `b` -> `c` -> `a` form a cycle",
            ),
            (know(&[["a", "b"], ["b", "a"]], &[], &[]), "`a` -> `b` -> `a` form a cycle"),
            (
                know(&[["c", "b"], ["b", "a"]], &[], &[&["a"], &["c"]]),
                "the required edges `c` -> `b` -> `a` lead back from tier 2 to tier 1",
            ),
            (know_ends(&[["a", "b"]], &[], &[], &["b"], &[]), "`a` -> `b` is required, but `b` is a root"),
            (know_ends(&[["a", "b"]], &[], &[], &[], &["a"]), "`a` -> `b` is required, but `a` is a sink"),
            (know_ends(&[], &[], &[], &["aa"], &[]), "there is no column `aa`; did you mean `a`?"),
            (know(&[], &[], &[&["a"], &["a"]]), "`a` is in tier 1 and in tier 2"),
            (know(&[["a", "xyz"]], &[], &[]), "there is no column `xyz`; the columns are `a`, `b`, `c`, `d`"),
            (know(&[], &[["a", "a"]], &[]), "not `a` with itself"),
        ] {
            let message = knowledge.expect_err(expected).to_string();
            assert!(message.contains(expected), "{message}");
        }
    }

    #[test]
    fn what_is_required_forbids_the_reverse_and_tiers_forbid_going_back() {
        let knowledge = know(&[["a", "b"]], &[["c", "d"], ["d", "c"]], &[&["a"], &["b", "c"]]).unwrap();
        assert!(knowledge.requires(0, 1) && knowledge.forbids(1, 0) && knowledge.joins(1, 0));
        assert!(knowledge.forbids(2, 0) && !knowledge.forbids(0, 2) && !knowledge.forbids(1, 2));
        assert!(knowledge.separates(2, 3) && !knowledge.separates(0, 2));
        assert!(knowledge.is_after(2, 0, 0) && !knowledge.is_after(3, 0, 0) && !knowledge.is_after(2, 0, 1));
    }

    #[test]
    fn roots_come_first_and_sinks_last_where_nothing_else_speaks_against_it() {
        let knowledge = know_ends(&[], &[], &[], &["c"], &["a"]).unwrap();
        assert!(knowledge.forbids(0, 1) && knowledge.forbids(1, 2) && !knowledge.forbids(2, 0));
        assert_eq!(knowledge.arranged(&[0, 1, 2, 3]), [2, 1, 3, 0]);
        assert!(knowledge.may_be_last_of(0, &[0, 1, 2, 3]) && !knowledge.may_be_last_of(3, &[0, 1, 2, 3]));
        // A root of a later tier waits for the earlier ones; a node that is both stands alone, anywhere.
        let knowledge = know_ends(&[], &[], &[&["a"], &["b"]], &["b", "d"], &["d"]).unwrap();
        assert_eq!(knowledge.arranged(&[3, 2, 1, 0]), [3, 0, 1, 2]);
    }

    #[test]
    fn a_graph_loses_what_is_forbidden_and_gains_what_is_required() {
        let knowledge = know(&[["a", "b"]], &[["c", "d"]], &[]).unwrap();
        let learned = Dag::from_edges(4, [(1, 0), (2, 3), (1, 2)]).unwrap();
        assert_eq!(knowledge.applied(&learned).unwrap().edges(), [(0, 1), (1, 2)]);
        let names = ["a", "b", "c", "d"].map(str::to_owned);
        assert!(knowledge.check_order(&Order::new(vec![0, 1, 2, 3]).unwrap(), &names).is_ok());
        let refused = knowledge.check_order(&Order::new(vec![1, 0, 2, 3]).unwrap(), &names).unwrap_err();
        assert!(refused.to_string().contains("the order given puts `b` first"), "{refused}");
    }
}
