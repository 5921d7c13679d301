//! Kernel ridge regression `min |y − Kc|² + α c'Kc` with the kernel `exp(−γ|x − x'|²)` and no intercept, every row predicted by
//! the fit to the folds it is not in. Folds are runs of rows of equal length, the first ones longer by one where they cannot be
//! equal, as scikit-learn's `KFold` cuts them.

use std::ops::Range;

use faer::{Mat, MatMut, MatRef};

use super::incomplete_cholesky::incomplete_cholesky;
use crate::error::{Error, Result};
use crate::numerics::linalg::cholesky::{cholesky_here, cholesky_solve};
use crate::numerics::linalg::wide::{dot, exponentials};
use crate::numerics::linalg::{Into, multiply_here};
use crate::run::Run;

/// The share of a kernel's trace that low-rank factors may miss: beside a ridge of 1e-2 it shows in no digit that counts.
const MISSED: f64 = 1e-13;

/// The regression.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KernelRidge {
    /// `α`.
    pub(crate) ridge: f64,
    /// `γ`.
    pub(crate) gamma: f64,
    pub(crate) folds: usize,
}

impl KernelRidge {
    fn cut(self, n: usize) -> impl Iterator<Item = Range<usize>> {
        let (length, longer) = (n / self.folds, n % self.folds);
        let start = move |fold: usize| fold * length + fold.min(longer);
        (0..self.folds).map(move |fold| start(fold)..start(fold + 1))
    }
}

/// Predictions of `y` from all columns but `less`, given the squared distances between rows of all columns: entry `(i, j)`,
/// `i > j`, stands at `j·n + i`.
pub(crate) fn exact(distances: &[f64], less: &[f64], y: &[f64], rule: KernelRidge, run: &Run<'_>) -> Result<Vec<f64>> {
    let n = y.len();
    let mut kernel = vec![0.0; n * n];
    for (j, (column, distances)) in kernel.chunks_exact_mut(n).zip(distances.chunks_exact(n)).enumerate() {
        let here = less[j];
        for ((entry, distance), value) in column[j..].iter_mut().zip(&distances[j..]).zip(&less[j..]) {
            *entry = (distance - (value - here) * (value - here)).max(0.0);
        }
        exponentials(&mut column[j..], -rule.gamma);
    }
    let mut predicted = vec![0.0; n];
    for fold in rule.cut(n) {
        run.check()?;
        let kept: Vec<usize> = (0..n).filter(|row| !fold.contains(row)).collect();
        let t = kept.len();
        let mut factor = vec![0.0; t * t];
        for (place, (column, &j)) in factor.chunks_exact_mut(t).zip(&kept).enumerate() {
            let from = &kernel[j * n..(j + 1) * n];
            column[place..].iter_mut().zip(&kept[place..]).for_each(|(entry, &i)| *entry = from[i]);
            column[place] += rule.ridge;
        }
        let mut factor = MatMut::from_column_major_slice_mut(&mut factor, t, t);
        let mut weights = Mat::from_fn(t, 1, |i, _| y[kept[i]]);
        cholesky_here(factor.as_mut()).ok_or_else(|| singular(rule))?;
        cholesky_solve(factor.as_ref(), weights.as_mut());
        for row in fold {
            let value = |j: usize| if j < row { kernel[j * n + row] } else { kernel[row * n + j] };
            predicted[row] = kept.iter().zip(weights.col_as_slice(0)).map(|(&j, weight)| weight * value(j)).sum();
        }
    }
    Ok(predicted)
}

