//! Parents in two sets: those whose functions add up, and those of which there is one joint function.

use crate::graph::Node;

/// `T` and `S`, increasing; a node may be in both.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub(super) struct Split {
    /// `T`.
    pub(super) additive: Vec<Node>,
    /// `S`.
    pub(super) joint: Vec<Node>,
}

/// A node put into one of the sets, or taken out of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Toggle {
    Additive(Node),
    Joint(Node),
}

impl Split {
    /// All of them in the additive set.
    pub(super) fn additive(parents: &[Node]) -> Self {
        Split { additive: parents.to_vec(), joint: Vec::new() }
    }

    /// All of them in the joint set.
    pub(super) fn joint(parents: &[Node]) -> Self {
        Split { additive: Vec::new(), joint: parents.to_vec() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.additive.is_empty() && self.joint.is_empty()
    }

    pub(super) fn contains(&self, node: Node) -> bool {
        self.additive.binary_search(&node).is_ok() || self.joint.binary_search(&node).is_ok()
    }

    /// `T ∪ S`, increasing.
    pub(super) fn parents(&self) -> Vec<Node> {
        let mut parents = [&self.additive[..], &self.joint[..]].concat();
        parents.sort_unstable();
        parents.dedup();
        parents
    }

    /// These parents, split as they are here; those that are not here go where most are.
    pub(super) fn of(&self, parents: &[Node]) -> Self {
        let joint_by_default = self.joint.len() >= self.additive.len();
        let part = |set: &[Node], by_default: bool| {
            let stays = |&node: &Node| set.binary_search(&node).is_ok() || (by_default && !self.contains(node));
            parents.iter().copied().filter(stays).collect()
        };
        Split { additive: part(&self.additive, !joint_by_default), joint: part(&self.joint, joint_by_default) }
    }

    pub(super) fn toggled(&self, toggle: Toggle) -> Self {
        let mut split = self.clone();
        let (set, node) = match toggle {
            Toggle::Additive(node) => (&mut split.additive, node),
            Toggle::Joint(node) => (&mut split.joint, node),
        };
        match set.binary_search(&node) {
            Ok(at) => drop(set.remove(at)),
            Err(at) => set.insert(at, node),
        }
        split
    }
}
