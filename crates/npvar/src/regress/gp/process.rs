//! The regression itself: fitted, predicting, and with its noise variance.

use faer::{Mat, MatRef};

use super::evidence::{Exact, Observed};
use super::fit::{Effort, GpFit, maximise};
use super::hyper::{Hyper, KernelParts};
use super::kernel::GpKernel;
use super::sparse::Sparse;
use super::standardised::{Scale, Standardised};
use crate::error::{Error, Result};
use crate::numerics::kernel::incomplete_cholesky_during;
use crate::regress::conditional_mean::{ConditionalMean, FittedMean, predict_by_rows};
use crate::regress::noise_variance::NoiseVariance;
use crate::run::{Run, Seed};

/// The fewest rows a noise variance can be told from a function with.
const FEWEST_ROWS: usize = 4;

/// Gaussian-process regression.
///
/// ```
/// use npvar::regress::gp::Gp;
/// use npvar::regress::FittedMean;
/// let z = faer::Mat::from_fn(80, 2, |i, k| ((i * (3 + 4 * k)) as f64 * 0.37).sin());
/// let y: Vec<f64> = (0..80).map(|i| z[(i, 0)] * z[(i, 1)]).collect();
/// let fitted = Gp::default().fit_gp(z.as_ref(), &y)?;
/// assert!(fitted.predict(z.as_ref()).iter().zip(&y).all(|(fit, y)| (fit - y).abs() < 0.05));
/// assert!(fitted.noise_variance() < 0.01);
/// # Ok::<(), npvar::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gp {
    /// How far the search for hyper-parameters goes, and what it is told beforehand.
    pub effort: Effort,
    /// Likelihoods are exact up to this many rows.
    pub exact_rows: usize,
    /// Inducing points beyond that.
    pub inducing_points: usize,
}

impl Default for Gp {
    fn default() -> Self {
        Gp { effort: Effort { iterations: 25, nats: 0.05, length_rate: 1.0 }, exact_rows: 2000, inducing_points: 300 }
    }
}

/// A fitted Gaussian process.
#[derive(Clone)]
pub struct FittedGp {
    scales: Vec<Scale>,
    response: Scale,
    /// Positions of the covariates that vary.
    covariates: Vec<usize>,
    evidence: GpFit,
    /// The points predictions rest on, standardised, and their weights.
    points: Vec<Vec<f64>>,
    weights: Vec<f64>,
}

impl Gp {
    /// The same without a prior, for comparing marginal likelihoods.
    pub fn without_prior(self) -> Self {
        Gp { effort: Effort { length_rate: 0.0, ..self.effort }, ..self }
    }

    /// The sample of a regression of one column of a table on others, with inducing points where it is too large.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub fn sample<'t>(
        &self,
        table: &'t Standardised,
        response: usize,
        covariates: &[usize],
        run: &Run<'_>,
    ) -> Result<Observed<'t>> {
        let columns: Vec<&[f64]> = covariates.iter().map(|&k| table.column(k)).collect();
        let too_large = table.n() > self.exact_rows && !columns.is_empty();
        let inducing = too_large.then(|| self.inducing(&columns, run)).transpose()?;
        Ok(Observed { covariates: columns, y: table.column(response), inducing })
    }

    /// Rows far from each other.
    fn inducing(&self, columns: &[&[f64]], run: &Run<'_>) -> Result<Vec<Vec<f64>>> {
        let x = Mat::from_fn(columns[0].len(), columns.len(), |i, k| columns[k][i]);
        let width = (columns.len() as f64).sqrt();
        let pivots = incomplete_cholesky_during(x.as_ref(), width, 0.0, self.inducing_points, run)?.pivots;
        Ok(columns.iter().map(|column| pivots.iter().map(|&row| column[row]).collect()).collect())
    }

    /// Fits the process; unlike [`ConditionalMean::fit`] the result says more than its predictions.
    ///
    /// # Errors
    /// [`Error::TooFewSamples`] when there are fewer than four rows.
    pub fn fit_gp(&self, z: MatRef<'_, f64>, y: &[f64]) -> Result<FittedGp> {
        self.fit_gp_during(z, y, &Run::new(Seed(0)))
    }

    fn fit_gp_during(&self, z: MatRef<'_, f64>, y: &[f64], run: &Run<'_>) -> Result<FittedGp> {
        let (n, p) = (z.nrows(), z.ncols());
        if n < FEWEST_ROWS {
            return Err(Error::TooFewSamples { what: "a Gaussian process", needed: FEWEST_ROWS, n });
        }
        let mut columns: Vec<Vec<f64>> = (0..p).map(|k| z.col(k).iter().copied().collect()).collect();
        columns.push(y.to_vec());
        let table = Standardised::new(columns.iter().map(Vec::as_slice));
        let covariates: Vec<usize> = match table.is_constant(p) {
            true => Vec::new(),
            false => (0..p).filter(|&k| !table.is_constant(k)).collect(),
        };
        let sample = self.sample(&table, p, &covariates, run)?;
        let start = Hyper::start(covariates.len(), KernelParts::Full);
        let evidence = maximise(&sample, &start, KernelParts::Full, self.effort, run)?;
        let weights = if covariates.is_empty() { Some(Vec::new()) } else { weights(&sample, &evidence.hyper, run)? };
        let points = match &sample.inducing {
            Some(points) => points.clone(),
            None => sample.covariates.iter().map(|column| column.to_vec()).collect(),
        };
        Ok(FittedGp {
            scales: covariates.iter().map(|&k| table.scale(k)).collect(),
            response: table.scale(p),
            covariates,
            weights: weights.expect("the search ended where the covariance has a factor"),
            evidence,
            points,
        })
    }
}

