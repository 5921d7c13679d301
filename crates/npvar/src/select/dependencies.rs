//! Exact dependencies among the terms of a prefix regression.
//!
//! Where terms are exactly dependent mgcv takes the generalised inverse of smallest norm: `M⁺ = Π V Π` with `Π` the
//! projection orthogonal to the dependent directions `N`, and `V` the factor's inverse with a ridge along them. Blocks of
//! `Π V Π` and `Π H Π` (`H = V P V`) follow from those of `V` and `H` and from the images `V N`, `H N`.

use faer::Mat;

use crate::numerics::linalg::{Into, multiply_here, row_major, small};
use crate::residual_variance::AdditiveFactor;

/// The dependent directions of one prefix.
pub(super) struct Dependencies {
    /// Orthonormal directions, one column each, over the prefix's coefficients.
    directions: Mat<f64>,
    /// `V N − ½ N (N'V N)` and the same for `H`: what the projection takes from a block is `N X' + X N'`.
    v: Mat<f64>,
    h: Mat<f64>,
}

impl Dependencies {
    /// The dependencies among the first `positions` nodes.
    pub(super) fn new(factor: &AdditiveFactor<'_>, positions: usize) -> Self {
        let size = factor.offsets()[positions];
        let directions = orthonormal(factor, size);
        if directions.ncols() == 0 {
            return Dependencies { directions, v: Mat::zeros(0, 0), h: Mat::zeros(0, 0) };
        }
        let v = times_inverse(factor, &directions);
        let h = times_inverse(factor, &times_penalty(factor, &v, positions));
        let halved = |mut images: Mat<f64>| {
            let r = directions.ncols();
            let mut inner = Mat::zeros(r, r);
            multiply_here(inner.as_mut(), Into::Replace, directions.transpose(), images.as_ref(), 1.0);
            multiply_here(images.as_mut(), Into::Add, directions.as_ref(), inner.as_ref(), -0.5);
            images
        };
        Dependencies { v: halved(v), h: halved(h), directions }
    }

    /// Whether nothing depends on anything.
    pub(super) fn is_empty(&self) -> bool {
        self.directions.ncols() == 0
    }

    /// The number of coefficients of the prefix.
    pub(super) fn size(&self) -> usize {
        self.directions.nrows()
    }

    /// The blocks of `Π V Π` and `Π H Π`, and the share of the dependent directions that lies in the block.
    pub(super) fn project(&self, start: usize, q: usize, v: &[f64], h: &[f64]) -> (Vec<f64>, Vec<f64>, f64) {
        let apply = |block: &[f64], images: &Mat<f64>| {
            let mut out = block.to_vec();
            for a in 0..self.directions.ncols() {
                let n = &self.directions.col_as_slice(a)[start..start + q];
                let x = &images.col_as_slice(a)[start..start + q];
                for i in 0..q {
                    for j in 0..q {
                        out[i * q + j] -= n[i] * x[j] + x[i] * n[j];
                    }
                }
            }
            out
        };
        let own = (0..self.directions.ncols())
            .map(|a| {
                let n = &self.directions.col_as_slice(a)[start..start + q];
                small::dot(n, n)
            })
            .sum();
        (apply(v, &self.v), apply(h, &self.h), own)
    }

    /// The block of `Π β`.
    pub(super) fn project_coefficients(&self, beta: &[f64], start: usize, q: usize) -> Vec<f64> {
        let mut out = beta[start..start + q].to_vec();
        for a in 0..self.directions.ncols() {
            let direction = self.directions.col_as_slice(a);
            let share = small::dot(direction, beta);
            out.iter_mut().zip(&direction[start..start + q]).for_each(|(entry, n)| *entry -= share * n);
        }
        out
    }
}

/// The factor's dependent directions within the first `size` coefficients, made orthonormal.
fn orthonormal(factor: &AdditiveFactor<'_>, size: usize) -> Mat<f64> {
    let within = factor.dependencies().iter().filter(|dependency| dependency.direction.len() <= size);
    let mut columns: Vec<Vec<f64>> = Vec::new();
    for dependency in within {
        let mut direction = dependency.direction.clone();
        direction.resize(size, 0.0);
        for earlier in &columns {
            let share = small::dot(earlier, &direction);
            direction.iter_mut().zip(earlier).for_each(|(entry, earlier)| *entry -= share * earlier);
        }
        let norm = small::dot(&direction, &direction).sqrt();
        direction.iter_mut().for_each(|entry| *entry /= norm);
        columns.push(direction);
    }
    Mat::from_fn(size, columns.len(), |i, j| columns[j][i])
}

/// `V X = Λ'(Λ X)` over the prefix of `X`'s length.
fn times_inverse(factor: &AdditiveFactor<'_>, x: &Mat<f64>) -> Mat<f64> {
    let (inverse, stride) = factor.inverse();
    let lambda = row_major(inverse, x.nrows(), x.nrows(), stride);
    let (mut half, mut out) = (Mat::zeros(x.nrows(), x.ncols()), Mat::zeros(x.nrows(), x.ncols()));
    multiply_here(half.as_mut(), Into::Replace, lambda, x.as_ref(), 1.0);
    multiply_here(out.as_mut(), Into::Replace, lambda.transpose(), half.as_ref(), 1.0);
    out
}

/// `P X` without any ridge.
fn times_penalty(factor: &AdditiveFactor<'_>, x: &Mat<f64>, positions: usize) -> Mat<f64> {
    let mut out = Mat::zeros(x.nrows(), x.ncols());
    for (position, &node) in factor.order()[..positions].iter().enumerate() {
        let (start, end) = (factor.offsets()[position], factor.offsets()[position + 1]);
        let penalty = factor.plain_penalty(node);
        for column in 0..x.ncols() {
            let own = &x.col_as_slice(column)[start..end];
            for row in 0..end - start {
                out[(start + row, column)] = small::dot(&penalty[row * own.len()..(row + 1) * own.len()], own);
            }
        }
    }
    out
}
