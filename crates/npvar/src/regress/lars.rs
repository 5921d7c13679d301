//! The lasso's whole path by least angle regression (Efron, Hastie, Johnstone & Tibshirani 2004), from cross products
//! alone, and the point on it with the smallest BIC, where the number of coefficients that are not zero counts as the
//! degrees of freedom (Zou, Hastie & Tibshirani 2007). scikit-learn's `LassoLarsIC(criterion = "bic")`.
//!
//! ```text
//! β(α) = argmin ½‖y − Xβ‖² + α‖β‖₁        BIC(α) = n log(2πσ²) + RSS(α)/σ² + log n · #{j: β_j(α) ≠ 0}
//! ```
//!
//! The path is piecewise linear; the criterion is compared at its knots. `σ²` is the least-squares residual variance.

use crate::numerics::linalg::small;

/// A predictor is an exact function of the active ones when the part of its square that they leave is below this share.
const COLLINEAR: f64 = 1e-10;
/// Correlations below this share of the first are zero: the path has reached least squares.
const AT_THE_END: f64 = 1e-12;
/// A predictor that has just left the path does not come back within this share of the step.
const JUST_LEFT: f64 = 1e-9;

/// Centred cross products of `p` predictors with each other (row-major) and with a response.
#[derive(Debug, Clone, PartialEq)]
pub struct CrossProducts {
    /// `X'X`.
    pub gram: Vec<f64>,
    /// `X'y`.
    pub cross: Vec<f64>,
    /// `y'y`.
    pub square: f64,
}

/// A point of the path where a predictor enters or leaves.
#[derive(Debug, Clone, PartialEq)]
pub struct Knot {
    /// `α`: the largest absolute correlation that is left.
    pub alpha: f64,
    /// The coefficients.
    pub coefficients: Vec<f64>,
}

/// The knots of the lasso's path, from all coefficients zero to least squares. Predictors that depend exactly on those
/// already active never enter.
///
/// ```
/// use npvar::regress::{CrossProducts, lasso_path};
/// // Two predictors without correlation enter one after the other.
/// let products = CrossProducts { gram: vec![1.0, 0.0, 0.0, 1.0], cross: vec![0.5, -0.75], square: 1.0 };
/// let knots: Vec<Vec<f64>> = lasso_path(&products).into_iter().map(|knot| knot.coefficients).collect();
/// assert_eq!(knots, [[0.0, 0.0], [0.0, -0.25], [0.5, -0.75]]);
/// ```
pub fn lasso_path(products: &CrossProducts) -> Vec<Knot> {
    let p = products.cross.len();
    let mut path = Path {
        products,
        beta: vec![0.0; p],
        correlation: products.cross.clone(),
        active: Vec::new(),
        excluded: vec![false; p],
        inverse: Vec::new(),
    };
    for j in 0..p {
        path.excluded[j] = products.gram[j * p + j] <= 0.0;
    }
    let first = path.largest_inactive(None).map_or(0.0, |(_, value)| value);
    let mut alpha = first;
    let mut knots = vec![Knot { alpha, coefficients: path.beta.clone() }];
    let mut entering = path.largest_inactive(None).map(|(j, _)| j);
    // In theory 3^p knots; in practice a small multiple of p, and the cap only guards against cycling by rounding.
    for _ in 0..16 * p + 64 {
        if alpha <= AT_THE_END * first {
            break;
        }
        if let Some(j) = entering {
            path.enter(j);
        }
        let (step, next) = path.step(alpha, entering.is_none());
        path.advance(step, &next.direction);
        alpha -= step;
        entering = match next.event {
            Event::Enters(j) => Some(j),
            Event::Leaves(position) => {
                path.leave(position);
                None
            }
            Event::End => {
                knots.push(Knot { alpha: 0.0, coefficients: path.beta.clone() });
                break;
            }
        };
        knots.push(Knot { alpha, coefficients: path.beta.clone() });
    }
    knots
}

