//! One regression as a function of its smoothing parameters: score, gradient and second derivatives in `ρ = log λ`.
//!
//! Every term is turned so that its penalty is diagonal. With `M = G + P`, `P = diag(p)`, `p_i = λ_j d_i`, `V = M⁻¹`, `β = Vc`:
//!
//! ```text
//! B = √P V √P      b = √P β      y = B b      z_j = B_·j b_j
//! edf = rank M − tr B      ∂_j edf = −tr B_jj + Σ_k ‖B_jk‖²      ∂_jk edf = 2‖B_jk‖² − 2⟨B_jk, (BB)_jk⟩ + δ_jk ∂_j edf
//! ∂_j RSS = 2 b_j'y_j      ∂_jk RSS = 2 (b_j'B_jk b_k − z_j'z_k − y_j'B_jk b_k − y_k'B_kj b_j) + δ_jk ∂_j RSS
//! ∂_j D = b_j'b_j      ∂_jk D = δ_jk ∂_j D − 2 b_j'B_jk b_k      ∂_jk log|M| = δ_jk tr B_jj − ‖B_jk‖²      (D = RSS + β'Pβ)
//! ```

use faer::Mat;

use super::smoothing::Smoothing;
use crate::error::Result;
use crate::numerics::linalg::wide::dot;
use crate::numerics::linalg::{Into, eigen_during, multiply_during, positive_inverse_during, small, symmetric_square};
use crate::run::Run;
use crate::smooth::AdditiveGram;

/// Residual sums of squares below this share of the response's count as this share: a perfect fit has no finite score.
const PERFECT_FIT: f64 = 1e-13;
/// A Cholesky pivot below this share of its diagonal entry calls for eigenvalues.
const SUSPICIOUS_PIVOT: f64 = 1e-10;
/// Eigenvalues (of the matrix scaled to a unit diagonal) below this count as zero.
const SINGULAR: f64 = 1e-13;

/// A regression of one column on the smooth terms of others, ready for any smoothing parameters.
pub(crate) struct SmoothRegression<'g> {
    pub(super) gram: &'g AdditiveGram,
    pub(super) terms: &'g [usize],
    pub(super) smoothing: Smoothing,
    pub(super) offsets: Vec<usize>,
    /// `G`, in coordinates where every penalty is diagonal.
    g: Mat<f64>,
    c: Vec<f64>,
    /// The penalties' diagonals.
    roughness: Vec<f64>,
    square: f64,
    pub(super) run: Run<'g>,
}

/// The score at some parameters: the logarithm of GCV, or REML but for a constant.
pub(super) struct Point {
    pub(super) rho: Vec<f64>,
    pub(super) score: f64,
    pub(super) residual_square: f64,
    /// Effective degrees of freedom of every term beyond its unpenalised part.
    pub(super) wiggle: Vec<f64>,
    pub(super) parts: Parts,
}

/// The score's derivatives.
pub(super) struct Derivatives {
    pub(super) gradient: Vec<f64>,
    /// Row-major.
    pub(super) hessian: Vec<f64>,
}

/// The slopes of the residual sum of squares and of its degrees of freedom, as shares of them, and what they are made of.
struct GcvSlopes {
    rss: Vec<f64>,
    edf: Vec<f64>,
    y: Vec<f64>,
    /// `‖B_jk‖²`, row-major.
    norms: Vec<f64>,
}

impl GcvSlopes {
    fn gradient(&self) -> Vec<f64> {
        self.rss.iter().zip(&self.edf).map(|(rss, edf)| rss + 2.0 * edf).collect()
    }
}

/// What the derivatives are made of.
pub(super) struct Parts {
    pub(super) b_matrix: Mat<f64>,
    pub(super) b: Vec<f64>,
    pub(super) rank: usize,
    pub(super) log_determinant: f64,
    /// `RSS + β'Pβ`.
    pub(super) penalised_square: f64,
    /// `tr B_jj`.
    pub(super) trace: Vec<f64>,
}

