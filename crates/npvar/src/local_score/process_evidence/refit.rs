//! The nodes' numbers, what they are around, and the shared noise, by the total evidence of a graph.

use rayon::prelude::*;

use super::evidence::ProcessEvidence;
use super::kinds::Kinds;
use super::numbers::{Common, Numbers, RANGE};
use super::rows::Rows;
use super::split::Split;
use super::walk::Prices;
use crate::error::Result;
use crate::graph::Node;
use crate::local_score::after_set::{ChosenParents, ParentChoice};
use crate::local_score::noise::Noise;
use crate::local_score::parent_prior::{ParentCount, ParentPrior};
use crate::local_score::refit::{LearnsSparsity, NoiseKind, Refit};
use crate::numerics::optimise::{Bounds, Minimiser, minimise};
use crate::run::Run;

/// How often the nodes' numbers, those in common and the noise are improved in turn.
const ROUNDS: usize = 3;
/// A climb is over when an iteration gains less than a thousandth of a nat, or of what was gained where that is more than one.
const CLIMB: Minimiser = Minimiser { memory: 6, value_tolerance: 1e-3, gradient_tolerance: 1e-2, max_iterations: 12 };
/// On more rows than these no nodes are reinserted, only neighbours exchanged.
const REINSERTED_ROWS: usize = 1000;
/// Logarithms that all moved by less than this have not moved.
const STILL: f64 = 0.02;

impl Refit for ProcessEvidence {
    fn refitted(&self, kind: NoiseKind, parents: &[Vec<Node>], run: &Run<'_>) -> Result<Self> {
        let splits = self.splits(parents, run)?;
        let mut next = self.emptied(kind);
        next.prices.kinds = Kinds::learned(&splits);
        next.fit_noise(kind, &splits, run)?;
        for _ in 0..ROUNDS {
            next.numbers = (0..splits.len())
                .into_par_iter()
                .with_max_len(1)
                .map(|node| Ok(next.fitted(node, &splits[node], next.numbers[node], run)?.0))
                .collect::<Result<_>>()?;
            next.common = Common::of(next.numbers.iter().zip(&splits).map(|(&numbers, split)| (numbers, uses(split))));
            next.fit_noise(kind, &splits, run)?;
        }
        // A node that does not use a number has no opinion of it.
        for (numbers, split) in next.numbers.iter_mut().zip(&splits) {
            let uses = uses(split);
            (0..4).filter(|&i| !uses[i]).for_each(|i| numbers.logs[i] = next.common.numbers.logs[i]);
        }
        next.fitted = splits;
        if self.is_nearly(&next) {
            return Ok(self.clone().fitted_to(next.fitted).priced(&next.prices));
        }
        if let Some(rough) = next.rough.take() {
            let rough = ProcessEvidence::with(rough.rows, next.numbers.clone(), next.common, next.noise);
            next.rough = Some(Box::new(rough.fitted_to(next.fitted.clone()).priced(&next.prices)));
        }
        Ok(next)
    }

    /// Half a `log n` for one noise variance, and what the numbers in common and the sparsity cost.
    fn common_price(&self) -> f64 {
        let noise = match self.noise {
            Noise::Shared(_) => 0.5 * (self.rows.count() as f64).ln(),
            Noise::Own => 0.0,
        };
        noise + self.common.price() + self.prices.number.own_price() + self.prices.kinds.own_price()
    }

    fn values_as(&self, other: &Self) -> bool {
        self.knows_as(other)
    }

    fn afresh(&self, choices: &[ParentChoice], run: &Run<'_>) -> Result<Option<(Self, Vec<ChosenParents>)>> {
        self.anew(choices, run).map(Some)
    }

    fn on_more_rows(&self, kind: NoiseKind, parents: &[Vec<Node>], run: &Run<'_>) -> Result<Option<Self>> {
        let (here, all) = (self.rows.count(), self.rows.available());
        if here == all {
            return Ok(None);
        }
        let is_first = self.rough.is_none();
        let mut more = self.over(self.rows.first(if is_first { all.min(2 * here) } else { all }));
        more.rough = self.rough.clone().or_else(|| Some(Box::new(self.clone())));
        more.refitted(kind, parents, run).map(Some)
    }

    fn sees_all_rows(&self) -> bool {
        self.rows.count() == self.rows.available()
    }

    fn is_slow(&self) -> bool {
        self.rows.count() > REINSERTED_ROWS
    }

    fn on_some_rows(&self) -> Option<&Self> {
        self.rough.as_deref()
    }

