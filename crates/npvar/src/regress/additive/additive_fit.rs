//! One additive regression with given smoothing parameters, from the Gram matrix alone.
//!
//! ```text
//! M = G + ⊕ λ_j S_j      β = M⁻¹C      RSS = v − 2β'C + β'Gβ      edf = tr(M⁻¹G)
//! ```
//!
//! Used where every regression has smoothing parameters of its own (GCV, REML); with a common fixed one the growing
//! factor of [`crate::residual_variance`] gives the same numbers for all nodes at once.
//! Where terms depend exactly on each other the generalised inverse of smallest norm is taken, as mgcv does.

use faer::Mat;

use crate::error::Result;
use crate::numerics::linalg::{Into, eigen_during, multiply_during, positive_inverse_during, small};
use crate::run::{Run, Seed};
use crate::smooth::AdditiveGram;

/// Eigenvalues below this share of the largest count as zero; the Gram matrix carries rounding errors of about 1e-15.
const SINGULAR: f64 = 1e-14;
/// A Cholesky pivot below this share of its diagonal entry calls for eigenvalues.
const SUSPICIOUS_PIVOT: f64 = 1e-7;

/// A regression of one column on the smooth terms of others.
#[derive(Debug, Clone)]
pub struct AdditiveFit {
    terms: Vec<usize>,
    offsets: Vec<usize>,
    lambda: Vec<f64>,
    n: usize,
    square: f64,
    intercept: f64,
    beta: Vec<f64>,
    /// `M⁻¹`.
    v: Mat<f64>,
    /// `F = M⁻¹G`.
    f: Mat<f64>,
    log_determinant: f64,
    residual_square: f64,
    fitted_square: f64,
}

/// What `summary.gam` says of a term.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TermSummary {
    /// Effective degrees of freedom.
    pub edf: f64,
    /// Reference degrees of freedom of the test, before rounding and rank checks.
    pub edf1: f64,
}

impl AdditiveFit {
    /// Regresses column `target` on the terms of other columns, with one smoothing parameter each.
    pub fn new(gram: &AdditiveGram, terms: &[usize], target: usize, lambda: &[f64]) -> Self {
        let nobody = Run::new(Seed(0));
        Self::new_during(gram, terms, target, lambda, &nobody).expect("nobody is there to stop it")
    }

