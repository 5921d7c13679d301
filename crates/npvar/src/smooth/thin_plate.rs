//! Thin-plate regression splines of one variable, mgcv's `s(x, bs = "tp")` (Wood 2003), the basis of the R package CAM.
//!
//! With `E_ij = |x_i − x_j|³/12` over the distinct values, `E ≈ U L U'` by its `k` eigenpairs of largest size, and `T = [1, x]`:
//! the functions are `U L Z` (`Z` spans the null space of `T'U`) and `1, x`; the penalty on the former is `Z'L Z`, every column is
//! divided by its root mean square. A smaller `k` spans a subspace, so one set of eigenpairs serves all.
//!
//! Differs from mgcv: beyond 2000 distinct values mgcv takes a random 2000 of them; here all count.

use std::sync::Arc;

use faer::Mat;

use super::cubic_kernel::leading_eigenpairs;
use crate::numerics::linalg::small;

/// The eigenpairs of one column's kernel, from which its bases of any dimension follow.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ThinPlateKernel {
    /// The mean of the column.
    shift: f64,
    distinct: Arc<[f64]>,
    /// How many rows have each value.
    counts: Vec<usize>,
    eigenvalues: Vec<f64>,
    eigenvectors: Mat<f64>,
}

impl ThinPlateKernel {
    /// The eigenpairs that bases up to `dimension` need, of a column with at least that many distinct values.
    pub(super) fn new(distinct: &[f64], counts: Vec<usize>, dimension: usize) -> Self {
        let n: usize = counts.iter().sum();
        // Subtracting the first value keeps the digits of columns far from zero.
        let above: f64 = distinct.iter().zip(&counts).map(|(x, &count)| (x - distinct[0]) * count as f64).sum();
        let (eigenvalues, eigenvectors) = leading_eigenpairs(distinct, dimension);
        ThinPlateKernel {
            shift: distinct[0] + above / n as f64,
            distinct: distinct.into(),
            counts,
            eigenvalues,
            eigenvectors,
        }
    }

    /// The basis of this dimension, at least 3, and its functions at every distinct value.
    pub(super) fn basis(&self, dimension: usize) -> (ThinPlate, Vec<Vec<f64>>) {
        let (u, k) = (self.distinct.len(), dimension);
        // In decreasing order, as mgcv has them: it decides how the null space is spanned.
        let mut pairs: Vec<usize> = (0..k).collect();
        pairs.sort_by(|&a, &b| self.eigenvalues[b].total_cmp(&self.eigenvalues[a]));
        let eigenvalues: Vec<f64> = pairs.iter().map(|&a| self.eigenvalues[a]).collect();
        let vector = |a: usize| self.eigenvectors.col_as_slice(pairs[a]);
        let shifted: Vec<f64> = self.distinct.iter().map(|x| x - self.shift).collect();
        let constant: Vec<f64> = (0..k).map(|a| vector(a).iter().sum()).collect();
        let linear: Vec<f64> = (0..k).map(|a| small::dot(vector(a), &shifted)).collect();
        let z = null_space(constant, linear);
        // Weights of the kernel functions, and the functions' values at the distinct points.
        let combine = |factor: &dyn Fn(usize) -> f64| -> Vec<Vec<f64>> {
            let column = |z: &Vec<f64>, i: usize| (0..k).map(|a| vector(a)[i] * factor(a) * z[a]).sum();
            z.iter().map(|z| (0..u).map(|i| column(z, i)).collect()).collect()
        };
        let mut weights = combine(&|_| 1.0);
        let mut columns = combine(&|a| eigenvalues[a]);
        columns.push(vec![1.0; u]);
        columns.push(shifted);
        let n: usize = self.counts.iter().sum();
        let scale: Vec<f64> = columns
            .iter()
            .map(|column| {
                let square: f64 = column.iter().zip(&self.counts).map(|(x, &count)| count as f64 * x * x).sum();
                (square / n as f64).sqrt()
            })
            .collect();
        for (column, &scale) in columns.iter_mut().zip(&scale) {
            column.iter_mut().for_each(|value| *value /= scale);
        }
        for (weights, &scale) in weights.iter_mut().zip(&scale) {
            weights.iter_mut().for_each(|weight| *weight /= scale);
        }
        let mut roughness = vec![0.0; k * k];
        for (i, a) in z.iter().enumerate() {
            for (j, b) in z.iter().enumerate() {
                let form: f64 = (0..k).map(|l| a[l] * eigenvalues[l] * b[l]).sum();
                roughness[i * k + j] = form / (scale[i] * scale[j]);
            }
        }
        let slope = 1.0 / scale[k - 1];
        let basis = ThinPlate { shift: self.shift, distinct: self.distinct.clone(), weights, slope, roughness };
        let rows = (0..u).map(|i| columns.iter().map(|column| column[i]).collect()).collect();
        (basis, rows)
    }
}

