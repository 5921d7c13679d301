//! Random forest (Breiman 2001): the mean of regression trees, each grown on a bootstrap sample, every split the best of a
//! few columns drawn at random.
//!
//! Rows left out of a tree's bootstrap sample (about 37 % of them) tell how well it predicts: the out-of-bag error is the
//! forest's own estimate of the residual variance. It contains the error of the mean, so it is a little too large. In-sample
//! predictions are far too close to the responses to be of use for it. The same error chooses the size of the nodes that are
//! not split any more. With nodes of five, as is usual, a forest follows the noise, and any further column, one that carries
//! nothing included, makes its splits more random and so its predictions better: leaving such columns out then looks like a
//! loss, the more surely the more rows there are.
//!
//! For additive means of a bounded number of relevant columns forests are consistent (Scornet, Biau & Vert 2015); for
//! Lipschitz means and related trees the error falls as `n^(-2/(2 + c d))` with a constant `c > 1` (Biau 2012: as
//! `n^(-0.75/(s ln 2 + 0.75))` where splits find the `s` relevant columns).

use faer::MatRef;
use rand::RngExt;
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::tree::{Growth, Ranked, Tree};
use crate::error::{Error, Result, within};
use crate::regress::conditional_mean::predict_by_rows;
use crate::regress::estimator::Estimator;
use crate::regress::unit_scale::UnitScale;
use crate::regress::{ConditionalMean, FittedMean, NoiseVariance};
use crate::run::{Run, Seed};

/// Breiman's smallest node for regression.
const SMALLEST_NODE: usize = 5;

/// A random forest.
///
/// ```
/// use npvar::Seed;
/// use npvar::regress::{ConditionalMean, Forest};
/// let z = faer::Mat::from_fn(200, 1, |i, _| i as f64 / 200.0);
/// let y: Vec<f64> = (0..200).map(|i| (f64::from(i) / 20.0).sin()).collect();
/// let fitted = Forest { seed: Seed(1), ..Forest::default() }.fit(z.as_ref(), &y)?.predict(z.as_ref());
/// assert!(fitted.iter().zip(&y).all(|(fit, y)| (fit - y).abs() < 0.2));
/// # Ok::<(), npvar::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Forest {
    /// Trees.
    pub trees: usize,
    /// Columns drawn at every split; without a number, a third of them.
    pub mtry: Option<usize>,
    /// Nodes with at most this many rows are not split; without a number, what suits the rows left out best.
    pub min_node: Option<usize>,
    /// What bootstrap samples and columns are drawn from; set by whoever runs the regression.
    #[serde(skip)]
    pub seed: Seed,
}

impl Default for Forest {
    /// A third of the columns, as Breiman's; nodes of 5, his, or of twice that many, and so on.
    fn default() -> Self {
        Forest { trees: 300, mtry: None, min_node: None, seed: Seed(0) }
    }
}

/// A grown forest.
#[derive(Debug, Clone)]
pub struct FittedForest {
    scale: UnitScale,
    trees: Vec<Tree>,
    min_node: usize,
    out_of_bag: Vec<Option<f64>>,
    noise_variance: f64,
}

impl Forest {
    /// The sizes of nodes to choose from, the smallest first.
    fn node_sizes(&self, n: usize) -> Vec<usize> {
        match self.min_node {
            Some(size) => vec![size],
            None => {
                std::iter::successors(Some(SMALLEST_NODE), |size| Some(2 * size).filter(|size| 4 * size <= n)).collect()
            }
        }
    }

    /// Grows the forest; unlike [`ConditionalMean::fit`] the result says more than its predictions.
    ///
    /// # Errors
    /// [`Error::TooFewSamples`] when there are fewer than five rows.
    pub fn fit_forest(&self, z: MatRef<'_, f64>, y: &[f64]) -> Result<FittedForest> {
        self.fit_forest_during(z, y, &Run::new(Seed(0)))
    }