    /// The same as part of a run that can be stopped in the middle.
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`].
    pub(super) fn new_during(
        gram: &AdditiveGram,
        terms: &[usize],
        target: usize,
        lambda: &[f64],
        run: &Run<'_>,
    ) -> Result<Self> {
        let mut offsets = vec![0];
        for &term in terms {
            offsets.push(offsets[offsets.len() - 1] + gram.term(term).size());
        }
        let size = offsets[terms.len()];
        let (mut g, mut c) = (vec![0.0; size * size], vec![0.0; size]);
        for (a, &i) in terms.iter().enumerate() {
            c[offsets[a]..offsets[a + 1]].copy_from_slice(gram.cross(i, target));
            for (b, &j) in terms.iter().enumerate().filter(|_| offsets[a + 1] > offsets[a]) {
                gram.copy_block(i, j, &mut g[offsets[a] * size + offsets[b]..], size);
            }
        }
        let g = Mat::from_fn(size, size, |i, j| g[i * size + j]);
        let mut m = g.clone();
        for (a, &term) in terms.iter().enumerate() {
            let q = gram.term(term).size();
            for (entry, penalty) in gram.term(term).penalty().iter().enumerate() {
                m[(offsets[a] + entry / q, offsets[a] + entry % q)] += lambda[a] * penalty;
            }
        }
        let (v, log_determinant) = inverse(m, run)?;
        let mut f = Mat::zeros(size, size);
        multiply_during(f.as_mut(), Into::Replace, v.as_ref(), g.as_ref(), 1.0, run)?;
        let beta: Vec<f64> = (0..size).map(|i| (0..size).map(|j| v[(i, j)] * c[j]).sum()).collect();
        let g_beta: Vec<f64> = (0..size).map(|i| (0..size).map(|j| g[(i, j)] * beta[j]).sum()).collect();
        let fitted_square = small::dot(&beta, &g_beta);
        Ok(AdditiveFit {
            terms: terms.to_vec(),
            offsets,
            lambda: lambda.to_vec(),
            n: gram.n(),
            square: gram.square(target),
            intercept: gram.mean(target),
            residual_square: gram.square(target) - 2.0 * small::dot(&beta, &c) + fitted_square,
            fitted_square,
            beta,
            v,
            f,
            log_determinant,
        })
    }

    /// The smoothing parameters.
    pub fn lambda(&self) -> &[f64] {
        &self.lambda
    }

    /// The intercept: the mean of the response.
    pub fn intercept(&self) -> f64 {
        self.intercept
    }

    /// A term's coefficients in the constrained basis.
    pub fn coefficients(&self, term: usize) -> &[f64] {
        &self.beta[self.offsets[term]..self.offsets[term + 1]]
    }

    /// The residual sum of squares.
    pub fn residual_square(&self) -> f64 {
        self.residual_square
    }

    /// The sum of squares of the centred fitted values.
    pub fn fitted_square(&self) -> f64 {
        self.fitted_square
    }

    /// The sum of squares of the centred response.
    pub fn square(&self) -> f64 {
        self.square
    }

    /// Effective degrees of freedom, the intercept included.
    pub fn edf(&self) -> f64 {
        1.0 + (0..self.beta.len()).map(|i| self.f[(i, i)]).sum::<f64>()
    }

    /// A term's degrees of freedom.
    pub fn term(&self, term: usize) -> TermSummary {
        let (mut edf, mut squared) = (0.0, 0.0);
        for i in self.offsets[term]..self.offsets[term + 1] {
            edf += self.f[(i, i)];
            squared += (0..self.beta.len()).map(|j| self.f[(i, j)] * self.f[(j, i)]).sum::<f64>();
        }
        TermSummary { edf, edf1: 2.0 * edf - squared }
    }

    /// A term's block of `M⁻¹`, row-major.
    pub fn posterior_block(&self, term: usize) -> Vec<f64> {
        let range = self.offsets[term]..self.offsets[term + 1];
        range.clone().flat_map(|i| range.clone().map(move |j| (i, j))).map(|(i, j)| self.v[(i, j)]).collect()
    }

    /// `RSS / (n − edf)`, mgcv's `sig2`; nothing where no degree of freedom is left.
    pub fn residual_scale(&self) -> Option<f64> {
        let residual_df = self.n as f64 - self.edf();
        (residual_df > 0.0).then(|| self.residual_square.max(0.0) / residual_df)
    }

    /// The standard errors of a term, from the posterior covariance `M⁻¹ RSS / (n − edf)`, at points given by their constrained
    /// bases: mgcv's `predict(type = "terms", se.fit = TRUE)`.
    pub fn term_errors(&self, term: usize, points: &[Vec<f64>]) -> Option<Vec<f64>> {
        let (scale, posterior) = (self.residual_scale()?, self.posterior_block(term));
        let variance = |point: &Vec<f64>| scale * small::quadratic(point, &posterior, point);
        Some(points.iter().map(|point| variance(point).max(0.0).sqrt()).collect())
    }

    /// `n RSS / (n − edf)²`.
    pub fn gcv(&self) -> f64 {
        let residual_df = self.n as f64 - self.edf();
        self.n as f64 * self.residual_square / (residual_df * residual_df)
    }

    /// The restricted likelihood score (smaller is better), as mgcv prints it.
    pub fn reml(&self, gram: &AdditiveGram) -> f64 {
        let constant: f64 = self.terms.iter().map(|&term| gram.term(term).log_penalty_determinant()).sum();
        self.reml_but_for_constant(gram, self.scale(gram, 0.0)) - constant / 2.0
    }

    /// The same without the part that does not depend on the smoothing parameters and costs eigenvalues.
    pub(super) fn reml_but_for_constant(&self, gram: &AdditiveGram, phi: f64) -> f64 {
        let n = self.n as f64;
        let unpenalised = self.unpenalised(gram);
        let log_lambda: f64 = self
            .terms
            .iter()
            .zip(&self.lambda)
            .map(|(&j, lambda)| gram.term(j).penalty_rank() as f64 * lambda.ln())
            .sum();
        let two_pi_phi = (2.0 * std::f64::consts::PI * phi).ln();
        (n - unpenalised) / 2.0 * (1.0 + two_pi_phi) + (self.log_determinant + n.ln() - log_lambda) / 2.0
    }

    /// The noise variance of largest restricted likelihood given the smoothing parameters: `(RSS + β'Pβ)` per degree of
    /// freedom that no unpenalised coefficient takes. (mgcv's `reml.scale`.)
    pub fn noise_variance(&self, gram: &AdditiveGram) -> f64 {
        self.scale(gram, 0.0)
    }

    /// `φ`: the penalised sum of squares per degree of freedom, at least `floor` times the response's sum of squares.
    pub(super) fn scale(&self, gram: &AdditiveGram, floor: f64) -> f64 {
        let residual_df = (self.n as f64 - self.unpenalised(gram)).max(1.0);
        self.penalised_square(gram).max(floor * self.square) / residual_df
    }

    /// `RSS + β'Pβ`.
    pub fn penalised_square(&self, gram: &AdditiveGram) -> f64 {
        self.residual_square + (0..self.terms.len()).map(|a| self.lambda[a] * self.roughness(gram, a)).sum::<f64>()
    }

    /// `β_j'S_jβ_j`.
    pub(super) fn roughness(&self, gram: &AdditiveGram, term: usize) -> f64 {
        let beta = self.coefficients(term);
        small::quadratic(beta, gram.term(self.terms[term]).penalty(), beta)
    }

    /// How many coefficients no penalty sees, the intercept included.
    pub(super) fn unpenalised(&self, gram: &AdditiveGram) -> f64 {
        1.0 + self.terms.iter().map(|&term| gram.term(term).size() - gram.term(term).penalty_rank()).sum::<usize>()
            as f64
    }
}

/// `M⁻¹` and `log |M|`, or the generalised inverse of smallest norm where `M` is singular.
fn inverse(m: Mat<f64>, run: &Run<'_>) -> Result<(Mat<f64>, f64)> {
    let size = m.nrows();
    if size == 0 {
        return Ok((Mat::zeros(0, 0), 0.0));
    }
    if let Some((inverse, pivots)) = positive_inverse_during(&m, run)?
        && pivots.iter().enumerate().all(|(i, &pivot)| pivot > SUSPICIOUS_PIVOT * m[(i, i)])
    {
        return Ok((inverse, pivots.iter().map(|pivot| pivot.ln()).sum()));
    }
    let (values, vectors) = eigen_during(m, run)?;
    let cut = SINGULAR * values[size - 1];
    let weighted = Mat::from_fn(size, size, |i, j| if values[j] > cut { vectors[(i, j)] / values[j] } else { 0.0 });
    let mut inverse = Mat::zeros(size, size);
    multiply_during(inverse.as_mut(), Into::Replace, weighted.as_ref(), vectors.transpose(), 1.0, run)?;
    Ok((inverse, values.iter().filter(|&&value| value > cut).map(|value| value.ln()).sum()))
}
