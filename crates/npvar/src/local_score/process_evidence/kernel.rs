//! The matrix `M = I + a Σ_{k ∈ T} E_k + b P`, `E_k = exp(−l t_k²/2)`, `P = exp(−m Σ_{k ∈ S} t_k²/2)`, and that of every split
//! one toggle away.
//!
//! Entries of `E_k` are rounded to multiples of 2⁻⁴⁰, so that their sums are exact: a matrix is the same to the bit whichever
//! split it was reached from.

use faer::Mat;

use super::numbers::Numbers;
use super::rows::Rows;
use super::split::{Split, Toggle};
use super::workspace::Workspace;
use crate::graph::Node;
use crate::numerics::linalg::{Cholesky, dot_in_lanes, exp_of_nonpositive, vectorised};

/// Adding and subtracting this rounds a number from 0 to 2¹² to a multiple of 2⁻⁴⁰.
const ROUNDING: f64 = 6144.0;

/// A split's matrix in two parts, lower triangles.
pub(super) struct Parts<'r> {
    rows: &'r Rows,
    numbers: Numbers,
    split: &'r Split,
    space: &'r mut Workspace,
}

/// Sums of weights times derivatives of `M` by the logarithms of the numbers.
pub(super) type Slopes = [f64; 4];

impl<'r> Parts<'r> {
    pub(super) fn new(rows: &'r Rows, numbers: Numbers, split: &'r Split, space: &'r mut Workspace) -> Self {
        let half_length = -0.5 * numbers.l();
        vectorised(
            #[inline(always)]
            || {
                for j in 0..rows.count() {
                    let target = &mut space.additive.col_as_slice_mut(j)[j + 1..];
                    target.fill(0.0);
                    for &node in &split.additive {
                        let x = rows.covariate(node);
                        add(target, 1.0, &x[j + 1..], x[j], half_length);
                    }
                }
            },
        );
        if !split.joint.is_empty() {
            fill_joint(rows, numbers, &split.joint, &mut space.joint);
        }
        Parts { rows, numbers, split, space }
    }

    /// The factor of `M`.
    pub(super) fn factor(&mut self) -> Cholesky {
        self.combine(self.split, |_, _| ());
        self.factored()
    }

    /// That of the split one toggle away.
    pub(super) fn factor_toggled(&mut self, toggle: Toggle) -> Cholesky {
        let split = self.split.toggled(toggle);
        match toggle {
            Toggle::Additive(node) => {
                let x = self.rows.covariate(node);
                let sign = if split.additive.len() > self.split.additive.len() { 1.0 } else { -1.0 };
                let half_length = -0.5 * self.numbers.l();
                self.combine(
                    &split,
                    #[inline(always)]
                    |j, column| add(column, sign, &x[j + 1..], x[j], half_length),
                );
            }
            Toggle::Joint(_) => {
                // What is valued is the other set; then it is put back.
                if !split.joint.is_empty() {
                    fill_joint(self.rows, self.numbers, &split.joint, &mut self.space.other);
                }
                std::mem::swap(&mut self.space.joint, &mut self.space.other);
                self.combine(&split, |_, _| ());
                std::mem::swap(&mut self.space.joint, &mut self.space.other);
            }
        }
        self.factored()
    }

    /// Gives a factor's storage back.
    pub(super) fn give_back(&mut self, factor: Cholesky) {
        self.space.matrix = factor.into_storage();
    }

    fn factored(&mut self) -> Cholesky {
        let matrix = std::mem::replace(&mut self.space.matrix, Mat::new());
        Cholesky::new(matrix).expect("the identity plus covariances is positive definite")
    }

