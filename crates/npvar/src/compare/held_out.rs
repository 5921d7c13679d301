//! Every node given any parents, on rows that its regression has not seen.
//!
//! Linear and additive regressions need no rows but for their predictions: the Gram matrix of all folds but one is the sum of the
//! others'. Where a spline has seen nothing it goes on as at the last value it has seen, since its slope there may be anything. Joint regressions are Gaussian processes through inducing points, fitted to the other folds' rows. What was asked once is
//! kept: graphs share most of their parent sets.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use rand::seq::SliceRandom;
use rayon::prelude::*;

use super::density::{DETERMINED, Folds};
use super::model::{Law, Mean, Model};
use crate::data::{Dataset, random_folds, summarise};
use crate::error::Result;
use crate::graph::{Dag, Node};
use crate::regress::gp::{Effort, Gp};
use crate::regress::{AdditiveFit, Smoothing};
use crate::run::Run;
use crate::smooth::{AdditiveGram, Basis, FewValued, RawGram, SmoothSpec};

/// Folds of the sample.
const FOLDS: usize = 5;
/// Rows that residuals are tested on at most, drawn at random: the cost grows with their square.
pub(super) const TESTED: usize = 500;
/// The paper's basis.
const FUNCTIONS: usize = 10;
/// Effort of a joint regression: twenty iterations reach the likelihood to about a nat.
const PROCESS: Gp =
    Gp { effort: Effort { iterations: 20, nats: 0.2, length_rate: 1.0 }, exact_rows: 150, inducing_points: 80 };

/// A node given its parents.
#[derive(Debug)]
pub(super) struct Fitted {
    /// Held-out residuals.
    pub(super) residuals: Vec<f64>,
    /// Log densities of the residuals under Gaussian noise of the node's own variance, and under noise of any law.
    own: Vec<f64>,
    any: Vec<f64>,
}

type Key = (Node, Vec<Node>, Mean);

/// The sample in folds, and everything that was asked about it.
pub(super) struct HeldOutRows {
    data: Dataset,
    fold_of: Vec<usize>,
    linear: Grams,
    additive: Grams,
    /// Columns that vary.
    varying: Vec<Node>,
    /// The least residual variance of every column.
    floors: Vec<f64>,
    /// The smallest and the largest value of every column outside each fold.
    ranges: Vec<Vec<(f64, f64)>>,
    /// The rows that residuals are tested on, increasing.
    tested: Vec<usize>,
    known: Mutex<HashMap<Key, Arc<Fitted>>>,
}

/// The Gram matrices of all folds but one.
struct Grams {
    bases: Arc<[Basis]>,
    without: Vec<AdditiveGram>,
}

impl Grams {
    fn of(data: &Dataset, spec: SmoothSpec, fold_of: &[usize], run: &Run<'_>) -> Result<Self> {
        let columns = summarise(data, run)?;
        let parts = RawGram::of_parts(data, (FOLDS, &|row| fold_of[row]), spec, &columns, run)?;
        let without = (0..FOLDS).map(|fold| {
            let mut others = RawGram::for_columns(spec, &columns);
            parts.iter().enumerate().filter(|(part, _)| *part != fold).try_for_each(|(_, part)| others.merge(part))?;
            Ok(AdditiveGram::new(&others))
        });
        Ok(Grams { without: without.collect::<Result<_>>()?, bases: parts[0].bases().clone() })
    }
}

impl HeldOutRows {
    pub(super) fn new(data: Dataset, run: &Run<'_>) -> Result<Self> {
        let fold_of = random_folds(data.n(), FOLDS, run.seed.child("folds", 0));
        let variances = data.variances();
        let mut tested: Vec<usize> = (0..data.n()).collect();
        tested.shuffle(&mut run.seed.child("rows tested", 0).rng());
        tested.truncate(TESTED);
        tested.sort_unstable();
        Ok(HeldOutRows {
            tested,
            ranges: (0..data.d()).map(|node| ranges(data.column(node), &fold_of)).collect(),
            linear: Grams::of(&data, SmoothSpec::Line, &fold_of, run)?,
            additive: Grams::of(&data, SmoothSpec::spline(FUNCTIONS, FewValued::Saturated), &fold_of, run)?,
            varying: (0..data.d()).filter(|&node| variances[node] > 0.0).collect(),
            floors: variances.iter().map(|variance| DETERMINED * variance).collect(),
            known: Mutex::default(),
            fold_of,
            data,
        })
    }

