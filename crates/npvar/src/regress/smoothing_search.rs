//! The search for the smoothing parameters of one regression: Newton's method over `ρ = log λ` inside a box.
//!
//! With `M = G + P`, `P = ⊕ λ_jS_j`, `V = M⁻¹`, `β = Vc`, `S_j = E_jE_j'`, everything follows from one inverse and
//!
//! ```text
//! B = (√λ_j E_j' V_jk E_k √λ_k)      b_j = √λ_j E_j'β_j      y = B b      z_j = B_·j b_j
//! edf = rank M − tr B      ∂_j edf = −tr B_jj + Σ_k ‖B_jk‖²      ∂_jk edf = 2‖B_jk‖² − 2⟨B_jk, (BB)_jk⟩ + δ_jk ∂_j edf
//! ∂_j RSS = 2 b_j'y_j      ∂_jk RSS = 2 (b_j'B_jk b_k − z_j'z_k − y_j'B_jk b_k − y_k'B_kj b_j) + δ_jk ∂_j RSS
//! ∂_j D = b_j'b_j      ∂_jk D = δ_jk ∂_j D − 2 b_j'B_jk b_k      ∂_jk log|M| = δ_jk tr B_jj − ‖B_jk‖²      (D = RSS + β'Pβ)
//! ```
//!
//! (Wood 2011 gives the same for mgcv.) Where a score is flat, because a term is a straight line and wants an infinite
//! `λ`, the search ends on the way: compare scores and fits, not the parameters.

use faer::Mat;

use super::additive_fit::inverse;
use super::smoothing::Smoothing;
use crate::linalg::{Into, multiply_here, small};
use crate::smooth::AdditiveGram;

/// `log λ` stays within these bounds: beyond them a term is a straight line, or is not penalised, to all digits.
const BOX: (f64, f64) = (-18.0, 18.0);
const MAX_ITERATIONS: usize = 100;
/// No step moves a log parameter by more than this: beyond it the model of the score means little.
const LONGEST_STEP: f64 = 5.0;
/// Residual sums of squares below this share of the response's count as this share: a perfect fit has no finite score.
const PERFECT_FIT: f64 = 1e-13;
/// The search ends when the next step promises less than this (in log GCV, or in REML per row).
const PROMISE: f64 = 1e-10;
/// A term with fewer effective degrees of freedom beyond its straight line than this is nearly straight: its score falls
/// like `e^−ρ`, of which Newton's method would take the tail in steps of one.
const NEARLY_STRAIGHT: f64 = 0.1;
/// Curvatures below this share of the largest count as this share.
const FLAT: f64 = 1e-7;

/// What a search found.
#[derive(Debug, Clone)]
pub(crate) struct Smoothed {
    /// `log λ` of every term.
    pub(crate) log_lambda: Vec<f64>,
    /// Effective degrees of freedom of every term beyond its unpenalised part.
    pub(crate) wiggle: Vec<f64>,
    /// The residual sum of squares.
    pub(crate) residual_square: f64,
}

impl Smoothed {
    /// Where to start a search with this term in it: as found, but not so far out that the score has no slope left.
    pub(crate) fn restart(&self, term: usize) -> f64 {
        let back = (NEARLY_STRAIGHT / self.wiggle[term].max(f64::MIN_POSITIVE)).ln().clamp(0.0, 2.0 * BOX.1);
        self.log_lambda[term] - back
    }
}

/// A regression of one column on the smooth terms of others, ready for any smoothing parameters.
pub(crate) struct SmoothRegression<'g> {
    gram: &'g AdditiveGram,
    terms: &'g [usize],
    smoothing: Smoothing,
    offsets: Vec<usize>,
    /// Where each term's penalised directions begin.
    ranks: Vec<usize>,
    g: Mat<f64>,
    c: Vec<f64>,
    square: f64,
}

