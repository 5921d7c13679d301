//! The evidence of a node with given splits of parents: one factorisation each, and each is kept.
//!
//! ```text
//! log p(x_v | T, S) = log likelihood of noise that must account for x'M⁻¹x, less ½ log|M|
//! ∂/∂θ log p = ½ tr((αα'/s − M⁻¹) ∂M/∂θ),   α = M⁻¹x
//! ```

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, PoisonError, RwLock};

use faer::Mat;
use rayon::prelude::*;

use super::kernel::Parts;
use super::kinds::Kinds;
use super::numbers::{Common, Numbers};
use super::rows::Rows;
use super::split::{Split, Toggle};
use super::walk::Prices;
use super::workspace::{Workspace, Workspaces};
use crate::data::Dataset;
use crate::error::Result;
use crate::graph::Node;
use crate::local_score::noise::Noise;
use crate::local_score::parent_prior::ParentPrior;
use crate::numerics::linalg::Cholesky;
use crate::run::{Run, Seed};

/// More rows than these are not looked at.
const MOST_ROWS: usize = 2000;
/// Orders are searched on this many rows.
const SEARCHED_ROWS: usize = 300;
/// Splits valued together: they share the matrix they differ from.
const TOGETHER: usize = 8;

type Known = RwLock<HashMap<Split, f64>>;

/// The evidence of Gaussian processes.
#[derive(Debug, Clone)]
pub struct ProcessEvidence {
    pub(super) rows: Rows,
    /// By node.
    pub(super) numbers: Vec<Numbers>,
    /// What the nodes' numbers are around.
    pub(super) common: Common,
    pub(super) noise: Noise,
    /// What parents cost.
    pub(super) prices: Prices,
    /// By node, the split that its numbers were fitted to; empty where none were.
    pub(super) fitted: Vec<Split>,
    /// By node.
    known: Arc<Vec<Known>>,
    spaces: Arc<Workspaces>,
    /// The same on fewer rows, on which orders are searched.
    pub(super) rough: Option<Box<ProcessEvidence>>,
}

/// What a split is worth.
pub(super) struct Valued {
    pub(super) nats: f64,
    /// `x'M⁻¹x`.
    pub(super) square: f64,
}

/// A split, and what to toggle in it; nothing for the split itself.
pub(super) struct Wanted<'w> {
    pub(super) node: Node,
    pub(super) split: &'w Split,
    pub(super) toggles: &'w [Toggle],
}

impl ProcessEvidence {
    /// With own noise, on at most 300 rows ([`Refit::on_more_rows`](crate::local_score::Refit) takes in the others).
    pub fn new(data: &Dataset, seed: Seed) -> Self {
        let rows = Rows::of(data, MOST_ROWS, seed).first(SEARCHED_ROWS);
        let numbers = vec![Numbers::default(); rows.nodes()];
        ProcessEvidence::with(rows, numbers, Common::default(), Noise::Own)
    }

    pub(super) fn with(rows: Rows, numbers: Vec<Numbers>, common: Common, noise: Noise) -> Self {
        let known = Arc::new((0..rows.nodes()).map(|_| RwLock::default()).collect());
        let prices = Prices { number: ParentPrior::uniform(rows.nodes()), kinds: Kinds::default() };
        let (fitted, spaces) = (Vec::new(), Arc::default());
        ProcessEvidence { rows, numbers, common, noise, prices, fitted, known, spaces, rough: None }
    }

    /// The same with nothing known.
    pub(super) fn unknown(&self) -> Self {
        let known = Arc::new((0..self.rows.nodes()).map(|_| RwLock::default()).collect());
        ProcessEvidence { known, ..self.clone() }
    }

    /// The same with other numbers, nothing known.
    pub(super) fn numbered(&self, numbers: Vec<Numbers>) -> Self {
        ProcessEvidence { numbers, ..self.unknown() }
    }

    /// The same with numbers fitted to these splits; what is known stays known.
    pub(super) fn fitted_to(self, fitted: Vec<Split>) -> Self {
        ProcessEvidence { fitted, ..self }
    }

    /// The same at other prices; what is known stays known.
    pub(super) fn priced(mut self, prices: &Prices) -> Self {
        self.prices.clone_from(prices);
        self.rough = self.rough.map(|rough| Box::new(rough.priced(prices)));
        self
    }

    /// How many rows it looks at.
    pub fn rows(&self) -> usize {
        self.rows.count()
    }

    /// How many it can look at.
    pub fn rows_available(&self) -> usize {
        self.rows.available()
    }

    /// What is assumed of the noise.
    pub fn noise(&self) -> Noise {
        self.noise
    }

