//! The weights of a linear learner's edges: the least-squares coefficient of the parent in the regression of the child on all
//! its parents, in the units of the columns. They come from the graph alone, whichever way it was found, so that those of
//! different learners can be compared.

use crate::data::Covariance;
use crate::graph::{Node, Pdag};

/// The weight of a directed edge.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EdgeWeight {
    /// The parent.
    pub parent: Node,
    /// The child.
    pub child: Node,
    /// What the child changes by when the parent changes by one and its other parents do not.
    pub weight: f64,
}

/// The weights of the edges into every node whose parents are known: none of its edges is without direction, and its parents
/// do not depend exactly on each other.
pub(super) fn weights(graph: &Pdag, covariance: &Covariance) -> Vec<EdgeWeight> {
    let into = |child: Node| {
        let open = !graph.neighbours(child).is_clear() || !graph.spouses(child).is_clear();
        let parents: Vec<Node> = graph.parents(child).ones().collect();
        let coefficients = if open { None } else { covariance.coefficients(child, &parents) };
        let weights = parents.into_iter().zip(coefficients.unwrap_or_default());
        weights.map(move |(parent, weight)| EdgeWeight { parent, child, weight })
    };
    (0..graph.nodes()).flat_map(into).collect()
}
