//! Scores with numbers of their own that the evidence of a whole graph chooses.

use serde::{Deserialize, Serialize};

use super::after_set::{ChosenParents, ParentChoice};
use super::parent_prior::{ParentCount, ParentPrior};
use super::toggling::{Toggles, Toggling};
use crate::error::Result;
use crate::graph::Node;
use crate::run::Run;

/// Whose noise is whose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoiseKind {
    /// One variance for all nodes.
    Shared,
    /// Each node its own.
    Own,
}

/// A score whose smoothing and noise are chosen by the total evidence of a graph.
pub trait Refit: Sized {
    /// The score with the numbers of highest total evidence for these parents of every node, searched from where it is.
    ///
    /// # Errors
    /// When a value cannot be computed, or the run is cancelled.
    fn refitted(&self, kind: NoiseKind, parents: &[Vec<Node>], run: &Run<'_>) -> Result<Self>;

    /// Whether every value is what it is with the other, so that what is known of one is known of both.
    fn values_as(&self, other: &Self) -> bool;

    /// The price in nats of the numbers that all nodes have in common.
    fn common_price(&self) -> f64;

    /// Where much hangs on where a choice begins, and on numbers that each node has of its own: the nodes choose anew, from
    /// several beginnings and with their numbers fitted to each. The score with the numbers of the best of these, and the
    /// choices. `None` where that is not so.
    ///
    /// # Errors
    /// When a value cannot be computed, or the run is cancelled.
    fn afresh(&self, _: &[ParentChoice], _: &Run<'_>) -> Result<Option<(Self, Vec<ChosenParents>)>> {
        Ok(None)
    }

    /// Where orders are searched on some of the rows: the score on more of them, its numbers refitted for these parents. `None`
    /// where [all are looked at](Refit::sees_all_rows) already.
    ///
    /// # Errors
    /// When a value cannot be computed, or the run is cancelled.
    fn on_more_rows(&self, _: NoiseKind, _: &[Vec<Node>], _: &Run<'_>) -> Result<Option<Self>> {
        Ok(None)
    }

    /// Whether it looks at all rows it may look at.
    fn sees_all_rows(&self) -> bool {
        true
    }

    /// Whether it looks at so many rows that moving a node to any place takes too long.
    fn is_slow(&self) -> bool {
        false
    }

    /// The score on the fewest rows, from which this one on more of them came.
    fn on_some_rows(&self) -> Option<&Self> {
        None
    }

    /// How many rows it looks at, where that may not be all.
    fn rows_drawn(&self) -> Option<usize> {
        None
    }
}

/// A score of a node after a set whose price of parent sets is learned from the numbers that all nodes chose.
pub trait LearnsSparsity: Sized {
    /// The same with what these choices teach; what is known stays known.
    fn sparse_as(self, counts: &[ParentCount]) -> Self;
}

impl<S: Toggles + Refit> Refit for Toggling<S> {
    fn refitted(&self, kind: NoiseKind, parents: &[Vec<Node>], run: &Run<'_>) -> Result<Self> {
        let score = self.score().refitted(kind, parents, run)?;
        Ok(if score.values_as(self.score()) { self.with_score(score) } else { self.unknown(score) })
    }

    fn values_as(&self, other: &Self) -> bool {
        self.score().values_as(other.score()) && self.prior() == other.prior()
    }

    fn common_price(&self) -> f64 {
        self.score().common_price() + self.prior().map_or(0.0, ParentPrior::own_price)
    }
}

impl<S: Toggles> LearnsSparsity for Toggling<S> {
    fn sparse_as(self, counts: &[ParentCount]) -> Self {
        self.repriced(counts)
    }
}