    /// The sample.
    pub(super) fn data(&self) -> &Dataset {
        &self.data
    }

    /// A column's values in the rows that are tested; `values` has one for every row.
    pub(super) fn tested(&self, values: &[f64]) -> Vec<f64> {
        self.tested.iter().map(|&row| values[row]).collect()
    }

    /// The columns that vary; the others have no likelihood to speak of.
    pub(super) fn varying(&self) -> &[Node] {
        &self.varying
    }

    fn folds(&self) -> Folds<'_> {
        Folds { of_row: &self.fold_of, count: FOLDS }
    }

    /// How far the logarithms of the nodes' noise variances are spread under a graph: their standard deviation.
    pub(super) fn spread_of_variances(&self, dag: &Dag, mean: Mean, run: &Run<'_>) -> Result<f64> {
        let logarithms: Vec<f64> = (self.fits(dag, mean, run)?.iter().zip(&self.varying))
            .map(|(fit, &node)| {
                let square = fit.residuals.iter().map(|residual| residual * residual).sum::<f64>();
                (square / self.data.n() as f64).max(self.floors[node]).ln()
            })
            .collect();
        let nodes = logarithms.len().max(1) as f64;
        let mean = logarithms.iter().sum::<f64>() / nodes;
        Ok((logarithms.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / nodes).sqrt())
    }

    /// Every varying node of a graph given its parents.
    pub(super) fn fits(&self, dag: &Dag, mean: Mean, run: &Run<'_>) -> Result<Vec<Arc<Fitted>>> {
        let fit = |&node: &Node| self.fit(node, dag.parents(node).ones().collect(), mean, run);
        self.varying.par_iter().with_max_len(1).map(fit).collect()
    }

    /// The log likelihood of every row.
    pub(super) fn rows(&self, dag: &Dag, model: Model, run: &Run<'_>) -> Result<Vec<f64>> {
        let fits = self.fits(dag, model.mean, run)?;
        let mut sums = vec![0.0; self.data.n()];
        let mut add = |values: &[f64]| sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
        match model.law {
            Law::Own => fits.iter().for_each(|fit| add(&fit.own)),
            Law::Any => fits.iter().for_each(|fit| add(&fit.any)),
            Law::Shared => {
                let folds = self.folds();
                let mut shared = [0.0; FOLDS];
                for (fit, &node) in fits.iter().zip(&self.varying) {
                    let own = folds.variances(&fit.residuals, self.floors[node]);
                    shared.iter_mut().zip(own).for_each(|(sum, variance)| *sum += variance / fits.len() as f64);
                }
                fits.iter().for_each(|fit| add(&folds.gaussian(&fit.residuals, &shared)));
            }
        }
        Ok(sums)
    }

    fn fit(&self, node: Node, parents: Vec<Node>, mean: Mean, run: &Run<'_>) -> Result<Arc<Fitted>> {
        // Of one parent alone nothing joint can be found, and of none nothing at all.
        let mean = match (mean, parents.len()) {
            (_, 0) => Mean::Linear,
            (Mean::Joint, 1) => Mean::Additive,
            (mean, _) => mean,
        };
        let key = (node, parents, mean);
        if let Some(known) = self.known.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return Ok(known.clone());
        }
        run.check()?;
        let predicted = match mean {
            Mean::Linear => self.predicted(&self.linear, node, &key.1, Smoothing::Fixed, |_, x, _| x),
            Mean::Additive => {
                let seen = |parent: Node, x: f64, fold: usize| {
                    let (least, most) = self.ranges[parent][fold];
                    x.clamp(least, most)
                };
                self.predicted(&self.additive, node, &key.1, Smoothing::Reml, seen)
            }
            Mean::Joint => {
                let z = self.data.matrix(&key.1);
                PROCESS.held_out(z.as_ref(), self.data.column(node), &self.fold_of, run)?
            }
        };
        let residuals: Vec<f64> = self.data.column(node).iter().zip(predicted).map(|(y, mean)| y - mean).collect();
        let (folds, floor) = (self.folds(), self.floors[node]);
        let own = folds.gaussian(&residuals, &folds.variances(&residuals, floor));
        let any = folds.any_law(&residuals, floor);
        let fitted = Arc::new(Fitted { residuals, own, any });
        self.known.lock().unwrap_or_else(PoisonError::into_inner).insert(key, fitted.clone());
        Ok(fitted)
    }

    /// What each row's regression, which has not seen its fold, makes of it; `seen` makes of a parent's value, for a fold, where
    /// its function is evaluated.
    fn predicted(
        &self,
        grams: &Grams,
        node: Node,
        parents: &[Node],
        smoothing: Smoothing,
        seen: impl Fn(Node, f64, usize) -> f64,
    ) -> Vec<f64> {
        let functions: Vec<(f64, Vec<Vec<f64>>)> = (grams.without.iter())
            .map(|gram| {
                let fit = AdditiveFit::smoothed(gram, parents, node, smoothing, 0.0);
                let raw = (parents.iter().enumerate())
                    .map(|(term, &parent)| gram.term(parent).raw_coefficients(fit.coefficients(term)));
                (fit.intercept(), raw.collect())
            })
            .collect();
        let mut predicted: Vec<f64> = self.fold_of.iter().map(|&fold| functions[fold].0).collect();
        for (term, &parent) in parents.iter().enumerate() {
            let basis = &grams.bases[parent];
            for ((value, &x), &fold) in predicted.iter_mut().zip(self.data.column(parent)).zip(&self.fold_of) {
                let (cell, weights) = basis.evaluate(seen(parent, x, fold));
                let raw = &functions[fold].1[term];
                if !raw.is_empty() {
                    *value += weights.iter().zip(&raw[cell..]).map(|(weight, c)| weight * c).sum::<f64>();
                }
            }
        }
        predicted
    }
}

