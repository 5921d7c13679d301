//! The covariance function and its contractions with a matrix of weights, column by column.
//!
//! ```text
//! k(x, x') = Σ_k a_k exp(−l_k (x_k − x'_k)²/2) + b exp(−Σ_k m_k (x_k − x'_k)²/2)
//! ```
//!
//! A pair of points costs `p + 1` exponentials, so that filling a matrix is as much work as factorising it. Everything
//! runs over chunks of a column that stay in the nearest cache; no matrix of derivatives is ever stored.

use faer::Mat;

use super::hyper::Hyper;
use crate::error::Result;
use crate::numerics::linalg::{dot_in_lanes, exp_of_nonpositive, vectorised};
use crate::run::Run;

/// Points handled together.
const CHUNK: usize = 256;

/// One covariate's part.
#[derive(Debug, Clone, Copy)]
struct KernelTerm {
    a: f64,
    half_l: f64,
    half_m: f64,
}

/// The covariance function with its numbers.
#[derive(Debug, Clone)]
pub(super) struct GpKernel {
    terms: Vec<KernelTerm>,
    b: f64,
}

/// Sums over pairs of points of weights times parts of the covariance, from which all derivatives follow.
#[derive(Debug, Clone)]
pub(super) struct Contraction {
    /// `Σ w E_k`
    own: Vec<f64>,
    /// `Σ w E_k t_k²`
    own_square: Vec<f64>,
    /// `Σ w P`
    joint: f64,
    /// `Σ w P t_k²`
    joint_square: Vec<f64>,
}

impl GpKernel {
    pub(super) fn new(hyper: &Hyper) -> Self {
        let term = |k: usize| KernelTerm { a: hyper.a(k), half_l: 0.5 * hyper.l(k), half_m: 0.5 * hyper.m(k) };
        GpKernel { terms: (0..hyper.covariates()).map(term).collect(), b: hyper.b() }
    }

    /// `k(x, x)`, the same everywhere.
    pub(super) fn at_zero(&self) -> f64 {
        self.terms.iter().map(|term| term.a).sum::<f64>() + self.b
    }

