//! A last look at parents that a node chose by evidence: what would it cost to do without each?
//!
//! A parent `k` is left out and the other parents are chosen anew, from where they were. With `Δ_k` the nats that costs (the
//! price of the choice included), the posterior odds that `k` belongs there against the best choice without it are `e^Δ`, so
//! that its local false discovery rate (Efron et al. 2001) is about `1/(1 + e^Δ_k)`. A parent that is more likely wrong than right
//! is given up for good and the others are looked at again. The false discovery rate of the edges that are left is the mean of
//! their local rates; while it is above the rate asked for, the edge of highest local rate is given up, of all nodes'. It is as
//! right as the model: the order is taken as given, and the greedy choice as the best.
//!
//! On a dense graph the learned price of a number of parents rewards one more. A search may use that; here an edge must be
//! believed for its own data, so that what fewer parents cost more is not counted for it.

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
    /// The largest false discovery rate; 1 keeps all.
    pub rate: f64,
}

/// No edge stays whose local rate is above this, unless a higher rate is asked for.
const EVEN_ODDS: f64 = 0.5;

/// A node's parents under the look.
struct Looked {
    child: Node,
    /// Those given up.
    barred: NodeSet,
    current: ChosenParents,
    kept: Vec<Kept>,
}

impl Kept {
    /// The local false discovery rate; zero for a required edge.
    fn local_rate(&self) -> f64 {
        self.without_nats.map_or(0.0, |nats| 1.0 / (1.0 + nats.exp()))
    }
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
    let mut looked: Vec<Looked> = (0..order.len())
        .into_par_iter()
        .map(|child| {
            let (barred, current) = (NodeSet::with_capacity(order.len()), chosen[child].clone());
            let begun = Looked { child, barred, current, kept: Vec::new() };
            look.at(begun, &before[child], &allowed, run)
        })
        .collect::<Result<_>>()?;
    while let Some(Kept { parent, child, .. }) = one_too_many(&looked, look.rate) {
        let begun = std::mem::replace(&mut looked[child], Looked::nothing(child));
        let without = look.without(begun, parent, &before[child], &allowed, run)?;
        looked[child] = look.at(without, &before[child], &allowed, run)?;
    }
    run.report(&Event::Selected { done: order.len(), nodes: order.len() })?;
    Ok(looked.into_iter().flat_map(|looked| looked.kept).collect())
}

/// The optional edge of highest local rate, where their mean is above `rate`.
fn one_too_many(looked: &[Looked], rate: f64) -> Option<Kept> {
    let optional = || looked.iter().flat_map(|looked| &looked.kept).filter(|kept| kept.without_nats.is_some());
    let mean = optional().map(Kept::local_rate).sum::<f64>() / optional().count() as f64;
    if mean > rate { optional().copied().max_by(|a, b| a.local_rate().total_cmp(&b.local_rate())) } else { None }
}

impl Looked {
    /// Of a node without parents.
    fn nothing(child: Node) -> Self {
        let current = ChosenParents { nats: 0.0, parents: Vec::new() };
        Looked { child, barred: NodeSet::new(), current, kept: Vec::new() }
    }
}

impl LastLook<'_> {
    /// Looks at a node's parents until each is more likely right than wrong.
    fn at(&self, mut looked: Looked, before: &NodeSet, allowed: &Allowed, run: &Run<'_>) -> Result<Looked> {
        loop {
            run.check()?;
            let Looked { child, barred, current, .. } = &looked;
            let child = *child;
            let mut choices = Vec::new();
            for &parent in current.parents.iter().filter(|&&parent| !self.knowledge.requires(parent, child)) {
                let mut without = barred.clone();
                without.insert(parent);
                choices.push(allowed.choice(child, before, &current.parents).barring(without));
            }
            let others = self.score.choose(&choices, run)?;
            let price = |choice, chosen| self.score.price(choice, chosen);
            let mut costs = choices.iter().zip(&others).map(|(choice, other)| {
                let reward = (price(choice, other) - price(choice, current)).max(0.0);
                current.nats - other.nats - reward
            });
            let kept: Vec<Kept> = (current.parents.iter())
                .map(|&parent| {
                    let optional = !self.knowledge.requires(parent, child);
                    Kept { parent, child, without_nats: optional.then(|| costs.next()).flatten() }
                })
                .collect();
            let weakest = kept.iter().max_by(|a, b| a.local_rate().total_cmp(&b.local_rate())).copied();
            looked.kept = kept;
            match weakest {
                Some(weakest) if weakest.local_rate() > self.rate.max(EVEN_ODDS) => {
                    looked = self.without(looked, weakest.parent, before, allowed, run)?;
                }
                _ => return Ok(looked),
            }
        }
    }

    /// Gives a parent up; the others are chosen anew.
    fn without(
        &self,
        mut looked: Looked,
        parent: Node,
        before: &NodeSet,
        allowed: &Allowed,
        run: &Run<'_>,
    ) -> Result<Looked> {
        looked.barred.insert(parent);
        let choice = allowed.choice(looked.child, before, &looked.current.parents).barring(looked.barred.clone());
        looked.current = self.score.choose(&[choice], run)?.into_iter().next().unwrap_or(looked.current);
        Ok(looked)
    }
}