impl<'g> SmoothRegression<'g> {
    pub(crate) fn new(
        gram: &'g AdditiveGram,
        terms: &'g [usize],
        target: usize,
        smoothing: Smoothing,
        run: &Run<'g>,
    ) -> Self {
        let mut offsets = vec![0];
        for (a, &term) in terms.iter().enumerate() {
            offsets.push(offsets[a] + gram.term(term).size());
        }
        let size = offsets[terms.len()];
        let (mut g, mut c) = (Mat::zeros(size, size), Vec::with_capacity(size));
        let mut block = Vec::new();
        for (a, &i) in terms.iter().enumerate() {
            let rows = gram.term(i).size();
            c.extend(turned_column(gram.cross(i, target), gram.term(i).rotation()));
            for (b, &j) in terms.iter().enumerate().take(a + 1) {
                let columns = gram.term(j).size();
                block.clear();
                block.resize(rows * columns, 0.0);
                gram.copy_block(i, j, &mut block, columns);
                turn_block(&mut block, gram.term(i).rotation(), gram.term(j).rotation());
                for (row, entries) in block.chunks_exact(columns.max(1)).enumerate() {
                    g.col_as_slice_mut(offsets[a] + row)[offsets[b]..offsets[b + 1]].copy_from_slice(entries);
                    for (column, &entry) in entries.iter().enumerate() {
                        g[(offsets[a] + row, offsets[b] + column)] = entry;
                    }
                }
            }
        }
        let roughness = terms.iter().flat_map(|&term| gram.term(term).roughness().to_vec()).collect();
        SmoothRegression { gram, terms, smoothing, offsets, g, c, roughness, square: gram.square(target), run: *run }
    }

    /// Whether the response varies at all.
    pub(super) fn has_response(&self) -> bool {
        self.square > 0.0
    }

    /// Whether a term has anything to penalise.
    pub(super) fn is_penalised(&self, term: usize) -> bool {
        self.gram.term(self.terms[term]).penalty_rank() > 0
    }