impl Gp {
    /// Predictions of every row by a process fitted to the rows of other folds; the search for its hyper-parameters begins at those
    /// of all rows, where it has least to go.
    pub(crate) fn held_out(&self, z: MatRef<'_, f64>, y: &[f64], fold_of: &[usize], run: &Run<'_>) -> Result<Vec<f64>> {
        let whole = self.fit_gp_during(z, y, run)?;
        let mut predicted = vec![whole.response.mean; y.len()];
        if whole.covariates.is_empty() {
            return Ok(predicted);
        }
        let standardised = |k: usize, row: usize| whole.scales[k].standardised(z[(row, whole.covariates[k])]);
        for fold in 0..=fold_of.iter().copied().max().unwrap_or(0) {
            run.check()?;
            let (inside, others): (Vec<usize>, Vec<usize>) = (0..y.len()).partition(|&row| fold_of[row] == fold);
            let columns: Vec<Vec<f64>> =
                (0..whole.covariates.len()).map(|k| others.iter().map(|&row| standardised(k, row)).collect()).collect();
            let response: Vec<f64> = others.iter().map(|&row| whole.response.standardised(y[row])).collect();
            let covariates: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
            let inducing = (y.len() > self.exact_rows).then(|| whole.points.clone());
            let sample = Observed { covariates, y: &response, inducing };
            let evidence = maximise(&sample, &whole.evidence.hyper, KernelParts::Full, self.effort, run)?;
            let hyper = &evidence.hyper;
            // Where fewer rows leave the covariance without a factor, the mean is the prediction.
            let Some(weights) = weights(&sample, hyper, run)? else { continue };
            let points = if sample.inducing.is_some() { &whole.points } else { &columns };
            let fitted = FittedGp { points: points.clone(), weights, evidence, ..whole.clone() };
            let rows = Mat::from_fn(inside.len(), z.ncols(), |i, k| z[(inside[i], k)]);
            inside
                .iter()
                .zip(fitted.predict_during(rows.as_ref(), run)?)
                .for_each(|(&row, value)| predicted[row] = value);
        }
        Ok(predicted)
    }
}

impl FittedGp {
    /// The noise variance: the estimate of `E var(y | z)`.
    pub fn noise_variance(&self) -> f64 {
        self.evidence.hyper.noise() * self.response.deviation.powi(2)
    }

    /// Hyper-parameters and marginal likelihood.
    pub fn evidence(&self) -> &GpFit {
        &self.evidence
    }
}

impl FittedMean for FittedGp {
    fn predict(&self, z: MatRef<'_, f64>) -> Vec<f64> {
        let kernel = GpKernel::new(&self.evidence.hyper);
        let points: Vec<&[f64]> = self.points.iter().map(Vec::as_slice).collect();
        let mut buffer = vec![0.0; self.weights.len()];
        (0..z.nrows())
            .map(|i| {
                let at: Vec<f64> =
                    self.covariates.iter().zip(&self.scales).map(|(&k, scale)| scale.standardised(z[(i, k)])).collect();
                let mean = kernel.weighted_sum(&points, &at, &self.weights, &mut buffer);
                self.response.mean + self.response.deviation * mean
            })
            .collect()
    }

    fn predict_during(&self, z: MatRef<'_, f64>, run: &Run<'_>) -> Result<Vec<f64>> {
        predict_by_rows(self, z, run)
    }
}

/// What predictions weigh the points by; nothing where the covariance has no factor.
fn weights(sample: &Observed<'_>, hyper: &Hyper, run: &Run<'_>) -> Result<Option<Vec<f64>>> {
    match &sample.inducing {
        Some(points) => Sparse::new(sample, points).weights(hyper, run),
        None => {
            let factor = Exact::new(sample).factor(&GpKernel::new(hyper), hyper.noise(), run)?;
            Ok(factor.map(|factor| factor.solve(sample.y)))
        }
    }
}

impl NoiseVariance for Gp {
    fn noise_variance(&self, z: MatRef<'_, f64>, y: &[f64]) -> Result<f64> {
        Ok(self.fit_gp(z, y)?.noise_variance())
    }

    fn noise_variance_during(&self, z: MatRef<'_, f64>, y: &[f64], run: &Run<'_>) -> Result<f64> {
        Ok(self.fit_gp_during(z, y, run)?.noise_variance())
    }
}

impl ConditionalMean for Gp {
    fn fit(&self, z: MatRef<'_, f64>, y: &[f64]) -> Result<Box<dyn FittedMean>> {
        Ok(Box::new(self.fit_gp(z, y)?))
    }

    fn fit_during(&self, z: MatRef<'_, f64>, y: &[f64], run: &Run<'_>) -> Result<Box<dyn FittedMean>> {
        Ok(Box::new(self.fit_gp_during(z, y, run)?))
    }
}
