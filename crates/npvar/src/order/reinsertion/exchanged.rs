//! How sure neighbours in the order are of their places: what exchanging each pair costs.

use super::placed::{GAIN, Move, Placed};
use super::search::Reinsertion;
use crate::error::Result;
use crate::graph::{Node, NodeSet};
use crate::run::Run;

/// Two neighbours exchanged, and what that costs.
struct Exchange {
    nats: f64,
    by: Move,
}

impl Reinsertion<'_> {
    /// For every neighbouring pair of the order, first pair first, the nats that exchanging the two costs: both choose their
    /// parents anew, everyone else stays as they are. Below zero where the exchanged order is better; `None` where what is
    /// known rules it out.
    ///
    /// # Errors
    /// What the score came upon, or cancelling.
    pub fn exchanged(&self, placed: &Placed, run: &Run<'_>) -> Result<Vec<Option<f64>>> {
        let exchanges = self.exchanges(placed, run)?;
        Ok(exchanges.into_iter().map(|exchange| exchange.map(|exchange| exchange.nats)).collect())
    }

    fn exchanges(&self, placed: &Placed, run: &Run<'_>) -> Result<Vec<Option<Exchange>>> {
        run.check()?;
        let mut before = NodeSet::with_capacity(placed.order.len());
        let mut choices = Vec::new();
        let mut pairs = Vec::new();
        for (at, pair) in placed.order.windows(2).enumerate() {
            let (first, second) = (pair[0], pair[1]);
            let mut with_second = before.clone();
            with_second.insert(second);
            let nodes = [&placed.order[..at], &[second]].concat();
            let may = self.may_stand(second, &nodes[..at], &before) && self.may_stand(first, &nodes, &with_second);
            if may {
                choices.push(self.choice(second, &before, &placed.chosen[second].parents));
                choices.push(self.choice(first, &with_second, &placed.chosen[first].parents));
            }
            pairs.push(may.then_some((at, first, second)));
            before.insert(first);
        }
        let mut answers = self.score.choose(&choices, run)?.into_iter();
        let mut exchange = |(at, first, second): (usize, Node, Node)| {
            let chosen = vec![(second, answers.next()?), (first, answers.next()?)];
            let cost = chosen.iter().map(|(node, chosen)| placed.chosen[*node].nats - chosen.nats).sum();
            Some(Exchange { nats: cost, by: Move { from: at, to: at + 1, chosen } })
        };
        Ok(pairs.into_iter().map(|pair| exchange(pair?)).collect())
    }

    /// Exchanges neighbours, the pair that gains most first, until no exchange gains, or it is [enough](Run::enough).
    ///
    /// # Errors
    /// What the score came upon, or cancelling.
    pub fn neighbours_settled(&self, mut placed: Placed, run: &Run<'_>) -> Result<Placed> {
        while let Some(exchanges) = run.unless_enough(|run| self.exchanges(&placed, run))? {
            let best = exchanges.into_iter().flatten().min_by(|a, b| a.nats.total_cmp(&b.nats));
            match best.filter(|best| best.nats < -GAIN) {
                Some(best) => placed.apply(best.by),
                None => break,
            }
        }
        Ok(placed)
    }
}
