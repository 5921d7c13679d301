//! What can stand between two nodes.

use serde::{Deserialize, Serialize};

use super::Node;

/// What stands at one end of an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Mark {
    /// Nothing, as at `a` in `a -> b`.
    Tail,
    /// An arrowhead, as at `b` in `a -> b`.
    Arrow,
    /// A circle, as at `a` in `a o-> b`: a tail or an arrowhead, and the data do not tell which.
    Circle,
}

/// The marks at the two ends of an edge. The last three occur in partial ancestral graphs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EdgeKind {
    /// `from -> to`.
    #[default]
    Directed,
    /// `from -- to`: the direction is not known; from FCI, both have a part in how the rows were selected.
    Undirected,
    /// `from <-> to`: arrowheads at both ends (two unshielded colliders that contradict each other in PC, a hidden common cause
    /// in FCI).
    Bidirected,
    /// `from o-> to`: `to` does not cause `from`; `from` causes `to`, or a hidden common cause joins them.
    PartiallyDirected,
    /// `from o-o to`: nothing is known of either end.
    Undetermined,
    /// `from o-- to`: a circle at `from` and a tail at `to`.
    PartiallyUndirected,
}

impl EdgeKind {
    /// Every kind.
    pub const ALL: [EdgeKind; 6] = [
        EdgeKind::Directed,
        EdgeKind::Undirected,
        EdgeKind::Bidirected,
        EdgeKind::PartiallyDirected,
        EdgeKind::Undetermined,
        EdgeKind::PartiallyUndirected,
    ];

    /// The marks at `from` and at `to`.
    pub fn marks(self) -> (Mark, Mark) {
        match self {
            EdgeKind::Directed => (Mark::Tail, Mark::Arrow),
            EdgeKind::Undirected => (Mark::Tail, Mark::Tail),
            EdgeKind::Bidirected => (Mark::Arrow, Mark::Arrow),
            EdgeKind::PartiallyDirected => (Mark::Circle, Mark::Arrow),
            EdgeKind::Undetermined => (Mark::Circle, Mark::Circle),
            EdgeKind::PartiallyUndirected => (Mark::Circle, Mark::Tail),
        }
    }

    /// The edge with these marks at `a` and at `b`, as `(from, to, kind)`; an edge that looks the same from either end begins
    /// at the smaller node.
    ///
    /// ```
    /// use npvar::graph::{EdgeKind, Mark};
    /// assert_eq!(EdgeKind::between(0, 1, Mark::Arrow, Mark::Circle), (1, 0, EdgeKind::PartiallyDirected));
    /// assert_eq!(EdgeKind::between(1, 0, Mark::Circle, Mark::Circle), (0, 1, EdgeKind::Undetermined));
    /// ```
    pub fn between(a: Node, b: Node, at_a: Mark, at_b: Mark) -> (Node, Node, EdgeKind) {
        let forwards = EdgeKind::ALL.into_iter().find(|kind| kind.marks() == (at_a, at_b));
        let backwards = EdgeKind::ALL.into_iter().find(|kind| kind.marks() == (at_b, at_a));
        match (forwards, backwards) {
            (Some(kind), Some(_)) => (a.min(b), a.max(b), kind),
            (Some(kind), None) => (a, b, kind),
            (None, backwards) => (b, a, backwards.expect("every pair of marks is a kind, from one end or the other")),
        }
    }

    /// Whether it looks the same from either end.
    pub fn is_symmetric(self) -> bool {
        let (from, to) = self.marks();
        from == to
    }

    /// Whether an end has a circle.
    pub fn has_circle(self) -> bool {
        let (from, to) = self.marks();
        from == Mark::Circle || to == Mark::Circle
    }

    /// The word for it in files, as in the `npvar-graph/1` object.
    pub fn word(self) -> &'static str {
        match self {
            EdgeKind::Directed => "directed",
            EdgeKind::Undirected => "undirected",
            EdgeKind::Bidirected => "bidirected",
            EdgeKind::PartiallyDirected => "partially-directed",
            EdgeKind::Undetermined => "undetermined",
            EdgeKind::PartiallyUndirected => "partially-undirected",
        }
    }

    /// The kind of this word.
    pub fn of_word(word: &str) -> Option<EdgeKind> {
        EdgeKind::ALL.into_iter().find(|kind| kind.word() == word)
    }

    /// What stands between the names of two nodes in text.
    pub fn sign(self) -> &'static str {
        match self {
            EdgeKind::Directed => "->",
            EdgeKind::Undirected => "--",
            EdgeKind::Bidirected => "<->",
            EdgeKind::PartiallyDirected => "o->",
            EdgeKind::Undetermined => "o-o",
            EdgeKind::PartiallyUndirected => "o--",
        }
    }
}

/// An edge between named nodes, as the `npvar-graph/1` object and every other file writes it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Edge {
    /// The parent, where there is one.
    pub from: String,
    /// The child, where there is one.
    pub to: String,
    /// The marks; directed when a file does not say.
    #[serde(default)]
    pub kind: EdgeKind,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_of_the_object_and_marks_make_every_kind() {
        for kind in EdgeKind::ALL {
            assert_eq!(serde_json::to_value(kind).expect("a word"), kind.word());
            assert_eq!(EdgeKind::of_word(kind.word()), Some(kind));
            let (from, to) = kind.marks();
            assert_eq!(EdgeKind::between(3, 5, from, to), (3, 5, kind));
            let turned = if kind.is_symmetric() { (3, 5, kind) } else { (5, 3, kind) };
            assert_eq!(EdgeKind::between(3, 5, to, from), turned);
        }
        assert_eq!(EdgeKind::of_word("curved"), None);
    }
}