/// The smallest and the largest of the values outside each fold.
fn ranges(values: &[f64], fold_of: &[usize]) -> Vec<(f64, f64)> {
    let outside = |fold: usize| values.iter().zip(fold_of).filter(move |(_, of)| **of != fold).map(|(value, _)| *value);
    (0..FOLDS)
        .map(|fold| (outside(fold).fold(f64::INFINITY, f64::min), outside(fold).fold(f64::NEG_INFINITY, f64::max)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Seed;

    #[test]
    fn a_spline_that_has_not_seen_so_far_out_does_not_go_on_by_its_slope() {
        // A sine with steep ends, and one value far beyond them whose effect is as small as any.
        let mut x: Vec<f64> = (0..200).map(|row| -3.0 + 6.0 * f64::from(row) / 199.0).collect();
        x[70] = 30.0;
        let y: Vec<f64> = x.iter().enumerate().map(|(row, x)| x.sin() + 0.1 * (1.7 * row as f64).sin()).collect();
        let data = Dataset::new(vec!["x".to_owned(), "y".to_owned()], vec![x, y]).unwrap();
        let run = Run::new(Seed(1));
        let rows = HeldOutRows::new(data, &run).unwrap();
        let fits = rows.fits(&Dag::from_edges(2, [(0, 1)]).unwrap(), Mean::Additive, &run).unwrap();
        assert!(fits[1].residuals[70].abs() < 3.0, "{}", fits[1].residuals[70]);
    }
}
