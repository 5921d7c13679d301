//! A regression as a function of one smoothing parameter, the others held.
//!
//! When `ρ_a` moves by `t`, `P_a` becomes `(1 + f) P_a` with `f = e^t − 1`, and the inverse changes by as many ranks as the term
//! has coefficients. With `B`, `b` and `y` of [`super::smooth_regression`], `B_aa = U diag(l) U'`, `C = (BB)_aa` and
//! `S = (I + f B_aa)⁻¹`, which `U` makes diagonal (`s_i = 1/(1 + f l_i)`):
//!
//! ```text
//! tr B' = tr B − f tr(S C) + f tr(S B_aa)         B' = D (B − f B_·a S B_a·) D      b' = D (b − f B_·a S b_a)
//! c'β'  = c'β − f b_a'S b_a                       D = I, but √(1 + f) on the term
//! ‖b'‖² = ‖b‖² − 2f y_a'S b_a + f² (S b_a)'C (S b_a) + f ‖S b_a‖²
//! ```
//!
//! so a score costs as much as a matrix of the term's size, and a move no new inverse.

use faer::Mat;

use super::smooth_regression::{Parts, Point, SmoothRegression};
use crate::numerics::linalg::wide::dot;
use crate::numerics::linalg::{Into, multiply_here, small};

/// The line through a point along one term's parameter.
pub(super) struct AlongTerm<'p> {
    regression: &'p SmoothRegression<'p>,
    point: &'p Point,
    term: usize,
    /// `l`, and `U` with a direction in each row.
    values: Vec<f64>,
    directions: Vec<Vec<f64>>,
    /// `U'CU`, row-major.
    c: Vec<f64>,
    /// `U'b_a` and `U'y_a`.
    b: Vec<f64>,
    y: Vec<f64>,
}

impl<'p> AlongTerm<'p> {
    pub(super) fn new(regression: &'p SmoothRegression<'p>, point: &'p Point, term: usize) -> Self {
        let own = regression.offsets[term]..regression.offsets[term + 1];
        let (q, Parts { b_matrix, b, .. }) = (own.len(), &point.parts);
        let column = |i: usize| b_matrix.col_as_slice(own.start + i);
        let block: Vec<f64> = (0..q * q).map(|at| column(at / q)[own.start + at % q]).collect();
        let (values, directions) = small::eigen(&block, q);
        let mut square = vec![0.0; q * q];
        for i in 0..q {
            for j in 0..=i {
                square[i * q + j] = dot(column(i), column(j));
                square[j * q + i] = square[i * q + j];
            }
        }
        let y: Vec<f64> = (0..q).map(|i| dot(column(i), b)).collect();
        let turned = |x: &[f64]| directions.iter().map(|direction| small::dot(direction, x)).collect::<Vec<f64>>();
        AlongTerm {
            c: (0..q * q).map(|at| small::quadratic(&directions[at / q], &square, &directions[at % q])).collect(),
            b: turned(&b[own]),
            y: turned(&y),
            regression,
            point,
            term,
            values,
            directions,
        }
    }

    /// The logarithm of GCV where the parameter has moved by `step`.
    pub(super) fn score(&self, step: f64) -> f64 {
        let (q, parts, f) = (self.values.len(), &self.point.parts, step.exp_m1());
        let s: Vec<f64> = self.values.iter().map(|value| 1.0 / (1.0 + f * value)).collect();
        let sb: Vec<f64> = s.iter().zip(&self.b).map(|(s, b)| s * b).collect();
        let trace = parts.trace.iter().sum::<f64>()
            + f * (0..q).map(|i| s[i] * (self.values[i] - self.c[i * q + i])).sum::<f64>();
        let penalised_square = parts.penalised_square + f * small::dot(&self.b, &sb);
        let b_square = small::dot(&parts.b, &parts.b) - 2.0 * f * small::dot(&self.y, &sb)
            + f * f * small::quadratic(&sb, &self.c, &sb)
            + f * small::dot(&sb, &sb);
        let edf = 1.0 + parts.rank as f64 - trace;
        self.regression.log_gcv_of(self.regression.within_reason(penalised_square - b_square, edf))
    }