    fn fit_forest_during(&self, z: MatRef<'_, f64>, y: &[f64], run: &Run<'_>) -> Result<FittedForest> {
        self.check()?;
        let n = y.len();
        if n < 5 {
            return Err(Error::TooFewSamples { what: "a random forest", needed: 5, n });
        }
        let scale = UnitScale::of(z);
        let rows = scale.rows(z);
        let candidates = self.mtry.unwrap_or(rows.width() / 3).clamp(1, rows.width().max(1));
        let sizes = self.node_sizes(n);
        let growth = Growth { candidates, min_node: sizes[0] };
        let ranked = Ranked::new(&rows);
        let grown: Vec<(Tree, Vec<bool>)> = (0..self.trees)
            .into_par_iter()
            .map(|index| {
                run.check()?;
                let mut rng = self.seed.child("tree", index).rng();
                let sample: Vec<usize> = (0..n).map(|_| rng.random_range(0..n)).collect();
                let mut in_bag = vec![false; n];
                sample.iter().for_each(|&row| in_bag[row] = true);
                Ok((Tree::grow(&ranked, y, sample, growth, &mut rng), in_bag))
            })
            .collect::<Result<_>>()?;
        // A tree of larger nodes is the same tree cut short, so that one forest tells of all sizes.
        let unseen: Vec<(usize, Vec<f64>)> = (0..n)
            .into_par_iter()
            .map(|i| {
                run.check()?;
                let (mut count, mut sums) = (0, vec![0.0; sizes.len()]);
                for (tree, _) in grown.iter().filter(|(_, in_bag)| !in_bag[i]) {
                    count += 1;
                    tree.add_at_each(rows.row(i), &sizes, &mut sums);
                }
                Ok((count, sums))
            })
            .collect::<Result<_>>()?;
        let fits =
            |size: usize| unseen.iter().map(move |(count, sums)| (*count > 0).then(|| sums[size] / *count as f64));
        let predicted = unseen.iter().filter(|(count, _)| *count > 0).count();
        if predicted == 0 {
            return Err(Error::TooFewSamples { what: "an out-of-bag error", needed: 5, n });
        }
        let error = |size: usize| {
            let squares = fits(size).zip(y).filter_map(|(fit, y)| Some((y - fit?).powi(2)));
            squares.sum::<f64>() / predicted as f64
        };
        let errors: Vec<f64> = (0..sizes.len()).map(error).collect();
        let best = (0..sizes.len()).min_by(|&a, &b| errors[a].total_cmp(&errors[b])).unwrap_or(0);
        Ok(FittedForest {
            scale,
            min_node: sizes[best],
            out_of_bag: fits(best).collect(),
            noise_variance: errors[best],
            trees: grown.into_iter().map(|(tree, _)| tree).collect(),
        })
    }
}

impl FittedForest {
    /// For every row of the sample, the mean of the trees that have not seen it; none where every tree has.
    pub fn out_of_bag(&self) -> &[Option<f64>] {
        &self.out_of_bag
    }

    /// The mean squared out-of-bag error.
    pub fn noise_variance(&self) -> f64 {
        self.noise_variance
    }
}

impl FittedMean for FittedForest {
    fn predict(&self, z: MatRef<'_, f64>) -> Vec<f64> {
        let points = self.scale.rows(z);
        let sum = |i: usize| self.trees.iter().map(|tree| tree.at(points.row(i), self.min_node)).sum::<f64>();
        let at = |i: usize| sum(i) / self.trees.len() as f64;
        (0..points.len()).into_par_iter().map(at).collect()
    }

    fn predict_during(&self, z: MatRef<'_, f64>, run: &Run<'_>) -> Result<Vec<f64>> {
        predict_by_rows(self, z, run)
    }
}

impl Estimator for Forest {
    fn check(&self) -> Result<()> {
        within("trees", (10..=100_000).contains(&self.trees), "must be between 10 and 100000", self.trees)?;
        within("mtry", self.mtry != Some(0), "must be at least 1", self.mtry.unwrap_or(0))?;
        within("min-node", self.min_node != Some(0), "must be at least 1", self.min_node.unwrap_or(0))
    }