/// A thin-plate basis: `k − 2` combinations of `|x − x_i|³/12`, the constant and the line.
#[derive(Debug, Clone, PartialEq)]
pub struct ThinPlate {
    shift: f64,
    distinct: Arc<[f64]>,
    /// For each combination its weights, one per distinct value.
    weights: Vec<Vec<f64>>,
    /// What the line is multiplied by.
    slope: f64,
    roughness: Vec<f64>,
}

impl ThinPlate {
    /// How many functions there are.
    pub(super) fn functions(&self) -> usize {
        self.weights.len() + 2
    }

    /// The penalty before scaling, row-major.
    pub(super) fn roughness(&self) -> &[f64] {
        &self.roughness
    }

    /// The values of all functions at `x`; costs an operation per distinct value.
    pub fn row(&self, x: f64) -> Vec<f64> {
        let kernel: Vec<f64> = self.distinct.iter().map(|centre| (x - centre).abs().powi(3) / 12.0).collect();
        let mut row: Vec<f64> = self.weights.iter().map(|weights| small::dot(weights, &kernel)).collect();
        row.extend([1.0, self.slope * (x - self.shift)]);
        row
    }
}

/// Orthonormal vectors that span what is orthogonal to `a` and `b`: all but the last two columns of two Householder
/// reflections, which is mgcv's choice. (Another choice would give the same space and another scale of the penalty.)
fn null_space(a: Vec<f64>, mut b: Vec<f64>) -> Vec<Vec<f64>> {
    let k = a.len();
    let first = reflector(&a, k - 1);
    reflect(&first, &mut b);
    let second = reflector(&b, k - 2);
    (0..k - 2)
        .map(|column| {
            let mut unit = vec![0.0; k];
            unit[column] = 1.0;
            reflect(&second, &mut unit);
            reflect(&first, &mut unit);
            unit
        })
        .collect()
}

/// A vector `v` of norm `√2` with `(I − v v')` sending `x[..=last]` to a multiple of its last unit vector.
fn reflector(x: &[f64], last: usize) -> Vec<f64> {
    let norm = small::dot(&x[..=last], &x[..=last]).sqrt();
    let mut v = x.to_vec();
    v[last + 1..].fill(0.0);
    v[last] += norm.copysign(x[last]);
    let length = small::dot(&v, &v).sqrt();
    if length > 0.0 {
        v.iter_mut().for_each(|entry| *entry *= std::f64::consts::SQRT_2 / length);
    }
    v
}

fn reflect(v: &[f64], x: &mut [f64]) {
    let share = small::dot(v, x);
    x.iter_mut().zip(v).for_each(|(x, v)| *x -= share * v);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_at_the_data_equal_those_of_the_kernel() {
        let distinct: Vec<f64> = (0..80).map(|i| (f64::from(i) * 0.1).powi(2)).collect();
        let kernel = ThinPlateKernel::new(&distinct, vec![1; 80], 10);
        for dimension in [3, 4, 10] {
            let (basis, rows) = kernel.basis(dimension);
            for (x, row) in distinct.iter().zip(rows) {
                for (got, expected) in basis.row(*x).iter().zip(&row) {
                    assert!((got - expected).abs() < 1e-7, "at {x}: {got} {expected}");
                }
            }
        }
    }

    #[test]
    fn a_null_space_is_orthonormal_and_orthogonal() {
        let (a, b) = (vec![1.0, 2.0, -1.0, 0.5, 3.0], vec![0.0, 1.0, 1.0, -2.0, 0.1]);
        let z = null_space(a.clone(), b.clone());
        assert_eq!(z.len(), 3);
        for (i, u) in z.iter().enumerate() {
            assert!(small::dot(u, &a).abs() < 1e-14 && small::dot(u, &b).abs() < 1e-14);
            for (j, v) in z.iter().enumerate() {
                assert!((small::dot(u, v) - f64::from(u8::from(i == j))).abs() < 1e-14);
            }
        }
    }
}
