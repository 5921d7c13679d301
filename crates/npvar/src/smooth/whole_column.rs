//! Bases that depend on all values of a column, not on its range alone: cubic regression and thin-plate splines.
//!
//! Their functions are nowhere zero, so the rows have to be in memory; the Gram matrix of the constrained bases is the
//! same thing as for P-splines, and everything behind it never notices.
//!
//! Differs from mgcv: a column with fewer distinct values than the basis has functions, at which mgcv stops, gets a
//! basis of as many functions as it has values; two values get a straight line, one value nothing.

use faer::Mat;
use rayon::prelude::*;

use super::cubic_regression::CubicRegression;
use super::design::{Design, WholeColumnBasis};
use super::gram::AdditiveGram;
use super::thin_plate::ThinPlateKernel;
use crate::data::Dataset;
use crate::error::Result;
use crate::run::Run;

/// The smallest basis with anything to penalise: the constant, the line and one more.
const SMALLEST: usize = 3;

/// Which basis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WholeColumn {
    /// mgcv's `bs = "cr"`.
    CubicRegression,
    /// mgcv's `bs = "tp"`.
    ThinPlate,
}

/// Every column of a table, ready for bases of any dimension up to a largest one.
///
/// ```
/// use npvar::data::Dataset;
/// use npvar::regress::{AdditiveFit, Smoothing};
/// use npvar::smooth::{WholeColumn, WholeColumns};
/// use npvar::{Run, Seed};
/// let x: Vec<f64> = (0..200).map(|i| f64::from(i) / 30.0).collect();
/// let y: Vec<f64> = x.iter().map(|x| x.sin()).collect();
/// let data = Dataset::new(vec!["x".into(), "y".into()], vec![x, y])?;
/// let gram = WholeColumns::new(&data, WholeColumn::ThinPlate, 10, &Run::new(Seed(0)))?.gram(10);
/// let fit = AdditiveFit::smoothed(&gram, &[0], 1, Smoothing::Gcv, 0.0);
/// assert!(fit.residual_square() < 1e-3 * fit.square());
/// # Ok::<(), npvar::Error>(())
/// ```
pub struct WholeColumns<'d> {
    data: &'d Dataset,
    columns: Vec<Column>,
    kind: WholeColumn,
}

struct Column {
    distinct: Vec<f64>,
    /// Where among the distinct values each row's is.
    index: Vec<usize>,
    kernel: Option<ThinPlateKernel>,
}

impl<'d> WholeColumns<'d> {
    /// Sorts every column and, for thin plates, finds the eigenpairs that bases up to `largest` functions need.
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`].
    pub fn new(data: &'d Dataset, kind: WholeColumn, largest: usize, run: &Run<'_>) -> Result<Self> {
        let columns = (0..data.d())
            .into_par_iter()
            .map(|j| {
                run.check()?;
                Ok(Column::new(data.column(j), kind, largest))
            })
            .collect::<Result<_>>()?;
        Ok(WholeColumns { data, columns, kind })
    }

    /// How many distinct values a column has.
    pub fn distinct(&self, node: usize) -> usize {
        self.columns[node].distinct.len()
    }

    /// The bases of at most this dimension (at least three) and their values at every row.
    pub fn designs(&self, dimension: usize) -> Vec<Design> {
        self.columns.par_iter().map(|column| column.design(self.kind, dimension.max(SMALLEST))).collect()
    }

    /// The Gram matrix of these bases.
    pub fn gram(&self, dimension: usize) -> AdditiveGram {
        AdditiveGram::of_designs(&self.designs(dimension), self.data)
    }
}

impl Column {
    fn new(values: &[f64], kind: WholeColumn, largest: usize) -> Self {
        let mut distinct = values.to_vec();
        distinct.sort_unstable_by(f64::total_cmp);
        distinct.dedup();
        let index: Vec<usize> = values.iter().map(|value| distinct.partition_point(|known| known < value)).collect();
        let kernel = (kind == WholeColumn::ThinPlate && distinct.len() >= SMALLEST).then(|| {
            let mut counts = vec![0; distinct.len()];
            index.iter().for_each(|&at| counts[at] += 1);
            ThinPlateKernel::new(&distinct, counts, largest.max(SMALLEST).min(distinct.len()))
        });
        Column { distinct, index, kernel }
    }

    fn design(&self, kind: WholeColumn, dimension: usize) -> Design {
        let dimension = dimension.min(self.distinct.len());
        let (basis, rows) = match (self.distinct.len(), kind, &self.kernel) {
            (1, ..) => (WholeColumnBasis::Constant, vec![Vec::new()]),
            (2, ..) => (WholeColumnBasis::Line, self.distinct.iter().map(|&x| vec![1.0, x]).collect()),
            (_, WholeColumn::ThinPlate, Some(kernel)) => {
                let (basis, rows) = kernel.basis(dimension);
                (WholeColumnBasis::ThinPlate(basis), rows)
            }
            _ => {
                let spline = CubicRegression::new(&self.distinct, dimension);
                let rows = self.distinct.iter().map(|&x| spline.row(x)).collect();
                (WholeColumnBasis::CubicRegression(spline), rows)
            }
        };
        let rows = Mat::from_fn(self.index.len(), basis.functions(), |i, j| rows[self.index[i]][j]);
        Design { basis, rows }
    }
}
