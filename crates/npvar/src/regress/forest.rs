//! Random forest (Breiman 2001): the mean of regression trees, each grown on a bootstrap sample, every split the best of a
//! few columns drawn at random.
//!
//! Rows left out of a tree's bootstrap sample (about 37 % of them) tell how well it predicts: the out-of-bag error is the
//! forest's own estimate of the residual variance. It contains the error of the mean, so it is a little too large. In-sample
//! predictions are far too close to the responses to be of use for it.
//!
//! For additive means of a bounded number of relevant columns forests are consistent (Scornet, Biau & Vert 2015); for
//! Lipschitz means and related trees the error falls as `n^(-2/(2 + c d))` with a constant `c > 1` (Biau 2012: as
//! `n^(-0.75/(s ln 2 + 0.75))` where splits find the `s` relevant columns).

use faer::MatRef;
use rand::RngExt;
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::range::within;
use super::tree::{Growth, Tree};
use super::unit_scale::UnitScale;
use super::{ConditionalMean, FittedMean, NoiseVariance};
use crate::error::{Error, Result};
use crate::run::Seed;

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
    /// Nodes with at most this many rows are not split.
    pub min_node: usize,
    /// What bootstrap samples and columns are drawn from; set by whoever runs the regression.
    #[serde(skip)]
    pub seed: Seed,
}

impl Default for Forest {
    /// Breiman's for regression: a third of the columns, nodes of 5.
    fn default() -> Self {
        Forest { trees: 300, mtry: None, min_node: 5, seed: Seed(0) }
    }
}

/// A grown forest.
#[derive(Debug, Clone)]
pub struct FittedForest {
    scale: UnitScale,
    trees: Vec<Tree>,
    out_of_bag: Vec<Option<f64>>,
    noise_variance: f64,
}

impl Forest {
    /// Whether every option is in its range.
    ///
    /// # Errors
    /// [`Error::InvalidOption`] for the first that is not.
    pub fn check(&self) -> Result<()> {
        within("trees", (10..=100_000).contains(&self.trees), "must be between 10 and 100000", self.trees)?;
        within("mtry", self.mtry != Some(0), "must be at least 1", self.mtry.unwrap_or(0))?;
        within("min-node", self.min_node >= 1, "must be at least 1", self.min_node)
    }

    /// Grows the forest; unlike [`ConditionalMean::fit`] the result says more than its predictions.
    ///
    /// # Errors
    /// [`Error::TooFewSamples`] when there are fewer than five rows.
    pub fn fit_forest(&self, z: MatRef<'_, f64>, y: &[f64]) -> Result<FittedForest> {
        self.check()?;
        let n = y.len();
        if n < 5 {
            return Err(Error::TooFewSamples { what: "a random forest", needed: 5, n });
        }
        let scale = UnitScale::of(z);
        let rows = scale.rows(z);
        let candidates = self.mtry.unwrap_or(rows.width() / 3).clamp(1, rows.width().max(1));
        let growth = Growth { candidates, min_node: self.min_node };
        let grown: Vec<(Tree, Vec<bool>)> = (0..self.trees)
            .into_par_iter()
            .map(|index| {
                let mut rng = self.seed.child("tree", index).rng();
                let sample: Vec<usize> = (0..n).map(|_| rng.random_range(0..n)).collect();
                let mut in_bag = vec![false; n];
                sample.iter().for_each(|&row| in_bag[row] = true);
                (Tree::grow(&rows, y, sample, growth, &mut rng), in_bag)
            })
            .collect();
        let out_of_bag: Vec<Option<f64>> = (0..n)
            .into_par_iter()
            .map(|i| {
                let unseen: Vec<f64> =
                    grown.iter().filter(|(_, in_bag)| !in_bag[i]).map(|(tree, _)| tree.at(rows.row(i))).collect();
                (!unseen.is_empty()).then(|| unseen.iter().sum::<f64>() / unseen.len() as f64)
            })
            .collect();
        let errors: Vec<f64> = out_of_bag.iter().zip(y).filter_map(|(fit, y)| Some((y - (*fit)?).powi(2))).collect();
        if errors.is_empty() {
            return Err(Error::TooFewSamples { what: "an out-of-bag error", needed: 5, n });
        }
        let noise_variance = errors.iter().sum::<f64>() / errors.len() as f64;
        Ok(FittedForest { scale, trees: grown.into_iter().map(|(tree, _)| tree).collect(), out_of_bag, noise_variance })
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
        let at = |i: usize| self.trees.iter().map(|tree| tree.at(points.row(i))).sum::<f64>() / self.trees.len() as f64;
        (0..points.len()).into_par_iter().map(at).collect()
    }
}

impl ConditionalMean for Forest {
    fn fit(&self, z: MatRef<'_, f64>, y: &[f64]) -> Result<Box<dyn FittedMean>> {
        Ok(Box::new(self.fit_forest(z, y)?))
    }
}

impl NoiseVariance for Forest {
    fn noise_variance(&self, z: MatRef<'_, f64>, y: &[f64]) -> Result<f64> {
        Ok(self.fit_forest(z, y)?.noise_variance())
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
