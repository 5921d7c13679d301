//! Sampling along a topological order.

use crate::data::Dataset;
use crate::error::Result;
use crate::graph::{Dag, Node};

/// A graph, a sample from a model on it, and `E var(X_j | pa(j))` in the population.
pub(super) struct Drawn {
    pub(super) truth: Dag,
    pub(super) columns: Vec<Vec<f64>>,
    pub(super) residual_variances: Vec<f64>,
}

impl Drawn {
    /// A sample from a model in which all residual variances are the same.
    pub(super) fn equal(truth: Dag, columns: Vec<Vec<f64>>, residual_variance: f64) -> Self {
        let residual_variances = vec![residual_variance; truth.nodes()];
        Drawn { truth, columns, residual_variances }
    }
}

/// Draws the columns one after the other, each from the columns of its parents (in increasing order of node).
pub(super) fn columns(dag: &Dag, mut draw: impl FnMut(Node, &[&[f64]]) -> Vec<f64>) -> Vec<Vec<f64>> {
    let mut columns = vec![Vec::new(); dag.nodes()];
    for &node in dag.order().nodes() {
        let parents: Vec<&[f64]> = dag.parents(node).ones().map(|parent| columns[parent].as_slice()).collect();
        let column = draw(node, &parents);
        columns[node] = column;
    }
    columns
}

/// The values of the parents in one row.
pub(super) fn row(parents: &[&[f64]], row: usize) -> impl Iterator<Item = f64> {
    parents.iter().map(move |parent| parent[row])
}

/// Columns named `X1` to `Xd`.
pub(super) fn named(columns: Vec<Vec<f64>>) -> Result<Dataset> {
    let names = (1..=columns.len()).map(|j| format!("X{j}")).collect();
    Dataset::new(names, columns)
}