/// A point of the search.
struct Point {
    rho: Vec<f64>,
    score: f64,
    gradient: Vec<f64>,
    hessian: Vec<f64>,
    residual_square: f64,
    wiggle: Vec<f64>,
}

impl<'g> SmoothRegression<'g> {
    pub(crate) fn new(gram: &'g AdditiveGram, terms: &'g [usize], target: usize, smoothing: Smoothing) -> Self {
        let (mut offsets, mut ranks) = (vec![0], vec![0]);
        for (a, &term) in terms.iter().enumerate() {
            offsets.push(offsets[a] + gram.term(term).size());
            ranks.push(ranks[a] + gram.term(term).penalty_rank());
        }
        let (g, c) = assemble(gram, terms, &offsets, target);
        SmoothRegression { gram, terms, smoothing, offsets, ranks, g, c, square: gram.square(target) }
    }

    /// The best parameters, searched from `start` or from where data and penalty weigh about the same.
    pub(crate) fn search(&self, start: Option<&[f64]>) -> Smoothed {
        let clamp = |rho: f64| rho.clamp(BOX.0, BOX.1);
        let rho: Vec<f64> = match start {
            Some(start) => start.iter().map(|&rho| clamp(rho)).collect(),
            None => self.terms.iter().map(|&term| clamp(balance(self.gram, term).ln())).collect(),
        };
        let mut point = self.at(rho);
        if self.square <= 0.0 {
            return point.into();
        }
        let promise = match self.smoothing {
            Smoothing::Fixed | Smoothing::Gcv => PROMISE,
            Smoothing::Reml => PROMISE * self.gram.n() as f64,
        };
        for _ in 0..MAX_ITERATIONS {
            let free: Vec<usize> = (0..self.terms.len()).filter(|&a| self.is_free(&point, a)).collect();
            let Some((direction, gained)) = newton_direction(&point, &free) else { break };
            if gained < promise {
                break;
            }
            let direction = self.along_tails(&point, direction);
            match self.line_search(&point, &direction) {
                Some(next) => point = next,
                None => break,
            }
        }
        point.into()
    }

    /// The residual sum of squares with every parameter equal to `sp`.
    pub(crate) fn residual_square(&self, sp: f64) -> f64 {
        let m = self.penalised_gram(&vec![sp; self.terms.len()]);
        let beta = times(&inverse(&m).0, &self.c);
        let mut roughness = 0.0;
        for (a, &term) in self.terms.iter().enumerate() {
            let beta = &beta[self.offsets[a]..self.offsets[a + 1]];
            roughness += sp * small::quadratic(beta, self.gram.term(term).penalty(), beta);
        }
        self.square - small::dot(&beta, &self.c) - roughness
    }

    /// `M`.
    fn penalised_gram(&self, lambda: &[f64]) -> Mat<f64> {
        let mut m = self.g.clone();
        for (a, &term) in self.terms.iter().enumerate() {
            let q = self.gram.term(term).size();
            for (entry, penalty) in self.gram.term(term).penalty().iter().enumerate() {
                m[(self.offsets[a] + entry / q, self.offsets[a] + entry % q)] += lambda[a] * penalty;
            }
        }
        m
    }

    /// Whether the score may still fall by moving this parameter.
    fn is_free(&self, point: &Point, a: usize) -> bool {
        let (rho, slope) = (point.rho[a], point.gradient[a]);
        let outward = (rho <= BOX.0 && slope > 0.0) || (rho >= BOX.1 && slope < 0.0);
        self.ranks[a + 1] > self.ranks[a] && !outward && slope.is_finite()
    }

    /// Longer steps for terms that are on their way to a straight line.
    fn along_tails(&self, point: &Point, mut direction: Vec<f64>) -> Vec<f64> {
        for (a, step) in direction.iter_mut().enumerate() {
            if *step > 0.0 && point.wiggle[a] < NEARLY_STRAIGHT {
                *step = step.max(LONGEST_STEP);
            }
        }
        direction
    }

