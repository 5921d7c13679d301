//! GRID (Giordano, Lahiri & Parrella 2020): tells irrelevant, linear and nonlinear columns apart by empirical-likelihood
//! tests of local linear fits whose other bandwidths are infinite, then fits a local line in the columns that remain.
//!
//! For column `k` and a value `c`, the local linear fit with a finite bandwidth in `k` only has the derivative
//! `∂m̂/∂h_k = Σ_i w_i u_ik² a_i e_i` by that bandwidth (see [`super::local_fit`]), which has mean zero where the mean is a
//! line along `k` around `c`. Its terms are tested by empirical likelihood ([`super::empirical_likelihood`]), which needs
//! no estimate of the noise. A column is
//! - nonlinear when such a derivative is not zero for some `c`, or when it takes part in an interaction: around some value
//!   of one column, what an additive model leaves over has a slope or a curvature along the other;
//! - linear when it is not nonlinear but has a slope;
//! - irrelevant otherwise.
//!
//! Nonlinear columns get bandwidths by the corrected Akaike criterion, linear ones enter the line with an infinite bandwidth,
//! irrelevant ones are left out. With `r` nonlinear columns the error falls as `n^(-4/(4 + r))`, as if they were known (the
//! paper's oracle property).
//!
//! This keeps the paper's ingredients and its classes, not its every step:
//! - The paper tests marginal regressions on one column at a time. Here the other columns' terms of an additive model are
//!   taken off the response first, because columns of a graph depend on each other and a marginal curve may be a parent's.
//! - The paper finds interactions from how derivatives change with further bandwidths and draws them as a grid; here they
//!   are tested pair by pair on what the additive model leaves over.
//! - Levels are divided by the number of tests (Bonferroni); the paper's thresholds grow with the sample.

use faer::MatRef;
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::bandwidths::{Quality, choose};
use super::empirical_likelihood::p_value_of_zero_mean;
use super::local_fit::{Degree, LocalFit, Widths};
use crate::error::{Error, Result, within};
use crate::regress::additive::{FittedGam, Gam};
use crate::regress::conditional_mean::predict_by_rows;
use crate::regress::estimator::Estimator;
use crate::regress::relevance::{ChoosesColumns, Relevance, SelectsVariables};
use crate::regress::unit_scale::{Rows, UnitScale};
use crate::regress::{ConditionalMean, FittedMean, Linear, NoiseVariance};
use crate::run::{Run, Seed};

/// A window with less than this many rows' worth of weight is not tested.
const FEWEST_ROWS: f64 = 20.0;

/// Local linear regression in the columns that tests leave.
///
/// ```
/// use npvar::regress::{Grid, Relevance, SelectsVariables};
/// let z = faer::Mat::from_fn(400, 3, |i, j| ((i * [1, 7, 11][j]) % 397) as f64 / 397.0);
/// let noise = |i: usize| ((i * i * 31) % 1009) as f64 / 10090.0;
/// let y: Vec<f64> = (0..400).map(|i| (6.0 * z[(i, 0)]).sin() + z[(i, 2)] + noise(i)).collect();
/// let fitted = Grid::default().fit_grid(z.as_ref(), &y)?;
/// assert_eq!(fitted.relevance(), [Relevance::Nonlinear, Relevance::Irrelevant, Relevance::Linear]);
/// # Ok::<(), npvar::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Grid {
    /// The probability of calling any irrelevant column relevant, for each of the three kinds of tests.
    pub level: f64,
    /// The bandwidth of the column under test, in standard deviations.
    pub bandwidth: f64,
    /// Values of a column at which it is tested: this many quantiles.
    pub evaluation_points: usize,
    /// The criterion of the final bandwidths is averaged over at most this many rows.
    pub criterion_rows: usize,
}

impl Default for Grid {
    /// Windows a standard deviation wide; a level of 0.01.
    fn default() -> Self {
        Grid { level: 0.01, bandwidth: 0.5, evaluation_points: 5, criterion_rows: 400 }
    }
}

/// A fitted GRID.
#[derive(Debug, Clone)]
pub struct FittedGrid {
    scale: UnitScale,
    relevance: Vec<Relevance>,
    relevant: Vec<usize>,
    rows: Rows,
    y: Vec<f64>,
    bandwidths: Vec<f64>,
    widths: Widths,
    quality: Quality,
}

impl Grid {
    /// Classifies the columns and fits; unlike [`ConditionalMean::fit`] the result says more than its predictions.
    ///
    /// # Errors
    /// [`Error::TooFewSamples`] when there are fewer than four rows more than columns, or than 20.
    pub fn fit_grid(&self, z: MatRef<'_, f64>, y: &[f64]) -> Result<FittedGrid> {
        self.fit_grid_during(z, y, &Run::new(Seed(0)))
    }

