//! Smoothing parameters by generalised cross-validation or restricted maximum likelihood, from the Gram matrix alone.
//!
//! Minimises the score over `ρ = log λ` by a quasi-Newton method (BFGS) with exact gradients inside a box. Where a score
//! is flat (a term that is a straight line wants an infinite `λ`) the box ends the search; compare scores and fits, not
//! the parameters themselves.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::additive_fit::AdditiveFit;
use crate::linalg::small;
use crate::smooth::AdditiveGram;

/// How smoothing parameters are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Smoothing {
    /// One fixed parameter for every term, as the paper.
    #[default]
    Fixed,
    /// Generalised cross-validation, one parameter per term.
    Gcv,
    /// Restricted maximum likelihood, one parameter per term.
    Reml,
}

/// `log λ` stays within these bounds: beyond them a term is a straight line, or is not penalised, to all digits.
const BOX: (f64, f64) = (-18.0, 18.0);
const MAX_ITERATIONS: usize = 200;
/// No step moves a log parameter by more than this: beyond it the model of the score means little.
const LONGEST_STEP: f64 = 5.0;
/// Residual sums of squares below this share of the response's count as this share: a perfect fit has no finite score.
const PERFECT_FIT: f64 = 1e-13;
/// The search ends when the score changes by less than this share.
const SCORE_TOLERANCE: f64 = 1e-11;

/// The fit with every smoothing parameter equal to `sp`, or at the best ones.
pub(crate) fn smooth_fit(
    gram: &AdditiveGram,
    terms: &[usize],
    target: usize,
    smoothing: Smoothing,
    sp: f64,
) -> AdditiveFit {
    if smoothing == Smoothing::Fixed || gram.square(target) <= 0.0 {
        return AdditiveFit::new(gram, terms, target, &vec![sp; terms.len()]);
    }
    let rho = terms.iter().map(|&term| balance(gram, term).ln().clamp(BOX.0, BOX.1)).collect();
    Problem { gram, terms, target, smoothing }.minimise(rho)
}

/// A parameter for which data and penalty weigh about the same, to start from.
fn balance(gram: &AdditiveGram, term: usize) -> f64 {
    let q = gram.term(term).size();
    let trace = |block: &[f64]| (0..q).map(|i| block[i * q + i]).sum::<f64>();
    let penalty = trace(gram.term(term).penalty());
    if penalty > 0.0 { trace(gram.diagonal_block(term)) / penalty } else { 1.0 }
}

struct Problem<'g> {
    gram: &'g AdditiveGram,
    terms: &'g [usize],
    target: usize,
    smoothing: Smoothing,
}

/// A point of the search: the fit, its score and the score's gradient with respect to `ρ`.
struct Point {
    rho: Vec<f64>,
    fit: AdditiveFit,
    score: f64,
    gradient: Vec<f64>,
}