    fn rows_drawn(&self) -> Option<usize> {
        Some(self.rows.count())
    }
}

impl LearnsSparsity for ProcessEvidence {
    fn sparse_as(self, counts: &[ParentCount]) -> Self {
        let number = ParentPrior::learned(self.rows.nodes(), counts);
        let prices = Prices { number, kinds: self.prices.kinds };
        self.priced(&prices)
    }
}

/// Which numbers matter to a split.
fn uses(split: &Split) -> [bool; 4] {
    let (additive, joint) = (!split.additive.is_empty(), !split.joint.is_empty());
    [additive, additive, joint, joint]
}

impl ProcessEvidence {
    /// The same over other rows, nothing known.
    fn over(&self, rows: Rows) -> Self {
        let over = ProcessEvidence::with(rows, self.numbers.clone(), self.common, self.noise);
        over.fitted_to(self.fitted.clone()).priced(&self.prices)
    }

    /// The same with nothing known, and on the scale of a kind of noise.
    fn emptied(&self, kind: NoiseKind) -> Self {
        let mut next = if self.rows.scale() == kind {
            self.over(self.rows.clone())
        } else {
            let numbers = vec![Numbers::default(); self.rows.nodes()];
            ProcessEvidence::with(self.rows.scaled(kind), numbers, Common::default(), Noise::Own).priced(&self.prices)
        };
        next.rough.clone_from(&self.rough);
        next
    }

    fn is_nearly(&self, other: &Self) -> bool {
        let near = |one: &Numbers, other: &Numbers| {
            one.logs.iter().zip(other.logs).all(|(one, other)| (one - other).abs() < STILL)
        };
        let noise = match (self.noise, other.noise) {
            (Noise::Own, Noise::Own) => true,
            (Noise::Shared(one), Noise::Shared(other)) => (one / other).ln().abs() < STILL,
            _ => false,
        };
        noise
            && self.rows.scale() == other.rows.scale()
            && self.rows.count() == other.rows.count()
            && near(&self.common.numbers, &other.common.numbers)
            && self.common.is_as_wide(&other.common)
            && self.numbers.iter().zip(&other.numbers).all(|(one, other)| near(one, other))
    }

    /// The noise variance of highest evidence where it is shared.
    fn fit_noise(&mut self, kind: NoiseKind, splits: &[Split], run: &Run<'_>) -> Result<()> {
        self.noise = Noise::Own;
        if kind == NoiseKind::Own {
            return Ok(());
        }
        let varying: Vec<Node> = (0..splits.len()).filter(|&node| !self.rows.is_constant(node)).collect();
        let square = |&node: &Node| {
            run.check()?;
            Ok(self.valued_split(node, &splits[node]).square)
        };
        let squares: Vec<f64> = varying.par_iter().map(square).collect::<Result<_>>()?;
        if !varying.is_empty() {
            self.noise = Noise::Shared(squares.iter().sum::<f64>() / (varying.len() * self.rows.count()) as f64);
        }
        Ok(())
    }

    /// A node's numbers of highest evidence, searched from some, and that evidence.
    pub(super) fn fitted(&self, node: Node, split: &Split, start: Numbers, run: &Run<'_>) -> Result<(Numbers, f64)> {
        let (uses, start) = (uses(split), start.logs);
        if split.is_empty() {
            return Ok((self.common.numbers, self.with_slopes(node, split, self.common.numbers).0.nats));
        }
        let mut bounds = Bounds::none(4);
        for i in 0..4 {
            if uses[i] {
                bounds.restrict(i, RANGE.0, RANGE.1);
            } else {
                bounds.restrict(i, start[i], start[i]);
            }
        }
        // What is lost from where it begins: the units of the columns are no part of that.
        let mut first = None;
        let mut objective = |logs: &[f64], gradient: &mut [f64]| {
            run.check()?;
            let numbers = Numbers { logs: std::array::from_fn(|i| logs[i]) };
            let (valued, slopes) = self.with_slopes(node, split, numbers);
            gradient.iter_mut().zip(slopes).for_each(|(target, slope)| *target = -slope);
            Ok(*first.get_or_insert(valued.nats) - valued.nats)
        };
        let minimum = minimise(&mut objective, &start, &bounds, &CLIMB)?;
        let nats = first.unwrap_or_default() - minimum.value;
        Ok((Numbers { logs: std::array::from_fn(|i| minimum.x[i]) }, nats))
    }
}