/// The coefficients at the knot of smallest BIC, and that BIC, for `n` samples and the residual variance of the
/// least-squares fit. At a tie the sparser end of the path wins.
pub fn lasso_bic(products: &CrossProducts, n: usize, residual_variance: f64) -> (Vec<f64>, f64) {
    let p = products.cross.len();
    let constant = n as f64 * (2.0 * std::f64::consts::PI * residual_variance).ln();
    let bic = |beta: &[f64]| {
        let fitted: f64 =
            (0..p).filter(|&i| beta[i] != 0.0).map(|i| beta[i] * small::dot(&products.gram[i * p..][..p], beta)).sum();
        let residual = products.square - 2.0 * small::dot(beta, &products.cross) + fitted;
        let count = beta.iter().filter(|value| value.abs() > f64::EPSILON).count();
        constant + residual.max(0.0) / residual_variance + (n as f64).ln() * count as f64
    };
    lasso_path(products)
        .into_iter()
        .map(|knot| (bic(&knot.coefficients), knot.coefficients))
        .fold((Vec::new(), f64::INFINITY), |best, (bic, beta)| if bic < best.1 { (beta, bic) } else { best })
}

struct Path<'a> {
    products: &'a CrossProducts,
    beta: Vec<f64>,
    /// `X'(y − Xβ)`.
    correlation: Vec<f64>,
    active: Vec<usize>,
    excluded: Vec<bool>,
    /// The inverse of the active part of `X'X`, row-major.
    inverse: Vec<f64>,
}

struct Next {
    direction: Vec<f64>,
    event: Event,
}

enum Event {
    Enters(usize),
    /// A position among the active.
    Leaves(usize),
    End,
}