    /// The squared length of every coordinate's column, and its penalty, of the terms' own coordinates (not turned).
    pub(super) fn diagonals(&self, term: usize) -> impl Iterator<Item = (f64, f64)> + '_ {
        let (q, node) = (self.gram.term(self.terms[term]).size(), self.terms[term]);
        let (gram, penalty) = (self.gram.diagonal_block(node), self.gram.term(node).penalty());
        (0..q).map(move |i| (gram[i * q + i], penalty[i * q + i]))
    }

    /// The residual sum of squares with every parameter equal to `sp`.
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`].
    pub(crate) fn residual_square(&self, sp: f64) -> Result<f64> {
        let parts = self.parts(&vec![sp; self.terms.len()])?;
        Ok(parts.penalised_square - small::dot(&parts.b, &parts.b))
    }

    fn parts(&self, lambda: &[f64]) -> Result<Parts> {
        let mut m = self.g.clone();
        let mut penalty = vec![0.0; self.c.len()];
        for (a, lambda) in lambda.iter().enumerate() {
            for i in self.offsets[a]..self.offsets[a + 1] {
                penalty[i] = lambda * self.roughness[i];
                m[(i, i)] += penalty[i];
            }
        }
        let (mut v, log_determinant, rank) = scaled_inverse(&m, &self.run)?;
        let mut beta = vec![0.0; self.c.len()];
        for (j, c) in self.c.iter().enumerate() {
            beta.iter_mut().zip(v.col_as_slice(j)).for_each(|(beta, v)| *beta += v * c);
        }
        let root: Vec<f64> = penalty.iter().map(|penalty| penalty.sqrt()).collect();
        scale_both(&mut v, &root);
        let trace = |a: usize| (self.offsets[a]..self.offsets[a + 1]).map(|i| v[(i, i)]).sum();
        Ok(Parts {
            b: root.iter().zip(&beta).map(|(root, beta)| root * beta).collect(),
            rank,
            log_determinant,
            penalised_square: self.square - small::dot(&beta, &self.c),
            trace: (0..self.terms.len()).map(trace).collect(),
            b_matrix: v,
        })
    }

    /// The score.
    pub(super) fn at(&self, rho: Vec<f64>) -> Result<Point> {
        let parts = self.parts(&rho.iter().map(|rho| rho.exp()).collect::<Vec<_>>())?;
        Ok(self.point(rho, parts))
    }

    pub(super) fn point(&self, rho: Vec<f64>, parts: Parts) -> Point {
        let score = match self.smoothing {
            Smoothing::Fixed | Smoothing::Gcv => self.log_gcv_of(self.residuals(&parts)),
            Smoothing::Reml => {
                let (deviance, df) = self.penalised_residuals(&parts);
                let log_lambda: f64 = rho.iter().enumerate().map(|(a, rho)| self.rank(a) * rho).sum();
                0.5 * (df * deviance.ln() + parts.log_determinant - log_lambda)
            }
        };
        let residual_square = parts.penalised_square - small::dot(&parts.b, &parts.b);
        let wiggle = parts.trace.iter().enumerate().map(|(a, trace)| self.rank(a) - trace).collect();
        Point { rho, score, residual_square, wiggle, parts }
    }

    /// The score's slopes, which cost far less than its second derivatives.
    pub(super) fn gradient(&self, point: &Point) -> Vec<f64> {
        let (parts, blocks) = (&point.parts, Blocks { matrix: &point.parts.b_matrix, starts: &self.offsets });
        match self.smoothing {
            Smoothing::Fixed | Smoothing::Gcv => self.log_gcv_slopes(parts, &blocks).gradient(),
            Smoothing::Reml => self.reml_gradient(parts, &blocks),
        }
    }

    /// The score's derivatives.
    pub(super) fn derivatives(&self, point: &Point) -> Derivatives {
        match self.smoothing {
            Smoothing::Fixed | Smoothing::Gcv => self.log_gcv(&point.parts),
            Smoothing::Reml => self.reml(&point.parts),
        }
    }

    fn rank(&self, term: usize) -> f64 {
        self.gram.term(self.terms[term]).penalty_rank() as f64
    }

    /// The residual sum of squares and its degrees of freedom.
    fn residuals(&self, parts: &Parts) -> (f64, f64) {
        let rss = parts.penalised_square - small::dot(&parts.b, &parts.b);
        self.within_reason(rss, 1.0 + parts.rank as f64 - parts.trace.iter().sum::<f64>())
    }

    pub(super) fn log_gcv_of(&self, (rss, df): (f64, f64)) -> f64 {
        (self.gram.n() as f64 * rss).ln() - 2.0 * df.ln()
    }

    /// A residual sum of squares and its degrees of freedom, neither of them zero.
    pub(super) fn within_reason(&self, rss: f64, edf: f64) -> (f64, f64) {
        let n = self.gram.n() as f64;
        (rss.max(PERFECT_FIT * self.square), (n - edf).max(PERFECT_FIT * n))
    }

    /// `D` and its degrees of freedom.
    fn penalised_residuals(&self, parts: &Parts) -> (f64, f64) {
        let penalised: f64 = (0..self.terms.len()).map(|a| self.rank(a)).sum();
        let unpenalised = 1.0 + self.c.len() as f64 - penalised;
        let df = (self.gram.n() as f64 - unpenalised).max(1.0);
        (parts.penalised_square.max(PERFECT_FIT * self.square), df)
    }

    fn log_gcv_slopes(&self, parts: &Parts, blocks: &Blocks<'_>) -> GcvSlopes {
        let (terms, b) = (self.terms.len(), &parts.b);
        let (rss, df) = self.residuals(parts);
        let y: Vec<f64> = (0..b.len()).map(|i| dot(blocks.matrix.col_as_slice(i), b)).collect();
        let mut norms = vec![0.0; terms * terms];
        for j in 0..terms {
            for k in 0..=j {
                let norm = blocks.product(j, k, blocks.matrix);
                norms[j * terms + k] = norm;
                norms[k * terms + j] = norm;
            }
        }
        let norm = |a: usize| norms[a * terms..(a + 1) * terms].iter().sum::<f64>();
        GcvSlopes {
            rss: (0..terms).map(|a| 2.0 * small::dot(blocks.own(b, a), blocks.own(&y, a)) / rss).collect(),
            edf: (0..terms).map(|a| (norm(a) - parts.trace[a]) / df).collect(),
            y,
            norms,
        }
    }

    fn log_gcv(&self, parts: &Parts) -> Derivatives {
        let terms = self.terms.len();
        let Parts { b_matrix, b, .. } = parts;
        let blocks = Blocks { matrix: b_matrix, starts: &self.offsets };
        let slopes = self.log_gcv_slopes(parts, &blocks);
        let images: Vec<Vec<f64>> = (0..terms).map(|a| blocks.image(a, b)).collect();
        let squared = symmetric_square(b_matrix);
        let (rss, df) = self.residuals(parts);
        let mut hessian = vec![0.0; terms * terms];
        for j in 0..terms {
            for k in 0..=j {
                let (z_j, z_k) = (&images[j], &images[k]);
                let coupling = small::dot(blocks.own(b, j), blocks.own(z_k, j))
                    - dot(z_j, z_k)
                    - small::dot(blocks.own(&slopes.y, j), blocks.own(z_k, j))
                    - small::dot(blocks.own(&slopes.y, k), blocks.own(z_j, k));
                let mut rss_curve = 2.0 * coupling / rss;
                let mut edf_curve = 2.0 * (slopes.norms[j * terms + k] - blocks.product(j, k, &squared)) / df;
                if j == k {
                    rss_curve += slopes.rss[j];
                    edf_curve += slopes.edf[j];
                }
                let curve =
                    rss_curve - slopes.rss[j] * slopes.rss[k] + 2.0 * edf_curve + 2.0 * slopes.edf[j] * slopes.edf[k];
                hessian[j * terms + k] = curve;
                hessian[k * terms + j] = curve;
            }
        }
        Derivatives { gradient: slopes.gradient(), hessian }
    }

    fn reml_gradient(&self, parts: &Parts, blocks: &Blocks<'_>) -> Vec<f64> {
        let (deviance, df) = self.penalised_residuals(parts);
        let slope = |a: usize| small::dot(blocks.own(&parts.b, a), blocks.own(&parts.b, a)) / deviance;
        (0..self.terms.len()).map(|a| 0.5 * (df * slope(a) + parts.trace[a] - self.rank(a))).collect()
    }

    fn reml(&self, parts: &Parts) -> Derivatives {
        let terms = self.terms.len();
        let Parts { b_matrix, b, .. } = parts;
        let blocks = Blocks { matrix: b_matrix, starts: &self.offsets };
        let (deviance, df) = self.penalised_residuals(parts);
        let slope: Vec<f64> = (0..terms).map(|a| small::dot(blocks.own(b, a), blocks.own(b, a)) / deviance).collect();
        let gradient = self.reml_gradient(parts, &blocks);
        let mut hessian = vec![0.0; terms * terms];
        for j in 0..terms {
            let image = blocks.image(j, b);
            for k in 0..terms {
                let mut curve = -2.0 * small::dot(blocks.own(b, k), blocks.own(&image, k)) / deviance;
                let mut determinant = -blocks.product(j, k, b_matrix);
                if j == k {
                    curve += slope[j];
                    determinant += parts.trace[j];
                }
                hessian[j * terms + k] = 0.5 * (df * (curve - slope[j] * slope[k]) + determinant);
            }
        }
        Derivatives { gradient, hessian }
    }
}

/// `U x`, or `x` itself.
fn turned_column(x: &[f64], rotation: Option<&[f64]>) -> Vec<f64> {
    match rotation {
        Some(rotation) => rotation.chunks_exact(x.len().max(1)).map(|direction| small::dot(direction, x)).collect(),
        None => x.to_vec(),
    }
}

/// `U A V'` in the place of `A`, row-major.
fn turn_block(block: &mut [f64], left: Option<&[f64]>, right: Option<&[f64]>) {
    if let Some(right) = right {
        for row in block.chunks_exact_mut(right.len().isqrt().max(1)) {
            row.copy_from_slice(&turned_column(row, Some(right)));
        }
    }
    if let Some(left) = left {
        let rows = left.len().isqrt();
        let columns = block.len() / rows.max(1);
        for c in 0..columns {
            let column: Vec<f64> = (0..rows).map(|r| block[r * columns + c]).collect();
            let turned = turned_column(&column, Some(left));
            (0..rows).for_each(|r| block[r * columns + c] = turned[r]);
        }
    }
}

