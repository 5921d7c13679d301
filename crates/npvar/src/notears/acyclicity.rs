//! How far a weighted graph is from acyclic: zero exactly when it has no directed cycle.
//!
//! ```text
//! h(A) = tr(e^A) − d                 ∇h = (e^A)'                (Zheng et al. 2018)
//! h(A) = tr((I + A/d)^d) − d         ∇h = ((I + A/d)^(d−1))'    (Yu, Chen, Gao & Yu 2019)
//! ```
//!
//! for nonnegative `A`. Both are computed as `e^A − I` and `(I + A/d)^k − I`, by sums and products of nonnegative numbers
//! only, so nothing cancels and `h` has nearly full relative precision even at 1e-12; `tr(e^A) − d` would lose it all. The
//! exponential is scaled, summed to degree 15 and squared: `F ← 2F + F²` takes `e^A − I` to `e^{2A} − I`. (A Padé
//! approximant, the usual choice for general matrices, subtracts.)

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::numerics::linalg::{Into, multiply_during, row_major, row_major_mut};
use crate::run::{Run, Seed};

/// Matrices are halved until their norm is at most this: the first term left out is then below 1e-17 of the first kept.
const LARGEST_NORM: f64 = 0.5;
/// Beyond this norm nothing is computed: a hundred squarings are enough.
const TOO_LARGE: f64 = 1e30;

/// The acyclicity function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Acyclicity {
    /// `tr(e^A) − d`, as the papers and their code.
    #[default]
    Exponential,
    /// `tr((I + A/d)^d) − d`: fewer products, weaker on long cycles.
    Polynomial,
}

impl Acyclicity {
    /// `h(A)` and `∇h(A)` for a nonnegative row-major `d` by `d` matrix; infinite where they overflow.
    ///
    /// ```
    /// use npvar::notears::Acyclicity;
    /// let (chain, _) = Acyclicity::Exponential.value_and_gradient(&[0.0, 4.0, 0.0, 0.0], 2);
    /// let (cycle, _) = Acyclicity::Exponential.value_and_gradient(&[0.0, 4.0, 4.0, 0.0], 2);
    /// assert_eq!(chain, 0.0);
    /// assert!((cycle - (2.0 * 4_f64.cosh() - 2.0)).abs() < 1e-12);
    /// ```
    pub fn value_and_gradient(self, a: &[f64], d: usize) -> (f64, Vec<f64>) {
        self.value_and_gradient_during(a, d, &Run::new(Seed(0))).expect("nobody is there to stop it")
    }

    /// The same as part of a run that can be stopped in the middle.
    pub(super) fn value_and_gradient_during(self, a: &[f64], d: usize, run: &Run<'_>) -> Result<(f64, Vec<f64>)> {
        let (mut gradient, value) = match self {
            Acyclicity::Exponential => {
                let less_identity = exponential_less_identity(a, d, run)?;
                let value = trace(&less_identity, d);
                (less_identity, value)
            }
            Acyclicity::Polynomial => {
                let base: Vec<f64> = a.iter().map(|entry| entry / d as f64).collect();
                let less_identity = power_less_identity(&base, d, d.saturating_sub(1), run)?;
                let value = trace(&compose(&less_identity, &base, d, run)?, d);
                (less_identity, value)
            }
        };
        for i in 0..d {
            gradient[i * d + i] += 1.0;
            for j in 0..i {
                gradient.swap(i * d + j, j * d + i);
            }
        }
        Ok(if value.is_finite() { (value, gradient) } else { (f64::INFINITY, vec![f64::INFINITY; d * d]) })
    }
}