impl Path<'_> {
    fn gram(&self, i: usize, j: usize) -> f64 {
        self.products.gram[i * self.beta.len() + j]
    }

    fn inactive(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.beta.len()).filter(|&j| !self.excluded[j] && !self.active.contains(&j))
    }

    fn largest_inactive(&self, other_than: Option<usize>) -> Option<(usize, f64)> {
        let candidates = self.inactive().filter(|&j| Some(j) != other_than).map(|j| (j, self.correlation[j].abs()));
        candidates.fold(None, |best, next| match best {
            Some((_, value)) if next.1 <= value => best,
            _ => Some(next),
        })
    }

    /// Borders the inverse, or excludes a predictor that the active ones determine.
    fn enter(&mut self, j: usize) {
        let size = self.active.len();
        let cross: Vec<f64> = self.active.iter().map(|&i| self.gram(i, j)).collect();
        let u: Vec<f64> = (0..size).map(|i| small::dot(&self.inverse[i * size..][..size], &cross)).collect();
        let left = self.gram(j, j) - small::dot(&cross, &u);
        if left <= COLLINEAR * self.gram(j, j) {
            self.excluded[j] = true;
            return;
        }
        let mut bordered = vec![0.0; (size + 1) * (size + 1)];
        for a in 0..=size {
            for b in 0..=size {
                bordered[a * (size + 1) + b] = match (a < size, b < size) {
                    (true, true) => self.inverse[a * size + b] + u[a] * u[b] / left,
                    (true, false) => -u[a] / left,
                    (false, true) => -u[b] / left,
                    (false, false) => 1.0 / left,
                };
            }
        }
        self.inverse = bordered;
        self.active.push(j);
    }

    /// Takes a predictor out of the inverse.
    fn leave(&mut self, position: usize) {
        let size = self.active.len();
        let old = |a: usize, b: usize| self.inverse[a * size + b];
        let kept: Vec<usize> = (0..size).filter(|&a| a != position).collect();
        let pivot = old(position, position);
        let reduced = kept.iter().flat_map(|&a| kept.iter().map(move |&b| (a, b)));
        let reduced = reduced.map(|(a, b)| old(a, b) - old(a, position) * old(b, position) / pivot).collect();
        self.inverse = reduced;
        self.beta[self.active.remove(position)] = 0.0;
    }

    /// How far to go along the equiangular direction, and what happens there.
    fn step(&self, alpha: f64, just_left: bool) -> (f64, Next) {
        let size = self.active.len();
        let signs: Vec<f64> = self.active.iter().map(|&j| self.correlation[j].signum()).collect();
        let direction: Vec<f64> = (0..size).map(|i| small::dot(&self.inverse[i * size..][..size], &signs)).collect();
        let (mut length, mut event) = (alpha, Event::End);
        for j in self.inactive() {
            let slope: f64 = self.active.iter().zip(&direction).map(|(&i, d)| self.gram(j, i) * d).sum();
            for (gap, closing) in
                [(alpha - self.correlation[j], 1.0 - slope), (alpha + self.correlation[j], 1.0 + slope)]
            {
                let at = gap.max(0.0) / closing;
                let returns = just_left && gap <= JUST_LEFT * alpha;
                if closing > 0.0 && at < length && !returns {
                    (length, event) = (at, Event::Enters(j));
                }
            }
        }
        for (position, (&j, d)) in self.active.iter().zip(&direction).enumerate() {
            let at = -self.beta[j] / d;
            if at > 0.0 && at < length {
                (length, event) = (at, Event::Leaves(position));
            }
        }
        (length, Next { direction, event })
    }

    fn advance(&mut self, step: f64, direction: &[f64]) {
        for (&j, d) in self.active.iter().zip(direction) {
            self.beta[j] += step * d;
        }
        for k in 0..self.beta.len() {
            self.correlation[k] =
                self.products.cross[k] - self.active.iter().map(|&j| self.gram(k, j) * self.beta[j]).sum::<f64>();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Seed;
    use proptest::prelude::*;
    use rand::RngExt;

    /// Optimality conditions of a path that was computed in some tens of steps.
    const OPTIMAL: f64 = 1e-8;

    fn random(seed: u64, p: usize, n: usize) -> CrossProducts {
        let mut rng = Seed(seed).rng();
        let common: Vec<f64> = (0..n).map(|_| rng.random_range(-1.0..1.0)).collect();
        let x: Vec<Vec<f64>> =
            (0..p).map(|_| common.iter().map(|c| 1.5 * c + rng.random_range(-1.0..1.0)).collect()).collect();
        let y: Vec<f64> = (0..n)
            .map(|i| {
                x.iter().enumerate().map(|(j, x)| (j as f64 - 2.0) * x[i]).sum::<f64>() + rng.random_range(-1.0..1.0)
            })
            .collect();
        CrossProducts {
            gram: (0..p * p).map(|at| small::dot(&x[at / p], &x[at % p])).collect(),
            cross: x.iter().map(|x| small::dot(x, &y)).collect(),
            square: small::dot(&y, &y),
        }
    }

    proptest! {
        /// A knot is the lasso's optimum for its α: active correlations equal ±α, the others are within.
        #[test]
        fn every_knot_is_optimal(seed in 0_u64..1000, p in 1_usize..9) {
            let products = random(seed, p, 30);
            let knots = lasso_path(&products);
            let scale = knots[0].alpha;
            for knot in &knots {
                for j in 0..p {
                    let left = products.cross[j] - small::dot(&products.gram[j * p..][..p], &knot.coefficients);
                    let beta = knot.coefficients[j];
                    if beta == 0.0 {
                        prop_assert!(left.abs() <= knot.alpha + OPTIMAL * scale);
                    } else {
                        prop_assert!((left - knot.alpha * beta.signum()).abs() <= OPTIMAL * scale);
                    }
                }
            }
            prop_assert_eq!(knots[knots.len() - 1].alpha, 0.0);
            prop_assert!(knots.windows(2).all(|pair| pair[0].alpha >= pair[1].alpha));
        }
    }

    #[test]
    fn a_duplicated_predictor_enters_once_and_a_constant_one_never() {
        let products = CrossProducts {
            gram: vec![2.0, 2.0, 0.0, 2.0, 2.0, 0.0, 0.0, 0.0, 0.0],
            cross: vec![1.0, 1.0, 0.0],
            square: 1.0,
        };
        let knots = lasso_path(&products);
        let last = &knots[knots.len() - 1].coefficients;
        assert!((last[0] + last[1] - 0.5).abs() < 1e-12 && last[0] * last[1] == 0.0 && last[2] == 0.0, "{last:?}");
        assert_eq!(lasso_path(&CrossProducts { gram: vec![0.0], cross: vec![0.0], square: 1.0 }).len(), 1);
    }
}