    /// The first point along the direction, at half the step each time, whose score is lower.
    fn line_search(&self, point: &Point, direction: &[f64]) -> Option<Point> {
        let longest = direction.iter().fold(0.0_f64, |longest, step| longest.max(step.abs()));
        let mut step = 1.0_f64.min(LONGEST_STEP / longest);
        for _ in 0..30 {
            let rho: Vec<f64> =
                point.rho.iter().zip(direction).map(|(rho, d)| (rho + step * d).clamp(BOX.0, BOX.1)).collect();
            if rho == point.rho {
                return None;
            }
            let next = self.at(rho);
            if next.score < point.score {
                return Some(next);
            }
            step /= 2.0;
        }
        None
    }

    fn at(&self, rho: Vec<f64>) -> Point {
        let terms = self.terms.len();
        let lambda: Vec<f64> = rho.iter().map(|rho| rho.exp()).collect();
        let (v, log_determinant, rank) = inverse(&self.penalised_gram(&lambda));
        let beta = times(&v, &self.c);
        let (b_matrix, b) = self.penalised(&rho, &v, &beta);
        let block = Blocks { matrix: &b_matrix, starts: &self.ranks };
        let y: Vec<f64> = (0..b.len()).map(|i| small::dot(b_matrix.col_as_slice(i), &b)).collect();
        let (own_b, own_y): (Vec<_>, Vec<_>) = (0..terms).map(|a| (block.own(&b, a), block.own(&y, a))).unzip();
        let trace: Vec<f64> = (0..terms).map(|a| block.trace(a)).collect();
        let squares: Vec<f64> = (0..terms * terms).map(|at| block.product(at / terms, at % terms, &b_matrix)).collect();
        let wiggle: Vec<f64> = (0..terms).map(|a| (self.ranks[a + 1] - self.ranks[a]) as f64 - trace[a]).collect();
        let penalised_square = self.square - small::dot(&beta, &self.c);
        let residual_square = penalised_square - small::dot(&b, &b);
        let n = self.gram.n() as f64;
        let (mut gradient, mut hessian) = (vec![0.0; terms], vec![0.0; terms * terms]);
        let score = match self.smoothing {
            Smoothing::Fixed | Smoothing::Gcv => {
                // log GCV: the same minimum, a better scale.
                let edf = 1.0 + rank as f64 - trace.iter().sum::<f64>();
                let df = (n - edf).max(PERFECT_FIT * n);
                let rss = residual_square.max(PERFECT_FIT * self.square);
                let images: Vec<Vec<f64>> = (0..terms).map(|a| block.image(a, own_b[a])).collect();
                let mut squared = Mat::zeros(b.len(), b.len());
                multiply_here(squared.as_mut(), Into::Replace, b_matrix.as_ref(), b_matrix.as_ref(), 1.0);
                let rss_slope: Vec<f64> = (0..terms).map(|a| 2.0 * small::dot(own_b[a], own_y[a])).collect();
                let edf_slope: Vec<f64> =
                    (0..terms).map(|a| squares[a * terms..(a + 1) * terms].iter().sum::<f64>() - trace[a]).collect();
                for j in 0..terms {
                    gradient[j] = rss_slope[j] / rss + 2.0 * edf_slope[j] / df;
                    for k in 0..=j {
                        let diagonal = f64::from(u8::from(j == k));
                        let rss_curve = 2.0
                            * (small::dot(own_b[j], block.own(&images[k], j))
                                - small::dot(&images[j], &images[k])
                                - small::dot(own_y[j], block.own(&images[k], j))
                                - small::dot(own_y[k], block.own(&images[j], k)))
                            + diagonal * rss_slope[j];
                        let edf_curve = 2.0 * squares[j * terms + k] - 2.0 * block.product(j, k, &squared)
                            + diagonal * edf_slope[j];
                        let curve = rss_curve / rss - rss_slope[j] * rss_slope[k] / (rss * rss)
                            + 2.0 * edf_curve / df
                            + 2.0 * edf_slope[j] * edf_slope[k] / (df * df);
                        hessian[j * terms + k] = curve;
                        hessian[k * terms + j] = curve;
                    }
                }
                (n * rss).ln() - 2.0 * df.ln()
            }
            Smoothing::Reml => {
                let unpenalised = (1 + self.c.len() - b.len()) as f64;
                let df = (n - unpenalised).max(1.0);
                let deviance = penalised_square.max(PERFECT_FIT * self.square);
                let slope: Vec<f64> = (0..terms).map(|a| small::dot(own_b[a], own_b[a])).collect();
                for j in 0..terms {
                    let rank = (self.ranks[j + 1] - self.ranks[j]) as f64;
                    gradient[j] = 0.5 * (df * slope[j] / deviance + trace[j] - rank);
                    let image = block.image(j, own_b[j]);
                    for k in 0..terms {
                        let diagonal = f64::from(u8::from(j == k));
                        let curve = diagonal * slope[j] - 2.0 * small::dot(own_b[k], block.own(&image, k));
                        hessian[j * terms + k] = 0.5
                            * (df * (curve / deviance - slope[j] * slope[k] / (deviance * deviance))
                                + diagonal * trace[j]
                                - squares[j * terms + k]);
                    }
                }
                let log_lambda: f64 = (0..terms).map(|a| (self.ranks[a + 1] - self.ranks[a]) as f64 * rho[a]).sum();
                0.5 * (df * deviance.ln() + log_determinant - log_lambda)
            }
        };
        Point { rho, score, gradient, hessian, residual_square, wiggle }
    }