    /// The point where the parameter has moved by `step`.
    pub(super) fn moved(&self, step: f64) -> Point {
        let (regression, parts, f) = (self.regression, &self.point.parts, step.exp_m1());
        let own = regression.offsets[self.term]..regression.offsets[self.term + 1];
        let (q, size) = (own.len(), parts.b.len());
        // B_·a U, its columns by √s.
        let mut images = Mat::<f64>::zeros(size, q);
        let turn = Mat::from_fn(q, q, |i, k| self.directions[k][i] / (1.0 + f * self.values[k]).sqrt());
        multiply_here(
            images.as_mut(),
            Into::Replace,
            parts.b_matrix.as_ref().subcols(own.start, q),
            turn.as_ref(),
            1.0,
        );
        let mut b_matrix = parts.b_matrix.clone();
        multiply_here(b_matrix.as_mut(), Into::Add, images.as_ref(), images.transpose(), -f);
        let mut b = parts.b.clone();
        for k in 0..q {
            let share = f * self.b[k] / (1.0 + f * self.values[k]).sqrt();
            b.iter_mut().zip(images.col_as_slice(k)).for_each(|(b, image)| *b -= share * image);
        }
        let scale = (0.5 * step).exp();
        for i in own.clone() {
            b[i] *= scale;
            b_matrix.col_as_slice_mut(i).iter_mut().for_each(|entry| *entry *= scale);
        }
        for j in 0..size {
            b_matrix.col_as_slice_mut(j)[own.clone()].iter_mut().for_each(|entry| *entry *= scale);
        }
        let trace = |a: usize| (regression.offsets[a]..regression.offsets[a + 1]).map(|i| b_matrix[(i, i)]).sum();
        let mut rho = self.point.rho.clone();
        rho[self.term] += step;
        let penalised = |i: usize| self.b[i] * self.b[i] / (1.0 + f * self.values[i]);
        regression.point(
            rho,
            Parts {
                trace: (0..regression.terms.len()).map(trace).collect(),
                penalised_square: parts.penalised_square + f * (0..q).map(penalised).sum::<f64>(),
                log_determinant: parts.log_determinant
                    + self.values.iter().map(|value| (f * value).ln_1p()).sum::<f64>(),
                rank: parts.rank,
                b_matrix,
                b,
            },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::AlongTerm;
    use crate::data::Dataset;
    use crate::regress::additive::smooth_regression::SmoothRegression;
    use crate::regress::{AdditiveResiduals, Smoothing};
    use crate::run::{Run, Seed};
    use crate::smooth::{FewValued, SmoothSpec};

    /// A term that matters, one that does not, and both directions.
    #[test]
    fn moving_along_a_term_equals_starting_there() {
        let n = 150;
        let column = |rate: f64| (0..n).map(|i| (rate * f64::from(i)).sin()).collect::<Vec<f64>>();
        let (a, b) = (column(1.3), column(0.37));
        let y = a.iter().zip(column(2.9)).map(|(a, e)| a * a + 0.3 * e).collect();
        let data = Dataset::new(["a", "b", "y"].map(str::to_owned).to_vec(), vec![a, b, y]).unwrap();
        let run = Run::new(Seed(0));
        let residuals =
            AdditiveResiduals::new(&data, SmoothSpec::spline(10, FewValued::Spline), Smoothing::Gcv, 0.0, &run)
                .unwrap();
        let regression = SmoothRegression::new(residuals.gram(), &[0, 1], 2, Smoothing::Gcv, &run);
        let point = regression.at(vec![1.0, -2.0]).unwrap();
        for (term, step) in [(0, 2.0), (0, -4.0), (1, 10.0), (1, -2.0)] {
            let mut rho = point.rho.clone();
            rho[term] += step;
            let expected = regression.at(rho).unwrap();
            let along = AlongTerm::new(&regression, &point, term);
            let got = along.moved(step);
            assert!((along.score(step) - expected.score).abs() < 1e-11, "{term} {step}");
            assert!((got.score - expected.score).abs() < 1e-11, "{term} {step}");
            assert!((&got.parts.b_matrix - &expected.parts.b_matrix).norm_max() < 1e-9, "{term} {step}");
            assert!((got.parts.log_determinant - expected.parts.log_determinant).abs() < 1e-9, "{term} {step}");
            assert!((got.residual_square / expected.residual_square - 1.0).abs() < 1e-10);
            assert_eq!(got.rho, expected.rho);
        }
    }
}
