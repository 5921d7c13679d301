//! Parents by the marginal likelihood of Gaussian processes: every node is regressed on all nodes before it, and those
//! that the marginal likelihood can do without are dropped, one at a time.
//!
//! What a candidate costs is the log marginal likelihood with it minus that without it, hyper-parameters refitted. The
//! cheapest candidate goes first, then the cheapest of those that are left, and so on; a candidate's cost counts as at
//! least that of every one that went before it, so that a threshold on the costs keeps exactly those that elimination up to
//! that threshold would keep. Unlike the significance of additive terms this sees interactions.
//!
//! **P-values.** Under the null both amplitudes of a candidate are zero, on the border of what they may be, and its lengths
//! mean nothing. In simulations (independent null covariates beside one to six others; additive, interacting and no
//! effects; n = 100 to 500; 800 draws each) about three quarters of null candidates gain under half a nat, and
//!
//! ```text
//! P(cost > t) ≈ ½ e^−t = ½ P(χ²_2 > 2t)      measured 0.14, 0.055, 0.025, 0.009, 0.0035 at t = 1, 2, 3, 4, 5 (± 10–40 %)
//! ```
//!
//! a little less where the effects interact and much less where there are none. Among ten to twelve candidates the shares
//! below 0.05, 0.025, 0.01 and 0.001 are 0.067, 0.033, 0.019 and 0 with n = 300 (480 null candidates), and 0.13, 0.095,
//! 0.054 and 0.010 with n = 100 (1,200): where there are ten rows for a candidate or fewer, p-values are too small. Tests
//! measure both kinds again.
//!
//! **Which are parents.** A pair is an edge when its p-value is at most the level of Benjamini & Hochberg (1995) for the
//! wanted false discovery rate `q` over all pairs of the order. A fixed level cannot serve both ends: among 45 pairs with 10
//! edges a cost of 4 nats is most likely chance, among 45 pairs with 40 edges most likely an edge.

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::{Selection, Test};
use crate::error::Result;
use crate::graph::{Dag, Node, Order};
use crate::regress::gp::{Gp, GpFit, Hyper, KernelParts, Standardised, log_likelihood, maximise};
use crate::residual_variance::GpRegression;
use crate::run::{Event, Run};

/// Candidates that cost less than this many nats without any refitting go at once, together.
const FREE: f64 = 0.5;
/// How many candidates are tried with refitting, those first that cost least without, where one of them can go.
const TRIED: usize = 3;

/// The p-value of a candidate that costs this many nats.
///
/// ```
/// use npvar::select::p_value_of_cost;
/// assert_eq!(p_value_of_cost(0.0), 1.0);
/// assert!((p_value_of_cost(6.2) - 0.001).abs() < 2e-5);
/// ```
pub fn p_value_of_cost(nats: f64) -> f64 {
    if nats > 0.0 { 0.5 * (-nats).exp() } else { 1.0 }
}

/// The cost of a candidate with this p-value.
fn cost_of_p_value(p_value: f64) -> f64 {
    (0.5 / p_value).ln().max(0.0)
}

/// How the parents are selected.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EvidenceRule {
    /// The share of wrong edges to be expected among those selected.
    pub false_discovery_rate: f64,
    /// The regressions.
    pub gp: Gp,
}