    /// The lower triangle of the covariance of the points with themselves, `noise` added to the diagonal.
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`].
    pub(super) fn fill_symmetric(
        &self,
        points: &[&[f64]],
        noise: f64,
        out: &mut Mat<f64>,
        run: &Run<'_>,
    ) -> Result<()> {
        let (n, diagonal) = (out.nrows(), self.at_zero() + noise);
        vectorised(
            #[inline(always)]
            || {
                let mut at = vec![0.0; points.len()];
                for j in 0..n {
                    run.check()?;
                    locate(points, j, &mut at);
                    let column = out.col_as_slice_mut(j);
                    column[j] = diagonal;
                    self.fill(points, &at, j + 1, &mut column[j + 1..]);
                }
                Ok(())
            },
        )
    }

    /// The covariance of every point with each of `others`: one column per other point.
    pub(super) fn fill_cross(&self, points: &[&[f64]], others: &[&[f64]], out: &mut Mat<f64>) {
        vectorised(
            #[inline(always)]
            || {
                let mut at = vec![0.0; points.len()];
                for j in 0..out.ncols() {
                    locate(others, j, &mut at);
                    self.fill(points, &at, 0, out.col_as_slice_mut(j));
                }
            },
        );
    }

    /// `Σ_j k(x, x_j) c_j` at one point `x`.
    pub(super) fn weighted_sum(&self, points: &[&[f64]], at: &[f64], weights: &[f64], buffer: &mut [f64]) -> f64 {
        vectorised(
            #[inline(always)]
            || {
                self.fill(points, at, 0, buffer);
                dot_in_lanes(buffer, weights)
            },
        )
    }

    #[inline(always)]
    fn fill(&self, points: &[&[f64]], at: &[f64], first: usize, out: &mut [f64]) {
        let mut exponents = [0.0; CHUNK];
        let mut start = first;
        for out in out.chunks_mut(CHUNK) {
            let length = out.len();
            let exponents = &mut exponents[..length];
            exponents.fill(0.0);
            out.fill(0.0);
            for ((term, points), &at) in self.terms.iter().zip(points).zip(at) {
                let x = &points[start..start + length];
                if term.a == 0.0 {
                    for i in 0..length {
                        let t = x[i] - at;
                        exponents[i] = (t * t).mul_add(-term.half_m, exponents[i]);
                    }
                    continue;
                }
                for i in 0..length {
                    let t = x[i] - at;
                    let square = t * t;
                    exponents[i] = square.mul_add(-term.half_m, exponents[i]);
                    out[i] = exp_of_nonpositive(-term.half_l * square).mul_add(term.a, out[i]);
                }
            }
            if self.b != 0.0 {
                for i in 0..length {
                    out[i] = exp_of_nonpositive(exponents[i]).mul_add(self.b, out[i]);
                }
            }
            start += length;
        }
    }

    /// Contracts the lower triangle without its diagonal (each pair once) with weights that `weigh` writes for the rows
    /// below the diagonal of a column, and the diagonal with a total weight.
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`].
    pub(super) fn contract_symmetric(
        &self,
        points: &[&[f64]],
        diagonal: f64,
        weigh: impl Fn(usize, &mut [f64]),
        run: &Run<'_>,
    ) -> Result<Contraction> {
        let n = points.first().map_or(0, |points| points.len());
        let mut sums = Contraction::zero(self.terms.len());
        vectorised(
            #[inline(always)]
            || -> Result<()> {
                let (mut at, mut weights) = (vec![0.0; points.len()], vec![0.0; n]);
                for j in 0..n {
                    run.check()?;
                    locate(points, j, &mut at);
                    weigh(j, &mut weights[j + 1..]);
                    self.contract(points, &at, j + 1, &weights[j + 1..], &mut sums);
                }
                Ok(())
            },
        )?;
        sums.joint += diagonal;
        sums.own.iter_mut().for_each(|own| *own += diagonal);
        Ok(sums)
    }

    /// Contracts the covariance of every point with each of `others` with a matrix of weights.
    pub(super) fn contract_cross(&self, points: &[&[f64]], others: &[&[f64]], weights: &Mat<f64>) -> Contraction {
        let mut sums = Contraction::zero(self.terms.len());
        vectorised(
            #[inline(always)]
            || {
                let mut at = vec![0.0; points.len()];
                for j in 0..weights.ncols() {
                    locate(others, j, &mut at);
                    self.contract(points, &at, 0, weights.col_as_slice(j), &mut sums);
                }
            },
        );
        sums
    }

    #[inline(always)]
    fn contract(&self, points: &[&[f64]], at: &[f64], first: usize, weights: &[f64], sums: &mut Contraction) {
        let (mut joint, mut own, mut squares) = ([0.0; CHUNK], [0.0; CHUNK], [0.0; CHUNK]);
        let mut start = first;
        for weights in weights.chunks(CHUNK) {
            let length = weights.len();
            let (joint, own, squares) = (&mut joint[..length], &mut own[..length], &mut squares[..length]);
            if self.b != 0.0 {
                joint.fill(0.0);
                for ((term, points), &at) in self.terms.iter().zip(points).zip(at) {
                    let x = &points[start..start + length];
                    for i in 0..length {
                        let t = x[i] - at;
                        joint[i] = (t * t).mul_add(-term.half_m, joint[i]);
                    }
                }
                for i in 0..length {
                    joint[i] = weights[i] * exp_of_nonpositive(joint[i]);
                }
                sums.joint += sum_in_lanes(joint);
            }
            for (k, ((term, points), &at)) in self.terms.iter().zip(points).zip(at).enumerate() {
                let x = &points[start..start + length];
                if term.a != 0.0 {
                    for i in 0..length {
                        let t = x[i] - at;
                        squares[i] = t * t;
                        own[i] = exp_of_nonpositive(-term.half_l * squares[i]) * weights[i];
                    }
                    sums.own[k] += sum_in_lanes(own);
                    sums.own_square[k] += dot_in_lanes(own, squares);
                } else if self.b != 0.0 {
                    for i in 0..length {
                        let t = x[i] - at;
                        squares[i] = t * t;
                    }
                }
                if self.b != 0.0 {
                    sums.joint_square[k] += dot_in_lanes(joint, squares);
                }
            }
            start += length;
        }
    }

    /// `Σ w dK/dθ` for the logarithms `θ` of all hyper-parameters but the noise, added to `gradient`.
    pub(super) fn add_gradient(&self, sums: &Contraction, gradient: &mut [f64]) {
        let p = self.terms.len();
        for (k, term) in self.terms.iter().enumerate() {
            gradient[k] += term.a * sums.own[k];
            gradient[p + k] -= term.half_l * term.a * sums.own_square[k];
            gradient[2 * p + k] -= term.half_m * self.b * sums.joint_square[k];
        }
        gradient[3 * p] += self.b * sums.joint;
    }
}

impl Contraction {
    fn zero(p: usize) -> Self {
        Contraction { own: vec![0.0; p], own_square: vec![0.0; p], joint: 0.0, joint_square: vec![0.0; p] }
    }
}

#[inline(always)]
fn locate(points: &[&[f64]], j: usize, at: &mut [f64]) {
    for (at, points) in at.iter_mut().zip(points) {
        *at = points[j];
    }
}

#[inline(always)]
fn sum_in_lanes(values: &[f64]) -> f64 {
    const LANES: usize = 8;
    let (chunks, rest) = values.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for chunk in chunks {
        for lane in 0..LANES {
            sums[lane] += chunk[lane];
        }
    }
    sums.iter().sum::<f64>() + rest.iter().sum::<f64>()
}