    /// `I + a (A + change) + joint`, with the joint part there is.
    #[inline(always)]
    fn combine(&mut self, split: &Split, change: impl Fn(usize, &mut [f64])) {
        let (a, b, n) = (self.numbers.a(), self.numbers.b(), self.rows.count());
        let is_joint = !split.joint.is_empty();
        let diagonal = 1.0 + a * split.additive.len() as f64 + if is_joint { b } else { 0.0 };
        let Workspace { additive, joint, matrix, .. } = &mut *self.space;
        vectorised(
            #[inline(always)]
            || {
                for j in 0..n {
                    let column = matrix.col_as_slice_mut(j);
                    column[j] = diagonal;
                    let column = &mut column[j + 1..];
                    column.copy_from_slice(&additive.col_as_slice(j)[j + 1..]);
                    change(j, column);
                    if is_joint {
                        for (entry, joint) in column.iter_mut().zip(&joint.col_as_slice(j)[j + 1..]) {
                            *entry = a.mul_add(*entry, *joint);
                        }
                    } else {
                        column.iter_mut().for_each(|entry| *entry *= a);
                    }
                }
            },
        );
    }

    /// `½ Σ w dM/dθ` over all pairs of rows, for weights that `weigh` writes for the rows below the diagonal of a column, and
    /// the sum of the weights on the diagonal.
    pub(super) fn contracted(&self, diagonal: f64, weigh: impl Fn(usize, &mut [f64])) -> Slopes {
        let n = self.rows.count();
        let (a, l, m) = (self.numbers.a(), self.numbers.l(), self.numbers.m());
        let mut slopes = [0.0; 4];
        vectorised(
            #[inline(always)]
            || {
                let (mut weights, mut squares, mut own) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
                for j in 0..n {
                    let (weights, squares, own) = (&mut weights[j + 1..], &mut squares[j + 1..], &mut own[j + 1..]);
                    weigh(j, weights);
                    slopes[0] += a * dot_in_lanes(weights, &self.space.additive.col_as_slice(j)[j + 1..]);
                    for &node in &self.split.additive {
                        fill_squares(self.rows, &[node], j, squares);
                        for (own, square) in own.iter_mut().zip(&*squares) {
                            *own = square * exp_of_nonpositive(-0.5 * l * square);
                        }
                        slopes[1] -= 0.5 * l * a * dot_in_lanes(weights, own);
                    }
                    if !self.split.joint.is_empty() {
                        let joint = &self.space.joint.col_as_slice(j)[j + 1..];
                        slopes[2] += dot_in_lanes(weights, joint);
                        fill_squares(self.rows, &self.split.joint, j, squares);
                        for (own, (square, joint)) in own.iter_mut().zip(squares.iter().zip(joint)) {
                            *own = square * joint;
                        }
                        slopes[3] -= 0.5 * m * dot_in_lanes(weights, own);
                    }
                }
            },
        );
        slopes[0] += 0.5 * diagonal * a * self.split.additive.len() as f64;
        slopes[2] += 0.5 * diagonal * if self.split.joint.is_empty() { 0.0 } else { self.numbers.b() };
        slopes
    }
}

/// Adds `± exp(half_length (x − here)²)`, rounded.
#[inline(always)]
fn add(target: &mut [f64], sign: f64, x: &[f64], here: f64, half_length: f64) {
    for (entry, x) in target.iter_mut().zip(x) {
        let t = x - here;
        let value = (exp_of_nonpositive(half_length * (t * t)) + ROUNDING) - ROUNDING;
        *entry = sign.mul_add(value, *entry);
    }
}

/// `b P` of a set that is not empty.
fn fill_joint(rows: &Rows, numbers: Numbers, set: &[Node], target: &mut Mat<f64>) {
    let (half_length, b) = (-0.5 * numbers.m(), numbers.b());
    vectorised(
        #[inline(always)]
        || {
            for j in 0..rows.count() {
                let column = &mut target.col_as_slice_mut(j)[j + 1..];
                fill_squares(rows, set, j, column);
                for entry in column {
                    *entry = b * exp_of_nonpositive(half_length * *entry);
                }
            }
        },
    );
}

/// `Σ_{k ∈ set} t_k²` below the diagonal of a column.
#[inline(always)]
fn fill_squares(rows: &Rows, set: &[Node], j: usize, target: &mut [f64]) {
    target.fill(0.0);
    for &node in set {
        let x = rows.covariate(node);
        let here = x[j];
        for (entry, x) in target.iter_mut().zip(&x[j + 1..]) {
            let t = x - here;
            *entry = t.mul_add(t, *entry);
        }
    }
}