/// Selects parents along `order`. `regressions` are those of the order search, by node, where there was one with Gaussian
/// processes: a node's regression on exactly the nodes before it is where the selection's may start.
///
/// # Errors
/// [`crate::Error::Cancelled`].
pub fn marginal_likelihood(
    table: &Standardised,
    order: &Order,
    regressions: &[Option<GpRegression>],
    rule: EvidenceRule,
    run: &Run<'_>,
) -> Result<Selection> {
    let order = order.nodes();
    let d = order.len();
    let pairs = d * d.saturating_sub(1) / 2;
    // No level of Benjamini & Hochberg is stricter than this: what costs more is an edge whatever the others cost.
    let most = cost_of_p_value(rule.false_discovery_rate / pairs.max(1) as f64);
    let done = AtomicUsize::new(0);
    let tests: Vec<Vec<Test>> = (0..d)
        .into_par_iter()
        .with_max_len(1)
        .rev()
        .map(|t| {
            run.report(&Event::Selected { done: done.fetch_add(1, Ordering::Relaxed), nodes: d })?;
            let start = regressions.get(order[t]).and_then(Option::as_ref);
            let elimination = Elimination { table, child: order[t], gp: rule.gp, run };
            elimination.tests(&order[..t], start, most)
        })
        .collect::<Result<_>>()?;
    let tests: Vec<Test> = tests.into_iter().rev().flatten().collect();
    let level = benjamini_hochberg(tests.iter().map(|test| test.p_value), rule.false_discovery_rate);
    let edges = tests.iter().filter(|test| test.p_value <= level).map(|test| (test.parent, test.child));
    let dag = Dag::from_edges(d, edges)?;
    run.report(&Event::Selected { done: d, nodes: d })?;
    Ok(Selection { dag, tests })
}

/// The largest p-value that is rejected at this false discovery rate; negative when none is.
fn benjamini_hochberg(p_values: impl Iterator<Item = f64>, rate: f64) -> f64 {
    let mut p_values: Vec<f64> = p_values.collect();
    p_values.sort_by(f64::total_cmp);
    let m = p_values.len() as f64;
    let last = p_values.iter().enumerate().rev().find(|(k, p)| **p <= rate * (k + 1) as f64 / m);
    last.map_or(-1.0, |(_, p)| *p)
}

/// Backward elimination of one node's candidates.
struct Elimination<'a> {
    table: &'a Standardised,
    child: Node,
    gp: Gp,
    run: &'a Run<'a>,
}

/// What dropping a candidate costs.
#[derive(Clone, Copy)]
struct Cost {
    nats: f64,
    /// Rise of the noise variance, as a share of the child's variance.
    noise: f64,
}

impl Cost {
    const NONE: Cost = Cost { nats: 0.0, noise: 0.0 };

    fn of(with: &GpFit, without: &GpFit) -> Self {
        Cost {
            nats: (with.log_likelihood - without.log_likelihood).max(0.0),
            noise: without.hyper.noise() - with.hyper.noise(),
        }
    }
}

