//! Residual variances from nearest neighbours, without any estimate of the mean.
//!
//! A row and its nearest neighbour in the ancestral set have nearly the same mean and independent noise. With `y'` and `y''`
//! the responses of a row's nearest and second nearest neighbour, and `y` centred at its mean:
//!
//! ```text
//! product          mean( y (y − y') )             Devroye, Györfi, Lugosi & Walk (2018), "A nearest neighbor estimate of the residual variance"
//! difference       ½ mean( (y − y')² )            Devroye, Schäfer, Györfi & Walk (2003)
//! two-neighbours   mean( (y − y') (y − y'') )     Evans & Jones (2008); Liitiäinen, Verleysen, Corona & Lendasse (2009)
//! ```
//!
//! All are unbiased but for the distance to the neighbours, which falls as `n^(−1/m)` with `m` ancestors: for a smooth mean
//! the bias of the last two falls as `n^(−2/m)`. The product's standard error is `O(n^(−1/2))` whatever `m`.
//!
//! Distances are Euclidean between columns divided by their standard deviations. Rows at the same distance (few-valued
//! columns) are told apart by who comes next after the row itself, so that no row serves as everyone's neighbour. Cost:
//! `O(n² m)` per step for all targets together.

use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Conditioning;
use super::regressions::sample_variance;
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::graph::Node;
use crate::run::Run;

/// What is formed from a row and its neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NeighbourForm {
    /// `y (y − y')` (Devroye et al. 2018).
    #[default]
    Product,
    /// `½ (y − y')²` (Devroye et al. 2003).
    Difference,
    /// `(y − y') (y − y'')` (Evans & Jones 2008).
    TwoNeighbours,
}

/// Nearest neighbours in a growing ancestral set.
pub struct NearestNeighbour<'a> {
    data: &'a Dataset,
    form: NeighbourForm,
    /// Columns of the ancestral set that vary, divided by their standard deviations.
    scaled: Vec<Vec<f64>>,
    /// Every row's nearest and second nearest neighbour; none while nothing varies.
    neighbours: Vec<[usize; 2]>,
}

impl<'a> NearestNeighbour<'a> {
    /// Begins at the empty ancestral set.
    ///
    /// # Errors
    /// [`Error::TooFewSamples`] when a row has no two neighbours.
    pub fn new(data: &'a Dataset, form: NeighbourForm) -> Result<Self> {
        if data.n() < 3 {
            return Err(Error::TooFewSamples { what: "nearest neighbours", needed: 3, n: data.n() });
        }
        Ok(NearestNeighbour { data, form, scaled: Vec::new(), neighbours: Vec::new() })
    }

    /// The two rows nearest to `row`.
    fn nearest(&self, row: usize) -> [usize; 2] {
        let n = self.data.n();
        let mut nearest = [(f64::INFINITY, row); 2];
        for step in 1..n {
            let other = (row + step) % n;
            let distance: f64 = self.scaled.iter().map(|column| (column[row] - column[other]).powi(2)).sum();
            if distance < nearest[0].0 {
                nearest = [(distance, other), nearest[0]];
            } else if distance < nearest[1].0 {
                nearest[1] = (distance, other);
            }
        }
        nearest.map(|(_, row)| row)
    }

    fn variance(&self, target: Node) -> f64 {
        let column = self.data.column(target);
        if self.neighbours.is_empty() {
            return sample_variance(column);
        }
        let n = column.len() as f64;
        let mean = column.iter().sum::<f64>() / n;
        let y = |row: usize| column[row] - mean;
        let of_row = |(row, &[first, second]): (usize, &[usize; 2])| match self.form {
            NeighbourForm::Product => y(row) * (y(row) - y(first)),
            NeighbourForm::Difference => 0.5 * (y(row) - y(first)).powi(2),
            NeighbourForm::TwoNeighbours => (y(row) - y(first)) * (y(row) - y(second)),
        };
        self.neighbours.iter().enumerate().map(of_row).sum::<f64>() / n
    }
}

impl Conditioning for NearestNeighbour<'_> {
    fn extend(&mut self, layer: &[Node], run: &Run<'_>) -> Result<()> {
        for &node in layer {
            let column = self.data.column(node);
            let deviation = sample_variance(column).sqrt();
            if deviation > 0.0 {
                self.scaled.push(column.iter().map(|x| x / deviation).collect());
            }
        }
        if !self.scaled.is_empty() {
            let nearest = |row| {
                run.check()?;
                Ok(self.nearest(row))
            };
            self.neighbours = (0..self.data.n()).into_par_iter().map(nearest).collect::<Result<_>>()?;
        }
        Ok(())
    }

    fn variances(&mut self, targets: &[Node], run: &Run<'_>) -> Result<Vec<f64>> {
        run.check()?;
        Ok(targets.par_iter().map(|&target| self.variance(target)).collect())
    }
}