    fn fit_grid_during(&self, z: MatRef<'_, f64>, y: &[f64], run: &Run<'_>) -> Result<FittedGrid> {
        self.check()?;
        let (n, scale) = (y.len(), UnitScale::of(z));
        let needed = (scale.varying().len() + 4).max(FEWEST_ROWS as usize);
        if n < needed {
            return Err(Error::TooFewSamples { what: "GRID", needed, n });
        }
        let relevance = self.classify(z, y, &scale, run)?;
        let relevant: Vec<usize> = (0..z.ncols()).filter(|&j| relevance[j] != Relevance::Irrelevant).collect();
        let rows = scale.rows(z).columns(&relevant);
        let free: Vec<usize> =
            (0..relevant.len()).filter(|&slot| relevance[relevant[slot]] == Relevance::Nonlinear).collect();
        let bandwidths = choose(&rows, y, &free, Degree::Linear, self.criterion_rows, run)?;
        let quality = Quality::of(&rows, y, &bandwidths, Degree::Linear, self.criterion_rows, run)?;
        let widths = Widths::new(&bandwidths);
        Ok(FittedGrid { scale, relevance, relevant, rows, y: y.to_vec(), bandwidths, widths, quality })
    }

    fn classify(&self, z: MatRef<'_, f64>, y: &[f64], scale: &UnitScale, run: &Run<'_>) -> Result<Vec<Relevance>> {
        let columns = scale.varying();
        let mut relevance = vec![Relevance::Irrelevant; z.ncols()];
        run.check()?;
        let tests = Tests::new(self, z, y, scale)?;
        let nonlinear: Vec<bool> = columns.par_iter().map(|&column| tests.bends(column, run)).collect::<Result<_>>()?;
        let sloped: Vec<bool> = columns.par_iter().map(|&column| tests.slopes(z, column)).collect::<Result<_>>()?;
        for (slot, &column) in columns.iter().enumerate() {
            if nonlinear[slot] {
                relevance[column] = Relevance::Nonlinear;
            } else if sloped[slot] {
                relevance[column] = Relevance::Linear;
            }
        }
        let pairs: Vec<(usize, usize)> =
            columns.iter().flat_map(|&a| columns.iter().map(move |&b| (a, b))).filter(|(a, b)| a != b).collect();
        let interact = |&(at, along): &(usize, usize)| tests.interact(at, along, run);
        let interacting: Vec<bool> = pairs.par_iter().map(interact).collect::<Result<_>>()?;
        for ((at, along), _) in pairs.into_iter().zip(interacting).filter(|(_, interacting)| *interacting) {
            relevance[at] = Relevance::Nonlinear;
            relevance[along] = Relevance::Nonlinear;
        }
        Ok(relevance)
    }
}

/// What the tests look at.
struct Tests<'a> {
    options: &'a Grid,
    rows: Rows,
    y: &'a [f64],
    additive: FittedGam,
    z: MatRef<'a, f64>,
    left_over: Vec<f64>,
    columns: usize,
}

impl<'a> Tests<'a> {
    fn new(options: &'a Grid, z: MatRef<'a, f64>, y: &'a [f64], scale: &UnitScale) -> Result<Self> {
        let additive = Gam::default().fit_gam(z, y)?;
        let left_over = additive.predict(z).iter().zip(y).map(|(fit, y)| y - fit).collect();
        Ok(Tests { options, rows: scale.rows(z), y, additive, z, left_over, columns: scale.varying().len() })
    }

    /// Values at which a column is tested.
    fn values(&self, column: usize) -> Vec<f64> {
        let mut sorted: Vec<f64> = (0..self.rows.len()).map(|i| self.rows.row(i)[column]).collect();
        sorted.sort_by(f64::total_cmp);
        let points = self.options.evaluation_points;
        (0..points).map(|q| sorted[(2 * q + 1) * sorted.len() / (2 * points)]).collect()
    }

    /// The response without the other columns' additive terms, and a fit of it around a value of the column.
    fn partial_response(&self, column: usize) -> Vec<f64> {
        let term = |i: usize| self.additive.term(column, self.z[(i, column)]);
        self.left_over.iter().enumerate().map(|(i, left_over)| left_over + term(i)).collect()
    }

    fn around(&self, column: usize, value: f64, y: &[f64]) -> Option<LocalFit> {
        let widths = Widths::new(&[self.options.bandwidth]);
        let fit = LocalFit::new(&self.rows.columns(&[column]), y, &[value], &widths, Degree::Linear);
        (fit.effective_rows() >= FEWEST_ROWS).then_some(fit)
    }