    /// Whether what is known of one is known of both.
    pub(super) fn knows_as(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.known, &other.known)
    }

    pub(super) fn known(&self, node: Node, split: &Split) -> Option<f64> {
        self.known[node].read().unwrap_or_else(PoisonError::into_inner).get(split).copied()
    }

    /// Values what is wanted and not known: every split and its toggles.
    pub(super) fn learn(&self, wanted: &[Wanted<'_>], run: &Run<'_>) -> Result<()> {
        let mut seen: HashSet<(Node, Split)> = HashSet::new();
        let mut groups: Vec<(&Wanted<'_>, Vec<Option<Toggle>>)> = Vec::new();
        for want in wanted {
            let all = std::iter::once(None).chain(want.toggles.iter().copied().map(Some));
            let new: Vec<Option<Toggle>> = all
                .filter(|toggle| {
                    let split = toggle.map_or_else(|| want.split.clone(), |toggle| want.split.toggled(toggle));
                    self.known(want.node, &split).is_none() && seen.insert((want.node, split))
                })
                .collect();
            groups.extend(new.chunks(TOGETHER).map(|some| (want, some.to_vec())));
        }
        let value = |(want, toggles): &(&Wanted<'_>, Vec<Option<Toggle>>)| self.valued(want, toggles, run);
        match groups.len() {
            0 => Ok(()),
            1 => value(&groups[0]),
            _ => groups.par_iter().with_max_len(1).try_for_each(value),
        }
    }

    fn valued(&self, want: &Wanted<'_>, toggles: &[Option<Toggle>], run: &Run<'_>) -> Result<()> {
        let node = want.node;
        let found: Vec<(Split, f64)> = self.spaces.with(self.rows.count(), |space| {
            let mut parts = Parts::new(&self.rows, self.numbers[node], want.split, space);
            let value = |&toggle: &Option<Toggle>| {
                run.check()?;
                let (split, factor) = match toggle {
                    None => (want.split.clone(), parts.factor()),
                    Some(toggle) => (want.split.toggled(toggle), parts.factor_toggled(toggle)),
                };
                let nats = self.of_factor(node, &factor).nats;
                parts.give_back(factor);
                Ok((split, nats))
            };
            toggles.iter().map(value).collect::<Result<_>>()
        })?;
        self.known[node].write().unwrap_or_else(PoisonError::into_inner).extend(found);
        Ok(())
    }

    /// A split valued, and not kept.
    pub(super) fn valued_split(&self, node: Node, split: &Split) -> Valued {
        self.spaces.with(self.rows.count(), |space| {
            let mut parts = Parts::new(&self.rows, self.numbers[node], split, space);
            let factor = parts.factor();
            let valued = self.of_factor(node, &factor);
            parts.give_back(factor);
            valued
        })
    }

    fn of_factor(&self, node: Node, factor: &Cholesky) -> Valued {
        let y = self.rows.response(node);
        let mut z = Mat::from_fn(y.len(), 1, |i, _| y[i]);
        factor.forward(z.as_mut());
        let square: f64 = z.col_as_slice(0).iter().map(|z| z * z).sum();
        let price = self.numbers[node].price_around(&self.common);
        if self.rows.is_constant(node) {
            return Valued { nats: -price, square };
        }
        let nats = self.noise.log_likelihood(y.len() as f64, square) - 0.5 * factor.log_determinant() - price;
        Valued { nats, square }
    }

    /// The evidence of a node with a split, its numbers' prior included, with slopes by the logarithms of the numbers.
    pub(super) fn with_slopes(&self, node: Node, split: &Split, numbers: Numbers) -> (Valued, [f64; 4]) {
        self.spaces.with(self.rows.count(), |space| self.with_slopes_in(node, split, numbers, space))
    }

    fn with_slopes_in(&self, node: Node, split: &Split, numbers: Numbers, space: &mut Workspace) -> (Valued, [f64; 4]) {
        let (n, y) = (self.rows.count(), self.rows.response(node));
        // The other joint part is not needed here: the inverse is as large.
        let mut inverse = std::mem::replace(&mut space.other, Mat::new());
        let mut parts = Parts::new(&self.rows, numbers, split, space);
        let factor = parts.factor();
        let Valued { nats, square } = self.of_factor(node, &factor);
        // What `of_factor` took off is the price of the numbers in place.
        let nats = nats + self.numbers[node].price_around(&self.common) - numbers.price_around(&self.common);
        let variance = match self.noise {
            Noise::Shared(variance) => variance,
            Noise::Own => square / n as f64,
        };
        let mut slopes = [0.0; 4];
        if !self.rows.is_constant(node) {
            let alpha = factor.solve(y);
            factor.inverse_into(inverse.as_mut());
            let diagonal = (0..n).map(|i| alpha[i] * alpha[i] / variance - inverse[(i, i)]).sum();
            slopes = parts.contracted(diagonal, |j, weights| {
                let (here, column) = (alpha[j] / variance, &inverse.col_as_slice(j)[j + 1..]);
                for ((weight, alpha), inverse) in weights.iter_mut().zip(&alpha[j + 1..]).zip(column) {
                    *weight = here * alpha - inverse;
                }
            });
        }
        parts.give_back(factor);
        space.other = inverse;
        let prior = numbers.slopes_around(&self.common);
        (Valued { nats, square }, std::array::from_fn(|i| slopes[i] - prior[i]))
    }
}
