//! The cross-validated likelihood score (Huang et al. 2018, section 3.2).
//!
//! In each fold, kernel ridge regression of `X`'s features on those of `Z`, fitted on the `n₁` rows outside the fold, leaves
//! residual features `R₁` there and `R₀` on the fold's `n₀` rows. The score is the Gaussian log-likelihood of `R₀` under the
//! covariance of `R₁`:
//!
//! ```text
//! R = Φ_X − K̃_Z· (K̃_Z₁₁ + n₁ λ I)⁻¹ Φ_X₁       Σ = R₁'R₁/n₁ + γ I
//! s = −(1/k) Σ_folds ½ [ n₀² log 2π + ½ n₀ log|Σ/γ| + tr(R₀ Σ⁻¹ R₀') ]          without parents R = Φ_X
//! ```
//!
//! `k = 10`, `λ = γ = 0.01`; the folds are consecutive rows, `⌊n/k⌋` in each and the rest in the last. This is the number
//! of the authors' code and of causal-learn 0.1.3.8 (with the sign turned: higher is better here). Three of its constants
//! differ from the log-likelihood as the paper writes it, and we keep them, because users compare scores: `log|Σ|` has half
//! its weight (`Σ_i log L_ii` of the Cholesky factor stands where twice that should), the dimension of the feature space
//! counts as `n₀`, and the constant `log γ` of that dimension is left out. causal-learn from 0.1.4.0 on centres the kernel
//! matrices wrongly and returns nearly the same number for all data: do not compare with it.
//!
//! **Cost.** With factors `K̃_X = ΛΛ'`, `K̃_Z = ΩΩ'` everything is made of the Gram matrices `Λ'Λ`, `Ω'Λ`, `Ω'Ω` of the fold
//! and, by subtraction, of the rows outside it: `B = (Ω₁'Ω₁ + n₁ λ I)⁻¹ Ω₁'Λ₁`, `R = Λ − ΩB`,
//! `R₁'R₁ = Λ₁'Λ₁ − B'Ω₁'Λ₁ − n₁ λ B'B`. All folds together are `O(n m² + k m³)`.

use std::ops::Range;

use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::{Mat, MatRef, Par};

use super::factors::{Approximation, Factors};
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::graph::Node;
use crate::local_score::LocalScore;
use crate::numerics::linalg::{Into, cholesky_here, multiply_during, multiply_here};
use crate::run::{Run, Seed};

/// The cross-validated likelihood of `X`'s features given its parents'.
///
/// ```
/// use npvar::data::Dataset;
/// use npvar::local_score::{Approximation, CrossValidated, LocalScore};
/// use npvar::{Run, Seed};
/// let x: Vec<f64> = (0..60).map(|i| f64::from(i * 37 % 60) / 10.0 - 3.0).collect();
/// let y = x.iter().map(|x| x * x).collect();
/// let data = Dataset::new(vec!["x".into(), "y".into()], vec![x, y])?;
/// let score = CrossValidated::new(&data, 10, 0.01, 0.01, Approximation::Exact, &Run::new(Seed(1)))?;
/// assert!(score.local(1, &[0])? > score.local(1, &[])?);
/// # Ok::<(), npvar::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct CrossValidated {
    factors: Factors,
    folds: Vec<Range<usize>>,
    lambda: f64,
    gamma: f64,
}

impl CrossValidated {
    /// The smallest `λ` and `γ`: smaller ones vanish beside the rounding of the Gram matrices they are added to.
    pub const SMALLEST: f64 = 1e-10;