/// A symmetric matrix in blocks.
struct Blocks<'m> {
    matrix: &'m Mat<f64>,
    starts: &'m [usize],
}

impl Blocks<'_> {
    /// A term's part of a vector.
    fn own<'v>(&self, vector: &'v [f64], a: usize) -> &'v [f64] {
        &vector[self.starts[a]..self.starts[a + 1]]
    }

    /// `⟨B_ab, X_ab⟩` for another matrix in the same blocks.
    fn product(&self, a: usize, b: usize, other: &Mat<f64>) -> f64 {
        let rows = self.starts[a]..self.starts[a + 1];
        (self.starts[b]..self.starts[b + 1])
            .map(|j| small::dot(&self.matrix.col_as_slice(j)[rows.clone()], &other.col_as_slice(j)[rows.clone()]))
            .sum()
    }

    /// `B_·a x_a`.
    fn image(&self, a: usize, x: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; self.matrix.nrows()];
        for j in self.starts[a]..self.starts[a + 1] {
            out.iter_mut().zip(self.matrix.col_as_slice(j)).for_each(|(out, entry)| *out += entry * x[j]);
        }
        out
    }
}

/// A generalised inverse of `M`, the logarithm of its (pseudo-)determinant, and its rank. The matrix is scaled to a unit
/// diagonal first: penalties of very different sizes say nothing about its rank.
fn scaled_inverse(m: &Mat<f64>, run: &Run<'_>) -> Result<(Mat<f64>, f64, usize)> {
    let size = m.nrows();
    let scale: Vec<f64> = (0..size).map(|i| if m[(i, i)] > 0.0 { 1.0 / m[(i, i)].sqrt() } else { 0.0 }).collect();
    let log_scale: f64 = scale.iter().filter(|scale| **scale > 0.0).map(|scale| -2.0 * scale.ln()).sum();
    let mut scaled = m.clone();
    scale_both(&mut scaled, &scale);
    let (mut inverse, log_determinant, rank) = match positive_inverse_during(&scaled, run)? {
        Some((inverse, pivots)) if pivots.iter().all(|&pivot| pivot > SUSPICIOUS_PIVOT) => {
            (inverse, pivots.iter().map(|pivot| pivot.ln()).sum::<f64>(), size)
        }
        _ => pseudo_inverse(scaled, run)?,
    };
    scale_both(&mut inverse, &scale);
    Ok((inverse, log_determinant + log_scale, rank))
}

/// `D A D` with a diagonal `D`.
fn scale_both(matrix: &mut Mat<f64>, diagonal: &[f64]) {
    for (j, own) in diagonal.iter().enumerate() {
        matrix.col_as_slice_mut(j).iter_mut().zip(diagonal).for_each(|(entry, other)| *entry *= other * own);
    }
}

fn pseudo_inverse(m: Mat<f64>, run: &Run<'_>) -> Result<(Mat<f64>, f64, usize)> {
    let size = m.nrows();
    let (values, vectors) = eigen_during(m, run)?;
    let weighted =
        Mat::from_fn(size, size, |i, j| if values[j] > SINGULAR { vectors[(i, j)] / values[j] } else { 0.0 });
    let mut inverse = Mat::zeros(size, size);
    multiply_during(inverse.as_mut(), Into::Replace, weighted.as_ref(), vectors.transpose(), 1.0, run)?;
    let positive = values.iter().filter(|&&value| value > SINGULAR);
    Ok((inverse, positive.clone().map(|value| value.ln()).sum(), positive.count()))
}
