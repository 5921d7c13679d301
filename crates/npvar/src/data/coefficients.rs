//! Least-squares coefficients of a column on others, from the covariance matrix.

use super::Covariance;
use crate::numerics::linalg::small;

/// Columns that leave less than this share of one of them depend exactly on each other.
const DEPENDENT: f64 = 1e-10;

impl Covariance {
    /// The least-squares coefficients of column `target` on the columns `given`, in their order; nothing where these depend
    /// exactly on each other, one is constant, or there are too few rows for so many.
    ///
    /// ```
    /// use npvar::data::Covariance;
    /// // X₁ = 2 X₀ + e with var(X₀) = var(e) = 1.
    /// let covariance = Covariance::known(faer::mat![[1.0, 2.0], [2.0, 5.0]], 100);
    /// assert_eq!(covariance.coefficients(1, &[0]), Some(vec![2.0]));
    /// ```
    pub fn coefficients(&self, target: usize, given: &[usize]) -> Option<Vec<f64>> {
        let (matrix, k) = (self.matrix(), given.len());
        let scale: Vec<f64> = given.iter().map(|&node| matrix[(node, node)].max(0.0).sqrt()).collect();
        if k + 1 >= self.n() || scale.contains(&0.0) {
            return None;
        }
        let mut factor: Vec<f64> = (0..k * k)
            .map(|at| (at / k, at % k))
            .map(|(i, j)| if i == j { 1.0 } else { matrix[(given[i], given[j])] / (scale[i] * scale[j]) })
            .collect();
        if small::cholesky(&mut factor, k, &vec![1.0; k]) <= DEPENDENT {
            return None;
        }
        let inverse = small::invert_lower(&factor, k);
        let row = |i: usize| &inverse[i * k..(i + 1) * k];
        let cross: Vec<f64> = (0..k).map(|i| matrix[(given[i], target)] / scale[i]).collect();
        let half: Vec<f64> = (0..k).map(|i| small::dot(row(i), &cross)).collect();
        Some((0..k).map(|i| (i..k).map(|l| inverse[l * k + i] * half[l]).sum::<f64>() / scale[i]).collect())
    }
}

#[cfg(test)]
mod tests {
    use faer::mat;

    use super::*;

    #[test]
    fn a_collider_has_the_coefficients_that_made_it() {
        // X₂ = 3 X₀ − 0.5 X₁ + e with cov(X₀, X₁) = 0.5, var(X₁) = 4, var(e) = 1.
        let (c02, c12) = (3.0 - 0.25, 1.5 - 2.0);
        let covariance =
            Covariance::known(mat![[1.0, 0.5, c02], [0.5, 4.0, c12], [c02, c12, 3.0 * c02 - 0.5 * c12 + 1.0]], 50);
        let got = covariance.coefficients(2, &[1, 0]).unwrap();
        assert!((got[0] + 0.5).abs() < 1e-14 && (got[1] - 3.0).abs() < 1e-14, "{got:?}");
        assert_eq!(covariance.coefficients(0, &[]), Some(vec![]));
    }

    #[test]
    fn copies_constants_and_too_few_rows_have_none() {
        let copies = Covariance::known(mat![[1.0, 1.0, 0.5], [1.0, 1.0, 0.5], [0.5, 0.5, 1.0]], 50);
        assert_eq!(copies.coefficients(2, &[0, 1]), None);
        let constant = Covariance::known(mat![[0.0, 0.0], [0.0, 1.0]], 50);
        assert_eq!(constant.coefficients(1, &[0]), None);
        let few = Covariance::known(mat![[1.0, 0.5], [0.5, 1.0]], 2);
        assert_eq!(few.coefficients(1, &[0]), None);
    }
}