    /// `B` and `b`.
    fn penalised(&self, rho: &[f64], v: &Mat<f64>, beta: &[f64]) -> (Mat<f64>, Vec<f64>) {
        let size = self.ranks[self.terms.len()];
        let (mut out, mut b) = (Mat::zeros(size, size), vec![0.0; size]);
        for (a, &i) in self.terms.iter().enumerate() {
            let rows = self.ranks[a + 1] - self.ranks[a];
            let (root, q) = (self.gram.term(i).penalty_root(), self.gram.term(i).size());
            for r in 0..rows {
                b[self.ranks[a] + r] =
                    (0.5 * rho[a]).exp() * (0..q).map(|k| root[k * rows + r] * beta[self.offsets[a] + k]).sum::<f64>();
            }
            // half = V_·a E_a, for the terms up to a.
            let mut half = vec![0.0; self.offsets[a + 1] * rows];
            for k in 0..q {
                let column = &v.col_as_slice(self.offsets[a] + k)[..self.offsets[a + 1]];
                for (half, v) in half.chunks_exact_mut(rows.max(1)).zip(column) {
                    half.iter_mut().zip(&root[k * rows..(k + 1) * rows]).for_each(|(half, root)| *half += v * root);
                }
            }
            for (c, &j) in self.terms.iter().enumerate().take(a + 1) {
                let columns = self.ranks[c + 1] - self.ranks[c];
                let (other, scale) = (self.gram.term(j).penalty_root(), (0.5 * (rho[a] + rho[c])).exp());
                for r in 0..rows {
                    for s in 0..columns {
                        let sum: f64 = (0..self.gram.term(j).size())
                            .map(|k| other[k * columns + s] * half[(self.offsets[c] + k) * rows + r])
                            .sum();
                        out[(self.ranks[c] + s, self.ranks[a] + r)] = scale * sum;
                        out[(self.ranks[a] + r, self.ranks[c] + s)] = scale * sum;
                    }
                }
            }
        }
        (out, b)
    }
}

impl From<Point> for Smoothed {
    fn from(point: Point) -> Self {
        Smoothed { log_lambda: point.rho, wiggle: point.wiggle, residual_square: point.residual_square }
    }
}

