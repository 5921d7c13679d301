//! A last look at parents that a node chose by evidence: what would it cost to do without each?
//!
//! A parent `k` is left out and the other parents are chosen anew, from where they were. With `Δ_k` the nats that costs (the
//! price of the choice included), the posterior odds that `k` belongs there against the best choice without it are `e^Δ`, so
//! that its local false discovery rate (Efron et al. 2001) is about `1/(1 + e^Δ_k)`. While one is above the rate asked for, the parent that costs
//! least is given up for good and the others are looked at again. So every edge that stays has a local rate of at most `rate`,
//! and then so has their mean, the false discovery rate that the model expects. It is as right as the model: the order
//! is taken as given, and the greedy choice as the best.

use rayon::prelude::*;

use crate::error::Result;
use crate::graph::{Knowledge, Node, NodeSet};
use crate::local_score::{AfterSet, Allowed, ChosenParents};
use crate::run::{Event, Run};

/// An edge that stays.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Kept {
    /// The parent.
    pub parent: Node,
    /// The child.
    pub child: Node,
    /// What leaving the edge out costs; nothing for a required edge, which cannot be left out.
    pub without_nats: Option<f64>,
}

/// Who looks at what.
#[derive(Clone, Copy)]
pub struct LastLook<'a> {
    /// The score by which the parents were chosen.
    pub score: &'a dyn AfterSet,
    /// What is known.
    pub knowledge: &'a Knowledge,
    /// The largest local false discovery rate.
    pub rate: f64,
}

/// Looks at the parents of every node; the edges that stay, by child.
///
/// # Errors
/// What the score came upon, or cancelling.
pub fn last_look(look: LastLook<'_>, order: &[Node], chosen: &[ChosenParents], run: &Run<'_>) -> Result<Vec<Kept>> {
    let mut before = vec![NodeSet::with_capacity(order.len()); order.len()];
    for pair in order.windows(2) {
        before[pair[1]] = before[pair[0]].clone();
        before[pair[1]].insert(pair[0]);
    }
    let allowed = Allowed::by(look.knowledge);
    let kept: Vec<Vec<Kept>> = (0..order.len())
        .into_par_iter()
        .map(|child| look.at(child, &before[child], &chosen[child], &allowed, run))
        .collect::<Result<_>>()?;
    run.report(&Event::Selected { done: order.len(), nodes: order.len() })?;
    Ok(kept.concat())
}

impl LastLook<'_> {
    fn at(
        &self,
        child: Node,
        before: &NodeSet,
        chosen: &ChosenParents,
        allowed: &Allowed,
        run: &Run<'_>,
    ) -> Result<Vec<Kept>> {
        let least = ((1.0 - self.rate) / self.rate).ln();
        let mut barred = NodeSet::with_capacity(before.len());
        let mut current = chosen.clone();
        loop {
            let mut choices = Vec::new();
            for &parent in current.parents.iter().filter(|&&parent| !self.knowledge.requires(parent, child)) {
                let mut without = barred.clone();
                without.insert(parent);
                choices.push(allowed.choice(child, before, &current.parents).barring(without));
            }
            let others = self.score.choose(&choices, run)?;
            let mut costs = others.iter().map(|other| current.nats - other.nats);
            let kept: Vec<Kept> = (current.parents.iter())
                .map(|&parent| {
                    let optional = !self.knowledge.requires(parent, child);
                    Kept { parent, child, without_nats: optional.then(|| costs.next()).flatten() }
                })
                .collect();
            let cost = |kept: &Kept| kept.without_nats.unwrap_or(f64::INFINITY);
            match kept.iter().min_by(|a, b| cost(a).total_cmp(&cost(b))) {
                Some(weakest) if cost(weakest) < least => {
                    barred.insert(weakest.parent);
                    let choice = allowed.choice(child, before, &current.parents);
                    let answers = self.score.choose(&[choice.barring(barred.clone())], run)?;
                    current = answers.into_iter().next().unwrap_or(current);
                }
                _ => return Ok(kept),
            }
        }
    }
}
