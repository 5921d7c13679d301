//! How sure neighbours in the order are of their places: what exchanging each pair costs.

use super::placed::{GAIN, Placed};
use super::search::Reinsertion;
use crate::error::Result;
use crate::graph::NodeSet;
use crate::run::Run;

impl Reinsertion<'_> {
    /// For every neighbouring pair of the order, first pair first, the nats that exchanging the two costs: both choose their
    /// parents anew, everyone else stays as they are. Below zero where the exchanged order is better; `None` where what is
    /// known rules it out.
    ///
    /// # Errors
    /// What the score came upon, or cancelling.
    pub fn exchanged(&self, placed: &Placed, run: &Run<'_>) -> Result<Vec<Option<f64>>> {
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
            pairs.push(may.then_some(placed.chosen[first].nats + placed.chosen[second].nats));
            before.insert(first);
        }
        let answers = self.score.choose(&choices, run)?;
        let mut exchanged = answers.chunks_exact(2).map(|answers| answers[0].nats + answers[1].nats);
        Ok(pairs.into_iter().map(|now| Some(now? - exchanged.next()?)).collect())
    }

    /// Exchanges neighbours, the pair that gains most first, until no exchange gains, or it is [enough](Run::enough).
    ///
    /// # Errors
    /// What the score came upon, or cancelling.
    pub fn neighbours_settled(&self, mut placed: Placed, run: &Run<'_>) -> Result<Placed> {
        while let Some(costs) = run.unless_enough(|run| self.exchanged(&placed, run))? {
            let costs = costs.into_iter().enumerate().filter_map(|(at, cost)| Some((at, cost?)));
            let best = costs.min_by(|a, b| a.1.total_cmp(&b.1)).filter(|&(_, cost)| cost < -GAIN);
            let Some((at, _)) = best else { return Ok(placed) };
            let mut order = placed.order.clone();
            order.swap(at, at + 1);
            match run.unless_enough(|run| self.place(&order, Some(&placed), run))? {
                Some(exchanged) => placed = exchanged,
                None => break,
            }
        }
        Ok(placed)
    }
}
