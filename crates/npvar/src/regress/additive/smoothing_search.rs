//! The search for the smoothing parameters of one regression: Newton's method over `ρ = log λ` inside a box.
//!
//! GCV can have more than one minimum. From scratch it is searched as mgcv's `magic` does (Wood 2004), from the same start
//! and with the same rules, so as to end in the same minimum; a search that continues an earlier one, and REML, which
//! behaves better, go straight down. Where a score is flat, because a term is a straight line and wants an infinite `λ`, the
//! search ends on the way: compare scores and fits, not the parameters.

use super::along_term::AlongTerm;
use super::smooth_regression::{Derivatives, Point, SmoothRegression};
use super::smoothing::Smoothing;
use crate::error::Result;
use crate::numerics::linalg::small;

/// `log λ` stays within these bounds, far beyond those where a term is a straight line, or is not penalised, to all digits.
const BOX: (f64, f64) = (-18.0, 40.0);
const MAX_ITERATIONS: usize = 100;
/// No step moves a log parameter by more than this: beyond it the model of the score means little.
const LONGEST_STEP: f64 = 5.0;
/// The search ends when the next step promises less than this (in log GCV, or in REML per row).
const PROMISE: f64 = 1e-8;
/// A term with fewer effective degrees of freedom beyond its straight line than this is nearly straight: its score falls
/// like `e^−ρ`, of which Newton's method would take the tail in steps of one.
const NEARLY_STRAIGHT: f64 = 0.1;
/// A continued search begins where nearly straight terms have this much left, which still gives the score a slope.
const RESTART: f64 = 1e-3;
/// Degrees of freedom below this are rounding.
const ROUNDING: f64 = 1e-10;
/// Curvatures below this share of the largest count as this share.
const FLAT: f64 = 1e-7;

/// mgcv's tolerance of a change of the score, and of its gradient (the cube root).
const MGCV_TOLERANCE: f64 = 1e-7;
/// mgcv tries a step this often, halving it each time; from the fourth time on straight downhill.
const MGCV_TRIES: usize = 15;
const MGCV_DOWNHILL_FROM: usize = 4;
/// mgcv tests for convergence after this many steps.
const MGCV_STEPS: usize = 2;
/// In the end mgcv moves each parameter on by this, up to so many times, while the score falls.
const MGCV_REACH: (f64, usize) = (2.0, 5);
/// mgcv starts where penalised columns have about this share of effective degrees of freedom, to a factor of ten.
const MGCV_START: f64 = 0.4;

/// What a search found.
#[derive(Debug, Clone)]
pub(crate) struct Smoothed {
    /// `log λ` of every term.
    pub(crate) log_lambda: Vec<f64>,
    /// The residual sum of squares.
    pub(crate) residual_square: f64,
    wiggle: Vec<f64>,
}

impl Smoothed {
    /// Where to start a search with this term in it: as found, but not so far out that the score has no slope left.
    pub(crate) fn restart(&self, term: usize) -> f64 {
        let back = (RESTART / self.wiggle[term].max(ROUNDING)).ln().max(0.0);
        self.log_lambda[term] - back
    }
}

impl From<Point> for Smoothed {
    fn from(point: Point) -> Self {
        Smoothed { log_lambda: point.rho, wiggle: point.wiggle, residual_square: point.residual_square }
    }
}

