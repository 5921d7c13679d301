//! Parents by an adaptive estimator's own choice of columns: every node is regressed on all nodes before it, and those the
//! estimator finds relevant are its parents (RODEO: Lafferty & Wasserman 2008; GRID: Giordano, Lahiri & Parrella 2020).
//!
//! There are no p-values, and so no `cutoff`: the estimators have levels of their own.

use std::sync::atomic::{AtomicUsize, Ordering};

use faer::{Mat, MatRef};
use rayon::prelude::*;

use super::gam_significance::Selection;
use crate::data::{ColumnKind, Dataset};
use crate::error::Result;
use crate::graph::{Dag, Node, Order};
use crate::run::{Event, Run};

/// Selects parents along `order`; `relevant` says which columns of `z` the mean of `y` depends on.
///
/// # Errors
/// What the estimator came upon, or cancelling.
pub fn relevant_parents(
    data: &Dataset,
    order: &Order,
    relevant: &(impl Fn(MatRef<'_, f64>, &[f64]) -> Result<Vec<usize>> + Sync),
    run: &Run<'_>,
) -> Result<Selection> {
    let (order, d) = (order.nodes(), order.nodes().len());
    let done = AtomicUsize::new(0);
    let varies = |node: &Node| data.kind(*node) != ColumnKind::Constant;
    let parents = |t: usize| {
        run.report(&Event::Selected { done: done.fetch_add(1, Ordering::Relaxed), nodes: d })?;
        let before: Vec<Node> = order[..t].iter().copied().filter(varies).collect();
        if before.is_empty() || !varies(&order[t]) {
            return Ok(Vec::new());
        }
        let z = Mat::from_fn(data.n(), before.len(), |i, j| data.column(before[j])[i]);
        let columns = relevant(z.as_ref(), data.column(order[t]))?;
        Ok(columns.into_iter().map(|column| (before[column], order[t])).collect())
    };
    // The longest regressions first.
    let edges: Vec<Vec<(Node, Node)>> =
        (1..d).into_par_iter().rev().with_max_len(1).map(parents).collect::<Result<_>>()?;
    let dag = Dag::from_edges(d, edges.into_iter().flatten())?;
    run.report(&Event::Selected { done: d, nodes: d })?;
    Ok(Selection { dag, tests: Vec::new() })
}