impl Elimination<'_> {
    fn tests(&self, before: &[Node], start: Option<&GpRegression>, most: f64) -> Result<Vec<Test>> {
        let usable: Vec<Node> = before.iter().copied().filter(|&node| !self.table.is_constant(node)).collect();
        let mut costs = vec![Cost::NONE; self.table.d()];
        if !usable.is_empty() && !self.table.is_constant(self.child) {
            let current = self.begin(&usable, start)?;
            let (active, current) = self.drop_free(usable, current, &mut costs)?;
            self.drop_cheap(active, current, most, &mut costs)?;
        }
        let test = |&parent: &Node| {
            let Cost { nats, noise } = costs[parent];
            Test {
                parent,
                child: self.child,
                p_value: p_value_of_cost(nats),
                statistic: 2.0 * nats,
                edf: None,
                reference_df: Some(2.0),
                strength: noise.clamp(0.0, 1.0),
            }
        };
        Ok(before.iter().map(test).collect())
    }

    /// The regression on all candidates: the best of fresh ones and one that starts from the search's, whose prior may have
    /// led it elsewhere.
    fn begin(&self, usable: &[Node], start: Option<&GpRegression>) -> Result<GpFit> {
        let searched = start.filter(|regression| regression.given == usable);
        let others = [Hyper::short_start(usable.len()), searched.map(|found| found.evidence.hyper.revived())];
        let mut best = self.refit(usable, &Hyper::start(usable.len(), KernelParts::Full))?;
        for other in others.iter().flatten() {
            let found = self.refit(usable, other)?;
            if found.log_likelihood > best.log_likelihood {
                best = found;
            }
        }
        Ok(best)
    }

    /// Drops what the fit does without as it stands, refits, and again.
    fn drop_free(&self, mut active: Vec<Node>, mut current: GpFit, costs: &mut [Cost]) -> Result<(Vec<Node>, GpFit)> {
        while !active.is_empty() {
            let quick = self.quick_costs(&active, &current)?;
            let mut keep: Vec<usize> = (0..active.len()).filter(|&k| quick[k] >= FREE).collect();
            if keep.len() == active.len() {
                break;
            }
            let mut without = self.restricted(&active, &keep, &current)?;
            if active.len() - keep.len() > 1 && current.log_likelihood - without.log_likelihood > FREE {
                // Each can be done without, but not all: copies of each other. One at a time then.
                let cheapest = (0..active.len()).min_by(|&a, &b| quick[a].total_cmp(&quick[b])).unwrap_or(0);
                keep = (0..active.len()).filter(|&k| k != cheapest).collect();
                without = self.restricted(&active, &keep, &current)?;
            }
            for k in (0..active.len()).filter(|k| !keep.contains(k)) {
                costs[active[k]] = Cost { nats: quick[k].max(0.0), ..Cost::NONE };
            }
            active = keep.iter().map(|&k| active[k]).collect();
            current = without;
        }
        Ok((active, current))
    }

    /// Drops the candidate that costs least, refits, and again, until all that are left cost more than `most` nats.
    fn drop_cheap(&self, mut active: Vec<Node>, mut current: GpFit, most: f64, costs: &mut [Cost]) -> Result<()> {
        let mut level = 0.0_f64;
        while !active.is_empty() {
            let quick = self.quick_costs(&active, &current)?;
            let mut by_cost: Vec<usize> = (0..active.len()).collect();
            by_cost.sort_by(|&a, &b| quick[a].total_cmp(&quick[b]));
            let mut cheapest: Option<(usize, Cost, GpFit)> = None;
            for (tried, &k) in by_cost.iter().enumerate() {
                if tried >= TRIED && cheapest.as_ref().is_some_and(|(_, cost, _)| cost.nats <= most) {
                    break;
                }
                let keep: Vec<usize> = (0..active.len()).filter(|&other| other != k).collect();
                let without = self.restricted(&active, &keep, &current)?;
                let mut cost = Cost::of(&current, &without);
                if cheapest.as_ref().is_none_or(|(_, least, _)| cost.nats < least.nats) {
                    cheapest = Some((k, cost, without));
                }
                cost.nats = cost.nats.max(level);
                costs[active[k]] = cost;
            }
            match cheapest {
                Some((k, cost, without)) if cost.nats <= most => {
                    level = level.max(cost.nats);
                    active.remove(k);
                    current = without;
                }
                _ => break,
            }
        }
        Ok(())
    }

    /// What each candidate costs when nothing is refitted: at least what it costs.
    fn quick_costs(&self, active: &[Node], current: &GpFit) -> Result<Vec<f64>> {
        (0..active.len())
            .map(|k| {
                let keep: Vec<usize> = (0..active.len()).filter(|&other| other != k).collect();
                let sample = self.gp.sample(self.table, self.child, &at(active, &keep), self.run)?;
                Ok(current.log_likelihood - log_likelihood(&sample, &current.hyper.restricted(&keep), self.run)?)
            })
            .collect()
    }

    fn restricted(&self, active: &[Node], keep: &[usize], current: &GpFit) -> Result<GpFit> {
        self.refit(&at(active, keep), &current.hyper.restricted(keep).revived())
    }

    fn refit(&self, covariates: &[Node], start: &Hyper) -> Result<GpFit> {
        let sample = self.gp.sample(self.table, self.child, covariates, self.run)?;
        maximise(&sample, start, KernelParts::Full, self.gp.effort, self.run)
    }
}

fn at(nodes: &[Node], positions: &[usize]) -> Vec<Node> {
    positions.iter().map(|&position| nodes[position]).collect()
}