impl SmoothRegression<'_> {
    /// The best parameters.
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`].
    pub(crate) fn search(&self) -> Result<Smoothed> {
        let start = self.at(self.mgcv_start())?;
        Ok(match self.smoothing {
            _ if !self.has_response() => start.into(),
            Smoothing::Fixed | Smoothing::Gcv => self.as_mgcv(start)?.into(),
            Smoothing::Reml => self.descend(start)?.into(),
        })
    }

    /// The best parameters near these.
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`].
    pub(crate) fn search_from(&self, rho: &[f64]) -> Result<Smoothed> {
        let start = self.at(rho.iter().map(|rho| rho.clamp(BOX.0, BOX.1)).collect())?;
        Ok(if self.has_response() { self.descend(start)?.into() } else { start.into() })
    }

    /// Straight down.
    fn descend(&self, mut point: Point) -> Result<Point> {
        let promise = match self.smoothing {
            Smoothing::Fixed | Smoothing::Gcv => PROMISE,
            Smoothing::Reml => PROMISE * self.gram.n() as f64,
        };
        let mut last: Option<Derivatives> = None;
        for _ in 0..MAX_ITERATIONS {
            // Near the end the last curvatures tell as well that nothing is left to gain.
            let settled = last.is_some_and(|Derivatives { hessian, .. }| {
                let derivatives = Derivatives { gradient: self.gradient(&point), hessian };
                let free = self.free(&point, &derivatives);
                newton_direction(&derivatives, &free).is_none_or(|(_, gained)| gained < promise)
            });
            if settled {
                break;
            }
            let derivatives = self.derivatives(&point);
            let free = self.free(&point, &derivatives);
            let Some((mut direction, gained)) = newton_direction(&derivatives, &free) else { break };
            if gained < promise {
                break;
            }
            for (a, step) in direction.iter_mut().enumerate() {
                if *step > 0.0 && point.wiggle[a] < NEARLY_STRAIGHT {
                    *step = step.max(LONGEST_STEP);
                }
            }
            match self.line_search(&point, &direction)? {
                Some(next) => point = next,
                None => break,
            }
            last = Some(derivatives);
        }
        Ok(point)
    }

    /// The parameters by moving which the score may still fall.
    fn free(&self, point: &Point, derivatives: &Derivatives) -> Vec<usize> {
        let outward = |a: usize| {
            let (rho, slope) = (point.rho[a], derivatives.gradient[a]);
            (rho <= BOX.0 && slope > 0.0) || (rho >= BOX.1 && slope < 0.0)
        };
        (0..self.terms.len()).filter(|&a| self.is_penalised(a) && !outward(a)).collect()
    }

    /// The first point along the direction, at half the step each time, whose score is lower.
    fn line_search(&self, point: &Point, direction: &[f64]) -> Result<Option<Point>> {
        let mut direction = shortened(direction);
        for _ in 0..30 {
            match self.moved(point, &direction)? {
                Some(next) if next.score < point.score => return Ok(Some(next)),
                Some(_) => direction.iter_mut().for_each(|step| *step /= 2.0),
                None => return Ok(None),
            }
        }
        Ok(None)
    }

    /// The point a step away; nothing where the box allows no step.
    fn moved(&self, point: &Point, step: &[f64]) -> Result<Option<Point>> {
        let rho: Vec<f64> = point.rho.iter().zip(step).map(|(rho, step)| (rho + step).clamp(BOX.0, BOX.1)).collect();
        if rho == point.rho { Ok(None) } else { self.at(rho).map(Some) }
    }

    /// mgcv's `initial.sp`: data and penalty weigh about the same in every term, then all are moved together.
    fn mgcv_start(&self) -> Vec<f64> {
        let mut penalised = Vec::new();
        let mut rho = Vec::with_capacity(self.terms.len());
        for term in 0..self.terms.len() {
            let largest = self.diagonals(term).fold(0.0_f64, |largest, (_, penalty)| largest.max(penalty));
            let own: Vec<(f64, f64)> =
                self.diagonals(term).filter(|(_, penalty)| *penalty > f64::EPSILON.powf(0.8) * largest).collect();
            let (gram, penalty) = own.iter().fold((0.0, 0.0), |sum, own| (sum.0 + own.0, sum.1 + own.1));
            let lambda = if self.is_penalised(term) && gram > 0.0 { gram / penalty } else { 1.0 };
            rho.push(lambda.ln());
            let seen = own.into_iter().filter(|(gram, _)| *gram > 0.0 && self.is_penalised(term));
            penalised.extend(seen.map(|(gram, penalty)| (gram, lambda * penalty)));
        }
        let mut factor = 1.0_f64;
        let share = |factor: f64| {
            let shares = penalised.iter().map(|(gram, penalty)| gram / (gram + factor * penalty));
            shares.sum::<f64>() / penalised.len() as f64
        };
        if !penalised.is_empty() {
            while share(factor) > MGCV_START {
                factor *= 10.0;
            }
            while share(factor) < MGCV_START {
                factor /= 10.0;
            }
        }
        rho.iter().map(|rho| (rho + factor.ln()).clamp(BOX.0, BOX.1)).collect()
    }

    /// Newton steps on GCV itself where it is convex, else downhill by at most one; in the end a look further out.
    fn as_mgcv(&self, mut point: Point) -> Result<Point> {
        let mut derivatives = self.derivatives(&point);
        for step in 0..MAX_ITERATIONS {
            let free = self.free(&point, &derivatives);
            let Some((newton, downhill)) = mgcv_directions(&derivatives, &free) else { break };
            let before = point.score.exp();
            let slope = before * free.iter().map(|&a| derivatives.gradient[a].powi(2)).sum::<f64>().sqrt();
            let Some(next) = self.mgcv_step(&point, newton, downhill)? else { break };
            point = next;
            derivatives = self.derivatives(&point);
            let gcv = point.score.exp();
            let settled = before - gcv <= MGCV_TOLERANCE * (1.0 + gcv) && slope <= MGCV_TOLERANCE.cbrt() * (1.0 + gcv);
            if step >= MGCV_STEPS && settled {
                break;
            }
        }
        for a in (0..self.terms.len()).filter(|&a| self.is_penalised(a)) {
            self.run.check()?;
            let reach = if derivatives.gradient[a] < 0.0 { MGCV_REACH.0 } else { -MGCV_REACH.0 };
            let along = AlongTerm::new(self, &point, a);
            let (mut rho, mut score) = (point.rho[a], point.score);
            for _ in 0..MGCV_REACH.1 {
                let further = (rho + reach).clamp(BOX.0, BOX.1);
                let there = along.score(further - point.rho[a]);
                if further == rho || there >= score {
                    break;
                }
                (rho, score) = (further, there);
            }
            if rho != point.rho[a] {
                point = along.moved(rho - point.rho[a]);
            }
        }
        Ok(point)
    }

    fn mgcv_step(&self, point: &Point, newton: Option<Vec<f64>>, downhill: Vec<f64>) -> Result<Option<Point>> {
        let mut step = newton.unwrap_or_else(|| downhill.clone());
        for attempt in 1..MGCV_TRIES {
            if attempt == MGCV_DOWNHILL_FROM && step != downhill {
                step.copy_from_slice(&downhill);
            }
            match self.moved(point, &step)? {
                Some(next) if next.score < point.score => return Ok(Some(next)),
                Some(_) => step.iter_mut().for_each(|step| *step /= 2.0),
                None => return Ok(None),
            }
        }
        Ok(None)
    }
}

