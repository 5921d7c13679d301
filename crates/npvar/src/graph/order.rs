//! Topological orders and layer decompositions.

use serde::{Deserialize, Serialize};

use super::Node;
use crate::error::{Error, Result};

/// A permutation of the nodes, source first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<Node>", into = "Vec<Node>")]
pub struct Order(Vec<Node>);

impl Order {
    /// Takes a permutation of `0..nodes.len()`.
    ///
    /// # Errors
    /// [`Error::InvalidGraph`] when a node is missing or repeated.
    pub fn new(nodes: Vec<Node>) -> Result<Self> {
        let mut seen = vec![false; nodes.len()];
        for &node in &nodes {
            if node >= nodes.len() || std::mem::replace(&mut seen[node], true) {
                return Err(Error::InvalidGraph(format!(
                    "an order of {} nodes must name each of them once; node {node} is repeated or unknown",
                    nodes.len()
                )));
            }
        }
        Ok(Order(nodes))
    }

    /// The order in which these names, each of `columns` once, stand.
    ///
    /// # Errors
    /// [`Error::InvalidGraph`] when a name is unknown or repeated, or columns are not named; the message names them.
    pub fn of_names(names: &[impl AsRef<str>], columns: &[String]) -> Result<Self> {
        let mut nodes = Vec::with_capacity(columns.len());
        for name in names.iter().map(AsRef::as_ref) {
            match columns.iter().position(|column| column == name) {
                None => {
                    return Err(Error::InvalidGraph(format!(
                        "the order names `{name}`, which is not a column of the data"
                    )));
                }
                Some(node) if nodes.contains(&node) => {
                    return Err(Error::InvalidGraph(format!("the order names `{name}` more than once")));
                }
                Some(node) => nodes.push(node),
            }
        }
        let missing = (0..columns.len()).filter(|node| !nodes.contains(node));
        let missing: Vec<String> = missing.map(|node| format!("`{}`", columns[node])).collect();
        if !missing.is_empty() {
            let problem = format!("an order names every column; not named: {}", missing.join(", "));
            return Err(Error::InvalidGraph(problem));
        }
        Order::new(nodes)
    }

    /// The nodes, source first.
    pub fn nodes(&self) -> &[Node] {
        &self.0
    }

    /// `positions()[node]` is where the node stands.
    pub fn positions(&self) -> Vec<usize> {
        let mut positions = vec![0; self.0.len()];
        for (position, &node) in self.0.iter().enumerate() {
            positions[node] = position;
        }
        positions
    }
}

impl TryFrom<Vec<Node>> for Order {
    type Error = Error;
    fn try_from(nodes: Vec<Node>) -> Result<Self> {
        Order::new(nodes)
    }
}

impl From<Order> for Vec<Node> {
    fn from(order: Order) -> Self {
        order.0
    }
}

/// The layer decomposition `L(G) = (L_1, …, L_r)`: a partition of the nodes into non-empty layers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<Vec<Node>>", into = "Vec<Vec<Node>>")]
pub struct Layers(Vec<Vec<Node>>);

impl Layers {
    /// Takes a partition of `0..d`.
    ///
    /// # Errors
    /// [`Error::InvalidGraph`] when a layer is empty or the layers are not a partition.
    pub fn new(layers: Vec<Vec<Node>>) -> Result<Self> {
        if layers.iter().any(Vec::is_empty) {
            return Err(Error::InvalidGraph("a layer must not be empty".to_owned()));
        }
        Order::new(layers.concat())?;
        Ok(Layers(layers))
    }

    /// The layers, sources first.
    pub fn layers(&self) -> &[Vec<Node>] {
        &self.0
    }

    /// `r`, the number of layers.
    pub fn depth(&self) -> usize {
        self.0.len()
    }

    /// The order that lists the layers one after the other.
    pub fn order(&self) -> Order {
        Order(self.0.concat())
    }
}

impl TryFrom<Vec<Vec<Node>>> for Layers {
    type Error = Error;
    fn try_from(layers: Vec<Vec<Node>>) -> Result<Self> {
        Layers::new(layers)
    }
}

impl From<Layers> for Vec<Vec<Node>> {
    fn from(layers: Layers) -> Self {
        layers.0
    }
}
