//! `estimator = auto`: does the additive model suffice for these data?
//!
//! Along the order that the additive model finds, every node is regressed on all nodes before it by a Gaussian process
//! twice: with its additive part alone, and with its joint part as well. Where the truth is additive the joint parts have
//! nothing to gain but chance; where it is not, most regressions gain tens of nats, whether the order is right or not.

use rayon::prelude::*;

use crate::error::Result;
use crate::graph::Order;
use crate::learner::estimator::AutoConfig;
use crate::regress::gp::{Hyper, KernelParts, Standardised, maximise};
use crate::run::{Diagnostic, Event, Run};

/// What was decided, and on what evidence.
pub(super) struct Interactions {
    pub(super) interacting: bool,
    /// Gain of the joint parts in nats, and what it had to exceed.
    gain: f64,
    border: f64,
    /// The node whose joint part gains most.
    most: Option<(usize, f64)>,
}

/// Compares both shapes along an order.
pub(super) fn interactions(
    table: &Standardised,
    order: &Order,
    config: &AutoConfig,
    run: &Run<'_>,
) -> Result<Interactions> {
    let (nodes, gp) = (order.nodes(), config.gp.gp().without_prior());
    // One covariate cannot interact.
    let regressions = nodes.len().saturating_sub(2);
    run.report(&Event::Working { phase: "looking for interactions", done: 0, total: Some(regressions) })?;
    let gains: Vec<(usize, f64)> = (2..nodes.len())
        .into_par_iter()
        .with_max_len(1)
        .rev()
        .map(|t| {
            let covariates: Vec<usize> = nodes[..t].iter().copied().filter(|&node| !table.is_constant(node)).collect();
            if covariates.len() < 2 || table.is_constant(nodes[t]) {
                return Ok((nodes[t], 0.0));
            }
            let sample = gp.sample(table, nodes[t], &covariates, run)?;
            let evidence = |shape| maximise(&sample, &Hyper::start(covariates.len(), shape), shape, gp.effort, run);
            let gain = evidence(KernelParts::Full)?.log_likelihood - evidence(KernelParts::Additive)?.log_likelihood;
            Ok((nodes[t], gain.max(0.0)))
        })
        .collect::<Result<_>>()?;
    run.report(&Event::Working { phase: "looking for interactions", done: regressions, total: Some(regressions) })?;
    let gain: f64 = gains.iter().map(|(_, gain)| gain).sum();
    let border = config.interaction_nats + config.interaction_nats_per_node * regressions as f64;
    let most = gains.into_iter().max_by(|a, b| a.1.total_cmp(&b.1));
    Ok(Interactions { interacting: gain > border, gain, border, most })
}

impl Interactions {
    /// What `estimator = auto` chose, and why.
    pub(super) fn report(&self, names: &[String], given_order: bool) -> Diagnostic {
        let along = if given_order { "the given order" } else { "the additive model's order" };
        let Interactions { interacting, gain, border, most } = self;
        let most = match most {
            Some((node, gain)) if *interacting => format!(", most for `{}` ({gain:.1})", names[*node]),
            _ => String::new(),
        };
        let (estimator, verdict) = if *interacting { ("gp", "interact") } else { ("gam", "add up") };
        Diagnostic::info(
            "estimator-chosen",
            format!(
                "the estimator is `{estimator}`: effects {verdict}, as joint terms raise the log marginal likelihood by \
                 {gain:.1} nats along {along}{most}; more than {border:.1} would speak for interactions"
            ),
        )
    }
}