/// The same direction, no longer than allowed.
fn shortened(direction: &[f64]) -> Vec<f64> {
    let longest = direction.iter().fold(0.0_f64, |longest, step| longest.max(step.abs()));
    let factor = if longest > LONGEST_STEP { LONGEST_STEP / longest } else { 1.0 };
    direction.iter().map(|step| factor * step).collect()
}

/// The eigenvalues and eigenvectors of the free parameters' second derivatives, and their slopes along the latter.
fn curvature(
    gradient: &[f64],
    free: &[usize],
    hessian: impl Fn(usize, usize) -> f64,
) -> Option<Vec<(f64, Vec<f64>, f64)>> {
    let size = free.len();
    let matrix: Vec<f64> = (0..size * size).map(|at| hessian(free[at / size], free[at % size])).collect();
    let slope: Vec<f64> = free.iter().map(|&a| gradient[a]).collect();
    if size == 0 || matrix.iter().chain(&slope).any(|entry| !entry.is_finite()) {
        return None;
    }
    let (values, vectors) = small::eigen(&matrix, size);
    let with_slope = |(value, vector): (f64, Vec<f64>)| {
        let along = small::dot(&vector, &slope);
        (value, vector, along)
    };
    Some(values.into_iter().zip(vectors).map(with_slope).collect())
}

/// The Newton direction over the free parameters, downhill whatever the curvature, and by how much it should lower the
/// score; nothing where no parameter is free.
fn newton_direction(Derivatives { gradient, hessian }: &Derivatives, free: &[usize]) -> Option<(Vec<f64>, f64)> {
    let terms = gradient.len();
    let curvature = curvature(gradient, free, |a, b| hessian[a * terms + b])?;
    let largest = curvature.iter().fold(0.0_f64, |largest, (value, ..)| largest.max(value.abs()));
    let floor = (FLAT * largest).max(f64::MIN_POSITIVE);
    let (mut direction, mut gained) = (vec![0.0; terms], 0.0);
    for (value, vector, slope) in &curvature {
        let step = (-slope / value.abs().max(floor)).clamp(-LONGEST_STEP, LONGEST_STEP);
        gained -= 0.5 * step * slope;
        free.iter().zip(vector).for_each(|(&a, entry)| direction[a] += step * entry);
    }
    Some((direction, gained))
}

/// mgcv's two directions: Newton's for GCV itself (nothing where GCV is not convex), and downhill.
fn mgcv_directions(
    Derivatives { gradient, hessian }: &Derivatives,
    free: &[usize],
) -> Option<(Option<Vec<f64>>, Vec<f64>)> {
    let terms = gradient.len();
    // GCV = exp(score): its derivatives over its value.
    let curvature = curvature(gradient, free, |a, b| hessian[a * terms + b] + gradient[a] * gradient[b])?;
    let steepest = free.iter().fold(0.0_f64, |steepest, &a| steepest.max(gradient[a].abs()));
    if steepest == 0.0 {
        return None;
    }
    let mut downhill = vec![0.0; terms];
    free.iter().for_each(|&a| downhill[a] = -gradient[a] / steepest);
    if curvature.iter().any(|(value, ..)| *value < 0.0) {
        return Some((None, downhill));
    }
    let mut newton = vec![0.0; terms];
    for (value, vector, slope) in &curvature {
        free.iter().zip(vector).for_each(|(&a, entry)| newton[a] -= slope / value.max(f64::MIN_POSITIVE) * entry);
    }
    let newton = newton.iter().all(|step| step.is_finite()).then(|| shortened(&newton));
    Some((newton, downhill))
}