    fn bends(&self, column: usize, run: &Run<'_>) -> Result<bool> {
        let response = self.partial_response(column);
        let level = self.options.level / (self.columns * self.options.evaluation_points) as f64;
        for value in self.values(column) {
            run.check()?;
            let fit = self.around(column, value, &response);
            if fit.is_some_and(|fit| p_value_of_zero_mean(&fit.derivative_terms(0), fit.effective_rows()) < level) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn slopes(&self, z: MatRef<'_, f64>, column: usize) -> Result<bool> {
        let n = self.y.len();
        let own: Vec<f64> = (0..n).map(|i| self.rows.row(i)[column]).collect();
        let others = faer::Mat::from_fn(n, z.ncols() - 1, |i, j| self.rows.row(i)[if j < column { j } else { j + 1 }]);
        let explained = Linear.fit(others.as_ref(), &own)?.predict(others.as_ref());
        let response = self.partial_response(column);
        let mean = response.iter().sum::<f64>() / n as f64;
        let terms: Vec<f64> = (0..n).map(|i| (own[i] - explained[i]) * (response[i] - mean)).collect();
        Ok(p_value_of_zero_mean(&terms, n as f64) < self.options.level / self.columns as f64)
    }

    /// Whether what the additive model leaves over has a slope or a curvature along a column around a value of another.
    fn interact(&self, at: usize, along: usize, run: &Run<'_>) -> Result<bool> {
        let tests = 2 * self.columns * (self.columns - 1) * self.options.evaluation_points;
        let level = self.options.level / tests as f64;
        for value in self.values(at) {
            run.check()?;
            let Some(fit) = self.around(at, value, &self.left_over) else { continue };
            let rows = fit.effective_rows();
            let [slope, curvature] = fit.terms_along(|row| self.rows.row(row)[along]);
            if p_value_of_zero_mean(&slope, rows) < level || p_value_of_zero_mean(&curvature, rows) < level {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl FittedGrid {
    /// The bandwidths in the units of the columns: infinite for linear columns, none for irrelevant ones.
    pub fn bandwidths(&self) -> Vec<Option<f64>> {
        let mut bandwidths = vec![None; self.relevance.len()];
        for (&column, h) in self.relevant.iter().zip(&self.bandwidths) {
            bandwidths[column] = Some(h * self.scale.spread(column));
        }
        bandwidths
    }

    /// `Σ (y − ŷ)² / (n − tr(L))` of the final fit.
    pub fn noise_variance(&self) -> f64 {
        self.quality.noise_variance()
    }
}

impl SelectsVariables for FittedGrid {
    fn relevance(&self) -> &[Relevance] {
        &self.relevance
    }
}

impl FittedMean for FittedGrid {
    fn predict(&self, z: MatRef<'_, f64>) -> Vec<f64> {
        let points = self.scale.rows(z).columns(&self.relevant);
        let at = |i: usize| LocalFit::new(&self.rows, &self.y, points.row(i), &self.widths, Degree::Linear).estimate;
        (0..points.len()).into_par_iter().map(at).collect()
    }

    fn predict_during(&self, z: MatRef<'_, f64>, run: &Run<'_>) -> Result<Vec<f64>> {
        predict_by_rows(self, z, run)
    }
}

impl Estimator for Grid {
    fn check(&self) -> Result<()> {
        within("level", self.level > 0.0 && self.level < 1.0, "must be above 0 and below 1", self.level)?;
        within("bandwidth", (0.05..=5.0).contains(&self.bandwidth), "must be between 0.05 and 5", self.bandwidth)?;
        let points = (1..=100).contains(&self.evaluation_points);
        within("evaluation-points", points, "must be between 1 and 100", self.evaluation_points)?;
        within("criterion-rows", self.criterion_rows >= 50, "must be at least 50", self.criterion_rows)
    }

    fn conditional_mean(&self, _: Seed) -> Box<dyn ConditionalMean + '_> {
        Box::new(*self)
    }

    fn noise_estimator(&self, _: Seed) -> Option<Box<dyn NoiseVariance>> {
        Some(Box::new(*self))
    }

    fn own_choice(&self) -> Option<&dyn ChoosesColumns> {
        Some(self)
    }
}

impl ChoosesColumns for Grid {
    fn relevant(&self, z: MatRef<'_, f64>, y: &[f64], run: &Run<'_>) -> Result<Vec<usize>> {
        Ok(self.fit_grid_during(z, y, run)?.relevant_variables())
    }
}

impl ConditionalMean for Grid {
    fn fit(&self, z: MatRef<'_, f64>, y: &[f64]) -> Result<Box<dyn FittedMean>> {
        Ok(Box::new(self.fit_grid(z, y)?))
    }

    fn fit_during(&self, z: MatRef<'_, f64>, y: &[f64], run: &Run<'_>) -> Result<Box<dyn FittedMean>> {
        Ok(Box::new(self.fit_grid_during(z, y, run)?))
    }
}

impl NoiseVariance for Grid {
    fn noise_variance(&self, z: MatRef<'_, f64>, y: &[f64]) -> Result<f64> {
        Ok(self.fit_grid(z, y)?.noise_variance())
    }

    fn noise_variance_during(&self, z: MatRef<'_, f64>, y: &[f64], run: &Run<'_>) -> Result<f64> {
        Ok(self.fit_grid_during(z, y, run)?.noise_variance())
    }
}