    /// With this many folds, ridge `λ` and covariance floor `γ`.
    ///
    /// # Errors
    /// [`Error::TooFewSamples`] when a fold would have no row; [`Error::InvalidOption`] for fewer than two folds, or `λ` or `γ`
    /// below [`Self::SMALLEST`]; [`Error::Cancelled`].
    pub fn new(
        data: &Dataset,
        folds: usize,
        lambda: f64,
        gamma: f64,
        approximation: Approximation,
        run: &Run<'_>,
    ) -> Result<Self> {
        if folds < 2 {
            let requirement = "must be at least 2".to_owned();
            return Err(Error::InvalidOption { option: "folds", requirement, got: folds.to_string() });
        }
        for (option, value) in [("lambda", lambda), ("gamma", gamma)] {
            if !(value >= Self::SMALLEST && value.is_finite()) {
                let requirement = format!("must be at least {:e}", Self::SMALLEST);
                return Err(Error::InvalidOption { option, requirement, got: value.to_string() });
            }
        }
        let n = data.n();
        if n < folds {
            return Err(Error::TooFewSamples { what: "cross-validation", needed: folds, n });
        }
        let size = n / folds;
        let end = |fold: usize| if fold + 1 == folds { n } else { (fold + 1) * size };
        let folds = (0..folds).map(|fold| fold * size..end(fold)).collect();
        Ok(CrossValidated { factors: Factors::new(data, approximation, run)?, folds, lambda, gamma })
    }
}

impl LocalScore for CrossValidated {
    fn nodes(&self) -> usize {
        self.factors.nodes()
    }

    fn local(&self, node: Node, parents: &[Node]) -> Result<f64> {
        self.local_during(node, parents, &Run::new(Seed(0)))
    }

    fn local_during(&self, node: Node, parents: &[Node], run: &Run<'_>) -> Result<f64> {
        let response = self.factors.of(node);
        let regressors = self.factors.of_set(parents, run)?;
        let grams = |rows: &Range<usize>| Grams::of(response, regressors.as_ref().as_ref(), rows.clone(), run);
        let folds: Vec<Grams> = self.folds.iter().map(grams).collect::<Result<_>>()?;
        let total =
            folds.iter().fold(Grams::empty(response.ncols(), regressors.ncols()), |sum, fold| sum.plus(fold, 1.0));
        let mut costs = 0.0;
        for fold in &folds {
            run.check()?;
            costs += self.fold_cost(fold, &total.plus(fold, -1.0));
        }
        Ok(-costs / self.folds.len() as f64)
    }
}

impl CrossValidated {
    /// `½ [ n₀² log 2π + ½ n₀ log|Σ/γ| + tr(R₀ Σ⁻¹ R₀') ]`.
    fn fold_cost(&self, held_out: &Grams, fitted: &Grams) -> f64 {
        let ridge = fitted.rows * self.lambda;
        let mut inside = fitted.xx.clone();
        let mut outside = held_out.xx.clone();
        if fitted.zz.ncols() > 0 {
            let mut factor = fitted.zz.clone();
            add_to_diagonal(&mut factor, ridge);
            cholesky_here(factor.as_mut()).expect("the ridge is far above rounding");
            let mut b = fitted.zx.clone();
            solve_lower_triangular_in_place(factor.as_ref(), b.as_mut(), Par::Seq);
            multiply_here(inside.as_mut(), Into::Add, b.transpose(), b.as_ref(), -1.0);
            solve_upper_triangular_in_place(factor.transpose(), b.as_mut(), Par::Seq);
            multiply_here(inside.as_mut(), Into::Add, b.transpose(), b.as_ref(), -ridge);
            // Λ'Λ − B'Ω'Λ − Λ'ΩB + B'Ω'ΩB; only its trace against a symmetric matrix is needed.
            let mut cross = held_out.zx.clone();
            multiply_here(cross.as_mut(), Into::Replace, held_out.zz.as_ref(), b.as_ref(), 1.0);
            cross -= &held_out.zx * faer::Scale(2.0);
            multiply_here(outside.as_mut(), Into::Add, b.transpose(), cross.as_ref(), 1.0);
        }
        // Σ/γ = I + R₁'R₁/(n₁γ).
        let mut covariance = inside * faer::Scale(1.0 / (fitted.rows * self.gamma));
        add_to_diagonal(&mut covariance, 1.0);
        cholesky_here(covariance.as_mut()).expect("the identity was added");
        let m = covariance.nrows();
        let half_determinant: f64 = (0..m).map(|i| covariance[(i, i)].ln()).sum();
        solve_lower_triangular_in_place(covariance.as_ref(), outside.as_mut(), Par::Seq);
        solve_upper_triangular_in_place(covariance.transpose(), outside.as_mut(), Par::Seq);
        let trace: f64 = (0..m).map(|i| outside[(i, i)]).sum::<f64>() / self.gamma;
        let rows = held_out.rows;
        0.5 * (rows * rows * (2.0 * std::f64::consts::PI).ln() + rows * half_determinant + trace)
    }
}

