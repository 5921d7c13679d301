//! The functions of one column that depend on all its values, and what they are at every row.

use faer::Mat;

use super::cubic_regression::CubicRegression;
use super::thin_plate::ThinPlate;

/// The functions of one column.
#[derive(Debug, Clone, PartialEq)]
pub enum WholeColumnBasis {
    /// Cubic regression splines.
    CubicRegression(CubicRegression),
    /// Thin-plate splines.
    ThinPlate(ThinPlate),
    /// The constant and the column itself, which has two values.
    Line,
    /// The column has one value.
    Constant,
}

impl WholeColumnBasis {
    /// How many functions there are before the constraint.
    pub fn functions(&self) -> usize {
        match self {
            WholeColumnBasis::CubicRegression(spline) => spline.knots().len(),
            WholeColumnBasis::ThinPlate(spline) => spline.functions(),
            WholeColumnBasis::Line => 2,
            WholeColumnBasis::Constant => 0,
        }
    }

    /// The values of all functions at `x`.
    pub fn row(&self, x: f64) -> Vec<f64> {
        match self {
            WholeColumnBasis::CubicRegression(spline) => spline.row(x),
            WholeColumnBasis::ThinPlate(spline) => spline.row(x),
            WholeColumnBasis::Line => vec![1.0, x],
            WholeColumnBasis::Constant => Vec::new(),
        }
    }

    /// The penalty before scaling, row-major, and its rank.
    pub fn roughness(&self) -> (Vec<f64>, usize) {
        match self {
            WholeColumnBasis::CubicRegression(spline) => (spline.roughness().to_vec(), self.functions() - 2),
            WholeColumnBasis::ThinPlate(spline) => (spline.roughness().to_vec(), self.functions() - 2),
            WholeColumnBasis::Line | WholeColumnBasis::Constant => (vec![0.0; self.functions().pow(2)], 0),
        }
    }
}

/// One column's basis with its values at every row.
pub struct Design {
    /// The functions.
    pub basis: WholeColumnBasis,
    /// `n` by `k`.
    pub(super) rows: Mat<f64>,
}

impl Design {
    /// The functions' values, `n` by `k`, before the constraint.
    pub fn values(&self) -> &Mat<f64> {
        &self.rows
    }

    /// mgcv's scale of the penalty, `‖S‖₁ / ‖X‖∞²`; one where nothing is penalised.
    pub fn penalty_scale(&self) -> f64 {
        let (roughness, _) = self.basis.roughness();
        let k = self.basis.functions();
        let column = |j: usize| (0..k).map(|i| roughness[i * k + j].abs()).sum::<f64>();
        let row = |i: usize| (0..k).map(|j| self.rows[(i, j)].abs()).sum::<f64>();
        let one = (0..k).map(column).fold(0.0, f64::max);
        let infinity = (0..self.rows.nrows()).map(row).fold(0.0, f64::max);
        if one > 0.0 { one / (infinity * infinity) } else { 1.0 }
    }
}