impl Problem<'_> {
    fn at(&self, rho: Vec<f64>) -> Point {
        let lambda: Vec<f64> = rho.iter().map(|rho| rho.exp()).collect();
        let fit = AdditiveFit::new(self.gram, self.terms, self.target, &lambda);
        let derivatives = fit.derivatives(self.gram);
        let n = self.gram.n() as f64;
        let (score, mut gradient): (f64, Vec<f64>) = match self.smoothing {
            Smoothing::Fixed | Smoothing::Gcv => {
                // log GCV: the same minimum, a better scale.
                let residual_df = (n - fit.edf()).max(PERFECT_FIT * n);
                let residual_square = fit.residual_square().max(PERFECT_FIT * fit.square());
                let slope = |[rss, edf, _]: &[f64; 3]| rss / residual_square + 2.0 * edf / residual_df;
                let score = (n * residual_square).ln() - 2.0 * residual_df.ln();
                (score, derivatives.iter().map(slope).collect())
            }
            Smoothing::Reml => {
                let phi = fit.scale(self.gram, PERFECT_FIT);
                let slope = |(a, [_, _, trace]): (usize, &[f64; 3])| {
                    let rank = self.gram.term(self.terms[a]).penalty_rank() as f64;
                    (lambda[a] * fit.roughness(self.gram, a) / phi + trace - rank) / 2.0
                };
                (fit.reml_but_for_constant(self.gram, phi), derivatives.iter().enumerate().map(slope).collect())
            }
        };
        for (a, &term) in self.terms.iter().enumerate() {
            let outward = (rho[a] <= BOX.0 && gradient[a] > 0.0) || (rho[a] >= BOX.1 && gradient[a] < 0.0);
            if outward || self.gram.term(term).penalty_rank() == 0 {
                gradient[a] = 0.0;
            }
        }
        Point { rho, fit, score, gradient }
    }

    fn minimise(&self, start: Vec<f64>) -> AdditiveFit {
        let size = start.len();
        let mut point = self.at(start);
        let mut inverse_hessian = identity(size);
        let mut calm = 0;
        for _ in 0..MAX_ITERATIONS {
            let mut direction: Vec<f64> =
                (0..size).map(|i| -small::dot(&inverse_hessian[i * size..(i + 1) * size], &point.gradient)).collect();
            if point.gradient.iter().any(|slope| !slope.is_finite()) {
                break;
            }
            if small::dot(&direction, &point.gradient) >= 0.0 {
                inverse_hessian = identity(size);
                direction = point.gradient.iter().map(|slope| -slope).collect();
            }
            let Some(next) = self.line_search(&point, &direction) else {
                if inverse_hessian == identity(size) {
                    break;
                }
                inverse_hessian = identity(size);
                continue;
            };
            update_inverse_hessian(&mut inverse_hessian, &point, &next);
            let change = (point.score - next.score).abs();
            point = next;
            calm = if change <= SCORE_TOLERANCE * (1.0 + point.score.abs()) { calm + 1 } else { 0 };
            if calm == 2 {
                break;
            }
        }
        point.fit
    }

    /// A point along the direction whose score is enough below the present one, as far out as the score keeps falling.
    fn line_search(&self, point: &Point, direction: &[f64]) -> Option<Point> {
        let slope = small::dot(direction, &point.gradient);
        let longest = direction.iter().fold(0.0_f64, |longest, step| longest.max(step.abs()));
        let mut step = 1.0_f64.min(LONGEST_STEP / longest);
        let trial = |step: f64| {
            let rho = point.rho.iter().zip(direction).map(|(rho, d)| (rho + step * d).clamp(BOX.0, BOX.1)).collect();
            let next = self.at(rho);
            let enough = next.score <= point.score + 1e-4 * step * slope;
            enough.then_some(next)
        };
        let mut best = trial(step);
        if best.is_none() {
            for _ in 0..40 {
                step /= 2.0;
                best = trial(step);
                if best.is_some() {
                    break;
                }
            }
            return best.filter(|best| best.rho != point.rho);
        }
        while let Some(present) = &best {
            let still_falling = small::dot(direction, &present.gradient) < 0.5 * slope;
            if !still_falling || 2.0 * step * longest > LONGEST_STEP {
                break;
            }
            step *= 2.0;
            match trial(step).filter(|next| next.score < present.score) {
                Some(next) => best = Some(next),
                None => break,
            }
        }
        best.filter(|best| best.rho != point.rho)
    }
}

fn identity(size: usize) -> Vec<f64> {
    (0..size * size).map(|entry| if entry / size == entry % size { 1.0 } else { 0.0 }).collect()
}

fn update_inverse_hessian(inverse: &mut [f64], from: &Point, to: &Point) {
    let size = from.rho.len();
    let s: Vec<f64> = to.rho.iter().zip(&from.rho).map(|(a, b)| a - b).collect();
    let y: Vec<f64> = to.gradient.iter().zip(&from.gradient).map(|(a, b)| a - b).collect();
    let curvature = small::dot(&s, &y);
    if curvature <= 1e-12 * small::dot(&s, &s).sqrt() * small::dot(&y, &y).sqrt() {
        return;
    }
    let hy: Vec<f64> = (0..size).map(|i| small::dot(&inverse[i * size..(i + 1) * size], &y)).collect();
    let yhy = small::dot(&y, &hy);
    for i in 0..size {
        for j in 0..size {
            inverse[i * size + j] +=
                (1.0 + yhy / curvature) * s[i] * s[j] / curvature - (hy[i] * s[j] + s[i] * hy[j]) / curvature;
        }
    }
}
