//! Variances of columns, and how much of each a linear regression on all others explains.

use faer::{Mat, Side, linalg::solvers::DenseSolveCore};

use super::{Covariance, Dataset};

/// The first ridge tried when the correlation matrix is singular: above the rounding of a Cholesky factor with thousands of
/// columns, far below any correlation that could matter.
const RIDGE: f64 = 1e-12;

impl Dataset {
    /// The sample variance of every column (denominator `n − 1`).
    pub fn variances(&self) -> Vec<f64> {
        let degrees = self.n().saturating_sub(1).max(1) as f64;
        (0..self.d())
            .map(|node| {
                let column = self.column(node);
                let mean = column.iter().sum::<f64>() / column.len() as f64;
                column.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / degrees
            })
            .collect()
    }

    /// R² of the linear regression of every column on all others: `1 − 1/(R⁻¹)_jj` with `R` the correlation matrix.
    ///
    /// A column that is a linear function of others has R² = 1, also when that makes `R` singular (then a ridge of 1e-12, or as
    /// much more as a factorisation needs, is added); a constant column has R² = 0.
    ///
    /// ```
    /// use npvar::data::Dataset;
    /// let a = vec![1.0, 2.0, 3.0, 4.0];
    /// let b = vec![1.0, -1.0, -1.0, 1.0]; // not correlated with a
    /// let data = Dataset::new(vec!["a".into(), "b".into()], vec![a, b])?;
    /// assert!(data.r_squared().iter().all(|r2| r2.abs() < 1e-12));
    /// # Ok::<(), npvar::Error>(())
    /// ```
    pub fn r_squared(&self) -> Vec<f64> {
        let unit = unit_columns(self);
        let mut correlation = unit.transpose() * &unit;
        for node in 0..self.d() {
            correlation[(node, node)] = 1.0; // also for a constant column, which is then independent of the others
        }
        from_correlation(&correlation)
    }
}

impl Covariance {
    /// R² of the linear regression of every column on all others; see [`Dataset::r_squared`].
    pub fn r_squared(&self) -> Vec<f64> {
        let matrix = self.matrix();
        let scale: Vec<f64> = (0..matrix.nrows()).map(|node| matrix[(node, node)].max(0.0).sqrt()).collect();
        from_correlation(&Mat::from_fn(matrix.nrows(), matrix.nrows(), |i, j| match scale[i] * scale[j] {
            _ if i == j => 1.0,
            0.0 => 0.0,
            product => matrix[(i, j)] / product,
        }))
    }
}

fn from_correlation(correlation: &Mat<f64>) -> Vec<f64> {
    let d = correlation.nrows();
    let mut ridge = 0.0;
    let factor = loop {
        let mut raised = correlation.clone();
        (0..d).for_each(|node| raised[(node, node)] += ridge);
        match raised.llt(Side::Lower) {
            Ok(factor) => break factor,
            // Ends: with a ridge above d the matrix is diagonally dominant.
            Err(_) => ridge = if ridge == 0.0 { RIDGE } else { ridge * 10.0 },
        }
    };
    let inverse = factor.inverse();
    (0..d).map(|node| (1.0 - 1.0 / inverse[(node, node)]).clamp(0.0, 1.0)).collect()
}

/// The columns, centred and of length one; constant ones stay zero. Scaled by the largest value first, so nothing overflows.
fn unit_columns(data: &Dataset) -> Mat<f64> {
    let mut unit = Mat::zeros(data.n(), data.d());
    for node in 0..data.d() {
        let column = data.column(node);
        let largest = column.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
        if column.iter().all(|value| value == &column[0]) {
            continue;
        }
        let mean = column.iter().map(|value| value / largest).sum::<f64>() / column.len() as f64;
        let length = column.iter().map(|value| (value / largest - mean).powi(2)).sum::<f64>().sqrt();
        for (row, value) in column.iter().enumerate() {
            unit[(row, node)] = (value / largest - mean) / length;
        }
    }
    unit
}

#[cfg(test)]
mod tests {
    use rand_distr::{Distribution, StandardNormal};

    use super::*;
    use crate::run::Seed;

    /// Agreement of two ways to compute the same R² from well-conditioned data.
    const ALGEBRA: f64 = 1e-10;

    fn dataset(columns: Vec<Vec<f64>>) -> Dataset {
        Dataset::new((0..columns.len()).map(|j| format!("X{j}")).collect(), columns).expect("a table")
    }

    fn normal(name: &str, n: usize) -> Vec<f64> {
        let mut rng = Seed(1).child(name, 0).rng();
        (0..n).map(|_| StandardNormal.sample(&mut rng)).collect()
    }

    fn sum(a: &[f64], b: &[f64]) -> Vec<f64> {
        a.iter().zip(b).map(|(a, b)| a + b).collect()
    }

    #[test]
    fn two_columns_have_the_squared_correlation_twice() {
        let a = vec![1.0, 2.0, 3.0, 5.0];
        let b = vec![2.0, 1.0, 4.0, 4.0];
        // Deviations: a (-1.75, -0.75, 0.25, 2.25), b (-0.75, -1.75, 1.25, 1.25): r² = 5.75² / (8.75 · 6.75).
        let expected = 5.75_f64.powi(2) / (8.75 * 6.75);
        for r2 in dataset(vec![a, b]).r_squared() {
            assert!((r2 - expected).abs() < ALGEBRA, "{r2} is not {expected}");
        }
    }

    #[test]
    fn degenerate_columns_do_not_stop_us() {
        let (a, b) = (normal("a", 200), normal("b", 200));
        let copies = dataset(vec![a.clone(), a.clone(), b.clone(), vec![3.0; 200], sum(&a, &b)]);
        let r2 = copies.r_squared();
        for node in [0, 1, 2, 4] {
            assert!((r2[node] - 1.0).abs() < 1e-6, "{r2:?}");
        }
        assert_eq!(r2[3], 0.0);
        let more_columns_than_rows = dataset((0..6).map(|j| normal(&format!("column {j}"), 3)).collect());
        assert!(more_columns_than_rows.r_squared().iter().all(|r2| (0.0..=1.0).contains(r2)));
        let huge = dataset(vec![vec![f64::MAX, -f64::MAX, 0.0], vec![1e-300, 2e-300, 4e-300]]);
        assert!(huge.r_squared().iter().all(|r2| (0.0..=1.0).contains(r2)));
        assert!(dataset(vec![vec![1.0], vec![2.0]]).r_squared().iter().all(|&r2| r2 == 0.0));
    }

    #[test]
    fn a_duplicate_elsewhere_does_not_disturb_an_independent_column() {
        let (a, b) = (normal("a", 500), normal("b", 500));
        let alone = dataset(vec![a.clone(), b.clone()]).r_squared()[1];
        let beside_copies = dataset(vec![a.clone(), b, a]).r_squared()[1];
        assert!((alone - beside_copies).abs() < 1e-9, "{alone} became {beside_copies}");
    }

    #[test]
    fn the_scale_of_a_column_does_not_matter() {
        let (x, noise) = (normal("x", 1000), normal("y", 1000));
        let y = sum(&x, &noise);
        let small = dataset(vec![x.iter().map(|x| x / 1000.0).collect(), y.clone()]);
        for (before, after) in dataset(vec![x, y]).r_squared().iter().zip(small.r_squared()) {
            assert!((before - after).abs() < ALGEBRA);
        }
    }
}