/// Gram matrices of some rows of the factors `Λ` of `X` and `Ω` of `Z`.
struct Grams {
    rows: f64,
    xx: Mat<f64>,
    zx: Mat<f64>,
    zz: Mat<f64>,
}

impl Grams {
    fn empty(x: usize, z: usize) -> Self {
        Grams { rows: 0.0, xx: Mat::zeros(x, x), zx: Mat::zeros(z, x), zz: Mat::zeros(z, z) }
    }

    fn of(x: MatRef<'_, f64>, z: MatRef<'_, f64>, rows: Range<usize>, run: &Run<'_>) -> Result<Self> {
        let mut grams = Grams::empty(x.ncols(), z.ncols());
        let (x, z) = (x.get(rows.clone(), ..), z.get(rows.clone(), ..));
        grams.rows = rows.len() as f64;
        multiply_during(grams.xx.as_mut(), Into::Replace, x.transpose(), x, 1.0, run)?;
        multiply_during(grams.zx.as_mut(), Into::Replace, z.transpose(), x, 1.0, run)?;
        multiply_during(grams.zz.as_mut(), Into::Replace, z.transpose(), z, 1.0, run)?;
        Ok(grams)
    }

    fn plus(&self, other: &Grams, sign: f64) -> Self {
        let add = |a: &Mat<f64>, b: &Mat<f64>| a + b * faer::Scale(sign);
        Grams {
            rows: self.rows + sign * other.rows,
            xx: add(&self.xx, &other.xx),
            zx: add(&self.zx, &other.zx),
            zz: add(&self.zz, &other.zz),
        }
    }
}

fn add_to_diagonal(matrix: &mut Mat<f64>, value: f64) {
    for i in 0..matrix.nrows() {
        matrix[(i, i)] += value;
    }
}

#[cfg(test)]
mod tests {
    use faer::linalg::solvers::DenseSolveCore;

    use super::*;
    use crate::local_score::generalised::factors::centred_kernel;

    fn table(n: usize) -> Dataset {
        let wave =
            |k: f64| (0..n).map(move |i| ((i * i) as f64 * 0.37 * k + i as f64).sin() * 2.0).collect::<Vec<f64>>();
        let (a, b) = (wave(1.0), wave(1.7));
        let c = a.iter().zip(&b).map(|(a, b)| a * a - b).collect();
        Dataset::new(["a", "b", "c"].map(String::from).to_vec(), vec![a, b, c]).unwrap()
    }

    fn identity(n: usize) -> Mat<f64> {
        Mat::identity(n, n)
    }

