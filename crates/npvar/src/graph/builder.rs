//! Collects named nodes and edges in the order a file mentions them.

use std::collections::HashMap;

use super::{EdgeKind, NamedGraph, Node, Pdag};

/// A graph that is being read. Problems are half sentences; the caller adds the place.
#[derive(Default)]
pub(super) struct GraphBuilder {
    names: Vec<String>,
    index: HashMap<String, Node>,
    edges: HashMap<(Node, Node), (Node, Node, EdgeKind)>,
}

impl GraphBuilder {
    /// The node of this name, added when it is new.
    pub(super) fn node(&mut self, name: &str) -> Node {
        if let Some(&node) = self.index.get(name) {
            return node;
        }
        self.names.push(name.to_owned());
        self.index.insert(name.to_owned(), self.names.len() - 1);
        self.names.len() - 1
    }

    /// Adds a node that must not be there yet.
    pub(super) fn new_node(&mut self, name: &str) -> Result<Node, String> {
        match self.index.get(name) {
            Some(_) => Err(format!("the node name `{name}` appears more than once")),
            None => Ok(self.node(name)),
        }
    }

    /// The node of this name, if it has been added.
    pub(super) fn known(&self, name: &str) -> Result<Node, String> {
        self.index.get(name).copied().ok_or_else(|| format!("an edge names `{name}`, which is not among the nodes"))
    }

    /// Adds an edge.
    pub(super) fn edge(&mut self, from: Node, to: Node, kind: EdgeKind) -> Result<(), String> {
        if from == to {
            return Err(format!("`{}` is joined to itself", self.names[from]));
        }
        let pair = (from.min(to), from.max(to));
        let edge = if kind.is_symmetric() { (pair.0, pair.1, kind) } else { (from, to, kind) };
        match self.edges.insert(pair, edge) {
            Some(earlier) if earlier != edge => {
                Err(format!("two different edges join `{}` and `{}`", self.names[from], self.names[to]))
            }
            _ => Ok(()),
        }
    }

    /// The graph read.
    pub(super) fn finish(self) -> Result<NamedGraph, String> {
        let graph = Pdag::from_edges(self.names.len(), self.edges.into_values()).map_err(|error| error.to_string())?;
        NamedGraph::new(self.names, graph).map_err(|error| error.to_string())
    }
}
