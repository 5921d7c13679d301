//! The search that all have in common: sinks are taken one after the other from the columns that remain.

use super::derivatives::{Estimate, LogDensity};
use super::exact::Exact;
use super::inducing::Inducing;
use super::rule::{SteinRows, SteinRule};
use crate::error::Result;
use crate::graph::{Knowledge, Node, Order};
use crate::run::{Event, Run};

/// Which of the nodes still there is the next sink (its place among them), by the derivatives on their columns.
pub(super) type ChooseSink<'a> = &'a mut dyn FnMut(&[Node], &Estimate<'_>) -> Result<usize>;

/// The order, source first. A column that is constant has no density; it takes no part and comes first.
pub(super) fn sinks_first(
    columns: &[&[f64]],
    rule: &SteinRule,
    knowledge: &Knowledge,
    run: &Run<'_>,
    choose: ChooseSink<'_>,
) -> Result<Order> {
    let d = columns.len();
    let centred: Vec<Vec<f64>> = columns.iter().map(|column| centre(column)).collect();
    let (constant, mut nodes): (Vec<Node>, Vec<Node>) = (0..d).partition(|&node| is_constant(columns[node]));
    let mut density = log_density(rule);
    let mut reversed = Vec::with_capacity(d);
    while nodes.len() > 1 {
        let remaining: Vec<&[f64]> = nodes.iter().map(|&node| &centred[node][..]).collect();
        let estimate = density.estimate(&remaining, run)?;
        let sink = nodes.remove(choose(&nodes, &estimate)?);
        reversed.push(sink);
        run.report(&Event::Layer { layer: &[sink], ordered: reversed.len(), nodes: d })?;
    }
    reversed.extend(nodes);
    reversed.extend(constant.iter().rev());
    reversed.reverse();
    // A constant column may have to come after others.
    Order::new(knowledge.arranged(&reversed))
}

/// The estimate that a rule asks for.
pub(super) fn log_density(rule: &SteinRule) -> Box<dyn LogDensity + '_> {
    match &rule.rows {
        SteinRows::All => Box::new(Exact::new(rule.eta_g, rule.eta_h)),
        SteinRows::Inducing(rows) => Box::new(Inducing::new(rows, rule.eta_g, rule.eta_h)),
    }
}

/// Differences are all that counts; small numbers lose fewer digits in them.
pub(super) fn centre(column: &[f64]) -> Vec<f64> {
    let mean = column.iter().sum::<f64>() / column.len() as f64;
    column.iter().map(|value| value - mean).collect()
}

pub(super) fn is_constant(column: &[f64]) -> bool {
    column.iter().all(|value| value == &column[0])
}