/// Predictions of `y` from `columns` with a kernel matrix of low rank: as exact as can be told where `most` columns suffice.
pub(crate) fn low_rank(
    columns: &[&[f64]],
    y: &[f64],
    rule: KernelRidge,
    most: usize,
    run: &Run<'_>,
) -> Result<Vec<f64>> {
    let n = y.len();
    let x = Mat::from_fn(n, columns.len(), |i, j| columns[j][i]);
    // exp(−γ|x − x'|²) has the width 1/√(2γ).
    let features = incomplete_cholesky(x.as_ref(), (0.5 / rule.gamma).sqrt(), MISSED, most).factor;
    run.check()?;
    let r = features.ncols();
    let sums = |rows: Range<usize>| {
        let part = features.as_ref().subrows(rows.start, rows.len());
        let (mut gram, mut cross) = (Mat::<f64>::zeros(r, r), Mat::<f64>::zeros(r, 1));
        let targets = MatRef::from_column_major_slice(&y[rows.clone()], rows.len(), 1);
        multiply_here(gram.as_mut(), Into::Replace, part.transpose(), part, 1.0);
        multiply_here(cross.as_mut(), Into::Replace, part.transpose(), targets, 1.0);
        (gram, cross)
    };
    let parts: Vec<(Mat<f64>, Mat<f64>)> = rule.cut(n).map(sums).collect();
    let mut predicted = vec![0.0; n];
    for (fold, rows) in rule.cut(n).enumerate() {
        run.check()?;
        let (mut gram, mut weights) =
            (Mat::from_fn(r, r, |i, j| if i == j { rule.ridge } else { 0.0 }), Mat::<f64>::zeros(r, 1));
        for (_, (part, cross)) in parts.iter().enumerate().filter(|(other, _)| *other != fold) {
            gram += part;
            weights += cross;
        }
        cholesky_here(gram.as_mut()).ok_or_else(|| singular(rule))?;
        cholesky_solve(gram.as_ref(), weights.as_mut());
        for row in rows {
            let values: Vec<f64> = (0..r).map(|j| features[(row, j)]).collect();
            predicted[row] = dot(&values, weights.col_as_slice(0));
        }
    }
    Ok(predicted)
}

fn singular(rule: KernelRidge) -> Error {
    Error::InvalidOption {
        option: "ridge",
        requirement: "does not make the kernel matrix invertible".to_owned(),
        got: format!("{:e}", rule.ridge),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numerics::kernel::pairwise::squared_distances;
    use crate::run::Seed;

    #[test]
    fn folds_are_runs_of_rows_and_the_first_are_longer() {
        let rule = KernelRidge { ridge: 0.1, gamma: 1.0, folds: 3 };
        assert_eq!(rule.cut(11).collect::<Vec<_>>(), [0..4, 4..8, 8..11]);
    }

    /// Two rows, two folds: each is predicted from the other, `k/(1 + α)·y`.
    #[test]
    fn two_rows_predict_each_other() {
        let (x, y) = ([0.0, 2.0], [3.0, 5.0]);
        let rule = KernelRidge { ridge: 0.25, gamma: 0.5, folds: 2 };
        let expected = (-2.0_f64).exp() / 1.25;
        let predicted = low_rank(&[&x], &y, rule, 2, &Run::new(Seed(0))).unwrap();
        assert!((predicted[0] - 5.0 * expected).abs() < 1e-12 && (predicted[1] - 3.0 * expected).abs() < 1e-12);
    }

    #[test]
    fn both_ways_give_the_same_predictions() {
        let run = Run::new(Seed(0));
        let n = 57;
        let a: Vec<f64> = (0..n).map(|i| (0.7 * i as f64).sin()).collect();
        let b: Vec<f64> = (0..n).map(|i| (1.3 * i as f64).cos() * 2.0).collect();
        let y: Vec<f64> = (0..n).map(|i| a[i] * b[i] + 0.1 * (5.1 * i as f64).sin()).collect();
        let rule = KernelRidge { ridge: 0.01, gamma: 0.1, folds: 5 };
        let mut distances = vec![0.0; n * n];
        squared_distances(&[&a, &y, &b], &mut distances);
        let (exact, low) = (exact(&distances, &y, &y, rule, &run), low_rank(&[&a, &b], &y, rule, n, &run));
        for (exact, low) in exact.unwrap().iter().zip(low.unwrap()) {
            assert!((exact - low).abs() < 1e-8, "{exact} and {low}");
        }
    }
}