/// `e^A − I`.
fn exponential_less_identity(a: &[f64], d: usize, run: &Run<'_>) -> Result<Vec<f64>> {
    let norm = (0..d).map(|i| a[i * d..(i + 1) * d].iter().sum::<f64>()).fold(0.0, f64::max);
    if norm > TOO_LARGE || norm.is_nan() {
        return Ok(vec![f64::INFINITY; d * d]);
    }
    let squarings = if norm > LARGEST_NORM { (norm / LARGEST_NORM).log2().ceil() as i32 } else { 0 };
    let scale = 0.5_f64.powi(squarings);
    let a: Vec<f64> = a.iter().map(|entry| entry * scale).collect();
    let mut result = series(&a, d, run)?;
    for _ in 0..squarings {
        result = compose(&result, &result, d, run)?;
    }
    Ok(result)
}

/// `Σ A^k/k!` for `k = 1 … 15`, with six products (Paterson & Stockmeyer 1973).
fn series(a: &[f64], d: usize, run: &Run<'_>) -> Result<Vec<f64>> {
    let a2 = product(a, a, d, run)?;
    let a3 = product(&a2, a, d, run)?;
    let a4 = product(&a2, &a2, d, run)?;
    let mut coefficients = [1.0; 16];
    for k in 1..16 {
        coefficients[k] = coefficients[k - 1] / k as f64;
    }
    // c_0 belongs to the identity, which is left out.
    coefficients[0] = 0.0;
    let block = |first: usize| {
        let [c0, c1, c2, c3] = [0, 1, 2, 3].map(|k| coefficients[first + k]);
        let mut sum: Vec<f64> = (0..d * d).map(|at| c1 * a[at] + c2 * a2[at] + c3 * a3[at]).collect();
        (0..d).for_each(|i| sum[i * d + i] += c0);
        sum
    };
    let mut sum = block(12);
    for first in [8, 4, 0] {
        let mut next = block(first);
        add_product(&mut next, &a4, &sum, d, run)?;
        sum = next;
    }
    Ok(sum)
}

/// `(I + F)^k − I`.
fn power_less_identity(f: &[f64], d: usize, mut k: usize, run: &Run<'_>) -> Result<Vec<f64>> {
    let (mut result, mut square) = (vec![0.0; d * d], f.to_vec());
    while k > 0 {
        if k % 2 == 1 {
            result = compose(&result, &square, d, run)?;
        }
        k /= 2;
        if k > 0 {
            square = compose(&square, &square, d, run)?;
        }
    }
    Ok(result)
}

/// `(I + F)(I + G) − I = F + G + F G`.
fn compose(f: &[f64], g: &[f64], d: usize, run: &Run<'_>) -> Result<Vec<f64>> {
    let mut sum: Vec<f64> = f.iter().zip(g).map(|(f, g)| f + g).collect();
    add_product(&mut sum, f, g, d, run)?;
    Ok(sum)
}

fn product(a: &[f64], b: &[f64], d: usize, run: &Run<'_>) -> Result<Vec<f64>> {
    let mut out = vec![0.0; d * d];
    add_product(&mut out, a, b, d, run)?;
    Ok(out)
}

fn add_product(sum: &mut [f64], a: &[f64], b: &[f64], d: usize, run: &Run<'_>) -> Result<()> {
    let (a, b) = (row_major(a, d, d, d), row_major(b, d, d, d));
    multiply_during(row_major_mut(sum, d, d, d), Into::Add, a, b, 1.0, run)
}

