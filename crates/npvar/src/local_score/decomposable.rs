//! A score that is a sum over nodes, each given its parents.

use rayon::prelude::*;

use crate::error::Result;
use crate::graph::{Dag, Node};
use crate::run::Run;

/// A decomposable score.
pub trait LocalScore: Sync {
    /// `d`.
    fn nodes(&self) -> usize;

    /// `s(node, parents)`; higher is better. A pure function: the same arguments always give the same bits.
    /// `parents` increase strictly and do not hold `node`.
    ///
    /// # Errors
    /// When the score cannot be computed.
    fn local(&self, node: Node, parents: &[Node]) -> Result<f64>;

    /// The same as part of a run that can be stopped: a score that takes long asks in the middle too.
    ///
    /// # Errors
    /// As [`LocalScore::local`], or when the run is cancelled.
    fn local_during(&self, node: Node, parents: &[Node], run: &Run<'_>) -> Result<f64> {
        run.check()?;
        self.local(node, parents)
    }

    /// By how much one more parent raises the local score, `s(node, parents ∪ {x}) − s(node, parents)`, for each `x` of
    /// `extras`. They are neither `node` nor among `parents`.
    ///
    /// # Errors
    /// When a local score cannot be computed, or the run is cancelled.
    fn gains(&self, node: Node, parents: &[Node], extras: &[Node], run: &Run<'_>) -> Result<Vec<f64>> {
        let without = self.local_during(node, parents, run)?;
        let gain = |&extra: &Node| {
            let place = parents.partition_point(|&parent| parent < extra);
            let with = [&parents[..place], &[extra], &parents[place..]].concat();
            Ok(self.local_during(node, &with, run)? - without)
        };
        extras.par_iter().map(gain).collect()
    }

    /// The score of a DAG, `Σ_j s(j, pa(j))`.
    ///
    /// # Errors
    /// When a local score cannot be computed.
    fn total(&self, dag: &Dag) -> Result<f64> {
        (0..self.nodes()).map(|node| self.local(node, &dag.parents(node).ones().collect::<Vec<_>>())).sum()
    }
}

impl<S: LocalScore + ?Sized> LocalScore for &S {
    fn nodes(&self) -> usize {
        (**self).nodes()
    }

    fn local(&self, node: Node, parents: &[Node]) -> Result<f64> {
        (**self).local(node, parents)
    }

    fn local_during(&self, node: Node, parents: &[Node], run: &Run<'_>) -> Result<f64> {
        (**self).local_during(node, parents, run)
    }

    fn gains(&self, node: Node, parents: &[Node], extras: &[Node], run: &Run<'_>) -> Result<Vec<f64>> {
        (**self).gains(node, parents, extras, run)
    }
}