/// `G` and `c` of these terms and this response.
pub(super) fn assemble(gram: &AdditiveGram, terms: &[usize], offsets: &[usize], target: usize) -> (Mat<f64>, Vec<f64>) {
    let size = offsets[terms.len()];
    let (mut g, mut c) = (vec![0.0; size * size], vec![0.0; size]);
    for (a, &i) in terms.iter().enumerate() {
        c[offsets[a]..offsets[a + 1]].copy_from_slice(gram.cross(i, target));
        for (b, &j) in terms.iter().enumerate() {
            if offsets[a + 1] > offsets[a] {
                gram.copy_block(i, j, &mut g[offsets[a] * size + offsets[b]..], size);
            }
        }
    }
    (Mat::from_fn(size, size, |i, j| g[i * size + j]), c)
}

fn times(v: &Mat<f64>, c: &[f64]) -> Vec<f64> {
    let mut out = vec![0.0; c.len()];
    for (j, c) in c.iter().enumerate() {
        out.iter_mut().zip(v.col_as_slice(j)).for_each(|(out, v)| *out += v * c);
    }
    out
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

    fn trace(&self, a: usize) -> f64 {
        (self.starts[a]..self.starts[a + 1]).map(|i| self.matrix[(i, i)]).sum()
    }

    /// `⟨B_ab, X_ab⟩` for another matrix in the same blocks.
    fn product(&self, a: usize, b: usize, other: &Mat<f64>) -> f64 {
        let rows = self.starts[a]..self.starts[a + 1];
        (self.starts[b]..self.starts[b + 1])
            .map(|j| small::dot(&self.matrix.col_as_slice(j)[rows.clone()], &other.col_as_slice(j)[rows.clone()]))
            .sum()
    }

    /// `B_·a x`.
    fn image(&self, a: usize, x: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; self.matrix.nrows()];
        for (j, &x) in (self.starts[a]..self.starts[a + 1]).zip(x) {
            out.iter_mut().zip(self.matrix.col_as_slice(j)).for_each(|(out, entry)| *out += entry * x);
        }
        out
    }
}

/// A parameter for which data and penalty weigh about the same, to start from.
fn balance(gram: &AdditiveGram, term: usize) -> f64 {
    let q = gram.term(term).size();
    let trace = |block: &[f64]| (0..q).map(|i| block[i * q + i]).sum::<f64>();
    let penalty = trace(gram.term(term).penalty());
    if penalty > 0.0 { trace(gram.diagonal_block(term)) / penalty } else { 1.0 }
}

/// The Newton direction over the free parameters, downhill whatever the curvature, and by how much it should lower the
/// score; nothing where no parameter is free.
fn newton_direction(point: &Point, free: &[usize]) -> Option<(Vec<f64>, f64)> {
    if free.is_empty() || free.iter().any(|&a| !point.gradient[a].is_finite()) {
        return None;
    }
    let (terms, size) = (point.rho.len(), free.len());
    let hessian: Vec<f64> =
        (0..size * size).map(|at| point.hessian[free[at / size] * terms + free[at % size]]).collect();
    if hessian.iter().any(|entry| !entry.is_finite()) {
        return None;
    }
    let slope: Vec<f64> = free.iter().map(|&a| point.gradient[a]).collect();
    let (values, vectors) = small::eigen(&hessian, size);
    let largest = values.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
    let floor = (FLAT * largest).max(f64::MIN_POSITIVE);
    let mut direction = vec![0.0; terms];
    let mut gained = 0.0;
    for (value, vector) in values.iter().zip(&vectors) {
        let share = small::dot(vector, &slope);
        let step = -share / value.abs().max(floor);
        let step = step.clamp(-LONGEST_STEP, LONGEST_STEP);
        gained -= 0.5 * step * share;
        free.iter().zip(vector).for_each(|(&a, entry)| direction[a] += step * entry);
    }
    Some((direction, gained))
}
