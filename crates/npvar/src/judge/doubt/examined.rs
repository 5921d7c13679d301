//! What the doubts look at.

use super::residuals::Fit;
use crate::data::Dataset;
use crate::graph::Node;
use crate::learner::{Learned, RestsOn};

/// The level of a test, after allowing for the number of columns it was made on; that of additivity has one of its own.
pub(super) const LEVEL: f64 = 0.01;

/// Everything the doubts look at.
pub(super) struct Examined<'a> {
    pub(super) learned: &'a Learned,
    /// The rows looked at.
    pub(super) data: &'a Dataset,
    /// Every node given its parents; empty where the graph allows no DAG.
    pub(super) fits: Vec<Fit>,
    pub(super) rests_on: RestsOn,
}

impl Examined<'_> {
    pub(super) fn name(&self, node: Node) -> String {
        format!("`{}`", self.data.names()[node])
    }
}