    /// The reference's formula with dense `n × n` matrices.
    fn dense(data: &Dataset, node: Node, parents: &[Node], folds: usize, lambda: f64, gamma: f64) -> f64 {
        let n = data.n();
        let x = centred_kernel(&[data.column(node)]);
        let columns: Vec<&[f64]> = parents.iter().map(|&parent| data.column(parent)).collect();
        let z = if parents.is_empty() { Mat::zeros(n, n) } else { centred_kernel(&columns) };
        let mut total = 0.0;
        for fold in 0..folds {
            let size = n / folds;
            let test: Vec<usize> = (fold * size..if fold + 1 == folds { n } else { (fold + 1) * size }).collect();
            let train: Vec<usize> = (0..n).filter(|row| !test.contains(row)).collect();
            let part = |k: &Mat<f64>, a: &[usize], b: &[usize]| Mat::from_fn(a.len(), b.len(), |i, j| k[(a[i], b[j])]);
            let (n0, n1) = (test.len() as f64, train.len() as f64);
            let (x11, x01, x00) = (part(&x, &train, &train), part(&x, &test, &train), part(&x, &test, &test));
            let (z11, z01) = (part(&z, &train, &train), part(&z, &test, &train));
            let inverse = (z11 + identity(train.len()) * faer::Scale(n1 * lambda)).partial_piv_lu().inverse();
            // Residual kernels R₀R₀', R₀R₁' and R₁R₁' between the rows.
            let smooth = &z01 * &inverse;
            let r00 =
                &x00 - &x01 * smooth.transpose() - &smooth * x01.transpose() + &smooth * &x11 * smooth.transpose();
            let shrink = &inverse * faer::Scale(n1 * lambda);
            let r11 = &shrink * &x11 * &shrink;
            let r01 = (&x01 - &smooth * &x11) * &shrink;
            let b = identity(train.len()) + &r11 * faer::Scale(1.0 / (n1 * gamma));
            let inner = b.partial_piv_lu().inverse();
            let a =
                (&r00 - (&r01 * inner * r01.transpose()) * faer::Scale(1.0 / (n1 * gamma))) * faer::Scale(1.0 / gamma);
            let determinant: f64 = crate::numerics::linalg::eigen(b.as_ref()).0.iter().map(|value| value.ln()).sum();
            let trace: f64 = (0..test.len()).map(|i| a[(i, i)]).sum();
            total += 0.5 * (n0 * n0 * (2.0 * std::f64::consts::PI).ln() + n0 * 0.5 * determinant + trace);
        }
        -total / folds as f64
    }

    #[test]
    fn the_score_equals_its_definition_with_dense_matrices() {
        // 43 rows: the last fold is larger.
        let data = table(43);
        let score = CrossValidated::new(&data, 4, 0.02, 0.05, Approximation::Exact, &Run::new(Seed(0))).unwrap();
        for (node, parents) in [(0, vec![]), (2, vec![0]), (2, vec![0, 1]), (1, vec![0, 2])] {
            let (got, expected) = (score.local(node, &parents).unwrap(), dense(&data, node, &parents, 4, 0.02, 0.05));
            assert!((got - expected).abs() < 1e-10 * expected.abs(), "{node} {parents:?}: {got} and {expected}");
        }
    }

    #[test]
    fn units_do_not_matter() {
        let data = table(50);
        let columns = (0..3).map(|j| data.column(j).iter().map(|v| 7.0 - 1e3 * v).collect()).collect();
        let other = Dataset::new(data.names().to_vec(), columns).unwrap();
        let score = |data: &Dataset| {
            CrossValidated::new(data, 10, 0.01, 0.01, Approximation::Exact, &Run::new(Seed(0)))
                .unwrap()
                .local(2, &[0, 1])
                .unwrap()
        };
        assert!((score(&data) - score(&other)).abs() < 1e-9 * score(&data).abs());
    }

    #[test]
    fn a_constant_column_is_scored_and_changes_nothing_as_a_parent() {
        let data = table(50);
        let columns = vec![data.column(0).to_vec(), vec![1.0; 50], data.column(2).to_vec()];
        let data = Dataset::new(data.names().to_vec(), columns).unwrap();
        let score = CrossValidated::new(&data, 10, 0.01, 0.01, Approximation::Exact, &Run::new(Seed(0))).unwrap();
        assert_eq!(score.local(2, &[0]).unwrap(), score.local(2, &[0, 1]).unwrap());
        assert_eq!(score.local(2, &[]).unwrap(), score.local(2, &[1]).unwrap());
        assert!(score.local(1, &[0]).unwrap().is_finite());
    }

    #[test]
    fn fewer_rows_than_folds_are_refused() {
        let message = CrossValidated::new(&table(9), 10, 0.01, 0.01, Approximation::Exact, &Run::new(Seed(0)))
            .unwrap_err()
            .to_string();
        assert_eq!(message, "cross-validation needs at least 10 samples, got 9");
    }
}
