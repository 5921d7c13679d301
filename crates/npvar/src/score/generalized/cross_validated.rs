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
use crate::linalg::{Into, cholesky_here, multiply_here};
use crate::score::LocalScore;

/// The cross-validated likelihood of `X`'s features given its parents'.
///
/// ```
/// use npvar::data::Dataset;
/// use npvar::score::{Approximation, CrossValidated, LocalScore};
/// let x: Vec<f64> = (0..60).map(|i| f64::from(i * 37 % 60) / 10.0 - 3.0).collect();
/// let y = x.iter().map(|x| x * x).collect();
/// let data = Dataset::new(vec!["x".into(), "y".into()], vec![x, y])?;
/// let score = CrossValidated::new(&data, 10, 0.01, 0.01, Approximation::Exact)?;
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
    /// With this many folds, ridge `λ` and covariance floor `γ`.
    ///
    /// # Errors
    /// [`Error::TooFewSamples`] when a fold would have no row; [`Error::InvalidOption`] for fewer than two folds.
    pub fn new(data: &Dataset, folds: usize, lambda: f64, gamma: f64, approximation: Approximation) -> Result<Self> {
        if folds < 2 {
            let requirement = "must be at least 2".to_owned();
            return Err(Error::InvalidOption { option: "folds", requirement, got: folds.to_string() });
        }
        let n = data.n();
        if n < folds {
            return Err(Error::TooFewSamples { what: "cross-validation", needed: folds, n });
        }
        let size = n / folds;
        let end = |fold: usize| if fold + 1 == folds { n } else { (fold + 1) * size };
        let folds = (0..folds).map(|fold| fold * size..end(fold)).collect();
        Ok(CrossValidated { factors: Factors::new(data, approximation), folds, lambda, gamma })
    }
}

impl LocalScore for CrossValidated {
    fn nodes(&self) -> usize {
        self.factors.nodes()
    }

    fn local(&self, node: Node, parents: &[Node]) -> Result<f64> {
        let response = self.factors.of(node);
        let regressors = self.factors.of_set(parents);
        let folds: Vec<Grams> =
            self.folds.iter().map(|rows| Grams::of(response, regressors.as_ref().as_ref(), rows.clone())).collect();
        let total = folds.iter().fold(Grams::empty(response.ncols(), regressors.ncols()), |sum, fold| sum.plus(fold, 1.0));
        let costs = folds.iter().map(|fold| self.fold_cost(fold, &total.plus(fold, -1.0)));
        Ok(-costs.sum::<f64>() / self.folds.len() as f64)
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
            cholesky_here(factor.as_mut()).expect("the ridge is above zero");
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

    fn of(x: MatRef<'_, f64>, z: MatRef<'_, f64>, rows: Range<usize>) -> Self {
        let mut grams = Grams::empty(x.ncols(), z.ncols());
        let (x, z) = (x.get(rows.clone(), ..), z.get(rows.clone(), ..));
        grams.rows = rows.len() as f64;
        multiply_here(grams.xx.as_mut(), Into::Replace, x.transpose(), x, 1.0);
        multiply_here(grams.zx.as_mut(), Into::Replace, z.transpose(), x, 1.0);
        multiply_here(grams.zz.as_mut(), Into::Replace, z.transpose(), z, 1.0);
        grams
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
