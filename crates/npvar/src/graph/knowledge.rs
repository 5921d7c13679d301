//! What is known about a graph beforehand: edges that must or must not be there, and tiers.
//!
//! Tiers order groups of nodes, in time for instance: no edge leads from a later tier to an earlier one. Nodes in no tier may
//! stand anywhere.

use serde::{Deserialize, Serialize};

use super::{Dag, Node, NodeSet};
use crate::error::{Error, Result};

/// Background knowledge by column names, as a person writes it.
///
/// ```toml
/// required = [["dose", "response"]]
/// forbidden = [["response", "age"]]
/// tiers = [["age", "sex"], ["dose"], ["response"]]
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WrittenKnowledge {
    /// Edges `[from, to]` that are there.
    pub required: Vec<[String; 2]>,
    /// Edges `[from, to]` that are not.
    pub forbidden: Vec<[String; 2]>,
    /// Groups of nodes, earliest first.
    pub tiers: Vec<Vec<String>>,
}

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
    required: Vec<NodeSet>,
    forbidden: Vec<NodeSet>,
    tier: Vec<Option<usize>>,
}

impl Knowledge {
    /// Nothing is known.
    pub fn none(nodes: usize) -> Self {
        let none = vec![NodeSet::with_capacity(nodes); nodes];
        Knowledge { required: none.clone(), forbidden: none, tier: vec![None; nodes] }
    }

    /// Looks up the names and checks that the pieces agree.
    ///
    /// # Errors
    /// [`Error::Knowledge`] when a name is unknown, a node is in two tiers, or required edges are forbidden, run against the
    /// tiers or form a cycle; the message names them.
    pub fn new(names: &[String], written: &WrittenKnowledge) -> Result<Self> {
        let node = |name: &String| {
            names.iter().position(|known| known == name).ok_or_else(|| {
                let known: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
                problem(format!("there is no column `{name}`; the columns are {}", known.join(", ")))
            })
        };
        let pair = |[from, to]: &[String; 2]| -> Result<(Node, Node)> {
            if from == to {
                return Err(problem(format!("an edge joins two different columns, not `{from}` with itself")));
            }
            Ok((node(from)?, node(to)?))
        };
        let mut knowledge = Knowledge::none(names.len());
        for (place, tier) in written.tiers.iter().enumerate() {
            for name in tier {
                if let Some(earlier) = knowledge.tier[node(name)?].replace(place) {
                    return Err(problem(format!("`{name}` is in tier {} and in tier {}", earlier + 1, place + 1)));
                }
            }
        }
        for edge in &written.forbidden {
            let (from, to) = pair(edge)?;
            knowledge.forbidden[from].insert(to);
        }
        for edge in &written.required {
            let (from, to) = pair(edge)?;
            let shown = format!("the edge `{}` -> `{}` is required", edge[0], edge[1]);
            if knowledge.forbidden[from].contains(to) {
                return Err(problem(format!("{shown} and forbidden")));
            }
            if knowledge.against_tiers(from, to) {
                return Err(problem(format!("{shown}, but `{}` is in an earlier tier than `{}`", edge[1], edge[0])));
            }
            knowledge.required[from].insert(to);
        }
        if Dag::from_edges(names.len(), knowledge.required_edges()).is_err() {
            let shown = |(from, to): (Node, Node)| format!("`{}` -> `{}`", names[from], names[to]);
            let edges: Vec<String> = knowledge.required_edges().into_iter().map(shown).collect();
            return Err(problem(format!("the required edges {} form a cycle", edges.join(", "))));
        }
        Ok(knowledge)
    }

    /// `d`.
    pub fn nodes(&self) -> usize {
        self.tier.len()
    }

    /// Whether `from -> to` must be there.
    pub fn requires(&self, from: Node, to: Node) -> bool {
        self.required[from].contains(to)
    }

    /// Whether `from -> to` cannot be there: it is forbidden, runs against the tiers, or its reverse is required.
    pub fn forbids(&self, from: Node, to: Node) -> bool {
        self.forbidden[from].contains(to) || self.against_tiers(from, to) || self.requires(to, from)
    }

    /// Whether no edge can join the two.
    pub fn separates(&self, a: Node, b: Node) -> bool {
        self.forbids(a, b) && self.forbids(b, a)
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

    fn against_tiers(&self, from: Node, to: Node) -> bool {
        matches!((self.tier[from], self.tier[to]), (Some(from), Some(to)) if from > to)
    }
}

fn problem(problem: String) -> Error {
    Error::Knowledge { problem }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn know(required: &[[&str; 2]], forbidden: &[[&str; 2]], tiers: &[&[&str]]) -> Result<Knowledge> {
        let owned = |pairs: &[[&str; 2]]| pairs.iter().map(|pair| pair.map(str::to_owned)).collect();
        let tiers = tiers.iter().map(|tier| tier.iter().map(|name| (*name).to_owned()).collect()).collect();
        let names = ["a", "b", "c", "d"].map(str::to_owned);
        Knowledge::new(&names, &WrittenKnowledge { required: owned(required), forbidden: owned(forbidden), tiers })
    }

    #[test]
    fn contradictions_are_explained() {
        for (knowledge, expected) in [
            (know(&[["a", "b"]], &[["a", "b"]], &[]), "the edge `a` -> `b` is required and forbidden"),
            (know(&[["a", "b"]], &[], &[&["b"], &["a"]]), "`b` is in an earlier tier than `a`"),
            (know(&[["a", "b"], ["b", "c"], ["c", "a"]], &[], &[]), "form a cycle"),
            (know(&[["a", "b"], ["b", "a"]], &[], &[]), "form a cycle"),
            (know(&[], &[], &[&["a"], &["a"]]), "`a` is in tier 1 and in tier 2"),
            (know(&[["a", "e"]], &[], &[]), "there is no column `e`; the columns are `a`, `b`, `c`, `d`"),
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
}