fn trace(a: &[f64], d: usize) -> f64 {
    (0..d).map(|i| a[i * d + i]).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numerics::linalg::small;
    use rand::RngExt;

    const BOTH: [Acyclicity; 2] = [Acyclicity::Exponential, Acyclicity::Polynomial];

    fn nobody() -> Run<'static> {
        Run::new(Seed(0))
    }

    fn plain(a: &[f64], b: &[f64], d: usize) -> Vec<f64> {
        product(a, b, d, &nobody()).unwrap()
    }

    fn random(d: usize, scale: f64, seed: u64) -> Vec<f64> {
        let mut rng = Seed(seed).rng();
        (0..d * d)
            .map(|_| if rng.random_range(0.0..1.0) < 0.5 { scale * rng.random_range(0.0..1.0) } else { 0.0 })
            .collect()
    }

    #[test]
    fn the_exponential_equals_its_eigenvalue_form_for_symmetric_matrices() {
        for (d, scale) in [(2, 0.1), (5, 1.0), (9, 3.0)] {
            let half = random(d, scale, d as u64);
            let a: Vec<f64> = (0..d * d).map(|at| half[at] + half[(at % d) * d + at / d]).collect();
            let (values, _) = small::eigen(&a, d);
            let expected: f64 = values.iter().map(|value| value.exp_m1()).sum();
            let (got, _) = Acyclicity::Exponential.value_and_gradient(&a, d);
            assert!((got - expected).abs() <= 1e-12 * expected, "{d}: {got} instead of {expected}");
        }
    }

    #[test]
    fn the_exponential_equals_its_series_summed_term_by_term() {
        for (d, scale) in [(3, 1e-3), (6, 0.7), (8, 2.0)] {
            let a = random(d, scale, 40 + d as u64);
            let (mut power, mut sum) = (a.clone(), a.clone());
            for k in 2..200 {
                power = plain(&power, &a, d).iter().map(|entry| entry / k as f64).collect();
                sum.iter_mut().zip(&power).for_each(|(sum, term)| *sum += term);
            }
            for (got, expected) in exponential_less_identity(&a, d, &nobody()).unwrap().iter().zip(&sum) {
                assert!((got - expected).abs() <= 1e-13 * expected, "{got} instead of {expected}");
            }
        }
    }

    #[test]
    fn the_polynomial_equals_repeated_products() {
        for d in 1..9 {
            let a = random(d, 1.0, 70 + d as u64);
            let base: Vec<f64> =
                (0..d * d).map(|at| a[at] / d as f64 + f64::from(u8::from(at % (d + 1) == 0))).collect();
            let mut power = base.clone();
            for _ in 1..d {
                power = plain(&power, &base, d);
            }
            let (got, _) = Acyclicity::Polynomial.value_and_gradient(&a, d);
            assert!((got - (trace(&power, d) - d as f64)).abs() < 1e-12 * (1.0 + got));
        }
    }

    #[test]
    fn tiny_cycles_keep_their_digits() {
        // A cycle of two with strength ε² has 2 (cosh ε − 1) = ε² + ε⁴/12 + …; ε² = 1e-20 is far below the rounding of d.
        let a = [0.0, 1e-10, 1e-10, 0.0];
        assert!((Acyclicity::Exponential.value_and_gradient(&a, 2).0 - 1e-20).abs() < 1e-34);
        assert!((Acyclicity::Polynomial.value_and_gradient(&a, 2).0 - 0.5e-20).abs() < 1e-34);
    }

    #[test]
    fn acyclic_graphs_have_exactly_zero() {
        let d = 7;
        let a: Vec<f64> = (0..d * d).map(|at| if at / d < at % d { 3.0 + at as f64 } else { 0.0 }).collect();
        for h in BOTH {
            assert_eq!(h.value_and_gradient(&a, d).0, 0.0);
        }
    }

    #[test]
    fn gradients_equal_differences() {
        let d = 5;
        let a = random(d, 0.8, 9);
        for h in BOTH {
            let (_, gradient) = h.value_and_gradient(&a, d);
            for at in 0..d * d {
                let moved = |step: f64| {
                    let mut a: Vec<f64> = a.iter().map(|entry| entry + 0.1).collect();
                    a[at] += step;
                    h.value_and_gradient(&a, d)
                };
                let difference = (moved(1e-6).0 - moved(-1e-6).0) / 2e-6;
                assert!((moved(0.0).1[at] - difference).abs() < 1e-7 * (1.0 + difference.abs()));
            }
            assert!(gradient.iter().all(|slope| *slope >= 0.0));
        }
    }

    #[test]
    fn what_overflows_is_infinite_and_not_nan() {
        for h in BOTH {
            let (value, _) = h.value_and_gradient(&[0.0, 1e200, 1e200, 0.0], 2);
            assert_eq!(value, f64::INFINITY);
        }
    }
}