    fn conditional_mean(&self, seed: Seed) -> Box<dyn ConditionalMean + '_> {
        Box::new(Forest { seed, ..*self })
    }

    fn noise_estimator(&self, seed: Seed) -> Option<Box<dyn NoiseVariance>> {
        Some(Box::new(Forest { seed, ..*self }))
    }
}

impl ConditionalMean for Forest {
    fn fit(&self, z: MatRef<'_, f64>, y: &[f64]) -> Result<Box<dyn FittedMean>> {
        Ok(Box::new(self.fit_forest(z, y)?))
    }

    fn fit_during(&self, z: MatRef<'_, f64>, y: &[f64], run: &Run<'_>) -> Result<Box<dyn FittedMean>> {
        Ok(Box::new(self.fit_forest_during(z, y, run)?))
    }
}

impl NoiseVariance for Forest {
    fn noise_variance(&self, z: MatRef<'_, f64>, y: &[f64]) -> Result<f64> {
        Ok(self.fit_forest(z, y)?.noise_variance())
    }

    fn noise_variance_during(&self, z: MatRef<'_, f64>, y: &[f64], run: &Run<'_>) -> Result<f64> {
        Ok(self.fit_forest_during(z, y, run)?.noise_variance())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn out_of_bag_predictions_are_farther_from_the_responses_than_in_sample_ones() {
        let z = faer::Mat::from_fn(150, 2, |i, j| ((i * (7 + j)) % 150) as f64);
        let y: Vec<f64> = (0..150).map(|i| z[(i, 0)] / 40.0 + ((i * i * 31) % 101) as f64 / 101.0).collect();
        let forest = Forest { trees: 50, ..Forest::default() }.fit_forest(z.as_ref(), &y).expect("150 rows");
        let in_sample: f64 =
            forest.predict(z.as_ref()).iter().zip(&y).map(|(fit, y)| (fit - y).powi(2)).sum::<f64>() / 150.0;
        assert!(forest.out_of_bag().iter().all(Option::is_some));
        // noise: uniform on [0, 1], variance 1/12
        assert!(in_sample < 1.0 / 12.0 && forest.noise_variance() > 1.0 / 14.0);
        assert!(forest.noise_variance() < 1.0 / 5.0, "{}", forest.noise_variance());
    }

    #[test]
    fn nodes_are_as_large_as_the_rows_left_out_ask_for() {
        let z = faer::Mat::from_fn(200, 1, |i, _| ((i * 7) % 200) as f64);
        let mut rng = Seed(5).rng();
        let noise: Vec<f64> = (0..200).map(|_| rng.random_range(-1.0..1.0)).collect();
        let chosen = |y: Vec<f64>| {
            let forest = |min_node| Forest { trees: 50, min_node, ..Forest::default() };
            let fitted = forest(None).fit_forest(z.as_ref(), &y).expect("200 rows");
            let fixed = forest(Some(fitted.min_node)).fit_forest(z.as_ref(), &y).expect("200 rows");
            // Only the random columns of deeper splits differ, and there is one column.
            assert!((fixed.noise_variance() - fitted.noise_variance()).abs() < 1e-12);
            assert!(
                fitted.noise_variance()
                    <= forest(Some(5)).fit_forest(z.as_ref(), &y).expect("200 rows").noise_variance()
            );
            fitted.min_node
        };
        assert_eq!(chosen((0..200).map(|i| (z[(i, 0)] / 8.0).sin()).collect()), 5, "a function without noise");
        assert!(chosen(noise) >= 20, "noise without a function");
    }

    #[test]
    fn a_seed_is_a_forest() {
        let z = faer::Mat::from_fn(60, 2, |i, j| ((i * (7 + j)) % 60) as f64);
        let y: Vec<f64> = (0..60).map(|i| (i % 11) as f64).collect();
        let with = |seed: u64| {
            let forest = Forest { trees: 10, seed: Seed(seed), ..Forest::default() };
            forest.fit(z.as_ref(), &y).expect("60 rows").predict(z.as_ref())
        };
        assert_eq!(with(1), with(1));
        assert_ne!(with(1), with(2));
    }
}
